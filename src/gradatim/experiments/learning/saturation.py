"""Gradients fade through sigmoid layers by at least a factor of four each; ReLU lets them through."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.experiments._digits import standard_digits
from gradatim.instruments import variance_profile
from gradatim.models import MLP
from gradatim.nn import initialize
from gradatim.plots.learning_curves import learning_curves
from gradatim.plots.style import INK, MARKERS, new_figure
from gradatim.plots.words import Formula
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("C5", "B1")
KEYWORDS = "vanishing gradient problem, exploding gradient problem, sigmoid saturation, zero-gradient problem"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    width: int = 128
    depth: int = 20
    batch: int = 256
    trained_depth: int = 8
    epochs: int = 20


QUICK = Settings(depth=12, trained_depth=6, epochs=12)


def gradient_norms(model: nn.Module, x: Tensor, width: int) -> list[float]:
    """Norms of the gradient at every dense layer's output, from the last layer to the first."""
    rows = [row for row in variance_profile(model, x) if row.kind == "Linear"]
    count = len(x) * width
    return [
        ((row.gradient_variance + row.gradient_mean**2) * count) ** 0.5 for row in reversed(rows)
    ]


def measure_decay(settings: Settings) -> dict[str, list[float]]:
    generator = torch.Generator().manual_seed(settings.seed)
    x = torch.randn(settings.batch, settings.width, generator=generator)
    norms = {}
    for label, activation, gain in (
        ("ReLU, orthogonal × √2", "relu", "relu"),
        ("tanh, orthogonal", "tanh", None),
        ("sigmoid, orthogonal", "sigmoid", None),
    ):
        model = MLP((settings.width,) * (settings.depth + 1), activation=activation)
        initialize(model, "orthogonal", activation=gain, generator=generator)
        norms[label] = gradient_norms(model, x, settings.width)
    return norms


def check_decay(report: Report, settings: Settings) -> None:
    norms = measure_decay(settings)
    relu, tanh, sigmoid = ([norm / norms[0] for norm in norms] for norms in norms.values())
    slack = max(norm / 0.25**layer for layer, norm in enumerate(sigmoid))
    lead = tanh[-1] / sigmoid[-1]
    report.claim(
        "sigmoid gradients obey 0.25^ℓ", slack, "norm / bound {} at every layer", below=1 + 1e-5
    )
    report.claim(
        "the bound of ten layers", 0.25**10, "9.54e-07", holds=round(0.25**10, 9) == 9.54e-7
    )
    report.claim("ten sigmoid layers leave", sigmoid[10], "{} of it", at_most=9.54e-7)
    report.claim("ReLU with its gain keeps it", relu[-1], "{} times", above=0.2, below=5)
    report.claim("tanh fades more slowly", lead, "{} times sigmoid's", above=1e3)
    report.figure(
        "gradient-by-depth",
        gradient_decay(norms, bound=0.25),
        caption="With orthogonal weights a layer passes at most the largest slope of its activation: "
        "1/4 for the sigmoid, so its gradients lie below the dotted line.",
    )


def check_explosion(report: Report) -> None:
    x = torch.eye(4, dtype=torch.float64)
    model = MLP((4,) * 52, activation="identity", init="orthogonal").double()
    with torch.no_grad():
        for module in model:
            if isinstance(module, nn.Linear):
                module.weight.copy_(2 * torch.eye(4))
    norms = gradient_norms(model, x, 4)
    growth = norms[50] / norms[0]
    report.claim(
        "50 layers that double the gradient", growth, "2^50 =", near=(2.0**50, 1e-9 * 2.0**50)
    )
    report.claim("a gradient of 1e-10 becomes", 1e-10 * growth, near=(1.126e5, 112.6))


