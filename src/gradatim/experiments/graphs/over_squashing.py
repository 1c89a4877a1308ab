"""What a node hears from afar: it falls exponentially with distance, and shortcuts bring it back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.data import make_undirected
from gradatim.experiments.graphs._ring_transfer import (
    FULL,
    NUM_CLASSES,
    RING,
    SHORTCUT,
    learn_transfer,
)
from gradatim.experiments.graphs._shapes import binary_tree, complete, dumbbell, hops
from gradatim.models import APPNP, GAT, GCN, GIN, SGC, GraphSAGE
from gradatim.nn import coupling_matrix
from gradatim.plots import CurvePanel, Formula, curve_panels
from gradatim.plots.graph_figures import draw_graph
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.theory import node_influence

COVERS = ("H2",)
KEYWORDS = "bottleneck, long-range interactions, rewiring"
INPUTS = 4


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    clique: int = 6
    lengths: tuple[int, ...] = (2, 3, 4, 6, 8, 10)
    depths: tuple[int, ...] = (2, 3, 4, 5, 6)
    distances: tuple[int, ...] = (2, 3, 4, 5, 6, 8)
    near: int = 2
    far: int = 8
    draws: int = 3
    hidden_dim: int = 64
    epochs: int = 150


QUICK = Settings(lengths=(2, 4, 6), depths=(2, 3, 4), distances=(2, 8), draws=2)


class Ends(NamedTuple):
    """A graph, and two of its nodes that a bottleneck parts."""

    edges: Tensor
    num_nodes: int
    source: int
    target: int

    @property
    def distance(self) -> int:
        """Steps from source to target."""
        return int(hops(self.edges, self.num_nodes, self.source)[self.target])


def across(size: int, length: int) -> Ends:
    """From one clique of a dumbbell into the other, ``length + 2`` steps."""
    count = 2 * size + length - 1
    return Ends(dumbbell(size, length), count, 0, count - 1)


def power(edges: Tensor, num_nodes: int, exponent: int) -> Tensor:
    r""":math:`\bar A^K` in double precision, dense."""
    weight = torch.ones(edges.shape[1], dtype=torch.float64)
    A = coupling_matrix(edges, num_nodes, edge_weight=weight).to_dense()
    return torch.linalg.matrix_power(A, exponent)


def reach(ends: Ends, num_layers: int) -> float:
    r"""Entry :math:`(\bar A^K)_{ts}`: all that target hears of source in ``num_layers`` steps."""
    return float(power(ends.edges, ends.num_nodes, num_layers)[ends.target, ends.source])


def claim_laws(report: Report, settings: Settings) -> dict[str, list[float]]:
    """The only shortest way is a product of its links, each :math:`1/\\sqrt{(d_i + 1)(d_j + 1)}`."""
    c = settings.clique
    bells = [reach(across(c, length), length + 2) for length in settings.lengths]
    law = [1 / (c * (c + 1) ** 2 * 3.0 ** (length - 1)) for length in settings.lengths]
    gap = float(np.abs(np.array(bells) / law - 1).max())
    report.claim(f"from clique to clique of {c} over a path of ℓ: 1/(c (c + 1)² 3^(ℓ − 1))", gap, "largest relative difference", below=1e-9)  # fmt: skip
    trees = []
    for depth in settings.depths:
        count = 2 ** (depth + 1) - 1
        trees.append(reach(Ends(binary_tree(depth), count, count - 1, 0), depth))
    law = [4.0 ** (2 - depth) / np.sqrt(96) for depth in settings.depths]
    gap = float(np.abs(np.array(trees) / law - 1).max())
    report.claim("from a leaf of a binary tree to its root: 4^(2 − r)/√96, one of 2^r leaves", gap, "largest relative difference", below=1e-9)  # fmt: skip
    return {"cliques": bells, "trees": trees}


def claim_networks(report: Report, settings: Settings) -> None:
    """Powers of the coupling matrix are the Jacobian of SGC, and bound that of a GCN."""
    ends = across(settings.clique, settings.lengths[0])
    steps = ends.distance
    shares, gaps = [], []
    for draw in range(5):
        with seeded(settings.seed + draw):
            linear, gcn = SGC(INPUTS, 2, num_layers=steps), GCN(INPUTS, 8, 2, num_layers=steps, dropout=0.0)  # fmt: skip
            x = torch.randn(ends.num_nodes, INPUTS)
        entry = reach(ends, steps)
        expected = entry * float(linear.linear.weight.detach().norm())
        gaps.append(abs(influence(linear, x, ends) / expected - 1))
        weights = [p.detach() for p in gcn.parameters() if p.ndim == 2]
        norms = [float(torch.linalg.matrix_norm(W, 2)) for W in weights[1:]]
        bound = entry * float(weights[0].norm()) * float(np.prod(norms))
        shares.append(influence(gcn, x, ends) / bound)
    report.claim("∂y/∂x of SGC is (Āᴷ)ₜₛ W", max(gaps), "largest relative difference of norms", below=1e-4)  # fmt: skip
    report.claim("of a GCN with ramps it is at most (Āᴷ)ₜₛ ‖W₁‖ ⋯ ‖W_K‖", max(shares), "largest share of the bound", at_most=1.0)  # fmt: skip
    report.claim(f"networks of {steps - 1} layers, {steps} steps away", max(heard_beyond(settings, ends)), "largest influence", equals=0)  # fmt: skip


def influence(model: nn.Module, x: Tensor, ends: Ends) -> float:
    return node_influence(model, x, ends.edges, ends.source, ends.target)


def heard_beyond(settings: Settings, ends: Ends) -> list[float]:
    """Influence across the bottleneck on networks of one layer too few."""
    few = ends.distance - 1
    builds: list[Callable[[], nn.Module]] = [
        *(lambda kind=kind: kind(INPUTS, 8, 2, num_layers=few, dropout=0.0) for kind in (GCN, GAT, GIN, GraphSAGE)),
        lambda: APPNP(INPUTS, 8, 2, steps=few, dropout=0.0),
        lambda: SGC(INPUTS, 2, num_layers=few),
    ]  # fmt: skip
    found = []
    for build in builds:
        with seeded(settings.seed):
            model, x = build(), torch.randn(ends.num_nodes, INPUTS)
        found.append(influence(model, x, ends))
    return found


def claim_mending(report: Report, settings: Settings) -> dict[str, list[float]]:
    """A shortcut between the cliques, and a last layer that joins all nodes."""
    short, full = [], []
    for length in settings.lengths:
        ends = across(settings.clique, length)
        gates = torch.tensor([[settings.clique - 1], [ends.num_nodes - settings.clique]])
        rewired = make_undirected(torch.cat([ends.edges, gates], 1))
        short.append(reach(ends._replace(edges=rewired), length + 2))
        local = power(ends.edges, ends.num_nodes, length + 1)
        everyone = power(complete(ends.num_nodes), ends.num_nodes, 1)
        full.append(float((everyone @ local)[ends.target, ends.source]))
    plain = reach(across(settings.clique, settings.lengths[-1]), settings.lengths[-1] + 2)
    report.claim(f"an edge between the cliques, beside a path of {settings.lengths[-1]}", short[-1] / plain, "{} times the influence", above=10.0)  # fmt: skip
    report.claim("with a last layer that joins all nodes, distance no longer counts", full[-1] / full[0], f"influence over {settings.lengths[-1]} steps against {settings.lengths[0]}", at_least=0.2)  # fmt: skip
    return {"with a shortcut": short, "last layer joins all": full}


def claim_learning(report: Report, settings: Settings) -> dict[str, list[float]]:
    found = {
        way: [float(np.mean([
            learn_transfer(way, d, hidden_dim=settings.hidden_dim, epochs=settings.epochs, seed=settings.seed + k)
            for k in range(settings.draws)
        ])) for d in settings.distances]
        for way in (RING, SHORTCUT, FULL)
    }  # fmt: skip
    near, far = (settings.distances.index(d) for d in (settings.near, settings.far))
    report.claim(f"a GCN learns to carry a class over {settings.near} steps of a ring", found[RING][near], "accuracy", at_least=0.9)  # fmt: skip
    report.claim(f"… and not over {settings.far}", found[RING][far], "accuracy {}, 0.2 by chance", at_most=0.4)  # fmt: skip
    for way in (SHORTCUT, FULL):
        report.claim(f"… but more of it with {settings.far} layers on a {way}", found[way][far] - found[RING][far], "accuracy more", at_least=0.2)  # fmt: skip
    return found


def run(settings: Settings) -> Report:
    report = Report(
        title="Over-squashing",
        summary="What a node hears of another is an entry of a power of the coupling matrix: exactly nothing beyond as many steps as there "
        "are layers, and up to there exponentially less with distance. A shortcut or a last layer that joins all nodes mends it.",
    )  # fmt: skip
    found = claim_laws(report, settings)
    claim_networks(report, settings)
    mended = claim_mending(report, settings)
    learned = claim_learning(report, settings)
    draw(report, settings, found, mended, learned)
    report.table(
        f"Classes told after {settings.epochs} epochs, as many layers as steps, mean of {settings.draws}",
        columns=["graph", *(f"{d} steps" for d in settings.distances)],
        rows=[[way, *own] for way, own in learned.items()],
    )
    report.text("Longer training reaches further, and each step costs a factor: Adam must first raise what a ring divides by three.")  # fmt: skip
    return report


def draw(
    report: Report, settings: Settings, found: Mapping[str, list[float]], mended: Mapping[str, list[float]],
    learned: Mapping[str, list[float]],
) -> None:  # fmt: skip
    steps = [length + 2 for length in settings.lengths]
    curves = {"between cliques": (steps, found["cliques"]), "leaf to root": (settings.depths, found["trees"])}  # fmt: skip
    curves |= {name: (steps, own) for name, own in mended.items()}
    report.figure(
        "influence",
        curve_panels([
            CurvePanel("As many layers as steps", "steps from source to target", Formula("$(\\bar A^K)_{ts}$"), curves, is_log_y=True),
            CurvePanel("A class carried round a ring", "steps", "accuracy", {n: (settings.distances, own) for n, own in learned.items()}, {"chance": (settings.distances, [1 / NUM_CLASSES] * len(settings.distances))}),
        ], width=5.2),
        caption="Left, what a node hears of another, layers as many as steps between them. Right, GCNs that learn to tell what a node "
        "so far away holds.",
    )  # fmt: skip
    ends = across(settings.clique, 6)
    heard = power(ends.edges, ends.num_nodes, 8)[ends.target]
    values = torch.where(heard > 0, heard.clamp(min=1e-300).log10(), torch.nan)
    report.figure(
        "dumbbell",
        draw_graph(ends.edges.numpy(), values.numpy(), label="log₁₀ of what the target hears"),
        caption="How much a node of the bright clique hears of each node in 8 steps.",
    )  # fmt: skip
