"""A wide network learns as its tangent does, and ends at f₀(x) + k(x)ᵀK⁻¹(y − f₀(X))."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.experiments.theory._outputs_in_motion import claim_flow
from gradatim.experiments.theory._wide_networks import (
    Descended,
    descend_together,
    safe_rate,
    slope_interval,
)
from gradatim.models import NTKMLP
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.theory import (
    analytic_kernels,
    empirical_ntk,
    kernel_dynamics,
    kernel_regression,
    linearize,
)
from gradatim.theory.row_jacobians import row_jacobians

COVERS = ("I1",)
KEYWORDS = "neural tangent kernel NTK, linearized model, kernel regression, training dynamics"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 7
    networks: int = 24
    steps: int = 800
    widths: tuple[int, ...] = (64, 128, 256, 512, 1024, 2048)
    kernel_widths: tuple[int, ...] = (32, 64, 128, 256, 512, 1024)
    followed_width: int = 8192


QUICK = Settings(steps=400, widths=(64, 256, 1024), kernel_widths=(32, 128, 512), followed_width=4096)  # fmt: skip


class Task(NamedTuple):
    """Points of a circle with targets, and all of the circle."""

    angles: Tensor
    x: Tensor
    y: Tensor
    circle: Tensor
    around: Tensor  # the angles of the circle


def on_circle(angles: Tensor) -> Tensor:
    return math.sqrt(2) * torch.stack([angles.cos(), angles.sin()], 1)


def draw_task(settings: Settings) -> Task:
    generator = torch.Generator().manual_seed(settings.seed)
    jitter = 0.5 * torch.rand(settings.rows, generator=generator)
    angles = (torch.arange(settings.rows) + jitter) * 2 * math.pi / settings.rows
    around = torch.linspace(0, 2 * math.pi, 181)
    y = torch.randn(settings.rows, generator=generator)
    return Task(angles, on_circle(angles), y, on_circle(around), around)


class Answers(NamedTuple):
    """What networks answer on the circle, and what formulas say they should, each ``(networks, C)``."""

    start: Tensor
    network: Tensor
    tangent: Tensor
    without_start: Tensor


@torch.no_grad()
def compare_answers(found: Descended, task: Task) -> Answers:
    """Trained networks beside the end of their own tangents, with the first term and without."""
    columns: list[tuple[Tensor, ...]] = []
    for before, after in zip(found.before, found.after, strict=True):
        K = empirical_ntk(before, task.x, kind="trace").double()
        k = empirical_ntk(before, task.circle, task.x, kind="trace").double()
        at_rows, start = (before(x)[:, 0].double() for x in (task.x, task.circle))
        moved = kernel_regression(K, task.y.double(), k, f_train=at_rows)
        columns.append((start, after(task.circle)[:, 0].double(), start + moved, moved))
    return Answers(*(torch.stack(column) for column in zip(*columns, strict=True)))


def rms(values: Tensor) -> list[float]:
    """Root mean squares of rows."""
    found: list[float] = values.square().mean(-1).sqrt().tolist()
    return found


def claim_end(report: Report, settings: Settings, task: Task) -> tuple[Answers, dict[int, list[float]]]:  # fmt: skip
    """The network against its linearization over width, and the term that is often left out."""
    lr = safe_rate(analytic_kernels(task.x).ntk) / 1.5
    seeds = range(1000 * settings.seed, 1000 * settings.seed + settings.networks)
    gaps: dict[int, list[float]] = {}
    for width in settings.widths:
        found = descend_together((2, width, 1), "relu", task.x, task.y, lr=lr, steps=settings.steps, seeds=seeds)  # fmt: skip
        answers = compare_answers(found, task)
        gaps[width] = rms(answers.network - answers.tangent)
    slope = slope_interval(settings.widths, list(gaps.values()))
    report.claim("a network and its tangent end at one answer as the width grows", slope.high, f"upper end of the 95 % interval around {slope.mean:.2f}, power of the width,", below=-0.25)  # fmt: skip
    largest = torch.tensor(rms(answers.start)).mean().item()
    with_it = torch.tensor(gaps[width]).mean().item()
    without = torch.tensor(rms(answers.network - answers.without_start)).mean().item()
    report.claim(f"m = {width}: the network ends at f₀(x) + k(x)ᵀK⁻¹(y − f₀(X))", with_it / largest, "distance on the circle, as a share of f₀", below=0.15)  # fmt: skip
    report.claim(f"m = {width}: without f₀(x), which is often left out, the formula is off by all of f₀", without / largest, "the same distance", near=(1.0, 0.1))  # fmt: skip
    return answers, gaps


def claim_rows(report: Report, settings: Settings, task: Task) -> None:
    """At training inputs the formula without its first term says y − f₀."""
    torch.manual_seed(settings.seed)
    model = NTKMLP((2, settings.widths[-1], 1)).double()
    x, y = task.x.double(), task.y.double()
    K = empirical_ntk(model, x, kind="trace")
    with torch.no_grad():
        f0 = model(x)[:, 0]
    whole = kernel_regression(K, y, K, f_train=f0, f_test=f0)
    lacking = kernel_regression(K, y, K, f_train=f0)
    report.claim("at the training inputs the formula says y", (whole - y).abs().max().item(), "largest distance", below=1e-8)  # fmt: skip
    report.claim("and without f₀(x) it says y − f₀(X)", (lacking - (y - f0)).abs().max().item(), "largest distance", below=1e-8)  # fmt: skip
    report.claim("which is not y", rms((lacking - y)[None])[0], "root mean square of the difference", above=0.1)  # fmt: skip


def claim_smallest(report: Report, settings: Settings, task: Task) -> None:
    """Many β fit all targets; descent from 0 finds the smallest, from elsewhere another."""
    torch.manual_seed(settings.seed)
    model = NTKMLP((2, 64, 1)).double()
    x, y = task.x.double(), task.y.double()
    Phi = row_jacobians(model, x)[:, 0]  # (N, p)
    with torch.no_grad():
        missing = y - model(x)[:, 0]
    smallest = Phi.T @ torch.linalg.solve(Phi @ Phi.T, missing)
    drawn = torch.randn(Phi.shape[1], dtype=torch.float64)
    idle = drawn - Phi.T @ torch.linalg.solve(Phi @ Phi.T, Phi @ drawn)  # moves no output
    flat, steep = torch.linalg.eigvalsh(Phi @ Phi.T)[[0, -1]].sqrt().tolist()
    best = {"lr": 4 / (steep + flat) ** 2, "momentum": ((steep - flat) / (steep + flat)) ** 2}
    ends = []
    for start in (torch.zeros_like(drawn), drawn):
        tangent = linearize(model)
        with torch.no_grad():
            tangent.beta.copy_(start)
        optimizer = torch.optim.SGD(
            tangent.parameters(), **best
        )  # a heavy ball stays in the span of Phi too
        for _ in range(settings.steps):
            optimizer.zero_grad()
            ((tangent(x)[:, 0] - y).square().sum() / 2).backward()
            optimizer.step()
        with torch.no_grad():
            error = (tangent(x)[:, 0] - y).abs().max().item()
        ends.append((tangent.beta.detach(), error))
    size = smallest.norm()
    report.claim("β* and β* + a direction that moves no output fit all targets", (Phi @ (smallest + idle) - missing).abs().max().item(), "largest error", below=1e-8)  # fmt: skip
    report.claim("so β* is not the only solution, it is the smallest: the other is longer", ((smallest + idle).norm() / size).item(), "ratio of lengths", above=1.5)  # fmt: skip
    report.claim("descent of the tangent from β = 0 ends at β*", ((ends[0][0] - smallest).norm() / size).item(), "relative distance", below=0.02)  # fmt: skip
    report.claim("descent from elsewhere fits too", ends[1][1], "largest error", below=0.02)
    report.claim("and ends elsewhere, by the part of its start that moves no output", ((ends[1][0] - smallest - idle).norm() / size).item(), "relative distance to β* + that part", below=0.02)  # fmt: skip


class Followed(NamedTuple):
    """The outputs of a network along its descent, and those of the kernel that it starts with, ``(T, N)``."""

    times: Tensor
    network: Tensor
    kernel: Tensor


def follow(report: Report, settings: Settings, task: Task) -> Followed:
    """Real descent with short steps beside f(t) = y + e^{−Kt}(f₀ − y)."""
    torch.manual_seed(settings.seed)
    model = NTKMLP((2, settings.followed_width, 1))
    K = empirical_ntk(model, task.x, kind="trace")
    eta = 0.05 / float(torch.linalg.eigvalsh(K)[-1])
    optimizer = torch.optim.SGD(model.parameters(), lr=eta)
    seen = []
    for step in range(2 * settings.steps + 1):
        f = model(task.x)[:, 0]
        if step % 20 == 0:
            seen.append(f.detach())
        optimizer.zero_grad()
        ((f - task.y).square().sum() / 2).backward()
        optimizer.step()
    times = 20 * eta * torch.arange(len(seen))
    kernel = kernel_dynamics(K.double(), task.y.double(), seen[0].double(), times.double())
    network = torch.stack(seen)
    gap = (network - kernel).abs().max() / (seen[0] - task.y).abs().max()
    report.claim(f"m = {settings.followed_width}: kernel_dynamics follows real descent all the way", gap.item(), "largest difference, as a share of the first error", below=0.05)  # fmt: skip
    return Followed(times, network, kernel)


def claim_limit(report: Report, settings: Settings) -> dict[str, dict[int, list[float]]]:
    """The kernel of finite networks of two hidden layers on its way to the analytic one."""
    generator = torch.Generator().manual_seed(settings.seed)
    x = torch.randn(10, 5, generator=generator)
    found: dict[str, dict[int, list[float]]] = {}
    for activation in ("relu", "erf"):
        limit = analytic_kernels(x, depth=3, activation=activation, bias_variance=0.1).ntk
        found[activation] = {}
        for width in settings.kernel_widths:
            kernels = []
            for k in range(settings.networks):
                torch.manual_seed(10_000 * settings.seed + k)
                model = NTKMLP((5, width, width, 1), activation=activation, bias_variance=0.1)
                kernels.append(empirical_ntk(model, x, kind="trace"))
            found[activation][width] = [((K - limit).norm() / limit.norm()).item() for K in kernels]
        slope = slope_interval(settings.kernel_widths, list(found[activation].values()))
        report.claim(f"{activation}: the kernel of a network goes to the analytic one as 1/√m", slope.mean, f"power of the width, 95 % interval {slope.low:.2f} to {slope.high:.2f},", near=(-0.5, 0.12))  # fmt: skip
    return found


def run(settings: Settings) -> Report:
    report = Report(
        title="Infinite width",
        summary="Where the kernel stays, a network of any loss moves by ḟ = −K∇_fℓ, and for squared errors ends at "
        "f₀(x) + k(x)ᵀK⁻¹(y − f₀(X)). The first term is often left out; without it training inputs get y − f₀(X). The "
        "weights it ends with are the smallest that fit, not the only ones.",
    )
    task = draw_task(settings)
    answers, gaps = claim_end(report, settings, task)
    claim_rows(report, settings, task)
    claim_smallest(report, settings, task)
    claim_flow(report, settings.seed)
    followed = follow(report, settings, task)
    kernels = claim_limit(report, settings)
    report.table(
        "Distances by width, means over networks", columns=["what", "width", "distance"],
        rows=[[name, width, sum(row) / len(row)] for name, found in (("network and tangent", gaps), *((f"{a} kernel and limit", f) for a, f in kernels.items())) for width, row in found.items()],
    )  # fmt: skip
    caption = f"Left: a trained network of width {settings.widths[-1]} on the circle, the formula with f₀(x) and without. Middle: outputs at training inputs during descent (dots) and by the kernel at the start (lines). Right: distances by width."  # fmt: skip
    report.figure("infinite-width", draw_figure(task, answers, gaps, followed, kernels), caption=caption)  # fmt: skip
    return report


def draw_figure(
    task: Task,
    answers: Answers,
    gaps: dict[int, list[float]],
    followed: Followed,
    kernels: dict[str, dict[int, list[float]]],
) -> Figure:
    figure, (left, middle, right) = new_figure(columns=3, width=12.0, height=4.3)
    shown = int(answers.start.square().mean(1).argsort()[len(answers.start) // 2])  # a usual start
    left.plot(task.around, answers.start[shown], ":", color=MUTED, label="start f₀")
    left.plot(task.around, answers.network[shown], color=PALETTE[0], linewidth=2.4, label="trained network")  # fmt: skip
    left.plot(task.around, answers.tangent[shown], "--", color=INK, linewidth=1.2, label="f₀ + kᵀK⁻¹(y − f₀)")  # fmt: skip
    left.plot(task.around, answers.without_start[shown], "--", color=PALETTE[1], linewidth=1.4, label="kᵀK⁻¹(y − f₀)")  # fmt: skip
    left.plot(task.angles, task.y, "o", color=INK, markersize=6, label="targets")
    left.set(title="What training ends at", xlabel="angle", ylabel="output")
    left.set_xticks([0, math.pi, 2 * math.pi], ["0", "π", "2π"])
    low, high = left.get_ylim()
    left.set_ylim(low, high + 0.65 * (high - low))
    left.legend(loc="upper left", ncols=2, fontsize=8)
    for row in range(followed.network.shape[1]):
        color = PALETTE[row % len(PALETTE)]
        middle.plot(followed.times, followed.kernel[:, row], color=color, linewidth=1.4)
        middle.plot(followed.times[::4], followed.network[::4, row], "o", color=color, markersize=3.5)  # fmt: skip
    middle.set(title="On the way there", xlabel="time η × steps", ylabel="output at a training input")  # fmt: skip
    curves = {"network and tangent": gaps} | {f"{name} kernel and limit": found for name, found in kernels.items()}  # fmt: skip
    for k, (name, found) in enumerate(curves.items()):
        means = [sum(row) / len(row) for row in found.values()]
        right.loglog(list(found), means, "os^"[k] + "-", color=PALETTE[k], markersize=5, linewidth=1.5, label=name)  # fmt: skip
    right.set(title="Distances by width", xlabel="width m", ylabel="distance")
    widths = sorted({width for found in curves.values() for width in found})[::2]
    right.set_xticks(widths, [str(width) for width in widths])
    low, high = right.get_ylim()
    right.set_ylim(low / 3, high)
    ticks = [t for t in (0.01, 0.03, 0.1, 0.3, 1.0) if low / 3 < t < high]
    right.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    right.minorticks_off()
    right.legend(loc="lower left")
    return figure
