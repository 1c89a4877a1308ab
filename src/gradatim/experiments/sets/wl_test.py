"""What messages between nodes can tell apart, and what only pairs of nodes see."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.models import (
    APPNP,
    GAT,
    GCN,
    GIN,
    SGC,
    ChebNet,
    GATv2,
    GraphClassifier,
    GraphSAGE,
    PairNet,
)
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.theory import wl_colours, wl_test
from gradatim.training import Trainer

COVERS = ("H2",)
KEYWORDS = "Weisfeiler-Lehman test, graph isomorphism, color refinement, GIN"
ALIKE = 1e-10  # relative difference of outputs in double precision that is rounding
APART = 1e-4
PAIRS = "network on pairs"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    hidden_dim: int = 16
    draws: int = 5
    copies: int = 16
    epochs: int = 300


QUICK = Settings(draws=3, copies=8, epochs=150)


class Drawn(NamedTuple):
    """A graph: its edges, both ways, and where its nodes are drawn."""

    edges: Tensor
    places: np.ndarray

    @property
    def num_nodes(self) -> int:
        return len(self.places)


class Two(NamedTuple):
    """Two graphs that are not the same."""

    first: Drawn
    second: Drawn


def drawn(edges: list[tuple[int, int]], places: np.ndarray) -> Drawn:
    both = [*edges, *((b, a) for a, b in edges)]
    return Drawn(torch.tensor(both).T, np.asarray(places, dtype=float))


def ring(count: int, centre: float = 0.0, radius: float = 1.0, turn: float = 0.0) -> np.ndarray:
    angle = 2 * np.pi * (np.arange(count) + turn) / count
    return np.stack([centre + radius * np.cos(angle), radius * np.sin(angle)], 1)


def cycle(count: int, start: int = 0) -> list[tuple[int, int]]:
    return [(start + k, start + (k + 1) % count) for k in range(count)]


def decalin() -> Drawn:
    """Two hexagons that share an edge; nodes 0 and 5 of the ring of ten are joined."""
    left, right = ring(6, -np.sqrt(0.75), turn=0.5), ring(6, np.sqrt(0.75), turn=0.5)
    # the ring of ten, from the upper shared node around the left hexagon, then around the right one
    order = [left[0], left[1], left[2], left[3], left[4], left[5], right[4], right[5], right[0], right[1]]  # fmt: skip
    return drawn([*cycle(10), (0, 5)], np.stack(order))


def bicyclopentyl() -> Drawn:
    """Two pentagons joined by an edge."""
    places = np.concatenate([ring(5, -1.6), ring(5, 1.6, turn=2.5)])
    return drawn([*cycle(5), *cycle(5, 5), (0, 5)], places)


def grid_of_sixteen(steps: list[tuple[int, int]]) -> Drawn:
    """Nodes of a 4 × 4 torus, each joined to those at the given steps."""
    edges = {
        tuple(sorted((4 * a + b, 4 * ((a + c) % 4) + (b + d) % 4)))
        for a in range(4) for b in range(4) for c, d in steps
    }  # fmt: skip
    return drawn([(a, b) for a, b in sorted(edges)], ring(16))


def pairs() -> dict[str, Two]:
    hexagon = drawn(cycle(6), ring(6))
    bipartite = drawn([(a, b) for a in (0, 2, 4) for b in (1, 3, 5)], ring(6))
    triangles = drawn(
        [*cycle(3), *cycle(3, 3)], np.concatenate([ring(3, -1.2), ring(3, 1.2, turn=0.5)])
    )
    path = drawn([(0, 1), (1, 2), (2, 3)], np.array([[-1.5, 0], [-0.5, 0], [0.5, 0], [1.5, 0]]))
    star = drawn([(0, 1), (0, 2), (0, 3)], np.concatenate([[[0, 0]], ring(3, turn=0.25)]))
    rook = grid_of_sixteen([(0, 1), (0, 2), (1, 0), (2, 0)])
    shrikhande = grid_of_sixteen([(0, 1), (1, 0), (1, 1)])
    return {
        "path, star": Two(path, star),
        "hexagon, K(3, 3)": Two(hexagon, bipartite),
        "hexagon, two triangles": Two(hexagon, triangles),
        "decalin, bicyclopentyl": Two(decalin(), bicyclopentyl()),
        "rook's graph, Shrikhande": Two(rook, shrikhande),
    }


def networks(dim: int) -> dict[str, Callable[[], nn.Module]]:
    """Networks that answer for whole graphs, from one feature that is 1 everywhere."""

    def on_graphs(encoder: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
        return lambda: GraphClassifier(encoder(), dim, 2)

    shape = (1, dim, dim)
    return {
        "GIN (sum)": on_graphs(lambda: GIN(*shape, num_layers=4, dropout=0.0)),
        "GraphSAGE (mean)": on_graphs(lambda: GraphSAGE(*shape, num_layers=4, dropout=0.0)),
        "GraphSAGE (max)": on_graphs(
            lambda: GraphSAGE(*shape, num_layers=4, dropout=0.0, aggregate="max")
        ),
        "GCN": on_graphs(lambda: GCN(*shape, num_layers=4, dropout=0.0)),
        "GAT": on_graphs(lambda: GAT(*shape, num_layers=4, dropout=0.0, num_heads=4)),
        "GATv2": on_graphs(lambda: GATv2(*shape, num_layers=4, dropout=0.0, num_heads=4)),
        "ChebNet": on_graphs(lambda: ChebNet(*shape, dropout=0.0)),
        "SGC": on_graphs(lambda: SGC(1, dim)),
        "APPNP": on_graphs(lambda: APPNP(*shape, dropout=0.0)),
        PAIRS: lambda: PairNet(1, dim, 2, num_layers=3),
    }


def answer(model: nn.Module, graph: Drawn) -> Tensor:
    return model(torch.ones(graph.num_nodes, 1, dtype=torch.float64), graph.edges)


@torch.inference_mode()
def measure(settings: Settings, chosen: Mapping[str, Two]) -> dict[str, dict[str, float]]:
    """Largest relative difference of the answers to two graphs, over draws of the weights, by network and pair."""
    found: dict[str, dict[str, float]] = {}
    for name, build in networks(settings.hidden_dim).items():
        row = dict.fromkeys(chosen, 0.0)
        for draw in range(settings.draws):
            with seeded(settings.seed + draw):
                model = build().double().eval()
            for label, two in chosen.items():
                a, b = answer(model, two.first), answer(model, two.second)
                row[label] = max(row[label], ((a - b).norm() / a.norm()).item())
        found[name] = row
    return found


def is_seen(chosen: Mapping[str, Two]) -> dict[str, bool]:
    """What the test itself tells apart."""
    return {
        label: wl_test((two.first.edges, two.first.num_nodes), (two.second.edges, two.second.num_nodes))
        for label, two in chosen.items()
    }  # fmt: skip


class OnCopies(nn.Module):
    """A network on many graphs at once, asked for some of them."""

    def __init__(self, model: nn.Module, two: Two, copies: int, generator: torch.Generator) -> None:
        super().__init__()
        self.model, count = model, two.first.num_nodes
        parts = []
        for k in range(copies):  # each with its nodes in another order
            order = torch.randperm(count, generator=generator)
            parts.append(order[two[k % 2].edges] + k * count)
        self.edges = torch.cat(parts, 1)
        self.batch = torch.arange(copies).repeat_interleave(count)

    def forward(self, rows: Tensor) -> Tensor:
        x = torch.ones(len(self.batch), 1)
        return self.model(x, self.edges, self.batch)[rows]


def train(settings: Settings, name: str, two: Two) -> list[float]:
    """Loss of a network that learns which of two graphs, renamed at random, it sees."""
    generator = torch.Generator().manual_seed(settings.seed)
    with seeded(settings.seed):
        model = networks(settings.hidden_dim)[name]()
    task = OnCopies(model, two, settings.copies, generator)
    rows = torch.arange(settings.copies)
    trainer = Trainer(
        task, lr=3e-3, epochs=settings.epochs, batch_size=settings.copies, seed=settings.seed, progress=False
    )  # fmt: skip
    return trainer.fit((rows, rows % 2))["train_loss"]


def claim_differences(report: Report, gaps: dict[str, dict[str, float]], seen: dict[str, bool]) -> None:  # fmt: skip
    messages = {name: row for name, row in gaps.items() if name != PAIRS}
    blind = [label for label, apart in seen.items() if not apart]
    report.claim("no network of messages tells decalin from bicyclopentyl", max(row["decalin, bicyclopentyl"] for row in messages.values()), "difference", below=ALIKE)  # fmt: skip
    report.claim("… nor any other pair that the Weisfeiler-Lehman test cannot", max(row[label] for row in messages.values() for label in blind), "difference", below=ALIKE)  # fmt: skip
    report.claim("GIN tells apart all pairs that the test does", min(messages["GIN (sum)"][label] for label in seen if seen[label]), "difference", above=APART)  # fmt: skip
    averages = [messages[f"GraphSAGE ({kind})"]["hexagon, K(3, 3)"] for kind in ("mean", "max")]
    report.claim("on hexagon and K(3, 3), means and maxima over neighbours do not", max(averages), "difference", below=ALIKE)  # fmt: skip
    own = gaps[PAIRS]
    report.claim("pairs of nodes tell apart what one node at a time cannot", min(own["decalin, bicyclopentyl"], own["hexagon, two triangles"]), "difference", above=APART)  # fmt: skip
    report.claim("and are blind too: the rook's graph and Shrikhande's", own["rook's graph, Shrikhande"], "difference", below=ALIKE)  # fmt: skip


def claim_training(report: Report, settings: Settings, two: Two) -> None:
    losses = {name: train(settings, name, two) for name in ("GIN (sum)", PAIRS)}
    report.claim("training does not help GIN: it answers one half", losses["GIN (sum)"][-1], "loss {}, log 2 at best", above=0.69)  # fmt: skip
    report.claim(f"the {PAIRS} learns which molecule is which", losses[PAIRS][-1], "loss", below=0.05)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="The Weisfeiler-Lehman test and its networks",
        summary="Whoever passes messages between nodes sees no more than colour refinement: GIN as much, means and maxima less. "
        "A network on pairs of nodes sees more, and not everything.",
    )
    chosen = pairs()
    gaps, seen = measure(settings, chosen), is_seen(chosen)
    claim_differences(report, gaps, seen)
    claim_training(report, settings, chosen["decalin, bicyclopentyl"])
    report.figure(
        "graphs",
        graph_pairs(chosen),
        caption="Pairs of different graphs. Nodes of one colour stay alike under refinement: but for the first two pairs, both graphs "
        "have as many nodes of each colour.",
    )
    verdicts = {
        "Weisfeiler-Lehman test": seen,
        **{name: {label: gap > ALIKE for label, gap in row.items()} for name, row in gaps.items()},
    }
    report.figure("sight", verdict_table(verdicts), caption=f"Which pairs are told apart, all node features alike; weights drawn {settings.draws} times.")  # fmt: skip
    report.table(
        "Largest relative difference of the answers to two graphs",
        columns=["network", *chosen],
        rows=[[name, *row.values()] for name, row in gaps.items()],
    )
    return report


def graph_pairs(chosen: Mapping[str, Two]) -> Figure:
    """Draw pairs of graphs, one below the other, nodes coloured by their stable colours.

    Args:
        chosen: Pairs by name.

    Example:
        >>> len(graph_pairs({"one, same": Two(decalin(), decalin())}).axes)
        2
    """
    figure, axes = new_figure(2, len(chosen), 2.3 * len(chosen), 4.4)
    for column, (label, two) in zip(np.reshape(axes, (2, -1)).T, chosen.items(), strict=True):
        count = two.first.num_nodes
        both = torch.cat([two.first.edges, two.second.edges + count], 1)
        colours = wl_colours(both, count + two.second.num_nodes)[-1].view(2, -1).tolist()
        for panel, graph, own, name in zip(column, two, colours, label.split(", ", 1), strict=True):
            for a, b in graph.edges.T.tolist():
                panel.plot(*graph.places[[a, b]].T, color=MUTED, linewidth=1.2, zorder=1)
            panel.scatter(*graph.places.T, c=[PALETTE[k] for k in own], s=70, zorder=2, edgecolors="white")  # fmt: skip
            panel.set_title(name, fontsize=9.5, loc="center")
            panel.set_aspect("equal")
            panel.margins(0.15)
            low, high = panel.get_ylim()
            panel.set_ylim(min(low, -0.5), max(high, 0.5))  # a path has no height
            panel.set_axis_off()
    return figure


def verdict_table(verdicts: Mapping[str, Mapping[str, bool]]) -> Figure:
    """Draw who tells which pairs apart.

    Args:
        verdicts: By row and column, whether they are told apart.

    Example:
        >>> figure = verdict_table({"GIN": {"a, b": True, "c, d": False}})
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['apart', 'alike']
    """
    rows, columns = list(verdicts), list(next(iter(verdicts.values())))
    figure, panel = new_figure(width=2.4 + 1.5 * len(columns), height=0.9 + 0.36 * len(rows))
    values = np.array([[verdicts[row][column] for column in columns] for row in rows])
    panel.imshow(np.where(values[..., None], (0.80, 0.93, 0.87), (0.99, 0.92, 0.86)), aspect="auto")
    for (row, column), apart in np.ndenumerate(values):
        panel.text(column, row, "apart" if apart else "alike", ha="center", va="center", fontsize=9, color=INK)  # fmt: skip
    panel.set_xticks(range(len(columns)), [column.replace(", ", ",\n", 1) for column in columns])
    panel.set_yticks(range(len(rows)), rows)
    panel.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
    panel.grid(False)
    for spine in panel.spines.values():
        spine.set_visible(False)
    return figure
