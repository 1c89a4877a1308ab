"""Cells by name."""

from collections.abc import Callable
from functools import partial

from gradatim.errors import InvalidType, choose
from gradatim.nn.cells.antisymmetric import AntisymmetricCell
from gradatim.nn.cells.cell import Cell
from gradatim.nn.cells.deep_transition import DeepTransitionCell
from gradatim.nn.cells.elman import ElmanCell
from gradatim.nn.cells.gru import GRUCell
from gradatim.nn.cells.gru_cho import ChoGRUCell
from gradatim.nn.cells.gru_chung import ChungGRUCell
from gradatim.nn.cells.highway import HighwayCell
from gradatim.nn.cells.lipschitz import LipschitzCell
from gradatim.nn.cells.lru import LRUCell
from gradatim.nn.cells.lstm import LSTMCell
from gradatim.nn.cells.lstm_no_forget import NoForgetLSTMCell
from gradatim.nn.cells.lstm_output_map import OutputMapLSTMCell
from gradatim.nn.cells.lstm_peephole import PeepholeLSTMCell
from gradatim.nn.cells.min_gru import MinGRUCell
from gradatim.nn.cells.min_lstm import MinLSTMCell
from gradatim.nn.cells.residual import ResidualCell
from gradatim.nn.cells.s6 import S6Cell

CellFactory = Callable[[int, int], Cell]

CELLS: dict[str, CellFactory] = {
    "elman": ElmanCell,
    "elman_relu": partial(ElmanCell, activation="relu"),
    "residual": ResidualCell,
    "highway": HighwayCell,
    "deep_transition": DeepTransitionCell,
    "antisymmetric": AntisymmetricCell,
    "lipschitz": LipschitzCell,
    "lstm": LSTMCell,
    "lstm_no_forget": NoForgetLSTMCell,
    "lstm_output_map": OutputMapLSTMCell,
    "lstm_peephole": PeepholeLSTMCell,
    "gru": GRUCell,
    "gru_cho": ChoGRUCell,
    "gru_chung": ChungGRUCell,
    "min_gru": MinGRUCell,
    "min_lstm": MinLSTMCell,
    "lru": LRUCell,
    "s6": S6Cell,
}


def build_cell(cell: str | CellFactory, input_dim: int, hidden_dim: int) -> Cell:
    """Build a cell from its name, its class or a function ``(input_dim, hidden_dim) -> Cell``.

    Args:
        cell: Name of a cell, a class of cells, or a function that builds one.
        input_dim: Width of the input.
        hidden_dim: Width of the state.

    Example:
        >>> build_cell("gru", 3, 4).hidden_dim
        4
    """
    factory = cell if callable(cell) else CELLS[choose("Recurrent", "cell", cell, CELLS)]
    built = factory(input_dim, hidden_dim)
    if not isinstance(built, Cell):
        raise InvalidType(
            f"Recurrent: cell must build a gradatim.nn.Cell, got {type(built).__name__}. Try cell='lstm'."
        )
    return built
