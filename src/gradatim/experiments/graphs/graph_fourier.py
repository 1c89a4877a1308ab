"""Eigenvectors of a Laplacian are the waves of a graph: path, ring and grid against closed forms."""

import math
from dataclasses import dataclass

import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.data import random_graph
from gradatim.experiments.graphs._shapes import (
    grid,
    grid_frequencies,
    path,
    path_frequencies,
    ring,
    ring_frequencies,
)
from gradatim.nn import graph_fourier, laplacian, message_passing
from gradatim.plots.style import DIVERGING, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.reports import Report
from gradatim.theory import log_log_slope

COVERS = ("H3",)
KEYWORDS = (
    "graph Laplacian, eigenvectors, spectral graph theory, Fourier basis, graph Fourier transform"
)
TINY = 1e-10


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    nodes: int = 60
    side: int = 12
    random_edges: int = 150
    grids: tuple[int, ...] = (8, 16, 32, 64, 128)


QUICK = Settings(nodes=40, side=8, random_edges=100, grids=(8, 16, 32, 64))


def exact_laplacian(edge_index: Tensor, num_nodes: int) -> Tensor:
    """The combinatorial Laplacian in double precision, dense."""
    weight = torch.ones(edge_index.shape[1], dtype=torch.float64)
    return laplacian(edge_index, num_nodes, edge_weight=weight).to_dense()


def claim_closed_forms(report: Report, settings: Settings) -> dict[str, tuple[Tensor, Tensor]]:
    n, side = settings.nodes, settings.side
    shapes = {
        "path": (path(n), n, path_frequencies(n)),
        "ring": (ring(n), n, ring_frequencies(n)),
        "grid": (grid(side, side + 1), side * (side + 1), grid_frequencies(side, side + 1)),
    }
    found = {}
    for name, (edges, count, expected) in shapes.items():
        frequencies = graph_fourier(exact_laplacian(edges, count)).frequencies
        gap = float((frequencies - expected).abs().max())
        report.claim(f"frequencies of a {name} of {count} nodes are its closed form", gap, "largest difference", below=TINY)  # fmt: skip
        found[name] = (frequencies, expected)
    return found


def claim_difference(report: Report, settings: Settings, generator: torch.Generator) -> None:
    """The Laplacian compares every node with the mean of its neighbours."""
    edges = random_graph(settings.nodes, settings.random_edges, seed=settings.seed)
    f = torch.randn(settings.nodes, 1, dtype=torch.float64, generator=generator)
    degree = torch.bincount(edges[1], minlength=settings.nodes)[:, None]
    mean = message_passing(f, edges, aggregate="mean")
    by_hand = degree * (f - mean)
    gap = float((exact_laplacian(edges, settings.nodes) @ f - by_hand).abs().max())
    report.claim("(Lf)ᵢ = dᵢ (fᵢ − mean of neighbours)", gap, "largest difference", below=TINY)


def grid_error(side: int) -> float:
    r"""How far :math:`L/h^2` is from :math:`-\Delta` inside a grid, for :math:`f = \sin(2x)\,e^y`, where :math:`-\Delta f = 3f`."""
    h = 1.0 / (side - 1)
    line = torch.linspace(0.0, 1.0, side, dtype=torch.float64)
    f = torch.sin(2 * line)[:, None] * torch.exp(line)  # (side, side)
    weight = torch.ones(grid(side, side).shape[1], dtype=torch.float64)
    L = laplacian(grid(side, side), side * side, edge_weight=weight)
    found = (L @ f.flatten()[:, None]).view(side, side) / h**2
    return float((found - 3 * f)[1:-1, 1:-1].abs().max())


def claim_grid(report: Report, settings: Settings) -> list[float]:
    errors = [grid_error(side) for side in settings.grids]
    widths = [1.0 / (side - 1) for side in settings.grids]
    order = log_log_slope(widths, errors)
    report.claim("inside a grid L/h² tends to −Δ", order, "order of h", near=(2.0, 0.1))
    report.table(
        "L/h² against −Δ, for sin(2x) exp(y) inside the unit square",
        columns=["nodes of a side", "h", "largest error"],
        rows=list(zip(settings.grids, widths, errors, strict=True)),
    )
    return errors


