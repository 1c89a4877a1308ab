"""Batch norm suffers from small batches, layer norm does not; weight norm is batch norm of whitened inputs."""

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.experiments._digits import Pair, split_digits
from gradatim.models import MLP
from gradatim.nn import layer_norm, normalize_weights
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import NonFiniteError, Trainer

COVERS = ("D5",)
KEYWORDS = "batch normalization, layer normalization, weight normalization, whitening, small batches, smoothness of the loss, internal covariate shift, Santurkar, scale invariance"
NORMS = {"none": None, "batch norm": "batch", "layer norm": "layer", "weight norm": "weight"}


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 1000
    networks: int = 3
    width: int = 64
    depths: tuple[int, ...] = (2, 5, 10, 20)
    batch_sizes: tuple[int, ...] = (2, 4, 8, 32, 128)
    steps: int = 2000
    lr: float = 0.1
    points: int = 12


QUICK = Settings(rows=300, networks=1, width=32, depths=(2, 12), batch_sizes=(2, 64), steps=250, points=3)  # fmt: skip


def draw_inputs(seed: int) -> Tensor:
    """Correlated inputs whose mean is not zero, shape ``(400, 5)``."""
    generator = torch.Generator().manual_seed(seed)
    mixing = 0.4 * torch.randn(5, 5, generator=generator, dtype=torch.float64)
    return torch.randn(400, 5, generator=generator, dtype=torch.float64) @ mixing + 2.0


def whiten(x: Tensor) -> Tensor:
    """Mean zero, covariance one."""
    x = x - x.mean(0)
    values, basis = torch.linalg.eigh(x.T @ x / len(x))
    return x @ basis / values.sqrt()


def check_identities(report: Report, settings: Settings) -> None:
    x = draw_inputs(settings.seed)
    generator = torch.Generator().manual_seed(settings.seed + 1)
    w = torch.randn(5, generator=generator, dtype=torch.float64)
    norm = nn.BatchNorm1d(1, eps=1e-30).double()
    with torch.no_grad():
        normalized = norm((x @ w)[:, None])[:, 0]
    centred = x - x.mean(0)
    covariance, second = centred.T @ centred / len(x), x.T @ x / len(x)
    right, printed = (centred @ w / (w @ S @ w).sqrt() for S in (covariance, second))
    report.claim("batch norm of wᵀx is wᵀ(x − x̄)/‖w‖_Σ, Σ the covariance", (normalized - right).abs().max(), "largest difference", below=1e-10)  # fmt: skip
    report.claim("with Σ = E[xxᵀ], as some notes have it, it is so only where inputs have mean zero", (normalized - printed).abs().max(), "largest difference here", above=0.1)  # fmt: skip
    rows = layer_norm(x, torch.ones(5).double(), torch.zeros(5).double(), eps=1e-12)
    report.claim("layer norm sees one row at a time: each has mean 0 and variance 1", (rows.var(1, correction=0) - 1).abs().max() + rows.mean(1).abs().max(), "largest deviation", below=1e-3)  # fmt: skip


def train_unit(layers: nn.Sequential, x: Tensor, y: Tensor, steps: int = 60) -> tuple[list[float], list[float]]:  # fmt: skip
    """Losses of full-batch descent, and lengths of the weights that were normalized."""
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
    (direction,) = (p for p in layers.parameters() if p.shape == (1, 5))
    losses, lengths = [], []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (layers(x)[:, 0] - y).square().mean()
        loss.backward()
        losses.append(loss.item())
        lengths.append(direction.norm().item())
        optimizer.step()
    return losses, lengths


def check_weight_norm(report: Report, settings: Settings) -> None:
    """The same unit with either normalization, trained on inputs that are white and on inputs that are not."""
    raw = draw_inputs(settings.seed)
    gaps = {}
    for name, x in (("white", whiten(raw)), ("correlated", raw - raw.mean(0))):
        y = (x[:, 0] - 2 * x[:, 1]).tanh()
        with seeded(settings.seed):
            start = nn.Linear(5, 1).double()
        nn.init.zeros_(start.bias)
        batch = nn.Sequential(deepcopy(start), nn.BatchNorm1d(1, eps=1e-30).double())
        batch[0].bias.requires_grad_(False)
        weight = nn.Sequential(normalize_weights(deepcopy(start)))
        lengths_of = "0.parametrizations.weight.original0"
        nn.init.ones_(dict(weight.named_parameters())[lengths_of])  # as batch norm's gain begins
        (one, _), (other, lengths) = train_unit(batch, x, y), train_unit(weight, x, y)
        gaps[name] = max(abs(a - b) for a, b in zip(one, other, strict=True))
        shrinks = min(after - before for before, after in pairwise(lengths))
        report.claim(f"{name} inputs: under weight norm ‖v‖ never shrinks, its gradient is orthogonal to w", shrinks, "smallest change of a step", at_least=-1e-12)  # fmt: skip
    report.claim("on white inputs weight norm and batch norm train alike, step by step", gaps["white"], "largest difference of the losses", below=1e-8)  # fmt: skip
    report.claim("on correlated inputs they do not", gaps["correlated"], "largest difference", above=0.01)  # fmt: skip


def build(norm: str | None, depth: int, settings: Settings, seed: int) -> MLP:
    with seeded(seed):
        return MLP((64, *[settings.width] * depth, 10), norm=norm)


