"""Whole graphs with a class or a number each as a kind of data."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.fitting.kind import Kind
from gradatim.fitting.options import ContestOptions
from gradatim.fitting.tables.kind import task_option

if TYPE_CHECKING:
    from gradatim.fitting.graphs.model import GraphModel
    from gradatim.fitting.graphs.player import GraphPlayer

FORMATS = ("tu", "molecules", "rings")  # of built-in sets


@dataclass(frozen=True, kw_only=True)
class GraphOptions(ContestOptions):
    """What may be asked for whole graphs.

    Args:
        task: ``"auto"``, ``"regression"``, ``"binary"``, ``"multiclass"`` or ``"classification"``.
    """

    task: str = task_option()


def _is_meant(data: object, given: Mapping[str, Any]) -> bool:
    """A folder of TU files, a file or folder of graphs in JSON, a built-in set, or graphs in memory."""
    from gradatim.fitting.graphs.memory import are_graphs
    from gradatim.fitting.graphs.reading import holds_graphs

    if not isinstance(data, str | Path):
        return are_graphs(data)
    path = Path(data)
    return holds_graphs(path) if path.exists() else is_built_in(str(data))


def is_built_in(name: str) -> bool:
    """Whether a name is that of a built-in set of whole graphs.

    Example:
        >>> is_built_in("rings"), is_built_in("iris")
        (True, False)
    """
    from gradatim.data import catalogue

    return any(entry.name == name and entry.format in FORMATS for entry in catalogue())


def _read(data: Any, job: GraphOptions) -> "GraphPlayer":
    from gradatim.fitting.graphs.player import read_player

    return read_player(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "GraphModel":
    from gradatim.fitting.graphs.model import GraphModel

    return GraphModel.from_folder(description, tensors)


GRAPH = Kind(
    name="graph",
    words="whole graphs",
    title="Whole graphs",
    options=GraphOptions,
    is_meant=_is_meant,
    read=_read,
    load=_load,
)
