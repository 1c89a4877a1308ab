"""Noise, averages and entropy lead to flatter minima, yet flatness alone is a matter of units."""

import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.evaluation.intervals import Interval, corrected_interval
from gradatim.experiments._digits import Pair, split_digits
from gradatim.experiments.theory.hessian_spectrum import whole_hessian
from gradatim.experiments.theory.loss_landscape import rescaled
from gradatim.instruments import network_objective
from gradatim.losses import mse
from gradatim.models import MLP
from gradatim.optim import EntropySGD
from gradatim.plots.style import MARKERS, MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.theory import hessian_eigenvalues, hessian_trace, sharpness
from gradatim.training import SWA, Trainer, train_replicas

COVERS = ("I4", "I5", "C2")
KEYWORDS = "sharpness, flatness, stochastic weight averaging SWA, Entropy-SGD, sharp minima, edge of stability, implicit regularization of the step, Polyak averaging"
INNER = 5  # gradients of a step of Entropy-SGD
UNITS = 8  # of the network whose Hessian is written out


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 200
    wrong: float = 0.1
    networks: int = 8
    gradients: int = 4000
    lr: float = 1.0
    small_batch: int = 10
    noise: float = 0.007


QUICK = Settings(networks=5, gradients=2500)


class Task(NamedTuple):
    """Digits, some with a wrong label, as one-hot targets, and new digits."""

    x: Tensor
    y: Tensor
    test: Pair


def draw_task(settings: Settings) -> Task:
    (x, y), test = split_digits(settings.seed, is_flat=True)
    generator = torch.Generator().manual_seed(settings.seed)
    x, y = x[: settings.rows], y[: settings.rows]
    is_wrong = torch.rand(len(y), generator=generator) < settings.wrong
    y = torch.where(is_wrong, torch.randint(10, y.shape, generator=generator), y)
    return Task(x, F.one_hot(y, 10).float(), test)


class Seen(NamedTuple):
    """One minimum: largest eigenvalue and trace of its Hessian, the rise within a box, and errors."""

    top: float
    trace: float
    rise: float
    loss: float
    test_error: float


def look(model: nn.Module, task: Task) -> Seen:
    h, theta = network_objective(model, mse, task.x, task.y)
    top = hessian_eigenvalues(h, theta, tol=1e-3).item()
    with torch.no_grad():
        error = (model(task.test[0]).argmax(1) != task.test[1]).double().mean().item()
    trace = hessian_trace(h, theta, samples=20).value
    return Seen(
        top, trace, sharpness(h, theta, radius=1e-3, max_steps=10), h(theta).item(), 100 * error
    )


def build() -> MLP:
    return MLP((64, 32, 10))


