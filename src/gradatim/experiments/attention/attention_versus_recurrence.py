"""Attention reaches all in one step and pays for pairs; recurrence, windows and sums pay less and lose some."""

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from gradatim.experiments.attention._recall import READERS, RecallSettings, recall
from gradatim.experiments.attention.kv_cache import attention_flops
from gradatim.nn import ElmanCell, MultiHeadAttention, attend, linear_attention
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report

COVERS = ("G1", "G6", "F3")
KEYWORDS = "self-attention complexity, quadratic cost, path length, sliding window attention, windowed attention, Longformer, linear attention, Transformers are RNNs, associative recall"
KERNEL = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
WINDOW = 8
EXPONENTS = {  # of length and of width
    "attention": (2, 1),
    "recurrence": (1, 2),
    "window": (1, 1),
    "linear attention": (1, 2),
}


@dataclass(frozen=True)
class Settings(RecallSettings):
    lengths: tuple[int, ...] = (64, 128, 256, 512, 1024, 2048)
    widths: tuple[int, ...] = (32, 64, 128, 256)
    paths: tuple[int, ...] = (4, 8, 16, 32, 64)


QUICK = Settings(pairs=16, steps=500, dim=12, window=5, lengths=(64, 128, 256), widths=(64, 128, 256), paths=(4, 8, 16))  # fmt: skip


def mixer(kind: str, width: int) -> Callable[[Tensor], Tensor]:
    """What looks back, without the maps of single positions that all of them have."""
    if kind == "recurrence":
        cell = ElmanCell(width, width).requires_grad_(False)

        def unrolled(x: Tensor) -> Tensor:
            h, outputs = torch.zeros_like(x[:, 0]), []
            for x_t in x.unbind(1):
                (h,), y = cell.step((h,), x_t)  # the input's own map is left out
                outputs.append(y)
            return torch.stack(outputs, 1)

        return unrolled
    if kind == "linear attention":
        return lambda x: linear_attention(x, x, x)
    window = WINDOW if kind == "window" else None
    return lambda x: attend(x[:, None], x[:, None], x[:, None], is_causal=True, window=window)


def work(kind: str, length: int, width: int) -> float:
    """Multiplications and additions of matrix products for one sequence."""
    with FlopCounterMode(display=False, custom_mapping={KERNEL: attention_flops}) as counter:
        mixer(kind, width)(torch.zeros(1, length, width))
    return float(counter.get_total_flops())


def seconds(kind: str, length: int, width: int) -> float:
    """Least processor time of three runs."""
    x, run, best = torch.randn(1, length, width), mixer(kind, width), math.inf
    for _ in range(3):
        start = time.process_time()
        with torch.inference_mode():
            run(x)
        best = min(best, time.process_time() - start)
    return best


