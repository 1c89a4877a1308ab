"""Random networks are Gaussian processes when they are wide, and depth sorts them into order and chaos."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.experiments.theory._order_and_chaos import (
    correlations,
    edge_of_chaos,
    fixed_variance,
    measured_correlations,
    slope_at_one,
)
from gradatim.experiments.theory._wide_networks import slope_interval
from gradatim.nn import activation as build_activation
from gradatim.plots.style import DIVERGING, INK, MUTED, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.theory import analytic_kernels, log_log_slope
from gradatim.theory.dual_activations import dual_activation

COVERS = ("I2",)
KEYWORDS = "neural network Gaussian process, infinite width, order and chaos, kernel recursion"
BIAS = 0.05  # variance of biases in the picture of order and chaos


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    networks: int = 20_000
    widths: tuple[int, ...] = (16, 32, 64, 128, 256, 512)
    linear_widths: tuple[int, ...] = (4, 8, 16, 32, 64)
    hidden_layers: int = 3
    layers: int = 30
    chaos_width: int = 500


QUICK = Settings(networks=6000, widths=(16, 64, 256), linear_widths=(4, 8, 16), chaos_width=200)


def hidden_kernels(x: Tensor, width: int, count: int, activation: str, generator: torch.Generator) -> Tensor:  # fmt: skip
    """Covariances of the outputs of random networks of two hidden layers, given these layers, shape ``(count, N, N)``."""
    phi, h = build_activation(activation), x.expand(count, *x.shape)
    for _ in range(2):
        W = torch.randn(count, h.shape[2], width, generator=generator)
        h = phi(math.sqrt(2 / h.shape[2]) * h @ W)
    return 2 * h @ h.mT / width


def claim_covariance(report: Report, settings: Settings) -> dict[str, dict[int, list[float]]]:
    """The covariance of outputs goes to the analytic one with the width."""
    generator = torch.Generator().manual_seed(settings.seed)
    x = torch.randn(8, 5, generator=generator)
    found: dict[str, dict[int, list[float]]] = {}
    for name in ("relu", "erf"):
        limit = analytic_kernels(x, depth=3, activation=name).nngp
        found[name] = {}
        for width in settings.widths:
            kernels = hidden_kernels(x, width, 40, name, generator)
            found[name][width] = ((kernels - limit).norm(dim=(1, 2)) / limit.norm()).tolist()
        slope = slope_interval(settings.widths, list(found[name].values()))
        words = f"power of the width, 95 % interval {slope.low:.2f} to {slope.high:.2f},"
        report.claim(f"{name}: given the hidden layers, outputs have the covariance of the process but for 1/√m", slope.mean, words, near=(-0.5, 0.12))  # fmt: skip
    kernels = hidden_kernels(x[:3], 64, settings.networks // 4, "relu", generator).double()
    factors = torch.linalg.cholesky(kernels + 1e-9 * torch.eye(3, dtype=torch.float64))
    draws = torch.randn(len(factors), 3, 1, generator=generator, dtype=torch.float64)
    f = (factors @ draws)[..., 0]  # the outputs: a last layer of Gaussian weights
    limit = analytic_kernels(x[:3], depth=3).nngp.double()
    products = f[:, :, None] * f[:, None]
    errors = (products.mean(0) - limit) / (products.std(0) / math.sqrt(len(f)))
    report.claim("relu, m = 64: so have the outputs of many networks", errors.abs().max().item(), "largest distance in standard errors", below=5)  # fmt: skip
    return found


class Kurtosis(NamedTuple):
    measured: float
    error: float
    exact: float


def linear_kurtosis(width: int, settings: Settings, generator: torch.Generator) -> Kurtosis:
    r"""The excess kurtosis of an output of a deep linear network, exactly :math:`3(1+2/m)^{L-1}-3` with L − 1 hidden layers."""
    parts = []
    size = max(1, 4_000_000 // width**2)
    for start in range(0, settings.networks, size):
        count = min(size, settings.networks - start)
        h = torch.ones(count, 1, width)  # an input as long as it is wide
        for _ in range(settings.hidden_layers):
            W = torch.randn(count, width, width, generator=generator)
            h = h @ W / math.sqrt(width)
        a = torch.randn(count, width, 16, generator=generator) / math.sqrt(width)
        parts.append((h @ a)[:, 0])  # 16 outputs of each
    f = torch.cat(parts).double()
    squares, fourths = f.square().mean(1), f.pow(4).mean(1)
    ratio = fourths.mean() / squares.mean() ** 2
    # the error of a ratio, to first order
    noise = (fourths / fourths.mean() - 2 * squares / squares.mean()).std() / math.sqrt(len(f))
    exact = 3 * (1 + 2 / width) ** settings.hidden_layers - 3
    return Kurtosis(float(ratio - 3), float(ratio * noise), exact)


def claim_kurtosis(report: Report, settings: Settings) -> dict[int, Kurtosis]:
    generator = torch.Generator().manual_seed(settings.seed + 1)
    found = {width: linear_kurtosis(width, settings, generator) for width in settings.linear_widths}
    worst = max(abs(one.measured - one.exact) / one.error for one in found.values())
    report.claim("deep linear networks are not Gaussian: their excess kurtosis is 3(1 + 2/m)^(L−1) − 3", worst, "largest distance in standard errors", below=4.5)  # fmt: skip
    smallest = min(one.measured / one.error for one in found.values())
    report.claim("which is above 0 at every width tried", smallest, "least excess in standard errors", above=4)  # fmt: skip
    slope = log_log_slope(list(found), [one.measured for one in found.values()])
    expected = log_log_slope(list(found), [one.exact for one in found.values()])
    report.claim("and falls as 1/m, near normal where layers are wide", slope, f"power of the width, in theory {expected:.2f}:", near=(expected, 0.2))  # fmt: skip
    report.table("Excess kurtosis of a deep linear network", columns=["width", "measured", "standard error", "exact", "6(L − 1)/m"], rows=[[width, *one, 6 * settings.hidden_layers / width] for width, one in found.items()])  # fmt: skip
    return found


def claim_formulas(report: Report, settings: Settings) -> None:
    """The recursion of the kernel and the linear unit's covariance, with the indices right."""
    generator = torch.Generator().manual_seed(settings.seed + 2)
    count = 20 * settings.networks
    for name in ("relu", "tanh"):
        a, b, c = 1.0, 2.0, -0.8
        z = torch.randn(2, count, generator=generator, dtype=torch.float64)
        u, v = math.sqrt(a) * z[0], c / math.sqrt(a) * z[0] + math.sqrt(b - c * c / a) * z[1]
        phi = build_activation(name)
        products = phi(u) * phi(v)
        sizes = (torch.tensor(value, dtype=torch.float64) for value in (a, b, c))
        exact = dual_activation(name, *sizes).values
        error = float((products.mean() - exact).abs() / (products.std() / math.sqrt(count)))
        report.claim(f"{name}: k_ij = E[φ(z_i)φ(z_j)]", error, "distance of the mean of draws in standard errors", below=4.5)  # fmt: skip
        off = float((phi(u).square().mean() - exact).abs())
        report.claim(f"{name}: with i twice, as it is sometimes printed, it is another number", off, "distance", above=0.1)  # fmt: skip
    n, d, variance = 4, 9, 1.7
    X = torch.randn(n, d, generator=generator, dtype=torch.float64)
    w = math.sqrt(variance / d) * torch.randn(d, count, generator=generator, dtype=torch.float64)
    y = X @ w
    products = y[:, None] * y[None]
    errors = (products.mean(2) - variance / d * X @ X.T) / (products.std(2) / math.sqrt(count))
    report.claim("a linear unit with weights N(0, σ²/d) has outputs of covariance (σ²/d)XXᵀ", errors.abs().max().item(), "largest distance in standard errors", below=5)  # fmt: skip
    wrong = torch.linalg.norm(products.mean(2)) / torch.linalg.norm(variance / n * X @ X.T)
    report.claim("which is not (σ²/n)XXᵀ", wrong.item(), "ratio of sizes, n/d =", near=(n / d, 0.02))  # fmt: skip


