"""The wider a network, the less its tangent kernel depends on the draw and on training."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.experiments.theory._wide_networks import (
    Descended,
    descend_together,
    safe_rate,
    slope_interval,
    sphere_rows,
)
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.theory import analytic_kernels, empirical_ntk

COVERS = ("I1",)
KEYWORDS = "neural tangent kernel, width, kernel drift"
FIGURES = ("fluctuation", "change", "drift")


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 12
    dim: int = 6
    networks: int = 24
    steps: int = 200
    widths: tuple[int, ...] = (64, 128, 256, 512, 1024, 2048)
    deep_widths: tuple[int, ...] = (32, 64, 128, 256, 512)


QUICK = Settings(steps=100, widths=(64, 256, 1024), deep_widths=(32, 96, 288))


class Measured(NamedTuple):
    """Relative sizes, one for every network of a width."""

    fluctuation: list[float]
    change: list[float]
    drift: list[float]


class Family(NamedTuple):
    """What networks of one activation and depth did, by width."""

    measured: dict[int, Measured]
    worst_loss: float
    shown: dict[int, Descended]  # of the narrowest and the widest


def measure(found: Descended, x: Tensor, limit: Tensor) -> Measured:
    """‖K₀ − K∞‖/‖K∞‖, ‖θ_T − θ₀‖/‖θ₀‖ and ‖K_T − K₀‖/‖K₀‖ of every network."""
    figures = []
    for before, after in zip(found.before, found.after, strict=True):
        start, end = (empirical_ntk(model, x, kind="trace") for model in (before, after))
        old, new = (torch.cat([p.detach().flatten() for p in model.parameters()]) for model in (before, after))  # fmt: skip
        parts = (start - limit).norm() / limit.norm(), (new - old).norm() / old.norm(), (end - start).norm() / start.norm()  # fmt: skip
        figures.append([part.item() for part in parts])
    return Measured(*(list(column) for column in zip(*figures, strict=True)))


def train_family(
    settings: Settings, x: Tensor, y: Tensor, activation: str, widths: tuple[int, ...], hidden_layers: int
) -> Family:  # fmt: skip
    limit = analytic_kernels(x, depth=hidden_layers + 1, activation=activation).ntk
    lr = safe_rate(limit) / 2  # narrow networks have kernels that are larger by chance
    first = 1000 * settings.seed
    measured, shown, worst = {}, {}, 0.0
    for width in widths:
        seeds = range(first, first + settings.networks)
        sizes = (x.shape[1], *[width] * hidden_layers, 1)
        found = descend_together(sizes, activation, x, y, lr=lr, steps=settings.steps, seeds=seeds)
        measured[width] = measure(found, x, limit)
        worst = max(worst, *found.losses)
        if width in (widths[0], widths[-1]):
            shown[width] = found
    return Family(measured, worst, shown)


def slope_words(name: str, family: Family) -> tuple[float, float, float]:
    """The power of the width and its interval."""
    widths = list(family.measured)
    found = slope_interval(widths, [getattr(family.measured[width], name) for width in widths])
    return found.mean, found.low, found.high


def claim_slopes(report: Report, families: dict[tuple[str, int], Family]) -> None:
    rows = []
    for (activation, hidden), family in families.items():
        network = f"{activation}, {hidden} hidden layer{'s' if hidden > 1 else ''}"
        for name in FIGURES:
            slope, low, high = slope_words(name, family)
            rows.append([network, name, slope, low, high])
            words = f"power of the width, 95 % interval {low:.2f} to {high:.2f},"
            if name == "fluctuation":
                report.claim(f"{network}: the kernel at the start is that of infinite width but for 1/√m", slope, words, near=(-0.5, 0.12))  # fmt: skip
            elif name == "drift":
                report.claim(f"{network}: training moves the kernel by less than 1/√m", high, f"upper end of the 95 % interval around {slope:.2f}, power of the width,", below=-0.5)  # fmt: skip
            elif hidden == 1:
                report.claim(f"{network}: parameters move by 1/√m of their length", slope, words, near=(-0.5, 0.12))  # fmt: skip
            else:
                report.claim(f"{network}: where m² parameters start, they move by 1/m of their length", slope, words, near=(-1.0, 0.15))  # fmt: skip
        report.claim(f"{network}: every one has learned", family.worst_loss, "largest mean squared error", below=0.1)  # fmt: skip
    report.table("Powers of the width", columns=["network", "figure", "power", "low", "high"], rows=rows)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="The tangent kernel stays",
        summary="In networks of width m the kernel at the start is off its limit by 1/√m, and one hidden layer's parameters move by "
        "1/√m of their length. The kernel moves by less: flipped units of a ReLU give m^-3/4, smooth activations 1/m.",
    )
    generator = torch.Generator().manual_seed(settings.seed)
    x = sphere_rows(settings.rows, settings.dim, generator)
    y = torch.where(torch.arange(settings.rows) % 2 == 0, 1.0, -1.0)
    families = {
        (activation, hidden): train_family(settings, x, y, activation, widths, hidden)
        for hidden, widths in ((1, settings.widths), (2, settings.deep_widths))
        for activation in ("relu", "tanh")
    }
    claim_slopes(report, families)
    relu = families["relu", 1]
    widest = relu.measured[settings.widths[-1]]
    ratio = float(np.mean(widest.drift) / np.mean(widest.fluctuation))
    report.claim("relu: two wide networks differ more than one of them before and after", ratio, "drift/fluctuation", below=0.5)  # fmt: skip
    caption = "Left and middle: relative size of what chance and training do to the kernel and the parameters, by width. Right: the kernel between a fixed point and points at an angle to it, of narrow (above) and wide networks (below), before and after training; dashed the limit."  # fmt: skip
    report.figure("constancy", draw_figure(families, settings), caption=caption)
    return report


def circle_kernels(networks: Descended, dim: int, angles: Tensor) -> tuple[Tensor, Tensor]:
    """The kernels of a few networks between the first axis and a circle, before and after training, ``(networks, A)``."""
    circle = torch.zeros(len(angles), dim)
    circle[:, 0], circle[:, 1] = angles.cos(), angles.sin()
    circle *= math.sqrt(dim)
    axis = torch.eye(dim)[:1] * math.sqrt(dim)
    before, after = (
        torch.cat([empirical_ntk(model, axis, circle, kind="trace") for model in group[:6]])
        for group in (networks.before, networks.after)
    )
    return before, after


def draw_figure(families: dict[tuple[str, int], Family], settings: Settings) -> Figure:
    figure, axes = new_figure(2, 3, width=11.0, height=6.4)
    for panel, ((activation, hidden), family) in zip(axes[:, :2].flat, families.items(), strict=True):  # fmt: skip
        widths = list(family.measured)
        for k, name in enumerate(FIGURES):
            slope = slope_words(name, family)[0]
            sizes = [float(np.mean(getattr(family.measured[width], name))) for width in widths]
            panel.loglog(widths, sizes, "os^"[k] + "-", color=PALETTE[k], markersize=5, linewidth=1.5, label=f"{name}: {slope:.2f}")  # fmt: skip
        panel.set_title(f"{activation}, {hidden} hidden")
        panel.set_ylim(bottom=panel.get_ylim()[0] / 5)  # room for the legend
        panel.set_xticks(widths, [str(width) for width in widths])
        ticks = [t for t in (0.003, 0.01, 0.03, 0.1, 0.3, 1.0) if panel.get_ylim()[0] < t < panel.get_ylim()[1]]  # fmt: skip
        panel.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        panel.minorticks_off()
        panel.legend(loc="lower left", title="power of m", title_fontsize=9)
    for panel in axes[1, :2]:
        panel.set_xlabel("width m")
    for panel in axes[:, 0]:
        panel.set_ylabel("relative size")
    draw_circles(axes[:, 2], families["relu", 1], settings.dim)
    return figure


def draw_circles(panels: np.ndarray, family: Family, dim: int) -> None:
    angles = torch.linspace(-math.pi, math.pi, 121)
    circle = torch.zeros(len(angles), dim)
    circle[:, 0], circle[:, 1] = math.sqrt(dim) * angles.cos(), math.sqrt(dim) * angles.sin()
    limit = analytic_kernels(math.sqrt(dim) * torch.eye(dim)[:1], circle).ntk[0]
    top = 0.0
    for panel, (width, networks) in zip(panels, family.shown.items(), strict=True):
        for k, (name, curves) in enumerate(zip(("before", "after"), circle_kernels(networks, dim, angles), strict=True)):  # fmt: skip
            for j, curve in enumerate(curves):
                panel.plot(angles, curve, color=PALETTE[k], linewidth=0.9, alpha=0.8, label=f"{name} training" if j == 0 else "_")  # fmt: skip
            top = max(top, curves.max().item())
        panel.plot(angles, limit, "--", color=INK, linewidth=1.4, label="limit")
        panel.set(title=f"Kernel of ReLU, m = {width}", ylabel="Θ(x, x′)")
        panel.set_xticks([-math.pi, 0, math.pi], ["−π", "0", "π"])
        panel.axhline(0, color=MUTED, linewidth=0.6)
    for panel in panels:
        panel.set_ylim(top=1.35 * top)
    panels[0].legend(loc="upper right", ncols=2)
    panels[1].set_xlabel("angle between x and x′")
