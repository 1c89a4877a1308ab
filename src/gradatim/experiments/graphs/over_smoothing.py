"""Depth makes all nodes of a graph alike: how fast, and what helps."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor

from gradatim.data import Graph, block_model, make_undirected
from gradatim.experiments.graphs._node_training import accuracy, fit_nodes, labels
from gradatim.experiments.graphs._shapes import path
from gradatim.experiments.graphs._towers import (
    ALPHA,
    DROPPED,
    PAIRED,
    PLAIN,
    REMEDIES,
    RESIDUAL,
    RETURNING,
    THINNED,
    Tower,
)
from gradatim.nn import coupling_matrix
from gradatim.plots import CurvePanel, Formula, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.theory import dirichlet_energy

COVERS = ("H2",)
KEYWORDS = "oversmoothing, depth of graph networks, Dirichlet energy"
INPUTS, CLASSES = 16, 4
LEARNED = 10  # labelled nodes of each class


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    class_size: int = 50
    hidden_dim: int = 32
    steps: int = 32
    depths: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    shallow: int = 2
    deep: int = 16
    epochs: int = 80


QUICK = Settings(class_size=40, depths=(2, 16), epochs=50)


def make_graph(settings: Settings) -> Graph:
    """Four classes whose nodes are joined eight times as often as others, on a path that leaves none apart."""
    size = settings.class_size
    chances = np.where(np.eye(CLASSES, dtype=bool), 8 / size, 1 / size)
    edges, y = block_model([size] * CLASSES, chances.tolist(), seed=settings.seed)
    edges = make_undirected(torch.cat([edges, path(len(y))], 1))
    generator = torch.Generator().manual_seed(settings.seed)
    centres = torch.randn(CLASSES, INPUTS, generator=generator)
    return Graph(0.5 * centres[y] + torch.randn(len(y), INPUTS, generator=generator), edges, y=y)


def root_degrees(graph: Graph) -> Tensor:
    r"""Roots :math:`\sqrt{d_i + 1}`, shape ``(N, 1)``: what powers of :math:`\bar A` make of any features, but for a factor."""
    degree = torch.bincount(graph.edge_index[1], minlength=graph.num_nodes)
    return (degree + 1.0).double().sqrt()[:, None]


def energy(x: Tensor, graph: Graph) -> float:
    r"""Dirichlet energy of :math:`\bar A`: :math:`\operatorname{tr}X^\top(I - \bar A)X = \sum_{\{i,j\}}\lVert x_i/\sqrt{d_i + 1} - x_j/\sqrt{d_j + 1}\rVert^2`."""
    return float(dirichlet_energy(x.double() / root_degrees(graph), graph.edge_index))


def pair_distance(x: Tensor, graph: Graph) -> float:
    """Mean squared distance of two nodes, each divided by the root of its degree, as a share of twice their mean square."""
    u = x.double() / root_degrees(graph)
    return float((u - u.mean(0)).square().sum() / u.square().sum())


def claim_linear(report: Report, settings: Settings, graph: Graph) -> tuple[list[float], float]:
    """Powers of the coupling matrix: every frequency falls at a rate of its own."""
    A = coupling_matrix(graph.edge_index, graph.num_nodes, edge_weight=torch.ones(graph.num_edges).double()).to_dense()  # fmt: skip
    rates, basis = torch.linalg.eigh(A)
    slowest = float(rates[:-1].abs().max())  # the last is 1
    x = graph.x.double()
    strength = (basis.T @ x).square().sum(1)
    law = [float(((1 - rates) * rates ** (2 * k) * strength).sum()) for k in range(settings.steps + 1)]  # fmt: skip
    found = []
    for _ in law:
        found.append(energy(x, graph))
        x = A @ x
    falls = np.array(found[1:]) / np.array(found[:-1])
    gap = float(np.abs(np.array(found) / np.array(law) - 1).max())
    report.claim("energy after K steps of averaging is Σ (1 − μ) μ²ᴷ ‖x̂‖²", gap, "largest relative difference", below=1e-6)  # fmt: skip
    report.claim("no step leaves more than the square of the second largest eigenvalue", float(falls.max()) / slowest**2, "share of it", at_most=1 + 1e-9)  # fmt: skip
    report.claim("… and the last steps leave just that", float(falls[-1]) / slowest**2, "share of it", at_least=0.9)  # fmt: skip
    return found, slowest


@torch.no_grad()
def follow(settings: Settings, graph: Graph) -> dict[str, list[Tensor]]:
    """Features of untrained networks before and after every layer, by remedy."""
    found = {}
    for remedy in REMEDIES:
        with seeded(settings.seed):
            tower = Tower(INPUTS, settings.hidden_dim, CLASSES, num_layers=settings.steps, remedy=remedy)  # fmt: skip
            found[remedy] = tower.double().states(graph.x.double(), graph.edge_index)
    return found


@torch.no_grad()
def claim_untrained(report: Report, settings: Settings, graph: Graph, slowest: float, states: Mapping[str, list[Tensor]]) -> None:  # fmt: skip
    with seeded(settings.seed):
        tower = Tower(INPUTS, settings.hidden_dim, CLASSES, num_layers=settings.steps, remedy=PLAIN)
    norms = [float(torch.linalg.matrix_norm(W.double(), 2)) for W in tower.layers.parameters()]
    energies = [energy(h, graph) for h in states[PLAIN]]
    worst = max(after / (before * (norm * slowest) ** 2) for before, after, norm in zip(energies, energies[1:], norms, strict=False))  # fmt: skip
    report.claim("a layer φ(ĀXW) leaves at most (‖W‖ μ)² of the energy", worst, "largest share of the bound", at_most=1.0)  # fmt: skip
    left = {remedy: relative(own[-1], graph) / relative(own[0], graph) for remedy, own in states.items()}  # fmt: skip
    report.claim(f"an untrained GCN after {settings.steps} layers: energy, measured by the size of the features", left[PLAIN], "share left", below=1e-4)  # fmt: skip
    for remedy in (RESIDUAL, THINNED, PAIRED, RETURNING):
        report.claim(f"more is left by {remedy}", left[remedy] / left[PLAIN], "{} times as much", above=10.0)  # fmt: skip
    kept = energy(states[RETURNING][-1], graph) / energy(states[RETURNING][0], graph)
    report.claim("APPNP keeps every frequency to α/(2 − α) at least", kept, "energy left, (α/(2 − α))²", at_least=(ALPHA / (2 - ALPHA)) ** 2)  # fmt: skip
    spread = [float(2 * (h - h.mean(0)).square().sum(1).mean()) for h in states[PAIRED][1:]]
    report.claim("PairNorm holds the mean squared distance of two nodes at 2", float(np.abs(np.array(spread) - 2).max()), "largest difference", below=1e-9)  # fmt: skip


def relative(x: Tensor, graph: Graph) -> float:
    """Energy as a share of the sum of squares."""
    return energy(x, graph) / float(x.square().sum())


def train(settings: Settings, graph: Graph) -> dict[str, list[float]]:
    """Accuracy on unlabelled nodes by remedy, a number for each depth."""
    y = labels(graph)
    is_learned = (
        torch.arange(len(y)) % settings.class_size
    ) < LEARNED  # classes lie one behind the other
    known, others = is_learned.nonzero().flatten(), (~is_learned).nonzero().flatten()
    found: dict[str, list[float]] = {}
    for remedy in REMEDIES:
        found[remedy] = []
        for depth in settings.depths:
            build = partial(Tower, INPUTS, settings.hidden_dim, CLASSES, num_layers=depth, remedy=remedy)  # fmt: skip
            trained = fit_nodes(build, graph, known, epochs=settings.epochs, seed=settings.seed, weight_decay=5e-4)  # fmt: skip
            found[remedy].append(accuracy(trained.outputs, y, others))
    return found


def claim_trained(report: Report, settings: Settings, found: Mapping[str, list[float]]) -> None:
    shallow, deep = (settings.depths.index(depth) for depth in (settings.shallow, settings.deep))
    report.claim(f"a GCN of {settings.shallow} layers learns", found[PLAIN][shallow], "accuracy", at_least=0.8)  # fmt: skip
    report.claim(f"one of {settings.deep} does not", found[PLAIN][deep], "accuracy {}, 0.25 by chance", below=0.5)  # fmt: skip
    for remedy in (PAIRED, RETURNING):
        report.claim(f"… but with {remedy} it does", found[remedy][deep], "accuracy", at_least=0.8)
    report.claim("… and residual layers help", found[RESIDUAL][deep] - found[PLAIN][deep], "accuracy higher by", at_least=0.1)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Over-smoothing",
        summary="Each averaging leaves at most the square of the second largest eigenvalue of the energy: deep networks see all nodes "
        "alike. A way back to the start (APPNP, residual) or a fixed distance (PairNorm) keeps them apart.",
    )  # fmt: skip
    graph = make_graph(settings)
    linear, slowest = claim_linear(report, settings, graph)
    states = follow(settings, graph)
    claim_untrained(report, settings, graph, slowest, states)
    found = train(settings, graph)
    claim_trained(report, settings, found)
    draw(report, settings, graph, linear, slowest, states, found)
    report.table(
        f"Accuracy on unlabelled nodes, {LEARNED} labels of each of {CLASSES} classes, {settings.epochs} epochs",
        columns=["network", *(f"{depth} layers" for depth in settings.depths)],
        rows=[[name, *own] for name, own in found.items()],
    )
    report.text(
        f"The second largest eigenvalue of Ā is {slowest:.3f}. Energy and distances are taken of rows divided by √(d + 1): powers of Ā "
        "turn any features into one row times √(d + 1), so that nodes stay apart by their degree alone. DropEdge "
        f"leaves out {100 * DROPPED:.0f} % of the edges, which parts the graph: energy stays, and deep networks still do not learn."
    )  # fmt: skip
    return report


def draw(
    report: Report, settings: Settings, graph: Graph, linear: list[float], slowest: float,
    states: Mapping[str, list[Tensor]], found: Mapping[str, list[float]],
) -> None:  # fmt: skip
    steps = np.arange(settings.steps + 1)
    bound = linear[0] * slowest ** (2.0 * steps)
    report.figure(
        "energy",
        curve_panels([
            CurvePanel("Averaging alone", "steps", "energy", {Formula("$\\bar A^KX$"): (steps, linear)}, {"bound": (steps, bound)}, is_log_y=True),
            CurvePanel("Untrained networks: energy", "layer", "energy, as a share", {n: (steps, [relative(h, graph) for h in own]) for n, own in states.items()}, is_log_y=True),
            CurvePanel("Untrained networks: distances", "layer", "distance of two nodes, as a share", {n: (steps, [max(pair_distance(h, graph), 1e-16) for h in own]) for n, own in states.items()}, is_log_y=True),
        ]),
        caption="Left, energy after K steps of averaging, under the bound of the second largest eigenvalue. Middle and right, "
        "energy and mean squared distance of two nodes, as shares, layer by layer.",
    )  # fmt: skip
    report.figure(
        "accuracy",
        curve_panels([CurvePanel("Trained networks", "layers", "accuracy", {n: (settings.depths, own) for n, own in found.items()},
                                 {"chance": (settings.depths, [1 / CLASSES] * len(settings.depths))}, is_log_x=True)], width=6.0),
        caption="Accuracy on unlabelled nodes; every depth is trained anew.",
    )  # fmt: skip
