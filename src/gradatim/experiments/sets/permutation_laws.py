"""Rename the elements of a set or the nodes of a graph: which answers stay, which follow, measured."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.data import Graph, batch_graphs, random_graph
from gradatim.experiments.sets._networks_by_law import (
    EACH,
    GRAPHS,
    NODES,
    WHOLE,
    WIDTH,
    Build,
    Builds,
    as_matrix,
    lawful,
    lawless,
)
from gradatim.instruments import equivariance_error
from gradatim.models import EquivariantDeepSets
from gradatim.nn import GATLayer, coupling_matrix, permutation
from gradatim.nn.attended_edges import attended_edges
from gradatim.nn.transformations import Transformation
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("H1", "H2")
KEYWORDS = "order-invariance, equivariance, relabeling, sets and graphs"
TINY, LARGE = 1e-12, 0.02  # relative, in double precision: rounding, and no law at all
FLOOR = 1e-17  # where the figure shows a zero
STAYS: Transformation = nn.Identity()  # invariance is equivariance to it


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    elements: int = 12
    nodes: int = 20
    edges: int = 40
    hidden_dim: int = 16
    orders: int = 20


QUICK = Settings(orders=5)


class Found(NamedTuple):
    """How far a network is from a law, at worst."""

    law: str
    network: str
    error: float


def draw(build: Build, seed: int) -> nn.Module:
    """A network in double precision with no weight at its usual start: T-nets would be the identity."""
    with seeded(seed), torch.no_grad():
        model = build().double().eval()
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
    return model


def on_matrix(model: nn.Module) -> Callable[[Tensor], Tensor]:
    """A network on graphs as a function of ``[X A]``."""

    def f(graph: Tensor) -> Tensor:
        target, source = graph[:, WIDTH:].nonzero(as_tuple=True)
        return model(graph[:, :WIDTH], torch.stack([source, target]))

    return f


def rename_nodes(order: Tensor) -> Transformation:
    r"""Take ``[X A]`` to :math:`[PX\;\,PAP^\top]`."""
    columns = torch.cat([torch.arange(WIDTH), WIDTH + order])
    return lambda graph: graph[order][:, columns]


def measure(settings: Settings, networks: Mapping[str, Builds]) -> list[Found]:
    """The largest relative error of every network over random orders."""
    generator = torch.Generator().manual_seed(settings.seed)
    sets = torch.randn(4, settings.elements, WIDTH, dtype=torch.float64, generator=generator)
    x = torch.randn(settings.nodes, WIDTH, dtype=torch.float64, generator=generator)
    graph = as_matrix(x, random_graph(settings.nodes, settings.edges, seed=settings.seed))
    found = []
    for law, builds in networks.items():
        for name, build in builds.items():
            model, errors = draw(build, settings.seed), []
            for _ in range(settings.orders):
                if law in (WHOLE, EACH):
                    move = permutation(torch.randperm(settings.elements, generator=generator), axis=1)  # fmt: skip
                    answer = STAYS if law == WHOLE else move
                    errors.append(equivariance_error(model, move, sets, on_output=answer))
                else:
                    order = torch.randperm(settings.nodes, generator=generator)
                    answer = STAYS if law == GRAPHS else permutation(order, axis=0)
                    errors.append(equivariance_error(on_matrix(model), rename_nodes(order), graph, on_output=answer))  # fmt: skip
            found.append(Found(law, name, max(errors)))
    return found


def claim_laws(report: Report, settings: Settings) -> list[Found]:
    networks = lawful(settings.hidden_dim)
    found = measure(settings, networks)
    things = {WHOLE: "whole sets", EACH: "elements", NODES: "nodes", GRAPHS: "whole graphs"}
    for law, builds in networks.items():
        worst = max(row.error for row in found if row.law == law)
        report.claim(f"{law}: {len(builds)} networks that answer for {things[law]}", worst, "largest error", below=TINY)  # fmt: skip
    broken = measure(settings, lawless(settings.hidden_dim, settings.elements, settings.nodes))
    names = ", ".join(row.network for row in broken)
    report.claim(
        f"no law for {names}", min(row.error for row in broken), "smallest error", above=LARGE
    )
    return found + broken


def claim_form(report: Report, settings: Settings) -> None:
    """What is permuted twice comes back only if the permutation is its own inverse."""
    n = settings.elements
    cycle = torch.arange(n).roll(1)
    swap = torch.arange(n)
    swap[:2] = torch.tensor([1, 0])
    with seeded(settings.seed):
        x = torch.randn(4, n, WIDTH, dtype=torch.float64)
    shape = (WIDTH, settings.hidden_dim, WIDTH)
    model = draw(lambda: EquivariantDeepSets(*shape, pooling="mean"), settings.seed)
    errors = [
        equivariance_error(
            model, permutation(order, axis=1), x, on_output=permutation(order.argsort(), axis=1)
        )
        for order in (cycle, swap)
    ]
    report.claim("P f(PX) = f(X) is another law, and fails for a cycle", errors[0], "error", above=LARGE)  # fmt: skip
    report.claim("it holds for a swap, which is its own inverse", errors[1], "error", below=TINY)


@torch.no_grad()
def claim_padding(report: Report, settings: Settings) -> None:
    """What only fills a batch plays no part."""
    n, networks = settings.elements, lawful(settings.hidden_dim)
    with seeded(settings.seed):
        x, noise = torch.randn(2, 4, n, WIDTH, dtype=torch.float64)
    padded, is_real = torch.cat([x, 100 * noise], 1), torch.arange(2 * n).expand(4, -1) < n
    errors = []
    for name, build in {**networks[WHOLE], **networks[EACH]}.items():
        if "DeepSets" in name:
            model = draw(build, settings.seed)
            filled, plain = model(padded, is_real), model(x)
            filled = filled[:, :n] if filled.ndim == 3 else filled
            errors.append(float((filled - plain).norm() / plain.norm()))
    report.claim(f"padding changes none of {len(errors)} networks on sets", max(errors), "largest change", below=TINY)  # fmt: skip
    graphs = [
        Graph(x[k], random_graph(n, (k + 1) * n // 2, seed=settings.seed + k)) for k in range(4)
    ]
    batch, changes = batch_graphs(graphs), []
    for build in networks[GRAPHS].values():
        model = draw(build, settings.seed)
        alone = torch.cat([model(graph.x, graph.edge_index) for graph in graphs])
        together = model(batch.x, batch.edge_index, batch.batch)
        changes.append(float((together - alone).norm() / alone.norm()))
    report.claim("graphs in a batch are answered as if alone", max(changes), "largest change", below=TINY)  # fmt: skip


@torch.no_grad()
def claim_rows(report: Report, settings: Settings) -> None:
    """Attention is an average over neighbours, the coupling of a GCN is not."""
    n = settings.nodes
    edges = random_graph(n, settings.edges, seed=settings.seed)
    with seeded(settings.seed):
        layer, x = GATLayer(4, 3, num_heads=2).double(), torch.randn(n, 4, dtype=torch.float64)
    attended = attended_edges("GATLayer", edges, n, None, None)
    weights = layer.attention(layer.linear(x).view(n, 2, 3), attended)
    sums = x.new_zeros(n, 2).index_add(0, attended.target, weights)
    gap = float((sums - 1).abs().max())
    report.claim("attention over neighbours sums to 1", gap, "largest difference", below=TINY)
    rows = coupling_matrix(edges, n).to_dense().sum(1)
    report.claim(
        "rows of Ā do not", float((rows - 1).abs().max()), "largest difference", above=0.05
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Laws of permutation",
        summary="Answers for a whole set or graph ignore the order of its elements, answers for each follow it: to rounding, "
        "whatever the weights. Networks that read elements one after the other know no such law.",
    )
    found = claim_laws(report, settings)
    claim_form(report, settings)
    claim_padding(report, settings)
    claim_rows(report, settings)
    report.text(
        "Equivariance is f(PX) = P f(X), on graphs f(PX, PAPᵀ) = P f(X, A): rename, then answer, or answer, then rename. "
        "Written as f(X) = P f(PX) it would ask for f(PX) = P⁻¹ f(X), which is the same only where P is its own inverse."
    )
    report.figure(
        "laws",
        error_strip(found),
        caption=f"Relative errors in double precision, the largest over {settings.orders} random orders, weights drawn at "
        f"random. What is exactly zero stands at {FLOOR:g}.",
    )
    report.table("Largest relative error", columns=["law", "network", "error"], rows=found)
    return report


def error_strip(found: list[Found]) -> Figure:
    """Draw errors on a logarithmic axis, one row for each network, one colour for each law."""
    figure, panel = new_figure(width=7.4, height=0.9 + 0.21 * len(found))
    laws = list(dict.fromkeys(row.law for row in found))
    for law, colour in zip(laws, PALETTE, strict=False):
        places = [k for k, row in enumerate(found) if row.law == law]
        errors = [max(found[k].error, FLOOR) for k in places]
        panel.semilogx(errors, places, "o", color=colour, markersize=5, label=law)
    panel.axvline(2.0**-52, color=MUTED, linewidth=1, linestyle="--", label="rounding, 2⁻⁵²")
    panel.set_yticks(range(len(found)), [row.network for row in found], fontsize=8)
    panel.invert_yaxis()
    panel.set_xlim(FLOOR / 3, 10)
    panel.set_xlabel("relative error")
    panel.legend(loc="upper center")
    return figure