def claim_signs(report: Report, settings: Settings, generator: torch.Generator) -> None:
    """A product of two spectra depends on choices that nothing fixes; a filter does not."""
    n = settings.nodes
    frequencies, U = graph_fourier(exact_laplacian(path(n), n))
    x, y = torch.randn(2, n, dtype=torch.float64, generator=generator)
    flips = torch.where(torch.rand(n, generator=generator) < 0.5, -1.0, 1.0).double()
    V = U * flips  # as good an eigenbasis

    def product(basis: Tensor) -> Tensor:
        return basis @ ((basis.T @ x) * (basis.T @ y))

    def smoothed(basis: Tensor) -> Tensor:
        return basis @ (torch.exp(-frequencies) * (basis.T @ x))

    changed = float((product(V) - product(U)).norm() / product(U).norm())
    report.claim("U(Uᵀx ⊙ Uᵀy) changes with the signs of eigenvectors", changed, "relative change", above=0.1)  # fmt: skip
    kept = float((smoothed(V) - smoothed(U)).abs().max())
    report.claim("g(L)x does not, so only filters are offered", kept, "largest change", below=TINY)


def run(settings: Settings) -> Report:
    report = Report(
        title="Frequencies of a graph",
        summary="Eigenvectors of the Laplacian are cosines on a path and waves on a ring and a grid; inside a grid L/h² is "
        "−Δ up to order 2. Only functions of L do not depend on the signs of eigenvectors.",
    )
    generator = torch.Generator().manual_seed(settings.seed)
    found = claim_closed_forms(report, settings)
    claim_difference(report, settings, generator)
    claim_grid(report, settings)
    claim_signs(report, settings, generator)
    report.figure("frequencies", draw_frequencies(found), caption="Measured (dots) and closed forms (lines): 2 − 2 cos(πk/n) of a path, 2 − 2 cos(2πk/n) of a ring, sums of those of two paths on a grid.")  # fmt: skip
    report.figure("waves", draw_waves(settings), caption="The slowest waves: cosines on a path, products of cosines on a grid.")  # fmt: skip
    return report


def draw_frequencies(found: dict[str, tuple[Tensor, Tensor]]) -> Figure:
    """Measured frequencies over their closed forms."""
    figure, panel = new_figure(width=7.0, height=3.8)
    for (name, (measured, expected)), colour in zip(found.items(), PALETTE, strict=False):
        place = torch.linspace(0, 1, len(expected))
        panel.plot(place, expected, color=colour, linewidth=1.2)
        panel.plot(place, measured, "o", color=colour, markersize=3, label=name)
    panel.set(title="Frequencies", xlabel="rank, as a share of all", ylabel=Formula("$\\lambda$"))
    panel.legend()
    return figure


def draw_waves(settings: Settings) -> Figure:
    """Waves of a path beside those of a grid."""
    n, side = settings.nodes, settings.side
    U = graph_fourier(exact_laplacian(path(n), n)).basis
    W = graph_fourier(exact_laplacian(grid(side, side + 1), side * (side + 1))).basis
    figure, panels = new_figure(2, 4, width=10.0, height=4.6)
    for k, (above, below) in enumerate(panels.T, start=1):
        wave = U[:, k] * torch.sign(U[0, k])
        exact = math.sqrt(2 / n) * torch.cos(math.pi * k * (torch.arange(n) + 0.5) / n)
        above.plot(exact, color=PALETTE[1], linewidth=1.2, label="cosine")
        above.plot(wave, "o", color=PALETTE[0], markersize=2.5, label="measured")
        above.set_title(f"path, wave {k}")
        above.set_yticks([])
        image = W[:, k].view(side, side + 1)
        limit = float(image.abs().max())
        below.imshow(image.numpy(), cmap=DIVERGING, vmin=-limit, vmax=limit)
        below.set_title(f"grid, wave {k}")
        below.set_axis_off()
    panels[0, 0].legend()
    return figure
