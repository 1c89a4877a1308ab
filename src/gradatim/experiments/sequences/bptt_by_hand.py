"""Backpropagation through time with numbers for paper: a co-state at every step, a gradient for every copy."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.backprop import Stage, Trace, backpropagate
from gradatim.nn import CELLS, ElmanCell, Recurrent
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("F4", "C1")
KEYWORDS = "backpropagation through time BPTT, unrolled network, unfolding, shared weights, co-state, truncated BPTT, worked example"
FLOAT = torch.float64
INPUTS = (1.0, 2.0, 4.0)
U, W = 0.5, 1.0


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    width: int = 16
    length: int = 40
    batch: int = 32


QUICK = Settings(width=8, length=24, batch=8)


def scalar_network() -> Recurrent:
    """The network h' = h/2 + x."""
    rnn = Recurrent(partial(ElmanCell, activation="identity"), 1, 1).double()
    for name, value in (("input.weight", W), ("input.bias", 0.0), ("recurrent.weight", U)):
        nn.init.constant_(rnn.get_parameter(f"cells.0.{name}"), value)
    return rnn


def error_at_end(output: tuple[Tensor, tuple[Tensor, ...]], y: Tensor) -> Tensor:
    return (output[0][:, -1] - y[:, -1]).square().sum() / 2


def error_everywhere(output: tuple[Tensor, tuple[Tensor, ...]], y: Tensor) -> Tensor:
    return (output[0] - y).square().sum() / 2


def steps_of(trace: Trace) -> list[Stage]:
    """The stages that are steps in time."""
    return [stage for stage in trace.stages if " step " in stage.name]


def by_paper(report: Report) -> Trace:
    report.text(
        "The smallest recurrent network, h' = ½h + x, sees 1, 2, 4 and holds 1, 2.5, 5.25. Unrolled it is a chain of three layers "
        "with the same weights u = ½ and w = 1. If the last value should be 4.25, the error is ½ · 1². Backward, p₃ = 1 and "
        "each step before has half of it; a copy of u gets p times the state before, a copy of w gets p times the input."
    )
    x = torch.tensor(INPUTS, dtype=FLOAT).reshape(1, 3, 1)
    states = torch.tensor([1.0, 2.5, 5.25], dtype=FLOAT).reshape(1, 3, 1)
    end = backpropagate(scalar_network(), error_at_end, x, states - 1)
    every = backpropagate(scalar_network(), error_everywhere, x, states - 1)
    for case, trace, p, u, w in (
        ("error at the end", end, [0.25, 0.5, 1.0], [0.0, 0.5, 2.5], [0.25, 1.0, 4.0]),
        ("an error of 1 at every step", every, [1.75, 1.5, 1.0], [0.0, 1.5, 2.5], [1.75, 3.0, 4.0]),
    ):
        claim_numbers(report, f"{case}: co-states", [s.costate[0].item() for s in steps_of(trace)], p)  # fmt: skip
        for symbol, key, expected in (("u", "recurrent", u), ("w", "input", w)):
            copies = [s.gradients[f"cells.0.{key}.weight"].item() for s in steps_of(trace)]
            claim_numbers(report, f"{case}: copies of {symbol}", copies, expected)
            total = trace.gradients[f"cells.0.{key}.weight"].item()
            report.claim(f"{case}: ∂E/∂{symbol} is their sum", total, near=(sum(expected), 1e-12))
    full, late = (sum(s.gradients["cells.0.input.weight"].item() for s in steps_of(end)[k:]) for k in (0, 1))  # fmt: skip
    report.claim(
        "a loop that ends one step early loses a copy", f"{late:g} for {full:g}", "5 for 5.25", holds=(late, full) == (5.0, 5.25)
    )  # fmt: skip
    return end


def claim_numbers(report: Report, name: str, found: list[float], expected: list[float]) -> None:
    words = [", ".join(f"{v:g}" for v in values) for values in (found, expected)]
    report.claim(name, words[0], words[1], holds=np.allclose(found, expected, rtol=0, atol=1e-12))