class Depth(NamedTuple):
    """Correlations by layer: of the map, and of finite networks, ``(networks, layers + 1)``."""

    theory: list[float]
    measured: Tensor


def claim_chaos(report: Report, settings: Settings) -> dict[float, Depth]:
    edge = edge_of_chaos(BIAS)
    report.claim(f"tanh with biases of variance {BIAS}: the edge of chaos", edge, "variance of weights", near=(1.7603, 0.01))  # fmt: skip
    report.claim("tanh without biases: the edge of chaos", edge_of_chaos(0.0), "variance of weights", near=(1.0, 0.03))  # fmt: skip
    generator = torch.Generator().manual_seed(settings.seed + 3)
    found, bias = {}, torch.tensor(BIAS, dtype=torch.float64)
    for variance in (1.0, edge, 3.5):
        q = float(fixed_variance(torch.tensor(variance, dtype=torch.float64), bias))
        theory = correlations("tanh", variance, BIAS, q, 0.6, settings.layers)
        measured = measured_correlations(variance, BIAS, q, 0.6, layers=settings.layers, width=settings.chaos_width, networks=10, generator=generator)  # fmt: skip
        found[variance] = Depth(theory, measured)
        gap = (measured.mean(0) - torch.tensor(theory)).abs().max().item()
        report.claim(f"σ_w² = {variance:.3g}: networks of width {settings.chaos_width} follow the map of correlations", gap, "largest distance of the mean", below=0.12)  # fmt: skip
    ordered, _, chaotic = found.values()
    report.claim("order: two signals become one", ordered.theory[-1], "correlation", above=0.999)
    report.claim("chaos: they part, and stay apart", chaotic.theory[-1], "correlation", below=0.5)
    chi = float(slope_at_one(torch.tensor(1.0, dtype=torch.float64), bias))
    gaps = [1 - c for c in ordered.theory if 1e-9 < 1 - c < 1e-2]
    rate = (gaps[-1] / gaps[0]) ** (1 / (len(gaps) - 1))
    scale = -1 / math.log(chi)
    report.claim("order: what is left of a difference falls by χ₁ at every layer", -1 / math.log(rate), f"depth scale in layers, −1/log χ₁ = {scale:.3g}:", near=(scale, 0.05 * scale))  # fmt: skip
    relu = correlations("relu", 2.0, 0.0, 1.0, 0.6, 400)
    report.claim("ReLU with He's variance sits at the edge: signals become alike by a power only", log_log_slope(range(200, 401), [1 - c for c in relu[200:]]), "power of the depth", near=(-2.0, 0.1))  # fmt: skip
    variances = analytic_kernels(torch.ones(1, 4), depth=100).nngp.item()
    report.claim("and keep their size", variances, "variance after 100 layers of one that starts as 2", near=(2.0, 1e-6))  # fmt: skip
    return found