def slope(x: tuple[int, ...], y: list[float]) -> float:
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def claim_work(report: Report, settings: Settings) -> None:
    T, d = settings.lengths[-1], settings.widths[0]
    by_length = {kind: [work(kind, n, d) for n in settings.lengths] for kind in EXPONENTS}
    by_width = {kind: [work(kind, T, w) for w in settings.widths] for kind in EXPONENTS}
    rows = []
    for kind, (of_length, of_width) in EXPONENTS.items():
        found = slope(settings.lengths, by_length[kind]), slope(settings.widths, by_width[kind])
        power = "T" + "²" * (of_length == 2) + "d" + "²" * (of_width == 2)
        worst = max(abs(found[0] - of_length), abs(found[1] - of_width))
        report.claim(f"{kind}: work grows as {power}", worst, "error of an exponent", at_most=0.05)
        rows.append([kind, power, *found, work(kind, T, d) / 1e6])
    even = work("attention", d // 2, d) / work("recurrence", d // 2, d)
    report.claim("attention and recurrence cost the same at T = d/2", even, near=(1, 1e-9))
    report.table(f"Work; the last column is millions of operations at T = {T}, d = {d}", columns=["layer", "theory", "exponent of T", "exponent of d", "work"], rows=rows)  # fmt: skip
    times = {kind: [1e3 * seconds(kind, n, d) for n in settings.lengths] for kind in EXPONENTS}
    x = settings.lengths
    panels = [
        CurvePanel("Work", "length", "million operations", {k: (x, np.array(v) / 1e6) for k, v in by_length.items()}, is_log_x=True, is_log_y=True),
        CurvePanel("Time on this machine", "length", "milliseconds of processors", {k: (x, v) for k, v in times.items()}, is_log_x=True, is_log_y=True),
    ]  # fmt: skip
    report.figure("cost", curve_panels(panels), caption=f"One sequence of width {d}. Recurrence does little work, but one step after the other; attention does all at once.")  # fmt: skip


def operations_between(output: Tensor, leaf: Tensor) -> int:
    """Fewest operations on a way from a leaf to an output, by what autograd recorded."""
    queue: deque[tuple[Any, int]] = deque([(output.grad_fn, 1)])
    seen = set()
    while queue:
        node, steps = queue.popleft()
        if getattr(node, "variable", None) is leaf:
            return steps - 1
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                queue.append((following, steps + 1))
    raise AssertionError("no way from the leaf to the output")


def path(kind: str, length: int) -> int:
    """Operations from the first input to the last output of a sequence of single numbers."""
    steps = [torch.randn(1, 1, requires_grad=True) for _ in range(length)]
    if kind == "attention":
        last = mixer(kind, 1)(torch.stack(steps, 1))[..., -1, :]
    else:
        cell, last = ElmanCell(1, 1), torch.zeros(1, 1)
        for x in steps:
            (last,), _ = cell.step((last,), x)
    return operations_between(last.sum(), steps[0])


def reach(num_layers: int, window: int) -> int:
    """How many of the last inputs reach the last output through layers of windowed attention."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(1, 40, 4, generator=generator, dtype=torch.float64, requires_grad=True)
    y = x
    for _ in range(num_layers):
        y = MultiHeadAttention(4, 1, is_causal=True, window=window).double()(y)
    (gradient,) = torch.autograd.grad(y[:, -1].sum(), x)
    return int((gradient.abs().sum((0, 2)) > 0).sum())


def claim_paths(report: Report, settings: Settings) -> None:
    ways = {kind: [path(kind, n) for n in settings.paths] for kind in ("attention", "recurrence")}
    spread = max(ways["attention"]) - min(ways["attention"])
    report.claim("attention: the way from the first input to the last output has one length", spread, "longest less shortest", equals=0)  # fmt: skip
    a_step = np.diff(ways["recurrence"]) / np.diff(settings.paths)
    words = ", ".join(f"{more:g}" for more in a_step)
    report.claim("recurrence: it grows with every step", f"by {words}", "by the same, one at least", holds=np.ptp(a_step) == 0 and a_step[0] >= 1)  # fmt: skip
    for layers in (1, 2, 3):
        report.claim(f"{layers} layers with a window of 5 reach back", reach(layers, 5), "L(w − 1) + 1 =", equals=4 * layers + 1)  # fmt: skip
    report.table("Operations between the first input and the last output", columns=["layer", *(f"T = {n}" for n in settings.paths)], rows=[[kind, *values] for kind, values in ways.items()])  # fmt: skip


def claim_recall(report: Report, settings: Settings) -> None:
    found = {kind: recall(kind, settings) for kind in READERS}
    mean = {kind: float(np.mean(list(by_lag.values()))) for kind, by_lag in found.items()}
    chance = 1 / settings.values
    near, far = ([value for lag, value in found["window"].items() if (lag < settings.window) == is_near] for is_near in (True, False))  # fmt: skip
    report.claim("attention recalls any of the pairs", min(found["attention"].values()), "accuracy at the worst distance", at_least=0.95)  # fmt: skip
    report.claim("a window recalls what it sees", min(near), "accuracy at the worst distance", at_least=0.95)  # fmt: skip
    report.claim("and guesses what it does not", float(np.mean(far)), f"accuracy {{}}, chance {chance:.3f}", at_most=chance + 0.05)  # fmt: skip
    best, name = max((mean[kind], kind) for kind in ("linear attention", "GRU"))
    report.claim(f"of {settings.pairs} pairs a state of fixed size loses some, {name} the least", best, "accuracy", at_most=0.9)  # fmt: skip
    report.claim("but is better than guessing", best, "accuracy", at_least=chance + 0.1)
    report.table(f"Recall of one of {settings.pairs} pairs at width {settings.dim}", columns=["reader", "numbers kept", "accuracy"], rows=[[kind, kept(kind, settings), mean[kind]] for kind in READERS])  # fmt: skip
    curves = {kind: (list(by_lag), list(by_lag.values())) for kind, by_lag in found.items()}
    lags = [1, settings.pairs]
    panel = CurvePanel("Which value stood beside this key?", "steps back", "accuracy", curves, {"chance": (lags, [chance] * 2)})  # fmt: skip
    report.figure("recall", curve_panels([panel], width=7.0), caption="All pairs are kept by attention alone. A window forgets by distance, a state that does not grow by crowding.")  # fmt: skip


def kept(kind: str, settings: Settings) -> int:
    """Numbers that must be kept of the past to answer."""
    d = settings.dim
    pairs = min(settings.window, settings.pairs) if kind == "window" else settings.pairs
    return {"GRU": d, "linear attention": d * (d + 1)}.get(kind, 2 * d * pairs)


def run(settings: Settings) -> Report:
    report = Report(
        title="Attention versus recurrence",
        summary="Attention compares all pairs, T²d, and every way is short; recurrence costs Td² and every way is as long as the "
        "distance. What is cheaper than attention keeps less of the past.",
    )
    claim_work(report, settings)
    claim_paths(report, settings)
    claim_recall(report, settings)
    return report
