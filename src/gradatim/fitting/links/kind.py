"""Links of a graph as a kind of data."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidValue
from gradatim.fitting.kind import Kind
from gradatim.fitting.nodes.kind import directed_option
from gradatim.fitting.options import ContestOptions, option

if TYPE_CHECKING:
    from gradatim.fitting.links.model import LinkModel
    from gradatim.fitting.links.player import LinkPlayer

EDGES_PER_SECOND = 1_000  # of the budget, that are learned from and judged
LEAST_EDGES = 1_000
UNTIMED = 60.0  # seconds that a run without a budget counts as


@dataclass(frozen=True, kw_only=True)
class LinkOptions(ContestOptions):
    """What may be asked for links of a graph.

    Args:
        time_column: Column of ``edges.csv`` with times: later edges are judged by what earlier ones tell.
        drop: Columns of ``nodes.csv`` to leave out.
        directed: Whether an edge leads from its source to its target alone.
    """

    time_column: str | None = option(None, "Times of edges: the past predicts the future.", metavar="COLUMN")  # fmt: skip
    drop: tuple[str, ...] = option((), "Leave a column out; may be repeated.", metavar="COLUMN")
    directed: bool = directed_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.test, str):
            raise InvalidValue("fit: test must be a share for links, got a file. Try 0.2.")

    @property
    def most_edges(self) -> int:
        """Edges to learn from and to judge, as many as the budget can deal with, or as were asked for.

        Example:
            >>> LinkOptions().most_edges, LinkOptions(rows=50).most_edges
            (60000, 50)
        """
        if self.rows is not None:
            return self.rows
        seconds = UNTIMED if self.trials is not None else self.budget
        return max(int(seconds * EDGES_PER_SECOND), LEAST_EDGES)


def _read(data: Any, job: LinkOptions) -> "LinkPlayer":
    from gradatim.fitting.links.player import read_player

    return read_player(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "LinkModel":
    from gradatim.fitting.links.model import LinkModel

    return LinkModel.from_folder(description, tensors)


LINK = Kind(
    name="link",
    words="links of a graph",
    title="Links of a graph",
    options=LinkOptions,
    read=_read,
    load=_load,
    flag="links",
    flag_help="Learn which pairs of nodes of a graph are joined.",
)
