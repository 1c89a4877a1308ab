"""Large outputs at the start keep the features as they were drawn; small ones let them find what matters."""

import math
from copy import deepcopy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.evaluation.intervals import corrected_interval
from gradatim.models import MLP
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.theory import empirical_ntk, kernel_regression
from gradatim.training import train_replicas

COVERS = ("I1",)
KEYWORDS = "lazy training, feature learning, output scale"
RELEVANT = 2  # coordinates whose product is the target
FIGURES = ("change", "share", "kernel_turn", "alignment", "accuracy", "from_start", "from_end")


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    dim: int = 30
    rows: int = 250
    test_rows: int = 400
    width: int = 256
    networks: int = 8
    steps: int = 1500
    lr: float = 0.2
    scales: tuple[float, ...] = (1.0, 2.0, 4.0, 16.0, 64.0, 256.0)


QUICK = Settings(width=128, networks=5, steps=600, scales=(1.0, 4.0, 256.0))


class Seen(NamedTuple):
    """Figures of one network.

    Args:
        change: Relative change of the first layer.
        share: Of its squared weights, the part on the coordinates that matter.
        kernel_turn: One minus the cosine between the tangent kernels before and after.
        alignment: Cosine between the kernel after training and the targets', yyᵀ.
        accuracy: Share of new rows whose sign is right.
        from_start: The same for regression with the kernel at the start.
        from_end: The same with the kernel after training.
        tangent_gap: Distance between network and regression with the kernel at the start, as a share of the targets'.
    """

    change: float
    share: float
    kernel_turn: float
    alignment: float
    accuracy: float
    from_start: float
    from_end: float
    tangent_gap: float
    loss: float


