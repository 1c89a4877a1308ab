"""Neighbours that differ: where averaging over them loses to a node's own features, and what keeps both."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from matplotlib.figure import Figure
from scipy.special import ndtr
from torch import Tensor, nn

from gradatim.data import Graph, block_model
from gradatim.experiments.graphs._node_training import accuracy, fit_nodes, labels
from gradatim.models import GCN, SGC, GraphSAGE
from gradatim.nn import coupling_matrix
from gradatim.plots import CurvePanel, curve_panels
from gradatim.plots.style import GRID
from gradatim.reports import Report
from gradatim.theory import homophily

COVERS = ("H2",)
KEYWORDS = "homophily, neighbours that differ, node classification"
OWN, AVERAGE, MIXED, APART = "features alone (MLP)", "one average (SGC)", "GCN", "GraphSAGE"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    nodes: int = 2000
    degree: int = 8
    signal: float = 1.0
    inputs: int = 8
    homophilies: tuple[float, ...] = (-1.0, -0.75, -0.5, -0.25, -0.125, 0.0, 0.25, 0.5, 0.75, 1.0)
    draws: int = 2
    hidden_dim: int = 16
    epochs: int = 60
    lr: float = 0.03


QUICK = Settings(nodes=1200, homophilies=(-1.0, -0.5, -0.125, 0.25, 1.0), draws=1, epochs=40)


def make_graph(settings: Settings, wanted: float, seed: int) -> Graph:
    r"""Two classes :math:`s_i = \pm1` of equal size with features :math:`x_i \sim N(s_i m u, I)`, and a mean degree that stays.

    Args:
        settings: Sizes, the degree :math:`d` and the signal :math:`m`.
        wanted: Adjusted homophily :math:`h`: a neighbour is of the own class with probability :math:`(1 + h)/2`.
        seed: Fixes the draw.
    """
    half = settings.nodes // 2
    within, between = (settings.degree * (1 + sign * wanted) / (2 * half) for sign in (1, -1))
    edges, y = block_model([half, half], [[within, between], [between, within]], seed=seed)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(2 * half, settings.inputs, generator=generator)
    x[:, 0] += settings.signal * (2.0 * y - 1.0)
    return Graph(x, edges, y=y)


def expected_average(graph: Graph, signal: float) -> float:
    r"""What the best linear model reaches on :math:`\bar AX`, for the graph as it was drawn.

    .. math:: P = \frac1N\sum_i\Phi\Bigl(m\,\frac{s_i(\bar As)_i}{\lVert\bar a_i\rVert}\Bigr)

    or :math:`1 - P`, if that is more: the sign is learned.
    """
    A = coupling_matrix(graph.edge_index, graph.num_nodes).to_dense().double()
    s = 2.0 * labels(graph).double() - 1.0
    share = float(ndtr((signal * s * (A @ s) / A.norm(dim=1)).numpy()).mean())
    return max(share, 1.0 - share)


def losing_range(degree: float, signal: float) -> tuple[float, float]:
    r"""Adjusted homophilies between which one average tells less than a node's own features.

    Of :math:`d` neighbours each is of the own class with probability :math:`(1 + h)/2`. The mean of a node and its neighbours
    has the signal :math:`m(1 + dh)/(d + 1)` and, from features and from classes, the variance
    :math:`1/(d + 1) + m^2 d(1 - h^2)/(d + 1)^2`, so that it is worse than :math:`m` and 1 where

    .. math:: (1 + dh)^2 < d + 1 + m^2 d(1 - h^2) \iff \bigl|(d + m^2)h + 1\bigr| < \sqrt{1 + (d + m^2)(1 + m^2)}

    Degrees are taken as equal and the mean as normal; both are nearly so.

    Args:
        degree: :math:`d`.
        signal: :math:`m`.

    Example:
        >>> losing_range(8, 0.0)
        (-0.5, 0.25)
    """
    a = degree + signal**2
    root = float(np.sqrt(1 + a * (1 + signal**2)))
    return (-1 - root) / a, (-1 + root) / a


def networks(settings: Settings) -> dict[str, Callable[[], nn.Module]]:
    sizes = settings.inputs, settings.hidden_dim, 2
    return {
        OWN: partial(GCN, *sizes, dropout=0.0),  # without edges
        AVERAGE: partial(SGC, settings.inputs, 2, num_layers=1),
        MIXED: partial(GCN, *sizes, dropout=0.0),
        APART: partial(GraphSAGE, *sizes, dropout=0.0),
    }


def measure(settings: Settings, wanted: float) -> dict[str, float]:
    """Accuracies on unseen nodes and the adjusted homophily, means over drawn graphs."""
    found: dict[str, list[float]] = {}
    for draw in range(settings.draws):
        seed = settings.seed * settings.draws + draw
        graph = make_graph(settings, wanted, seed)
        y, is_learned = labels(graph), torch.arange(graph.num_nodes) % 2 == 0
        known, watched, judged = nodes(is_learned)
        bare = Graph(graph.x, graph.edge_index[:, :0], y=y)
        for name, build in networks(settings).items():
            own = bare if name == OWN else graph
            trained = fit_nodes(
                build,
                own,
                known,
                watched,
                epochs=settings.epochs,
                seed=seed,
                lr=settings.lr,
                weight_decay=1e-3,
            )
            found.setdefault(name, []).append(accuracy(trained.outputs, y, judged))
        found.setdefault("homophily", []).append(homophily(y, graph.edge_index, is_adjusted=True))
        found.setdefault("expected", []).append(expected_average(graph, settings.signal))
    return {name: float(np.mean(own)) for name, own in found.items()}


def nodes(is_learned: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Nodes to learn from, a tenth of them to choose the epoch by, and the others to judge."""
    learned = is_learned.nonzero().flatten()
    is_watched = torch.arange(len(learned)) % 10 == 0
    return learned[~is_watched], learned[is_watched], (~is_learned).nonzero().flatten()


