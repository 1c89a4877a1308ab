"""Pictures of a loss: surfaces free of scale, shortcuts that straighten them, and walls between solutions."""

from copy import deepcopy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from scipy.optimize import linear_sum_assignment
from torch import Tensor, nn

from gradatim.evaluation.intervals import corrected_interval
from gradatim.experiments._digits import Pair, split_digits
from gradatim.instruments import network_objective
from gradatim.losses import cross_entropy
from gradatim.models import MLP, ResidualMLP
from gradatim.plots.style import PALETTE, SEQUENTIAL, new_figure
from gradatim.reports import Report
from gradatim.theory import Surface, filter_normalized, loss_line, loss_surface
from gradatim.training import train_replicas

COVERS = ("I4", "B2", "B5")
KEYWORDS = "mode connectivity, filter normalization, barriers, loss surface, permutation of hidden units, residual network"
STEPS = torch.linspace(0, 1, 21)


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 500
    layers: int = 10
    networks: int = 8
    epochs: int = 40
    lines: int = 20
    resolution: int = 31
    hidden: int = 256
    pairs: int = 5


QUICK = Settings(networks=5, epochs=30, lines=8, resolution=17, pairs=3)


def curved_down(values: Tensor) -> float:
    """The share of inner points of a line at which it bends downwards."""
    return float((values[2:] - 2 * values[1:-1] + values[:-2] < 0).double().mean())


class Deep(NamedTuple):
    """Deep networks of one kind: share of their lines that bends down, training errors, and the surface around one."""

    bent: list[float]
    losses: list[float]
    surface: Surface


def look_around(settings: Settings, kind: type[MLP] | type[ResidualMLP], train: Pair) -> Deep:
    """Lines and a plane through trained tanh networks, in directions whose rows are as long as the weights'."""
    sizes = (64, *[16] * settings.layers, 10)
    seeds = list(range(1000 * settings.seed, 1000 * settings.seed + settings.networks))
    found = train_replicas(lambda: kind(sizes, activation="tanh"), train, lr=3e-3, epochs=settings.epochs, batch_size=50, seed=seeds)  # fmt: skip
    generator, bent, losses = torch.Generator().manual_seed(settings.seed), [], []
    for model in found.models:
        h, theta = network_objective(model, cross_entropy, *train)
        ends = [theta + filter_normalized(model, generator=generator) for _ in range(settings.lines)]  # fmt: skip
        lines = [loss_line(h, theta, end, 2 * torch.linspace(0, 1, 41) - 1) for end in ends]
        bent.append(float(np.mean([curved_down(line) for line in lines])))
        losses.append(h(theta).item())
    model = found.models[0]
    h, theta = network_objective(model, cross_entropy, *train)
    first, second = (filter_normalized(model, generator=generator) for _ in range(2))
    return Deep(bent, losses, loss_surface(h, theta, first, second, resolution=settings.resolution))


def claim_shortcuts(report: Report, settings: Settings, train: Pair) -> dict[str, Deep]:
    found = {"plain": look_around(settings, MLP, train), "with shortcuts": look_around(settings, ResidualMLP, train)}  # fmt: skip
    plain, short = found.values()
    gap = corrected_interval([a - b for a, b in zip(plain.bent, short.bent, strict=True)], 0.0)
    words = f"lower end of the 95 % interval around {gap.mean:.2f}, difference of shares,"
    report.claim(f"{settings.layers} layers: around networks with shortcuts less of the surface bends downwards", gap.low, words, above=0.0)  # fmt: skip
    ratio = float(np.mean(short.losses) / np.mean(plain.losses))
    report.claim("and they come further down in the same time", ratio, "training error, ratio of means", below=0.7)  # fmt: skip
    rows = [[name, float(np.mean(deep.bent)), min(deep.bent), max(deep.bent), float(np.mean(deep.losses))] for name, deep in found.items()]  # fmt: skip
    report.table("Lines through trained networks", columns=["network", "bends downwards", "least", "most", "training error"], rows=rows)  # fmt: skip
    return found