def test_error(norm: str | None, depth: int, batch_size: int, settings: Settings, seed: int) -> float:  # fmt: skip
    """In per cent; that of guessing where the run blows up."""
    (X, y), test = split_digits(seed, is_flat=True)
    model, epochs = build(norm, depth, settings, seed), math.ceil(settings.steps * batch_size / settings.rows)  # fmt: skip
    trainer = Trainer(model, "cross_entropy", "sgd", lr=settings.lr, epochs=epochs, batch_size=batch_size, seed=seed, progress=False)  # fmt: skip
    try:
        trainer.fit((X[: settings.rows], y[: settings.rows]))
    except NonFiniteError:
        return 90.0
    return 100.0 * trainer.evaluate(test, metrics=["error"])["error"]


def sweep(settings: Settings, depths: Sequence[int], batch_sizes: Sequence[int]) -> dict[str, list[float]]:  # fmt: skip
    """Mean test errors by norm, over the longer of two lists."""
    seeds = range(100 * settings.seed, 100 * settings.seed + settings.networks)
    return {
        name: [sum(test_error(norm, d, b, settings, s) for s in seeds) / len(seeds) for d in depths for b in batch_sizes]
        for name, norm in NORMS.items()
    }  # fmt: skip


def steepness(model: nn.Module, pair: Pair, steps: Sequence[float]) -> float:
    r"""How fast the gradient turns on the way: the largest :math:`\lVert g(\theta)-g(\theta-\eta g)\rVert/\lVert\eta g\rVert`."""
    parameters: list[Tensor] = list(model.parameters())

    def gradient() -> list[Tensor]:
        return list(torch.autograd.grad(F.cross_entropy(model(pair[0]), pair[1]), parameters))

    here, worst = gradient(), 0.0
    length = torch.stack([g.norm() for g in here]).norm()
    for step in steps:
        with torch.no_grad():
            torch._foreach_sub_(parameters, here, alpha=step)
        there = gradient()
        with torch.no_grad():
            torch._foreach_add_(parameters, here, alpha=step)
        change = torch.stack([(a - b).norm() for a, b in zip(here, there, strict=True)]).norm()
        worst = max(worst, float(change / (step * length)))
    return worst


def smoothness(settings: Settings, norm: str | None) -> list[float]:
    """Steepness before and after each of some passes over the data."""
    (X, y), _ = split_digits(settings.seed, is_flat=True)
    pair = X[: settings.rows], y[: settings.rows]
    model = build(norm, settings.depths[-1], settings, settings.seed)
    found = []
    for epoch in range(settings.points):
        model.train()
        found.append(steepness(model, pair, (0.5 * settings.lr, settings.lr, 4 * settings.lr)))
        Trainer(model, "cross_entropy", "sgd", lr=settings.lr, epochs=1, batch_size=32, seed=epoch, progress=False).fit(pair)  # fmt: skip
    return found


def run(settings: Settings) -> Report:
    report = Report(
        title="Normalization",
        summary="Batch norm divides by ‖w‖_Σ, weight norm by ‖w‖, layer norm by the spread of a row's units. With few rows in "
        "a batch the first one fails; many layers without any of them do not learn.",
    )
    check_identities(report, settings)
    check_weight_norm(report, settings)
    sizes, depths = settings.batch_sizes, settings.depths
    by_size, by_depth = sweep(settings, (4,), sizes), sweep(settings, depths, (32,))
    report.claim(f"batches of {sizes[0]}: batch norm errs more often than layer norm", by_size["batch norm"][0] - by_size["layer norm"][0], "points", above=1.0)  # fmt: skip
    report.claim(f"batches of {sizes[-1]}: it hardly does", by_size["batch norm"][-1] - by_size["layer norm"][-1], "points", below=4.0)  # fmt: skip
    report.claim(f"{depths[-1]} layers: with batch norm they learn", by_depth["batch norm"][-1], "test error {} %", below=25.0)  # fmt: skip
    report.claim(f"{depths[-1]} layers: without a norm they err more often", by_depth["none"][-1] - by_depth["batch norm"][-1], "points", above=5.0)  # fmt: skip
    found = {name: smoothness(settings, norm) for name, norm in NORMS.items() if name != "weight norm"}  # fmt: skip
    turns, plain = found["batch norm"], found["none"]
    report.claim("the loss along the gradient is said to be smoother with batch norm: at the start the gradient turns no more slowly", turns[0] / plain[0], "times as fast as without", at_least=1.0)  # fmt: skip
    report.claim("but more and more slowly as the network learns", turns[-1] / turns[0], "share of what it was", at_most=0.8)  # fmt: skip
    report.table("Test error in per cent by rows of a batch, 4 hidden layers", columns=["norm", *map(str, sizes)], rows=[[n, *e] for n, e in by_size.items()])  # fmt: skip
    report.table("Test error in per cent by hidden layers, batches of 32", columns=["norm", *map(str, depths)], rows=[[n, *e] for n, e in by_depth.items()])  # fmt: skip
    panels = [
        CurvePanel(f"{settings.steps:,} steps, 4 layers", "batch size", "test error, %", {n: (sizes, e) for n, e in by_size.items()}, is_log_x=True),
        CurvePanel(f"{settings.steps:,} steps, batches of 32", "hidden layers", "test error, %", {n: (depths, e) for n, e in by_depth.items()}),
        CurvePanel(f"How fast the gradient turns, {depths[-1]} layers", "pass over the data", "‖change of g‖ / ‖step‖", {n: (range(settings.points), e) for n, e in found.items()}, is_log_y=True),
    ]  # fmt: skip
    report.figure("norms", curve_panels(panels), caption=f"Digits, {settings.rows} rows, plain SGD at rate {settings.lr:g}. Right: along the gradient, at half, once and four times the rate, of the whole training set.")  # fmt: skip
    return report