def run(settings: Settings) -> Report:
    low, high = losing_range(settings.degree, settings.signal)
    report = Report(
        title="Homophily and its opposite",
        summary=f"Averaging over {settings.degree} neighbours loses to a node's own features not where neighbours differ but where they do not "
        f"tell, between adjusted homophilies of about {low:.1f} and {high:.1f}; a network that keeps the node apart from them does not lose.",
    )  # fmt: skip
    rows = [measure(settings, wanted) for wanted in settings.homophilies]
    found = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    claim(report, settings, found)
    report.figure(
        "homophily",
        draw(settings, found),
        caption="Accuracy on unseen nodes of two classes. Grey, where one average is to lose to features alone, were all degrees equal; dashed, "
        "what it can reach on these graphs.",
    )  # fmt: skip
    report.table(
        f"Accuracy, {settings.nodes:,} nodes of mean degree {settings.degree}, half of them judged, means of {settings.draws}",
        columns=["adjusted homophily", OWN, AVERAGE, "expected of one average", MIXED, APART],
        rows=[[row["homophily"], row[OWN], row[AVERAGE], row["expected"], row[MIXED], row[APART]] for row in rows],
    )  # fmt: skip
    return report


def claim(report: Report, settings: Settings, found: Mapping[str, np.ndarray]) -> None:
    wanted = np.array(settings.homophilies)
    deaf = int(
        np.abs(wanted + 1 / settings.degree).argmin()
    )  # where a node and its neighbours cancel
    ends = [int(wanted.argmin()), int(wanted.argmax())]
    report.claim("homophily adjusted for class sizes is that of the block model", float(np.abs(found["homophily"] - wanted).max()), "largest difference", below=0.1)  # fmt: skip
    report.claim("features alone reach Φ(m)", float(found[OWN].mean()), near=(float(ndtr(settings.signal)), 0.05))  # fmt: skip
    report.claim("one average reaches what its signal and noise allow", float(np.abs(found[AVERAGE] - found["expected"]).max()), "largest difference", below=0.06)  # fmt: skip
    report.claim(f"at −1/d = {-1 / settings.degree:.3f} neighbours cancel the node: one average", float(found[AVERAGE][deaf]), "accuracy {}, 0.5 by chance", below=0.62)  # fmt: skip
    report.claim("… and a GCN falls below features alone", float(found[OWN][deaf] - found[MIXED][deaf]), "by", at_least=0.05)  # fmt: skip
    report.claim("GraphSAGE, which keeps a node apart from its neighbours, falls below them nowhere", float((found[OWN] - found[APART]).max()), "by", at_most=0.05)  # fmt: skip
    report.claim("edges to the other class alone tell a GCN as much as edges to the own", float((found[MIXED] - found[OWN])[ends].min()), "{} above features alone", at_least=0.08)  # fmt: skip


def draw(settings: Settings, found: Mapping[str, np.ndarray]) -> Figure:
    """Accuracies over the adjusted homophily, and where one average is to lose."""
    at = found["homophily"]
    curves = {name: (at, found[name]) for name in (OWN, AVERAGE, MIXED, APART)}
    panel = CurvePanel("Two classes", "adjusted homophily", "accuracy", curves, {"one average, expected": (at, found["expected"])})  # fmt: skip
    figure = curve_panels([panel], width=7.0, height=4.2)
    figure.axes[0].axvspan(*losing_range(settings.degree, settings.signal), color=GRID, zorder=0)
    return figure