def train_one(settings: Settings, task: Task, seed: int, kind: str) -> nn.Module:
    """A network by averaging along the end of a run with small batches, or by Entropy-SGD on all rows."""
    with seeded(seed):
        model = build()
    if kind == "average":
        epochs = settings.gradients * settings.small_batch // settings.rows
        trainer = Trainer(
            model, "mse", "sgd", lr=settings.lr, epochs=epochs, batch_size=settings.small_batch, seed=seed, progress=False,
            callbacks=[SWA(start=epochs // 2)],
        )  # fmt: skip
    else:
        noise = torch.Generator().manual_seed(seed)

        def optimizer(params: list[nn.Parameter], lr: float) -> EntropySGD:
            return EntropySGD(params, lr=lr, inner_steps=INNER, gamma=0.03, noise=settings.noise, averaging=0.25, generator=noise)  # fmt: skip

        trainer = Trainer(model, "mse", optimizer, lr=settings.lr, epochs=settings.gradients // INNER, batch_size=settings.rows, seed=seed, progress=False)  # fmt: skip
    trainer.fit((task.x, task.y))
    return model.eval()


def find_minima(settings: Settings, task: Task) -> dict[str, list[Seen]]:
    """The same starts, the same rate and as many gradients for everybody."""
    seeds = list(range(1000 * settings.seed, 1000 * settings.seed + settings.networks))
    found = {}
    for size in (settings.rows, settings.rows // 4, settings.small_batch):
        epochs = settings.gradients * size // settings.rows
        models = train_replicas(build, (task.x, task.y), loss="mse", optimizer="sgd", lr=settings.lr, epochs=epochs, batch_size=size, seed=seeds).models  # fmt: skip
        name = "all rows" if size == settings.rows else f"batches of {size}"
        found[name] = [look(model, task) for model in models]
    found["average"] = [look(train_one(settings, task, seed, "average"), task) for seed in seeds]
    found["entropy"] = [look(train_one(settings, task, seed, "entropy"), task) for seed in seeds]
    return found


def log_ratio(a: list[Seen], b: list[Seen], figure: Callable[[Seen], float]) -> Interval:
    """How many times larger a figure is, start by start, with the 95 % interval of the geometric mean."""
    mean, error, low, high = corrected_interval([math.log(figure(p) / figure(q)) for p, q in zip(a, b, strict=True)], 0.0)  # fmt: skip
    return Interval(math.exp(mean), error, math.exp(low), math.exp(high))


def claim_minima(report: Report, settings: Settings, found: dict[str, list[Seen]]) -> None:
    edges = float(np.median([one.top * settings.lr / 2 for one in found["all rows"]]))
    report.claim("descent on all rows stops where it can just stand: λ = 2/η, the edge of stability", edges, "median of λη/2", near=(1.0, 0.2))  # fmt: skip
    tops, traces, rises = (lambda one: one.top), (lambda one: one.trace), (lambda one: one.rise)
    claims: list[tuple[str, str, str, str, Callable[[Seen], float], float]] = [
        ("batches", "end at a flatter place than all rows", f"batches of {settings.small_batch}", "all rows", tops, 0.9),
        ("batches", "in the mean over directions too", f"batches of {settings.small_batch}", "all rows", traces, 1.0),
        ("average", "lies lower in its valley: less rise in a box around it", "average", f"batches of {settings.small_batch}", rises, 1.0),
        ("Entropy-SGD", "is flatter than descent of as many gradients", "entropy", "all rows", tops, 1.0),
    ]  # fmt: skip
    figures = {tops: "largest eigenvalue", traces: "trace", rises: "sharpness"}
    for what, words, a, b, figure, most in claims:
        ratio = log_ratio(found[a], found[b], figure)
        name = f"{what} {words}".replace("batches", a) if what == "batches" else f"{what} {words}"
        report.claim(f"{name}: {figures[figure]}", ratio.high, f"upper end of the 95 % interval around {ratio.mean:.2f}, ratio,", below=most)  # fmt: skip
    ratio = log_ratio(found["average"], found[f"batches of {settings.small_batch}"], tops)
    report.claim("average of a run's second half is no sharper than its end: largest eigenvalue", ratio.mean, f"ratio, 95 % interval {ratio.low:.2f} to {ratio.high:.2f},", below=1.1)  # fmt: skip
    for name, a, b in (("averaging", "average", f"batches of {settings.small_batch}"), ("Entropy-SGD", "entropy", "all rows")):  # fmt: skip
        gain = corrected_interval([p.test_error - q.test_error for p, q in zip(found[a], found[b], strict=True)], 0.0)  # fmt: skip
        report.claim(f"{name} costs no test error", gain.mean, f"points, 95 % interval {gain.low:.1f} to {gain.high:.1f},", below=0.5)  # fmt: skip
    rows = [[name, *(float(np.mean(column)) for column in zip(*group, strict=True)), float(np.std([one.test_error for one in group]))] for name, group in found.items()]  # fmt: skip
    report.table(f"Means over {settings.networks} starts", columns=["way", "λ₁", "trace", "rise in a box, %", "training error", "test error, %", "its spread"], rows=rows)  # fmt: skip
    sizes, errors = (np.array([getattr(one, name) for group in found.values() for one in group]) for name in ("top", "test_error"))  # fmt: skip
    along = float(np.corrcoef(np.log(sizes), errors)[0, 1])
    report.text(f"Over all {len(sizes)} minima the correlation of the logarithm of λ₁ with the test error is {along:.2f}. It is measured, not claimed: ways to train differ in more than flatness.")  # fmt: skip


def claim_units(report: Report, settings: Settings, task: Task) -> dict[float, tuple[float, float]]:  # fmt: skip
    """One ReLU layer larger, the next smaller: the same function, another Hessian."""
    torch.manual_seed(settings.seed)
    model = MLP((64, UNITS, 10)).double()
    x, y = task.x.double(), task.y.double()
    Trainer(model, "mse", "adam", lr=3e-3, epochs=60, batch_size=50, seed=settings.seed, progress=False).fit((x, y))  # fmt: skip
    model.eval()
    h, theta = network_objective(model, mse, x, y)
    H = whole_hessian(h, theta)
    with torch.no_grad():
        before = model(task.test[0].double())
    curves, gap, off = {}, 0.0, 0.0
    for factor in (0.1, 0.3, 1.0, 3.0, 10.0):
        twin = rescaled(deepcopy(model), factor)
        with torch.no_grad():
            gap = max(gap, (twin(task.test[0].double()) - before).abs().max().item())
        there, point = network_objective(twin, mse, x, y)
        units = torch.cat([torch.full((65 * UNITS,), factor, dtype=torch.float64), torch.full((10 * UNITS,), 1 / factor, dtype=torch.float64), torch.ones(10)])  # fmt: skip
        expected = H / torch.outer(units, units)  # θ' = units · θ
        found = whole_hessian(there, point)
        off = max(off, float((found - expected).norm() / expected.norm()))
        curves[factor] = (float(torch.linalg.eigvalsh(found)[-1]), float(found.trace()))
    report.claim("ReLU layers rescaled by a and 1/a answer new digits alike", gap, "largest difference of outputs", below=1e-9)  # fmt: skip
    report.claim("their Hessian is the old one with rows and columns divided by the scales", off, "largest relative difference", below=1e-8)  # fmt: skip
    report.claim("so one function has a minimum as sharp as you please", max(top for top, _ in curves.values()) / curves[1.0][0], "largest eigenvalue, times the first", above=10)  # fmt: skip
    return curves


def run(settings: Settings) -> Report:
    report = Report(
        title="Flat minima",
        summary="At one rate, descent on all rows ends at curvature 2/η, small batches at flatter places, averages of weights and "
        "Entropy-SGD too. But a ReLU network can be rescaled to any curvature without changing an answer.",
    )
    task = draw_task(settings)
    found = find_minima(settings, task)
    claim_minima(report, settings, found)
    curves = claim_units(report, settings, task)
    caption = "Left: minima by largest eigenvalue and error on new digits, one dot a start; dashed 2/η. Right: largest eigenvalue and trace of one function whose first layer is multiplied, and whose last is divided, by a number."  # fmt: skip
    report.figure("flatness", draw_figure(settings, found, curves), caption=caption)
    return report


def draw_figure(settings: Settings, found: dict[str, list[Seen]], curves: dict[float, tuple[float, float]]) -> Figure:  # fmt: skip
    figure, (left, right) = new_figure(columns=2, width=10.5, height=4.4)
    names = {"average": f"average, batches of {settings.small_batch}", "entropy": "Entropy-SGD, all rows"}  # fmt: skip
    for k, (name, group) in enumerate(found.items()):
        left.semilogx([one.top for one in group], [one.test_error for one in group], MARKERS[k], color=PALETTE[k], markersize=6, alpha=0.85, label=names.get(name, f"SGD, {name}"))  # fmt: skip
    left.axvline(2 / settings.lr, color=MUTED, linestyle="--", linewidth=1.1)
    low, high = left.get_xlim()
    ticks = [t for t in (0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0) if low < t < high]
    left.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    left.minorticks_off()
    bottom, top = left.get_ylim()
    left.set_ylim(bottom, top + 0.5 * (top - bottom))
    left.set(title="Minima of one problem", xlabel="largest eigenvalue of the Hessian", ylabel="test error, %")  # fmt: skip
    left.legend(loc="upper left", ncols=2, fontsize=8)
    factors = list(curves)
    for k, name in enumerate(("largest eigenvalue", "trace")):
        right.loglog(factors, [pair[k] for pair in curves.values()], "os"[k] + "-", color=PALETTE[k], label=name)  # fmt: skip
    right.set_xticks(factors, [f"{factor:g}" for factor in factors])
    right.minorticks_off()
    right.set(title="One function in other units", xlabel="first layer times, last divided by", ylabel="curvature")  # fmt: skip
    right.legend(loc="upper right")
    return figure
