"""Nodes of a graph as a kind of data."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidValue
from gradatim.fitting.kind import Kind
from gradatim.fitting.options import option
from gradatim.fitting.tables.kind import RowOptions, task_option

if TYPE_CHECKING:
    from gradatim.fitting.nodes.model import NodeModel
    from gradatim.fitting.nodes.player import NodePlayer

NODES, EDGES = "nodes.csv", "edges.csv"
SETS = ("karate", "cora")  # built-in graphs whose nodes have labels


def directed_option() -> Any:
    """Whether edges have a direction."""
    return option(False, "Edges lead from source to target alone; both ways by default.")


@dataclass(frozen=True, kw_only=True)
class NodeOptions(RowOptions):
    """What may be asked for nodes of a graph.

    Args:
        target: Column of ``nodes.csv`` to predict; nodes without one are predicted, and pass messages on.
        time_column: Column of times: later nodes and their edges are hidden from what learns of earlier ones.
        group: Column of groups: a judged group is hidden with its edges.
        drop: Columns to leave out.
        task: ``"auto"``, ``"regression"``, ``"binary"``, ``"multiclass"`` or ``"classification"``.
        directed: Whether an edge leads from its source to its target alone.
    """

    task: str = task_option()
    directed: bool = directed_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.time_column is not None and self.group is not None:
            raise InvalidValue("fit: time_column and group must not be given together. Choose one.")


def holds_graph(folder: Path) -> bool:
    """Whether a folder holds a table of nodes or one of edges.

    Args:
        folder: Any path.
    """
    return folder.is_dir() and any((folder / name).is_file() for name in (NODES, EDGES))


def _is_meant(data: object, given: Mapping[str, Any]) -> bool:
    """A folder with ``nodes.csv`` or ``edges.csv``, or a built-in graph."""
    if not isinstance(data, str | Path):
        return False
    return holds_graph(Path(data)) or (str(data) in SETS and not Path(data).exists())


def _read(data: Any, job: NodeOptions) -> "NodePlayer":
    from gradatim.fitting.nodes.player import read_player

    return read_player(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "NodeModel":
    from gradatim.fitting.nodes.model import NodeModel

    return NodeModel.from_folder(description, tensors)


NODE = Kind(
    name="node",
    words="nodes of a graph",
    title="Nodes of a graph",
    options=NodeOptions,
    is_meant=_is_meant,
    read=_read,
    load=_load,
)
