"""Long steps descend on another loss: one with a penalty for steep places and for batches that disagree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.evaluation.intervals import corrected_interval
from gradatim.experiments._digits import Pair, split_digits
from gradatim.instruments import VectorObjective, descend, gradient_flow, network_objective
from gradatim.losses import mse
from gradatim.models import MLP
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.theory import log_log_slope
from gradatim.training import GradientNormPenalty, GradientVariancePenalty, Trainer

COVERS = ("D8", "I5")
KEYWORDS = "gradient norm penalty, gradient variance penalty, backward error analysis, modified loss, large learning rate, step size, flat minima"
BATCHES, ROWS = 4, 6  # of the small task
STEPS = (0.08, 0.04, 0.02, 0.01)


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    networks: int = 10
    rows: int = 300
    time: float = 100.0
    long_step: float = 0.1


QUICK = Settings(networks=2, rows=100, time=12.0)


def task_rows(seed: int) -> tuple[Tensor, Tensor, MLP]:
    """Points, their targets, and a network of 13 weights."""
    generator = torch.Generator().manual_seed(seed)
    X = torch.randn(BATCHES * ROWS, 2, generator=generator, dtype=torch.float64)
    noise = torch.randn(BATCHES * ROWS, 1, generator=generator, dtype=torch.float64)
    with seeded(seed):
        model = MLP((2, 3, 1), activation="tanh").double()
    return X, (X[:, :1] * X[:, 1:] + noise).tanh(), model


def small_task(seed: int) -> tuple[list[VectorObjective], VectorObjective, Tensor]:
    """Losses of the batches, their mean, and a start."""
    X, y, model = task_rows(seed)
    batches = zip(X.split(ROWS), y.split(ROWS), strict=True)
    losses = [network_objective(model, mse, rows, targets)[0] for rows, targets in batches]
    whole, theta = network_objective(model, mse, X, y)
    return losses, whole, theta


def steepness(functions: Sequence[VectorObjective], w: Tensor) -> Tensor:
    r"""Mean of :math:`\lVert\nabla E_b\rVert^2` over functions."""
    return torch.stack([torch.func.grad(f)(w).square().sum() for f in functions]).mean()


def check_descent(report: Report, settings: Settings) -> CurvePanel:
    """Full batches: the path follows the flow of E + η/4 ‖∇E‖² to second order."""
    _, E, start = small_task(settings.seed)
    errors: dict[str, list[float]] = {"flow of E": [], "flow of E + η/4 ‖∇E‖²": []}
    plain = gradient_flow(E, start, time=2.0, steps=50)[-1]
    for lr in STEPS:
        end = descend(E, start, lr=lr, steps=round(2 / lr)).points[-1]
        penalized = gradient_flow(lambda w, lr=lr: E(w) + lr / 4 * steepness([E], w), start, time=2.0, steps=50)[-1]  # type: ignore[misc]  # fmt: skip
        for name, flow in zip(errors, (plain, penalized), strict=True):
            errors[name].append((end - flow).norm().item())
    return claim_orders(report, "descent", errors, ("1", "2"), (1.0, 2.0))


def check_batches(report: Report, settings: Settings) -> CurvePanel:
    """One pass over four batches, averaged over all 24 orders: their disagreement is penalized too."""
    losses, E, start = small_task(settings.seed)
    errors: dict[str, list[float]] = {"flow of E": [], "flow of E + η/4 · mean ‖∇E_b‖²": []}
    misprinted = []
    for lr in STEPS:
        ends = []
        for order in permutations(losses):
            w = start
            for loss in order:
                w = w - lr / 4 * torch.func.grad(loss)(w)
            ends.append(w)
        mean, step = torch.stack(ends).mean(0), lr / 4
        plain = gradient_flow(E, start, time=lr, steps=8)[-1]
        penalized = gradient_flow(lambda w, step=step: E(w) + step / 4 * steepness(losses, w), start, time=lr, steps=8)[-1]  # type: ignore[misc]  # fmt: skip
        for name, flow in zip(errors, (plain, penalized), strict=True):
            errors[name].append((mean - flow).norm().item())
        printed = gradient_flow(lambda w, step=step: E(w) + step / 4 * (steepness([E], w) + BATCHES / ROWS * (steepness(losses, w) - steepness([E], w))), start, time=lr, steps=8)[-1]  # type: ignore[misc]  # fmt: skip
        misprinted.append((mean - printed).norm().item())
    report.claim("one pass of mini-batches: with the sum over batches divided by the rows of a batch, as some notes have it, the distance keeps this power", log_log_slope(STEPS, misprinted), near=(2.0, 0.3))  # fmt: skip
    check_penalty(report, losses, settings)
    return claim_orders(report, "one pass of mini-batches, mean over all orders", errors, ("2", "3"), (2.0, 3.0))  # fmt: skip


def check_penalty(report: Report, losses: list[VectorObjective], settings: Settings) -> None:
    """The trainer's penalty on the variance of parts of a batch is that variance."""
    X, y, model = task_rows(settings.seed)
    found = GradientVariancePenalty(1.0, parts=BATCHES, loss="mse")(model, (X, y))
    assert isinstance(found, Mapping)
    theta = torch.cat([p.detach().flatten() for p in model.parameters()])
    slopes = torch.stack([torch.func.grad(loss)(theta) for loss in losses])
    variance = (slopes - slopes.mean(0)).square().sum(1).mean()
    gap = (torch.as_tensor(found["gradient_variance"]) - variance).abs()
    report.claim("mean ‖∇E_b‖² is ‖∇E‖² and the variance of the batches, which GradientVariancePenalty adds", gap, "largest difference", below=1e-12)  # fmt: skip


