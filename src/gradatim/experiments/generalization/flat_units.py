"""SELU pulls every layer back to mean 0 and variance 1; ELU and the others drift, at the start and in training."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gradatim.experiments._digits import standard_digits
from gradatim.instruments import variance_profile
from gradatim.models import MLP
from gradatim.nn import activation as build_activation
from gradatim.nn import initialize
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("B1", "C5")
KEYWORDS = "SELU scaled exponential linear unit, ELU, self-normalizing neural networks, fixed point, mean and variance by depth, internal covariate shift, LeCun initialization"
UNITS = ("selu", "elu", "relu", "tanh")


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    width: int = 256
    depth: int = 32
    rows: int = 500
    epochs: int = 20
    lr: float = 0.01


QUICK = Settings(width=128, depth=16, rows=300, epochs=8)


def build(unit: str, sizes: tuple[int, ...], seed: int) -> MLP:
    """LeCun's variance 1/N for every unit: what SELU's constants are made for."""
    model = MLP(sizes, activation=unit)
    initialize(model, "lecun", generator=torch.Generator().manual_seed(seed))
    return model


def moments(model: nn.Module, x: Tensor) -> tuple[list[float], list[float]]:
    """Mean and variance behind each activation."""
    kinds = ("SELU", "ELU", "ReLU", "Tanh")
    rows = [row for row in variance_profile(model, x) if row.kind in kinds]
    return [row.activation_mean for row in rows], [row.activation_variance for row in rows]


def check_constants(report: Report) -> None:
    """The fixed point is exact: integrals over a standard normal input."""
    z = torch.linspace(-12, 12, 400_001, dtype=torch.float64)
    density = (-z.square() / 2).exp() / (2 * torch.pi) ** 0.5
    for unit, is_fixed in (("selu", True), ("elu", False)):
        h = build_activation(unit)(z)
        mean = torch.trapezoid(h * density, z).item()
        variance = torch.trapezoid(h.square() * density, z).item() - mean**2
        words = "N(0, 1) in: mean 0 and variance 1 come out" if is_fixed else "they do not"
        report.claim(f"{unit.upper()}, {words}", abs(mean) + abs(variance - 1), "deviation", below=1e-5 if is_fixed else None, above=None if is_fixed else 0.2)  # fmt: skip
    value = build_activation("selu")(torch.tensor([-1.0, -1e4], dtype=torch.float64))
    report.claim("SELU(−1)", value[0], near=(-1.11133, 1e-5))
    report.claim("its floor −λα", value[1], near=(-1.75810, 1e-5))


def check_depth(report: Report, settings: Settings) -> list[CurvePanel]:
    """Inputs of the wrong mean and variance, through many layers."""
    generator = torch.Generator().manual_seed(settings.seed)
    x = 0.3 + 0.5 * torch.randn(settings.rows, settings.width, generator=generator)
    found = {u: moments(build(u, (settings.width,) * (settings.depth + 1), settings.seed), x) for u in UNITS}  # fmt: skip
    mean, variance = found["selu"][0][-1], found["selu"][1][-1]
    report.claim(f"SELU, {settings.depth} layers on: inputs of variance ¼ come to variance 1", variance, near=(1.0, 0.25))  # fmt: skip
    report.claim("and to mean 0", mean, near=(0.0, 0.15))
    for unit in ("elu", "relu", "tanh"):
        report.claim(f"{unit}: the variance has gone", found[unit][1][-1], below=0.5)
    layers = list(range(1, settings.depth))
    return [
        CurvePanel("At the start", "layer", "mean of the outputs", {u: (layers, found[u][0][: len(layers)]) for u in UNITS}),
        CurvePanel("At the start", "layer", "variance of the outputs", {u: (layers, found[u][1][: len(layers)]) for u in UNITS}, is_log_y=True),
    ]  # fmt: skip


def check_training(report: Report, settings: Settings) -> CurvePanel:
    """A deep network on digits by plain descent."""
    (X, y), _ = standard_digits(settings.seed)
    X = (X - X.mean(0)) / (X.std(0) + 0.1)
    errors, variances, layers = {}, {}, list(range(1, settings.depth + 1))
    for unit in UNITS:
        model = build(unit, (64, *[64] * settings.depth, 10), settings.seed)
        trainer = Trainer(model, "cross_entropy", "sgd", lr=settings.lr, epochs=settings.epochs, batch_size=32, seed=settings.seed, progress=False)  # fmt: skip
        trainer.fit((X, y))
        errors[unit] = 100 * trainer.evaluate((X, y), metrics=["error"])["error"]
        variances[unit] = moments(model.eval(), torch.as_tensor(X, dtype=torch.float32)[:300])[1]
    report.claim("trained, SELU: every layer still has a variance near 1", max(variances["selu"]) / min(variances["selu"]), "largest over smallest", below=8.0)  # fmt: skip
    report.claim("SELU learns at this depth", errors["selu"], "training error {} %", below=5.0)
    report.claim(
        "ReLU with these weights does not", errors["relu"], "training error {} %", above=50.0
    )
    report.table(f"Digits, {settings.depth} hidden layers of 64 units, {settings.epochs} passes of SGD", columns=["unit", "training error %", "smallest variance of a layer", "largest"], rows=[[u, errors[u], min(variances[u]), max(variances[u])] for u in UNITS])  # fmt: skip
    return CurvePanel("After training", "layer", "variance of the outputs", {u: (layers, variances[u]) for u in UNITS}, is_log_y=True)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Units that normalize themselves",
        summary="SELU's two constants make mean 0 and variance 1 a fixed point that attracts: a wrong scale of the inputs is "
        "gone after some layers, and comes not back in training. ELU has the shape, but not the constants.",
    )
    check_constants(report)
    panels = [*check_depth(report, settings), check_training(report, settings)]
    report.figure("moments", curve_panels(panels), caption=f"Inputs of mean 0.3 and variance 0.25, weights of variance 1/N. Right: digits, {settings.depth} layers, after {settings.epochs} passes of SGD.")  # fmt: skip
    return report