def slow_recursion(
    rnn: Recurrent, x: Tensor, y: Tensor
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The recursion for tanh, step by step in NumPy: co-states, and gradients of the copies of U."""
    named = {name.removeprefix("cells.0."): p.detach().numpy() for name, p in rnn.named_parameters()}  # fmt: skip
    W, b, U = (named[name] for name in ("input.weight", "input.bias", "recurrent.weight"))
    h = [np.zeros((len(x), len(U)))]
    for t in range(x.shape[1]):
        h.append(np.tanh(x[:, t].numpy() @ W.T + b + h[-1] @ U.T))
    costates, copies, back = [], [], np.zeros_like(h[0])
    for t in range(x.shape[1], 0, -1):
        p = (h[t] - y[:, t - 1].numpy()) + back  # its own error, and what comes back
        delta = p * (1 - h[t] ** 2)
        costates.append(p)
        copies.append(delta.T @ h[t - 1])
        back = delta @ U
    return costates[::-1], copies[::-1]


def by_machine(report: Report, settings: Settings) -> dict[str, Trace]:
    """Traces of networks too large for paper, with the error at the end."""
    generator = torch.Generator().manual_seed(settings.seed)
    shape = (settings.batch, settings.length)
    x = torch.randn(*shape, 3, generator=generator, dtype=FLOAT)
    y = torch.randn(*shape, settings.width, generator=generator, dtype=FLOAT)
    worst, traces = 0.0, {}
    for name in CELLS:
        with seeded(settings.seed):
            rnn = Recurrent(name, 3, settings.width).double()
        trace = backpropagate(rnn, error_everywhere, x, y)
        named = dict(rnn.named_parameters())
        pulled = torch.autograd.grad(error_everywhere(rnn(x), y), list(named.values()))
        worst = max(worst, *(distance(trace.gradients[n], g) for n, g in zip(named, pulled, strict=True)))  # fmt: skip
        if name == "elman":
            compare(report, rnn, trace, x, y)
        traces[name] = backpropagate(rnn, error_at_end, x, y)
    report.claim(f"the copies of all {len(CELLS)} cells sum to autograd's gradient", worst, "relative distance", below=1e-9)  # fmt: skip
    return traces


def compare(report: Report, rnn: Recurrent, trace: Trace, x: Tensor, y: Tensor) -> None:
    costates, copies = slow_recursion(rnn, x, y)
    pairs = list(zip(steps_of(trace), costates, copies, strict=True))
    far = max(distance(stage.costate[0], torch.from_numpy(p)) for stage, p, _ in pairs)
    report.claim("tanh: co-states are those of the recursion written out", far, "relative distance", below=1e-9)  # fmt: skip
    key = "cells.0.recurrent.weight"
    far = max(distance(stage.gradients[key], torch.from_numpy(g)) for stage, _, g in pairs[1:])
    report.claim("tanh: so are the gradients of the copies", far, "relative distance", below=1e-9)


def distance(a: Tensor, b: Tensor) -> float:
    return float((a - b).norm() / b.norm())


def truncated(trace: Trace) -> list[float]:
    """Cosine between the whole gradient of the recurrent weights and that of the last 1, 2, … copies."""
    copies = torch.stack([s.gradients["cells.0.recurrent.weight"].flatten() for s in steps_of(trace)])  # fmt: skip
    last = copies.flip(0).cumsum(0)
    return torch.cosine_similarity(last, last[-1:]).tolist()


def run(settings: Settings) -> Report:
    report = Report(
        title="Backpropagation through time by hand",
        summary="A recurrent network is a deep one whose layers share their weights: every step has a co-state, every copy a "
        "gradient, and the gradient of the weights is the sum.",
    )
    end = by_paper(report)
    traces = by_machine(report, settings)
    report.figure("unrolled", draw_unrolled(end), caption="Values flow to the right, co-states to the left. Below, what each copy of the weights adds to the gradient.")  # fmt: skip
    norms = {name: [float(torch.cat([p.abs() for p in s.costate], 1).norm()) for s in steps_of(traces[name])] for name in ("elman", "lstm", "gru")}  # fmt: skip
    kept = truncated(traces["elman"])
    half = next(k for k, cosine in enumerate(kept, 1) if cosine > 0.95)
    report.claim("tanh, error at the end: the last copies say nearly all", half, "copies for a cosine of 0.95 {}", at_most=settings.length // 2)  # fmt: skip
    report.table("Share of the last co-state that is left", columns=["cell", *(f"{lag} steps back" for lag in (0, 5, 10, 20))], rows=[[name, *(values[-1 - lag] / values[-1] for lag in (0, 5, 10, 20))] for name, values in norms.items()])  # fmt: skip
    report.figure("copies", draw_copies(norms, kept), caption="Left, how large the co-state still is at every step. Right, truncated backpropagation keeps the last copies only: the direction of its gradient against the whole.")  # fmt: skip
    return report


def draw_unrolled(trace: Trace) -> Figure:
    """Draw the chain of three steps with its numbers."""
    figure, axes = new_figure(width=9.0, height=3.6)
    axes.set_axis_off()
    axes.set(xlim=(-3.2, 8.6), ylim=(-2.5, 1.2))
    box = {"boxstyle": "round,pad=0.5", "facecolor": "#E5F1F9", "edgecolor": PALETTE[0]}
    forward, back = ({"arrowstyle": "-|>", "linewidth": 1.6, "color": c} for c in PALETTE[:2])
    axes.text(-2.6, 0, "h = 0", ha="center", va="center", bbox=box, color=INK)
    axes.text(7.8, 0, "E = ½", ha="center", va="center", color=INK, bbox=box | {"facecolor": "#FCEBDD", "edgecolor": PALETTE[1]})  # fmt: skip
    before = 0.0
    for t, (stage, x) in enumerate(zip(steps_of(trace), INPUTS, strict=True)):
        h, p, place = stage.output[0].item(), stage.costate[0].item(), 2.6 * t
        axes.text(place, 0, f"h = {h:g}", ha="center", va="center", bbox=box, color=INK)
        axes.text(place, -1.15, f"x = {x:g}", ha="center", va="center", color=INK)
        axes.annotate("", (place, -0.35), (place, -0.95), arrowprops=forward)
        axes.annotate("", (place - 0.6, 0.1), (place - 2.0, 0.1), arrowprops=forward)
        axes.text(place - 1.3, 0.25, "· ½", ha="center", color=PALETTE[0])
        axes.annotate("", (place + 0.6, -0.12), (place + 2.0, -0.12), arrowprops=back)
        axes.text(place, 0.6, f"p = {p:g}", ha="center", color=PALETTE[1], weight="bold")
        axes.text(place, -1.75, f"∂E/∂u: {p:g} · {before:g} = {p * before:g}", ha="center", fontsize=9, color=MUTED)  # fmt: skip
        axes.text(place, -2.2, f"∂E/∂w: {p:g} · {x:g} = {p * x:g}", ha="center", fontsize=9, color=MUTED)  # fmt: skip
        before = h
    axes.annotate("", (7.2, 0.1), (5.8, 0.1), arrowprops=forward)
    return figure


def draw_copies(norms: dict[str, list[float]], kept: list[float]) -> Figure:
    figure, (left, right) = new_figure(columns=2, width=9.2, height=3.8)
    for name, values in norms.items():
        lags = np.arange(len(values))
        left.plot(lags, np.array(values[::-1]) / values[-1], marker="o", markersize=3, label=name)
    left.set(yscale="log", xlabel="steps back from the error", ylabel=Formula(r"$\|p_t\| \,/\, \|p_T\|$"), title="Co-states")  # fmt: skip
    left.legend()
    right.plot(np.arange(1, len(kept) + 1), kept, marker="o", markersize=3)
    right.axhline(1.0, color=MUTED, linewidth=0.8)
    right.set(xlabel="copies kept", ylabel="cosine to the whole gradient", title="Truncation, elman", ylim=(None, 1.05))  # fmt: skip
    return figure