def claim_orders(report: Report, what: str, errors: dict[str, list[float]], words: tuple[str, str], orders: tuple[float, float]) -> CurvePanel:  # fmt: skip
    for (name, values), word, order in zip(errors.items(), words, orders, strict=True):
        report.claim(f"{what}: the distance from the {name} falls with power {word} of the step", log_log_slope(STEPS, values), near=(order, 0.3))  # fmt: skip
    return CurvePanel(what.capitalize().replace(", mean over all orders", ""), "step η", "distance", {name: (STEPS, values) for name, values in errors.items()}, is_log_x=True, is_log_y=True)  # fmt: skip


class Ended(NamedTuple):
    """What became of a network: its weights, training loss and test error in per cent."""

    weights: Tensor
    loss: float
    error: float


def train(settings: Settings, train_set: Pair, test_set: Pair, seed: int, lr: float, weight: float) -> Ended:  # fmt: skip
    """Descend on all rows for a given time η·T, with an explicit penalty on the gradient or without."""
    with seeded(seed):
        model: nn.Module = MLP((64, 32, 10), activation="tanh")
    X, y = train_set
    targets = F.one_hot(y, 10).float()
    trainer = Trainer(
        model, "mse", "sgd", lr=lr, epochs=round(settings.time / lr), batch_size=len(X), seed=seed, progress=False,
        objective=GradientNormPenalty(weight) if weight else None,
    )  # fmt: skip
    trainer.fit((X, targets))
    function, theta = network_objective(model, mse, X, targets)
    with torch.no_grad():
        wrong = (model(test_set[0]).argmax(1) != test_set[1]).double().mean().item()
    return Ended(theta.detach(), function(theta).item(), 100 * wrong)


def check_digits(report: Report, settings: Settings) -> None:
    (X, y), test = split_digits(settings.seed, is_flat=True)
    long, short = settings.long_step, settings.long_step / 8
    kinds = {"long steps": (long, 0.0), "short steps": (short, 0.0), "short steps and the penalty": (short, long - short)}  # fmt: skip
    seeds = range(100 * settings.seed, 100 * settings.seed + settings.networks)
    rows = settings.rows
    found = {name: [train(settings, (X[:rows], y[:rows]), test, seed, *kind) for seed in seeds] for name, kind in kinds.items()}  # fmt: skip
    plain, penalized = (_distance(found["long steps"], found[name]) for name in list(kinds)[1:])
    report.claim("digits: with the penalty short steps lead to the weights of long ones", penalized / plain, "share of their distance without it", below=0.5)  # fmt: skip
    gap = corrected_interval([a.error - b.error for a, b in zip(found["long steps"], found["short steps"], strict=True)], 0.0)  # fmt: skip
    report.claim("digits: on test errors the step has no large effect here", gap.mean, f"points, 95 % interval {gap.low:.2f} to {gap.high:.2f},", near=(0.0, 1.0))  # fmt: skip
    draw_steps(report, settings, (X[:rows], y[:rows]), test, seeds)
    report.table(
        f"Digits, {rows} rows, {settings.networks} networks 64-32-10, η·T = {settings.time:g}",
        columns=["steps", "training loss", "test error %", "distance of the weights from those of long steps"],
        rows=[[name, sum(e.loss for e in ended) / len(ended), sum(e.error for e in ended) / len(ended), _distance(found["long steps"], ended)] for name, ended in found.items()],
    )  # fmt: skip


def draw_steps(report: Report, settings: Settings, train_set: Pair, test: Pair, seeds: Sequence[int]) -> None:  # fmt: skip
    """Test error and training loss against the step, after the same time."""
    steps = [settings.long_step * factor for factor in (0.5, 1, 2, 4, 8)]
    runs = {lr: [train(settings, train_set, test, seed, lr, 0.0) for seed in seeds] for lr in steps}  # fmt: skip
    runs = {
        lr: own for lr, own in runs.items() if max(e.loss for e in own) < 1
    }  # the longest blow up
    steps, ends = list(runs), list(runs.values())
    panels = [
        CurvePanel(f"Digits, η·T = {settings.time:g}", "step η", label, {"_": (steps, [sum(value(e) for e in own) / len(own) for own in ends])}, is_log_x=True)
        for label, value in (("test error, %", lambda e: e.error), ("training loss", lambda e: e.loss))
    ]  # fmt: skip
    report.figure("steps", curve_panels(panels, width=5.0), caption=f"Full-batch descent on {len(train_set[0])} rows, mean of {len(seeds)} networks. Longer steps see a steeper penalty in the same time; here it shows in the training loss and hardly in new digits.")  # fmt: skip


def _distance(some: list[Ended], others: list[Ended]) -> float:
    """Mean distance of the weights, network by network."""
    return sum((a.weights - b.weights).norm().item() for a, b in zip(some, others, strict=True)) / len(some)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Implicit regularization",
        summary="To second order descent with step η follows the flow of E + η/4 ‖∇E‖², and mini-batches that of "
        "E + η/4 · mean ‖∇E_b‖², which holds the variance of the batches. Put in by hand, the penalty makes short steps act like long ones. On the digits this hardly moves the test error.",
    )
    panels = [check_descent(report, settings), check_batches(report, settings)]
    check_digits(report, settings)
    report.figure("orders", curve_panels(panels, width=5.0), caption="Distance of the weights from two flows after the same time. With the penalty the distance falls by one power of the step faster.")  # fmt: skip
    return report
