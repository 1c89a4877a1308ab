"""Of all the directions around a trained classifier, about one less than there are classes are steep."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.experiments._digits import split_digits
from gradatim.instruments import VectorObjective, hessian_product, network_objective
from gradatim.losses import cross_entropy
from gradatim.models import MLP
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.theory import Spectrum, hessian_eigenvalues, hessian_trace, spectral_density
from gradatim.theory.row_jacobians import row_jacobians
from gradatim.training import train_replicas

COVERS = ("I4",)
KEYWORDS = "curvature, eigenvalues, outliers, Lanczos"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    classes: tuple[int, ...] = (5, 8, 10)
    networks: int = 5
    hidden: int = 12
    epochs: int = 12
    samples: int = 100


QUICK = Settings(classes=(5, 8), networks=2, samples=40)


class Network(NamedTuple):
    """A classifier of digits at a minimum, and its Hessian written out.

    Args:
        values: Eigenvalues, largest first, shape ``(p,)``.
        gauss_newton: Those of the Gauss-Newton part.
        rest: Length of what is not in that part, relative to the Hessian.
    """

    model: nn.Module
    function: VectorObjective
    point: Tensor
    H: Tensor
    values: Tensor
    gauss_newton: Tensor
    rest: float


def whole_hessian(function: VectorObjective, point: Tensor) -> Tensor:
    """All of the Hessian, a column at a time."""
    product = hessian_product(function, point)
    return torch.stack([product(e) for e in torch.eye(len(point), dtype=point.dtype)])


def gauss_newton_part(model: nn.Module, x: Tensor) -> Tensor:
    r"""The part of the Hessian of the mean cross-entropy that a network linear in its weights would have.

    .. math:: G = \frac1n\sum_i J_i^\top(\mathrm{diag}\,p_i - p_ip_i^\top)J_i
    """
    J = row_jacobians(model, x)  # (N, K, p)
    with torch.no_grad():
        p = model(x).softmax(1)
    curvature = torch.diag_embed(p) - p[:, :, None] * p[:, None]
    moved = torch.einsum("nkl,nlp->nkp", curvature, J)
    return torch.einsum("nkp,nkq->pq", J, moved) / len(x)


def largest_gap(values: Tensor, most: int) -> int:
    """After how many eigenvalues, from 2 to ``most``, the next is smallest in comparison."""
    ratios = values[1:most] / values[2 : most + 1].clamp_min(1e-12)
    return 2 + int(ratios.argmax())


def train_networks(settings: Settings, num_classes: int) -> list[Network]:
    (x, y), _ = split_digits(settings.seed, is_flat=True)
    x, y = x[y < num_classes].double(), y[y < num_classes]
    found = train_replicas(
        lambda: MLP((64, settings.hidden, num_classes)).double(), (x, y), lr=1e-2, epochs=settings.epochs, batch_size=64,
        seed=list(range(1000 * settings.seed, 1000 * settings.seed + settings.networks)),
    )  # fmt: skip
    networks = []
    for model in found.models:
        h, theta = network_objective(model, cross_entropy, x, y)
        H, G = whole_hessian(h, theta), gauss_newton_part(model, x)
        values, parts = (torch.linalg.eigvalsh(matrix).flip(0) for matrix in (H, G))
        rest = ((H - G).norm() / H.norm()).item()
        chunked, _ = network_objective(model, cross_entropy, x, y, chunk_size=100)
        networks.append(Network(model, chunked, theta, H, values, parts, rest))
    return networks


def claim_outliers(report: Report, found: dict[int, list[Network]]) -> None:
    gaps = {k: [largest_gap(one.values, 2 * k) for one in networks] for k, networks in found.items()}  # fmt: skip
    right = np.mean([gap == k - 1 for k, row in gaps.items() for gap in row])
    report.claim("outliers are one less than classes: the largest gap in the spectrum stands after K − 1", float(right), "share of networks", at_least=0.75)  # fmt: skip
    off = max(abs(gap - (k - 1)) for k, row in gaps.items() for gap in row)
    report.claim("or next to it", off, "largest distance", at_most=2)
    everyone = [one for networks in found.values() for one in networks]
    flat = min(float((one.values.abs() < 0.03 * one.values[0]).double().mean()) for one in everyone)
    report.claim("nearly all others are near 0: below 3 % of the largest", flat, "least share of eigenvalues", above=0.9)  # fmt: skip
    lowest = min(float(one.values[-1] / one.values[0]) for one in everyone)
    report.claim("some are negative, but not by much: it is a saddle, nearly flat", lowest, "lowest/largest", above=-0.1, below=0.0)  # fmt: skip
    tops = [max(float((one.gauss_newton[i] / one.values[i] - 1).abs()) for i in range(k - 1)) for k, networks in found.items() for one in networks]  # fmt: skip
    report.claim("outliers come from the Gauss-Newton part", max(tops), "largest relative difference", below=0.1)  # fmt: skip
    report.claim("which is nearly all of the Hessian", max(one.rest for one in everyone), "largest ‖H − G‖/‖H‖", below=0.2)  # fmt: skip
    least = min(float(one.gauss_newton[-1] / one.values[0]) for one in everyone)
    report.claim("and has no negative eigenvalue", least, "lowest, relative to the largest", above=-1e-9)  # fmt: skip
    rows = [[k, i + 1, one.values[0].item(), one.values[k - 2].item(), one.values[k - 1].item(), one.values[-1].item(), gaps[k][i], one.rest] for k, networks in found.items() for i, one in enumerate(networks)]  # fmt: skip
    report.table("Ends of the spectrum", columns=["classes K", "network", "λ₁", "λ of K − 1", "λ of K", "lowest", "gap after", "‖H − G‖/‖H‖"], rows=rows)  # fmt: skip


def claim_estimates(report: Report, settings: Settings, one: Network) -> Spectrum:
    """What products with the Hessian tell, beside the Hessian itself."""
    found = hessian_eigenvalues(one.function, one.point, count=3, tol=1e-6, seed=settings.seed)
    gap = float((found / one.values[:3] - 1).abs().max())
    report.claim("Lanczos' method finds the largest eigenvalues, the data taken in chunks", gap, "largest relative error of three", below=1e-4)  # fmt: skip
    trace = hessian_trace(one.function, one.point, samples=settings.samples, seed=settings.seed)
    exact = one.H.trace().item()
    report.claim(f"Hutchinson's trace from {settings.samples} products", abs(trace.value - exact) / trace.error, f"distance from {exact:.3g} in standard errors", below=4)  # fmt: skip
    report.claim("which is worth having", trace.error / exact, "relative standard error", below=0.15)  # fmt: skip
    spectrum = spectral_density(one.function, one.point, samples=10, max_steps=60, seed=settings.seed)  # fmt: skip
    grid, width = torch.linspace(-1, 1.2 * float(one.values[0]), 2000).double(), 0.05
    true = Spectrum(one.values.flip(0), torch.full_like(one.values, 1 / len(one.values)))
    difference = (spectrum.density(grid, width) - true.density(grid, width)).abs().sum()
    area = difference * (grid[1] - grid[0]) / 2
    report.claim("stochastic Lanczos quadrature gives the density of the spectrum", area.item(), "share of eigenvalues put elsewhere, smoothed by 0.05", below=0.05)  # fmt: skip
    return spectrum


def run(settings: Settings) -> Report:
    report = Report(
        title="The spectrum of a Hessian",
        summary="Around a trained classifier of K classes the loss is steep in K − 1 directions, nearly flat in all others and bends "
        "down a little in some. Products with the Hessian find its ends, its trace and its density without writing it down.",
    )
    found = {k: train_networks(settings, k) for k in settings.classes}
    claim_outliers(report, found)
    shown = found[settings.classes[-1]][0]
    spectrum = claim_estimates(report, settings, shown)
    caption = f"Left: all eigenvalues of a network of {settings.classes[-1]} classes and the density found from products with the Hessian; the vertical axis is logarithmic. Middle: the largest eigenvalues, one line a network; dashed the place after K − 1. Right: the same of the Gauss-Newton part."  # fmt: skip
    report.figure("spectrum", draw_figure(found, shown, spectrum), caption=caption)
    return report


def draw_figure(found: dict[int, list[Network]], shown: Network, spectrum: Spectrum) -> Figure:
    figure, (left, middle, right) = new_figure(columns=3, width=12.0, height=4.2)
    width = 0.02
    edges = np.arange(-0.1, 1.1 * float(shown.values[0]), 2 * width)
    left.hist(shown.values.numpy(), bins=edges, density=True, color=PALETTE[5], label="exact eigenvalues")  # fmt: skip
    grid = torch.linspace(float(edges[0]), float(edges[-1]), 1500).double()
    density = spectrum.density(grid, width)
    left.plot(grid, density, color=PALETTE[1], linewidth=1.3, label="from products, smoothed")
    left.set_yscale("log")
    left.set_ylim(0.5 / len(shown.values), 200)
    left.set(title=f"Density, {len(shown.values)} eigenvalues", xlabel="eigenvalue", ylabel="density")  # fmt: skip
    left.legend(loc="upper right")
    for k, (num_classes, networks) in enumerate(found.items()):
        for j, one in enumerate(networks):
            values = one.values[: 2 * max(found)]
            middle.semilogy(range(1, len(values) + 1), values, "o-", color=PALETTE[k], markersize=3, linewidth=0.9, label=f"K = {num_classes}" if j == 0 else "_")  # fmt: skip
            right.loglog(one.values[: num_classes - 1], one.gauss_newton[: num_classes - 1], "o", color=PALETTE[k], markersize=5)  # fmt: skip
        middle.axvline(num_classes - 0.5, color=PALETTE[k], linestyle="--", linewidth=1.0)
    middle.set(title="Outliers", xlabel="rank", ylabel="eigenvalue")
    middle.set_xticks(range(2, 2 * max(found) + 1, 2))
    middle.legend(loc="upper right")
    ends = right.get_xlim()
    right.plot(ends, ends, color=MUTED, linewidth=0.9, linestyle=":")
    ticks = [t for t in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0) if ends[0] < t < ends[1]]
    right.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    right.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    right.minorticks_off()
    right.set(
        title="Where they come from", xlabel="of the Hessian", ylabel="of the Gauss-Newton part"
    )
    return figure