def run(settings: Settings) -> Report:
    report = Report(
        title="Networks as Gaussian processes",
        summary="Given its hidden layers a network with random last weights is Gaussian, and these layers settle with the width: outputs "
        "become a process with kernel k_ij = E[φ(z_i)φ(z_j)]. Narrow and deep ones are not Gaussian. Depth makes signals alike "
        "(order) or tears them apart (chaos); between lies an edge.",
    )
    kernels = claim_covariance(report, settings)
    kurtosis = claim_kurtosis(report, settings)
    claim_formulas(report, settings)
    depth = claim_chaos(report, settings)
    caption = "Above: distance of random networks from the process by width, and excess kurtosis of deep linear networks (dots, two standard errors; line exact). Below: correlation of two signals by layer (lines the map, dots networks), and the slope χ₁ of that map: below 1 order, above chaos."  # fmt: skip
    report.figure("process", draw_figure(settings, kernels, kurtosis, depth), caption=caption)
    return report


def draw_figure(
    settings: Settings,
    kernels: dict[str, dict[int, list[float]]],
    kurtosis: dict[int, Kurtosis],
    depth: dict[float, Depth],
) -> Figure:
    figure, ((first, second), (third, fourth)) = new_figure(2, 2, width=9.5, height=7.4)
    for k, (name, found) in enumerate(kernels.items()):
        means = [sum(row) / len(row) for row in found.values()]
        first.loglog(list(found), means, "os"[k] + "-", color=PALETTE[k], label=name)
    first.set(title="Covariance given the hidden layers", xlabel="width m", ylabel="distance to the kernel")  # fmt: skip
    _ticks(first, list(settings.widths))
    first.legend()
    widths = list(kurtosis)
    second.loglog(widths, [one.exact for one in kurtosis.values()], color=PALETTE[1], label="3(1 + 2/m)³ − 3" if settings.hidden_layers == 3 else "exact")  # fmt: skip
    second.errorbar(widths, [one.measured for one in kurtosis.values()], [2 * one.error for one in kurtosis.values()], fmt="o", color=PALETTE[0], label="random networks", capsize=3)  # fmt: skip
    second.set(title=f"Linear, {settings.hidden_layers} hidden layers", xlabel="width m", ylabel="excess kurtosis")  # fmt: skip
    _ticks(second, widths)
    second.legend()
    names = ("order", "edge", "chaos")
    for k, (variance, one) in enumerate(depth.items()):
        third.plot(one.theory, color=PALETTE[k], label=f"{names[k]}: σ_w² = {variance:.3g}")
        third.plot(range(0, settings.layers + 1, 2), one.measured.mean(0)[::2], "o", color=PALETTE[k], markersize=4)  # fmt: skip
    third.set(title="tanh: correlation of two signals", xlabel="layer", ylabel="correlation", ylim=(-0.05, 1.35))  # fmt: skip
    third.legend(loc="upper right")
    _draw_phases(figure, fourth, list(depth))
    return figure


def _ticks(panel: Axes, widths: list[int]) -> None:
    panel.set_xticks(widths, [str(width) for width in widths])
    low, high = panel.get_ylim()
    ticks = [
        t for t in (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0) if low < t < high
    ]
    panel.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    panel.minorticks_off()


def _draw_phases(figure: Figure, panel: Axes, marked: list[float]) -> None:
    w, b = torch.linspace(0.3, 4.0, 40).double(), torch.linspace(0.0, 0.5, 30).double()
    chi = slope_at_one(w[None, :], b[:, None])
    shading = panel.pcolormesh(
        w.numpy(), b.numpy(), chi.numpy(), cmap=DIVERGING, vmin=0, vmax=2, shading="gouraud"
    )
    panel.contour(w.numpy(), b.numpy(), chi.numpy(), levels=[1.0], colors=INK, linewidths=1.6)
    panel.plot(marked, [BIAS] * len(marked), "o", color=INK, markersize=5)
    panel.text(0.6, 0.38, "order", color=INK)
    panel.text(3.2, 0.06, "chaos", color=INK)
    panel.set(title="tanh: slope χ₁", xlabel="variance of weights σ_w²", ylabel="variance of biases σ_b²")  # fmt: skip
    panel.grid(False)
    bar = figure.colorbar(shading, ax=panel)
    bar.outline.set_visible(False)
    bar.ax.tick_params(colors=MUTED, labelsize=9)