def rescaled(model: MLP, factor: float) -> MLP:
    """The same function: the first layer times a factor, the last divided by it."""
    other = deepcopy(model)
    first, last = (layer for layer in other if isinstance(layer, nn.Linear))
    with torch.no_grad():
        first.weight.mul_(factor)
        first.bias.mul_(factor)
        last.weight.div_(factor)
    return other


def random_direction(model: nn.Module, generator: torch.Generator) -> Tensor:
    """A direction as long as the weights, without regard to layers or rows."""
    size = torch.cat([p.detach().flatten() for p in model.parameters()])
    drawn = torch.randn(len(size), generator=generator, dtype=size.dtype)
    return drawn * size.norm() / drawn.norm()


def claim_scale(report: Report, settings: Settings, model: MLP, train: Pair) -> None:
    """One layer ten times as large and the next ten times as small."""
    x, y = train[0].double(), train[1]
    twins = [deepcopy(model).double(), rescaled(deepcopy(model).double(), 10.0)]
    with torch.no_grad():
        difference = (twins[0](x) - twins[1](x)).abs().max().item()
    report.claim("ReLU layers ten times larger and smaller in turn compute the same", difference, "largest difference of outputs", below=1e-9)  # fmt: skip
    gaps = {}
    for name, draw in (("by rows", lambda m, g: filter_normalized(m, generator=g)), ("as a whole", random_direction)):  # fmt: skip
        surfaces = []
        for twin in twins:
            generator = torch.Generator().manual_seed(settings.seed)
            h, theta = network_objective(twin, cross_entropy, x, y)
            first, second = draw(twin, generator), draw(twin, generator)
            surfaces.append(loss_surface(h, theta, first, second, resolution=5).values)
        gaps[name] = float((surfaces[0] - surfaces[1]).abs().max() / surfaces[0].max())
    report.claim("directions normalized by rows show both the same surface", gaps["by rows"], "largest difference, relative to the highest", below=1e-9)  # fmt: skip
    report.claim("directions normalized as a whole show two", gaps["as a whole"], "largest difference, relative to the highest", above=0.1)  # fmt: skip


def matched(model: MLP, other: MLP) -> MLP:
    """The other network with its hidden units in the order that is most like the first's, the same function."""
    (w, a), (v, b) = (_layers(net) for net in (model, other))
    alike = w.weight @ v.weight.T + torch.outer(w.bias, v.bias) + a.weight.T @ b.weight
    _, order = linear_sum_assignment(alike.detach().numpy(), maximize=True)
    result = deepcopy(other)
    first, last = _layers(result)
    with torch.no_grad():
        first.weight.copy_(v.weight[order])
        first.bias.copy_(v.bias[order])
        last.weight.copy_(b.weight[:, order])
    return result


def _layers(model: MLP) -> tuple[nn.Linear, nn.Linear]:
    first, last = (layer for layer in model if isinstance(layer, nn.Linear))
    return first, last


def between(model: MLP, other: MLP, data: Pair) -> Tensor:
    """The loss on the line from one network to the other."""
    h, start = network_objective(model, cross_entropy, *data)
    _, end = network_objective(other, cross_entropy, *data)
    return loss_line(h, start, end, STEPS)


def barrier(line: Tensor) -> float:
    """How far the line rises above the straight one between its ends."""
    return float((line - (1 - STEPS) * line[0] - STEPS * line[-1]).max())


def find_lines(settings: Settings, train: Pair) -> dict[str, list[Tensor]]:
    """Lines between networks from different starts, the same with units matched, and between twins that parted late."""
    seeds = list(range(1000 * settings.seed, 1000 * settings.seed + 2 * settings.pairs))

    def build() -> MLP:
        return MLP((64, settings.hidden, 10))

    apart = train_replicas(build, train, lr=3e-3, epochs=settings.epochs, batch_size=50, seed=seeds).models  # fmt: skip
    young = train_replicas(build, train, lr=3e-3, epochs=3, batch_size=50, seed=seeds[::2]).models
    lines: dict[str, list[Tensor]] = {"different starts": [], "units matched": [], "parted after 3 epochs": []}  # fmt: skip
    for k in range(settings.pairs):
        one, two = apart[2 * k], apart[2 * k + 1]
        assert isinstance(one, MLP)
        assert isinstance(two, MLP)
        lines["different starts"].append(between(one, two, train))
        lines["units matched"].append(between(one, matched(one, two), train))
        twins = train_replicas(lambda parent=young[k]: deepcopy(parent), train, lr=3e-3, epochs=settings.epochs - 3, batch_size=50, seed=seeds[2 * k : 2 * k + 2]).models  # type: ignore[misc]  # fmt: skip
        assert isinstance(twins[0], MLP)
        assert isinstance(twins[1], MLP)
        lines["parted after 3 epochs"].append(between(twins[0], twins[1], train))
    return lines


