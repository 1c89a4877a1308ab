"""A linear recurrence needs no loop over time: a scan gives the same states in logarithmic depth."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from gradatim.nn import Recurrent, linear_scan
from gradatim.nn.scan import BLOCK
from gradatim.plots.style import MARKERS, MUTED, new_figure
from gradatim.plots.words import Formula
from gradatim.reports import Report

COVERS = ("F5",)
KEYWORDS = "parallel scan, linear recurrence, linear recurrent unit, associative operator, state-space model"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    batch: int = 4
    width: int = 32
    lengths: tuple[int, ...] = (256, 512, 1024, 2048, 4096, 8192)
    loop_limit: int = 4096
    repeats: int = 3


QUICK = Settings(lengths=(256, 1024, 4096), loop_limit=1024, repeats=2)


class Kernels(TorchDispatchMode):
    """Counts the operations that PyTorch runs, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.count += 1
        return function(*args, **(kwargs or {}))


def loop(a: Tensor, b: Tensor) -> Tensor:
    """The recurrence one step after the other, as autograd would follow it."""
    h, states = torch.zeros_like(b[:, 0]), []
    for a_t, b_t in zip(a.unbind(1), b.unbind(1), strict=True):
        h = torch.addcmul(b_t, a_t, h)
        states.append(h)
    return torch.stack(states, 1)


def divide_by_products(a: Tensor, b: Tensor) -> Tensor:
    """The short cut that fails: h_t = P_t Σ b_k / P_k with the cumulative products P."""
    products = a.cumprod(1)
    return products * (b / products).cumsum(1)


def draw(settings: Settings, length: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(settings.seed)
    shape = (settings.batch, length, settings.width)
    a = 0.5 + 0.5 * torch.rand(shape, generator=generator, dtype=dtype)
    return a, torch.randn(shape, generator=generator, dtype=dtype)


def cpu_seconds(work: Callable[[], object], repeats: int) -> float:
    """Least processor time of a few runs; other programs do not disturb it much."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def train_scan(solve: Callable[[Tensor, Tensor], Tensor], a: Tensor, b: Tensor) -> None:
    solve(a.requires_grad_(), b.requires_grad_()).square().sum().backward()
    a.grad = b.grad = None


def train_layer(rnn: Recurrent, x: Tensor) -> None:
    rnn(x)[0].square().sum().backward()
    rnn.zero_grad()


def check_equality(report: Report, settings: Settings) -> None:
    a, b = draw(settings, settings.loop_limit, torch.float64)
    gap = (linear_scan(a, b) - loop(a, b)).abs().max().item()
    gradients = []
    for solve in (linear_scan, loop):
        inputs = [a.detach().requires_grad_(), b.detach().requires_grad_()]
        gradients.append(torch.autograd.grad(solve(*inputs).sin().sum(), inputs))
    gap_back = max((g - h).abs().max().item() for g, h in zip(*gradients, strict=True))
    single = [x.float() for x in (a, b)]
    spoiled = divide_by_products(*single).isfinite().float().mean().item()
    report.claim("scan against loop, states", gap, below=1e-12)
    report.claim("scan against loop, gradients", gap_back, below=1e-10)
    report.claim(
        "division by cumulative products, finite states", spoiled, "{}: it underflows", below=0.5
    )
    report.claim(
        "the scan, finite states", linear_scan(*single).isfinite().float().mean().item(), equals=1
    )


def check_depth(report: Report) -> None:
    counts = {}
    for length in (2 * BLOCK, 2 * BLOCK**2):
        a, b = torch.full((1, length, 1), 0.5), torch.ones(1, length, 1)
        for name, solve in (("scan", linear_scan), ("loop", loop)):
            with Kernels() as kernels:
                solve(a, b)
            counts[name, length] = kernels.count
    growth = counts["scan", 2 * BLOCK**2] / counts["scan", 2 * BLOCK]
    report.claim(f"operations in sequence for {BLOCK} times the length", growth, at_most=3)
    report.table(
        "Operations one after the other",
        columns=["length", "scan", "loop"],
        rows=[[n, counts["scan", n], counts["loop", n]] for n in (2 * BLOCK, 2 * BLOCK**2)],
    )


def check_cost(report: Report, settings: Settings) -> None:
    lengths, seconds = settings.lengths, dict[str, dict[int, float]]()
    short = [n for n in lengths if n <= settings.loop_limit]
    for label, solve, allowed in (("loop, followed by autograd", loop, short), ("linear_scan", linear_scan, lengths)):  # fmt: skip
        for n in allowed:
            a, b = draw(settings, n, torch.float32)
            seconds.setdefault(label, {})[n] = cpu_seconds(lambda: train_scan(solve, a, b), settings.repeats)  # noqa: B023  # fmt: skip
    for label, cell in (("LSTM", "lstm"), ("linear recurrent unit", "lru")):
        rnn = Recurrent(cell, settings.width, settings.width)
        for n in lengths:
            _, x = draw(settings, n, torch.float32)
            seconds.setdefault(label, {})[n] = cpu_seconds(lambda: train_layer(rnn, x), settings.repeats)  # noqa: B023  # fmt: skip
    last, first = lengths[-1], lengths[0]
    faster = seconds["loop, followed by autograd"][short[-1]] / seconds["linear_scan"][short[-1]]
    growth = (seconds["linear recurrent unit"][last] / seconds["linear recurrent unit"][first]) / (last / first)  # fmt: skip
    report.claim(f"scan against loop at length {short[-1]:,}, forward and back", faster, at_least=3)
    report.claim(f"LRU: cost per step at {last:,} against {first:,}", growth, at_most=1.5)
    report.table(
        "Processor seconds, forward and back",
        columns=["length", *seconds],
        rows=[[n, *(times.get(n, "–") for times in seconds.values())] for n in lengths],
    )
    report.figure(
        "cost",
        scan_costs(seconds, title=f"batch {settings.batch}, width {settings.width}"),
        caption="Processor time of a forward and backward pass. The loop pays for every step, the scan for "
        "the arithmetic.",
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Prefix scan",
        summary="Steps of a linear recurrence compose, so blocks of time can be worked on side by side: the "
        "same states and gradients as the loop, without waiting for each step.",
    )
    check_equality(report, settings)
    check_depth(report)
    check_cost(report, settings)
    return report


def scan_costs(seconds: Mapping[str, Mapping[int, float]], *, title: str = "") -> Figure:
    """Draw seconds against length, both on logarithmic scales, beside the slope of linear growth.

    Args:
        seconds: Seconds by length, by method.
        title: Title of the figure.

    Example:
        >>> figure = scan_costs({"loop": {10: 0.1, 100: 1.0}})
        >>> figure.axes[0].get_xscale()
        'log'
    """
    figure, panel = new_figure(width=6.5, height=4.0)
    for place, (label, by_length) in enumerate(seconds.items()):
        milliseconds = [1e3 * value for value in by_length.values()]
        panel.plot(list(by_length), milliseconds, marker=MARKERS[place % len(MARKERS)], label=label)
    lengths = sorted({length for by_length in seconds.values() for length in by_length})
    least = 1e3 * min(value for by_length in seconds.values() for value in by_length.values())
    panel.plot(lengths, [0.5 * least * n / lengths[0] for n in lengths], ":", color=MUTED, label="∝ length")  # fmt: skip
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.set_xticks(lengths, [f"{n:,}" for n in lengths])
    panel.set(xlabel=Formula("length $T$"), ylabel="milliseconds", title=title)
    panel.legend()
    return figure