def check_dead_units(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed)
    x = torch.randn(settings.batch, 4, generator=generator)
    target = x.sum(1, keepdim=True)
    for activation in ("relu", "leaky_relu"):
        model = MLP((4, 32, 1), activation=activation)
        initialize(model, "he", generator=torch.Generator().manual_seed(settings.seed))
        weight, bias = list(model.parameters())[:2]
        nn.init.constant_(bias, -20.0)
        before = F.mse_loss(model(x), target)
        (gradient,) = torch.autograd.grad(before, weight)
        history = Trainer(
            model,
            loss="mse",
            lr=0.05,
            epochs=150,
            batch_size=len(x),
            progress=False,
            seed=settings.seed,
        ).fit((x, target))
        ratio = history["train_loss"][-1] / target.var().item()
        is_dead = activation == "relu"
        report.claim(
            f"gradient of 32 units pushed to z ≈ −20, {activation}",
            expected="exactly 0" if is_dead else "not 0",
            measured=gradient.norm().item(),
            holds=(gradient.norm() == 0) == is_dead,
        )
        name = f"unexplained variance after training, {activation}"
        if is_dead:
            report.claim(name, ratio, "{}: the units stay dead", at_least=0.9)
        else:
            report.claim(name, ratio, "{}: the units recover", at_most=0.1)


def check_training(report: Report, settings: Settings) -> None:
    train, test = standard_digits(settings.seed)
    histories = {}
    for activation in ("sigmoid", "tanh", "relu"):
        with seeded(settings.seed):
            model = MLP((64, *[64] * settings.trained_depth, 10), activation=activation)
        histories[activation] = Trainer(
            model, optimizer="sgd", lr=0.05, schedule="cosine", epochs=settings.epochs, batch_size=32,
            metrics=["accuracy"], seed=settings.seed, progress=False,
        ).fit(train, validation=test)  # fmt: skip
    last = {name: history["validation_accuracy"][-1] for name, history in histories.items()}
    layers = f"digits, {settings.trained_depth} hidden layers of"
    report.claim(f"{layers} sigmoid", last["sigmoid"], "accuracy {}: chance", at_most=0.2)
    report.claim(f"{layers} tanh", last["tanh"], "accuracy", at_least=0.9)
    report.claim(f"{layers} relu", last["relu"], "accuracy", at_least=0.9)
    report.figure(
        "training",
        learning_curves(histories),
        caption="The same deep network and optimizer, three activations: the first layers of the sigmoid "
        "network get no gradient to learn from.",
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Saturation and vanishing gradients",
        summary="Ten sigmoid layers leave less than a millionth of the gradient; deep sigmoid networks "
        "stay at chance where tanh and ReLU learn.",
    )
    check_decay(report, settings)
    check_explosion(report)
    check_dead_units(report, settings)
    check_training(report, settings)
    return report


def gradient_decay(
    gradients: Mapping[str, Sequence[float]], *, bound: float | None = None
) -> Figure:
    """Draw the size of the gradient against the number of layers it has come through.

    Args:
        gradients: Norms by label, from the last layer back to the first.
        bound: Largest factor a layer can pass; its powers are drawn as a dotted line.

    Example:
        >>> figure = gradient_decay({"sigmoid": [1.0, 0.2, 0.04]}, bound=0.25)
        >>> len(figure.axes[0].lines)
        2
    """
    figure, panel = new_figure(width=6.5, height=4.0)
    deepest = 0
    for place, (label, norms) in enumerate(gradients.items()):
        relative = np.asarray(norms, dtype=float) / norms[0]
        deepest = max(deepest, len(relative) - 1)
        panel.plot(relative, marker=MARKERS[place % len(MARKERS)], markersize=4, label=label)
    if bound is not None:
        power = np.arange(deepest + 1)
        panel.plot(
            power,
            float(bound) ** power,
            ":",
            color=INK,
            label=Formula(f"bound ${bound:g}^\\ell$"),
            zorder=1,
        )
    panel.set(yscale="log", xlabel="layers the gradient has come through")
    panel.set_ylabel("gradient norm, relative to the last layer")
    panel.legend()
    return figure