def claim_walls(report: Report, lines: dict[str, list[Tensor]]) -> None:
    walls = {name: [barrier(line) for line in group] for name, group in lines.items()}
    ends = max(float(line[[0, -1]].max()) for group in lines.values() for line in group)
    report.claim("all networks fit the training rows", ends, "largest error", below=0.05)
    report.claim("between solutions from different starts stands a wall", min(walls["different starts"]), "least height", above=0.02)  # fmt: skip
    shares = [a / b for a, b in zip(walls["units matched"], walls["different starts"], strict=True)]
    report.claim("much of it is the order of the units: matched, it is lower", float(np.mean(shares)), "mean share that is left", below=0.5)  # fmt: skip
    report.claim("solutions that parted after 3 epochs share a valley", max(walls["parted after 3 epochs"]) / min(walls["different starts"]), "highest wall, relative to the least of different starts", below=0.2)  # fmt: skip
    report.table("Height of the wall, a column for every pair", columns=["solutions", *(str(k + 1) for k in range(len(shares)))], rows=[[name, *row] for name, row in walls.items()])  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Loss landscapes",
        summary="Seen along directions whose rows are as long as the weights', surfaces do not depend on the scale of layers. "
        "Shortcuts straighten them; between two solutions stands a wall, much of which is the order of hidden units.",
    )
    (x, y), _ = split_digits(settings.seed, is_flat=True)
    train = x[: settings.rows], y[: settings.rows]
    deep = claim_shortcuts(report, settings, train)
    torch.manual_seed(settings.seed)
    claim_scale(report, settings, MLP((64, 16, 10)), train)
    lines = find_lines(settings, train)
    claim_walls(report, lines)
    caption = f"Left and middle: the training error on a plane through networks of {settings.layers} layers, axes in lengths of the weights; levels double from 0.05. Right: the error on the line between two solutions, one line a pair."  # fmt: skip
    report.figure("landscape", draw_figure(deep, lines), caption=caption)
    return report


def draw_figure(deep: dict[str, Deep], lines: dict[str, list[Tensor]]) -> Figure:
    figure, panels = new_figure(columns=3, width=12.0, height=4.2)
    levels = [0.05 * 2**k for k in range(9)]
    for panel, (name, found) in zip(panels[:2], deep.items(), strict=True):
        steps, values = found.surface.steps.numpy(), found.surface.values.numpy().T
        panel.contourf(steps, steps, np.log2(np.clip(values, levels[0] / 2, levels[-1])), levels=np.log2([levels[0] / 2, *levels]), cmap=SEQUENTIAL)  # fmt: skip
        drawn = panel.contour(steps, steps, values, levels=levels, colors="white", linewidths=0.8)
        panel.clabel(drawn, levels[1::2], fmt="%.2g", fontsize=8)
        panel.plot(0, 0, "o", color=PALETTE[1], markersize=5)
        panel.grid(False)
        panel.set_xticks([-1, -0.5, 0, 0.5, 1])
        panel.set_yticks([-1, -0.5, 0, 0.5, 1])
        panel.set(title=name[0].upper() + name[1:], xlabel="first direction")
    panels[0].set_ylabel("second direction")
    right = panels[2]
    for k, (name, group) in enumerate(lines.items()):
        for j, line in enumerate(group):
            right.plot(STEPS, line, color=PALETTE[k], linewidth=1.3, label=name if j == 0 else "_")
    right.set(title="From one solution to another", xlabel="share of the way", ylabel="training error")  # fmt: skip
    low, high = right.get_ylim()
    right.set_ylim(low, high + 0.35 * (high - low))
    right.legend(loc="upper right")
    return figure