def draw_parity(count: int, dim: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Rows of signs; the target is the product of the first two."""
    x = 2.0 * torch.randint(2, (count, dim), generator=generator) - 1.0
    return x, x[:, :RELEVANT].prod(1)


def build_network(dim: int, width: int, scale: float) -> MLP:
    r"""A network that starts as 0 and whose units add up to :math:`\frac{\alpha}{m}\sum_ja_j(w_j^\top x)_+`.

    Scaling the output of ReLU units by α and dividing the rate by α² is the same as starting both layers √α larger and
    dividing the rate by α. Every unit has a twin with the opposite output weight, so that :math:`f_0=0`.
    """
    model = MLP((dim, width, 1))
    first, last = (layer for layer in model if isinstance(layer, torch.nn.Linear))
    half = width // 2
    size = math.sqrt(scale / width)
    with torch.no_grad():
        w, a = torch.randn(half, dim) * size / math.sqrt(dim), torch.randn(1, half) * size
        first.weight.copy_(torch.cat([w, w]))
        last.weight.copy_(torch.cat([a, -a], 1))
        first.bias.zero_()
        last.bias.zero_()
    return model


def cosine(a: Tensor, b: Tensor) -> float:
    return float((a * b).sum() / (a.norm() * b.norm()))


@torch.no_grad()
def look(before: MLP, after: MLP, train: tuple[Tensor, Tensor], test: tuple[Tensor, Tensor], loss: float) -> Seen:  # fmt: skip
    (x, y), (x_test, y_test) = train, test
    old, new = (next(model.parameters()) for model in (before, after))
    answer = after(x_test)[:, 0]
    answers, kernels = {}, {}
    for name, model in (("start", before), ("end", after)):
        K = empirical_ntk(model, x, kind="trace").double()
        k = empirical_ntk(model, x_test, x, kind="trace").double()
        kernels[name] = K
        ridge = 1e-6 * float(K.diagonal().mean())
        answers[name] = kernel_regression(K, y.double(), k, ridge=ridge).float()
    accuracy = {name: float((found * y_test > 0).float().mean()) for name, found in (answers | {"network": answer}).items()}  # fmt: skip
    return Seen(
        change=float((new - old).norm() / old.norm()),
        share=float(new[:, :RELEVANT].square().sum() / new.square().sum()),
        kernel_turn=1 - cosine(kernels["start"], kernels["end"]),
        alignment=cosine(kernels["end"], torch.outer(y, y).double()),
        accuracy=accuracy["network"],
        from_start=accuracy["start"],
        from_end=accuracy["end"],
        tangent_gap=float((answer - answers["start"]).square().mean().sqrt()),
        loss=loss,
    )


class Trained(NamedTuple):
    seen: list[Seen]
    weights: Tensor  # of the first layer of the first network after training, (m, d)


def train_scale(settings: Settings, scale: float) -> Trained:
    generator = torch.Generator().manual_seed(settings.seed)
    train = draw_parity(settings.rows, settings.dim, generator)
    test = draw_parity(settings.test_rows, settings.dim, generator)
    before: list[MLP] = []

    def build() -> MLP:
        before.append(build_network(settings.dim, settings.width, scale))
        return deepcopy(before[-1])

    seeds = list(range(1000 * settings.seed, 1000 * settings.seed + settings.networks))
    found = train_replicas(
        build, (train[0], train[1][:, None]), loss="mse", optimizer="sgd", lr=settings.lr / scale,
        epochs=settings.steps, batch_size=settings.rows, seed=seeds,
    )  # fmt: skip
    seen = [
        look(start, end, train, test, history["train_loss"][-1])
        for start, end, history in zip(before, found.models, found.histories, strict=True)
        if isinstance(end, MLP)
    ]
    return Trained(seen, next(found.models[0].parameters()).detach())


def claim_regimes(report: Report, settings: Settings, found: dict[float, Trained]) -> None:
    rich, lazy = found[settings.scales[0]].seen, found[settings.scales[-1]].seen
    chance = RELEVANT / settings.dim

    def mean(seen: list[Seen], name: str) -> float:
        return float(np.mean([getattr(one, name) for one in seen]))

    fitted = max(one.loss for trained in found.values() for one in trained.seen)
    report.claim("networks of every scale fit the training rows", fitted, "largest mean squared error", below=0.05)  # fmt: skip
    report.claim("lazy: features stay where they were drawn", mean(lazy, "change"), "relative change of the first layer", below=0.1)  # fmt: skip
    report.claim("rich: features move by more than their length", mean(rich, "change"), "relative change of the first layer", above=1.0)  # fmt: skip
    report.claim("lazy: the coordinates that matter get no more weight than by chance", mean(lazy, "share"), "share of squared weights", near=(chance, 0.05))  # fmt: skip
    report.claim("rich: they get most of it", mean(rich, "share"), "share of squared weights", above=0.5)  # fmt: skip
    report.claim("lazy: the kernel stays", mean(lazy, "kernel_turn"), "1 − cosine of kernels before and after", below=0.02)  # fmt: skip
    report.claim("rich: the kernel turns", mean(rich, "kernel_turn"), "1 − cosine of kernels before and after", above=0.05)  # fmt: skip
    report.claim("rich: it turns towards the targets", mean(rich, "alignment") / mean(lazy, "alignment"), "cosine to yyᵀ, rich/lazy", above=2)  # fmt: skip
    report.claim("lazy: the network is its kernel machine", mean(lazy, "tangent_gap"), "distance to kernel regression", below=0.3)  # fmt: skip
    gain = corrected_interval([a.accuracy - b.accuracy for a, b in zip(rich, lazy, strict=True)], 0.0)  # fmt: skip
    report.claim("rich networks generalize where lazy ones do not", gain.low, f"lower end of the 95 % interval around {gain.mean:.2f}, difference of accuracies,", above=0.1)  # fmt: skip
    report.claim("rich networks know the rule", mean(rich, "accuracy"), "accuracy", above=0.95)
    swap = corrected_interval([one.from_end - one.from_start for one in rich], 0.0)
    report.claim("what they learned lies in their kernel: regression with it is better than with the first", swap.low, f"lower end of the 95 % interval around {swap.mean:.2f}, difference of accuracies,", above=0.1)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Lazy versus rich",
        summary="Units that add up to α/m Σ aⱼ(wⱼᵀx)₊ learn the product of 2 of many signs. With α large (√m is the tangent kernel's "
        "scale) features stay as they were drawn and only their sum is learned; with α = 1 (mean field) units turn to the two coordinates that "
        "matter, and new rows are answered right.",
    )
    found = {scale: train_scale(settings, scale) for scale in settings.scales}
    claim_regimes(report, settings, found)
    rows = [[scale, *(float(np.mean([getattr(one, name) for one in trained.seen])) for name in FIGURES)] for scale, trained in found.items()]  # fmt: skip
    columns = ["α", "change of features", "share on the two", "turn of the kernel", "cosine to targets", "accuracy", "kernel before", "kernel after"]  # fmt: skip
    report.table(f"Means over {settings.networks} networks", columns=columns, rows=rows)
    caption = "Left and middle: first-layer weights on the two coordinates that matter, by unit, in a rich and in a lazy network; circles: the length of a unit's whole weight at the start. Right: accuracy on new rows by the scale of the output, of networks and of regression with their kernels."  # fmt: skip
    report.figure("regimes", draw_figure(settings, found), caption=caption)
    return report


def draw_figure(settings: Settings, found: dict[float, Trained]) -> Figure:
    figure, panels = new_figure(columns=3, width=12.0, height=4.2)
    shown = (("Rich", settings.scales[0]), ("Lazy", settings.scales[-1]))
    for panel, (name, scale) in zip(panels[:2], shown, strict=True):
        weights = found[scale].weights
        size = math.sqrt(scale / settings.width)
        others = weights[:, RELEVANT:4] / size
        panel.plot(
            *others.T, ".", color=MUTED, alpha=0.5, markersize=4, label="coordinates 3 and 4"
        )
        panel.plot(*(weights[:, :RELEVANT] / size).T, ".", color=PALETTE[0], markersize=5, label="coordinates 1 and 2")  # fmt: skip
        reach = 1.15 * float((weights[:, :4] / size).abs().max())
        angles = np.linspace(0, 2 * math.pi, 100)
        panel.plot(np.cos(angles), np.sin(angles), color=PALETTE[1], linewidth=1.0, label="length at the start")  # fmt: skip
        reach = max(reach, 1.3)
        panel.set(title=f"{name}: α = {scale:g}", xlabel="weight on the first", xlim=(-reach, reach), ylim=(-reach, 1.5 * reach))  # fmt: skip
        panel.legend(loc="upper left", fontsize=8)
    panels[0].set_ylabel("weight on the second")
    right = panels[2]
    names = {"accuracy": "network", "from_end": "kernel after training", "from_start": "kernel at the start"}  # fmt: skip
    for k, (name, label) in enumerate(names.items()):
        values = np.array([[getattr(one, name) for one in trained.seen] for trained in found.values()])  # fmt: skip
        right.semilogx(settings.scales, values.mean(1), "os^"[k] + "-", color=PALETTE[k], label=label)  # fmt: skip
        right.fill_between(settings.scales, values.min(1), values.max(1), color=PALETTE[k], alpha=0.15, linewidth=0)  # fmt: skip
    root = math.sqrt(settings.width)
    right.axvline(root, color=MUTED, linestyle=":", linewidth=1.2)
    right.text(root, 0.42, " √m", color=MUTED, fontsize=9)
    right.set_xticks(settings.scales, [f"{scale:g}" for scale in settings.scales])
    right.minorticks_off()
    right.set(title="New rows", xlabel="scale α of the output", ylabel="share answered right", ylim=(0.4, 1.03))  # fmt: skip
    right.legend(loc="lower left", bbox_to_anchor=(0.0, 0.08))
    return figure
