"""A Hopfield network forgets everything beyond 0.138 patterns per neuron; dense memories go far beyond."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gradatim.data import load
from gradatim.experiments.neurons._hopfield_figures import (
    energy_descent,
    hopfield_capacity_curves,
    memory_comparison,
    recall_rows,
)
from gradatim.neurons import (
    TRANSITION,
    DenseMemory,
    Hopfield,
    ModernHopfield,
    bit_error,
    hopfield_capacity,
)
from gradatim.reports import Report

COVERS = ("A5",)
KEYWORDS = "associative memory, energy, attractor, cross-talk, bit error, spin glass, content-addressable, dense associative memory, energy function, parallel distributed processing"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    sizes: tuple[int, ...] = (250, 500, 1000, 2000)
    ratios: tuple[float, ...] = (0.06, 0.08, 0.1, 0.12, 0.13, 0.14, 0.15, 0.16, 0.18, 0.2, 0.25)
    dense_neurons: int = 100
    dense_ratios: tuple[float, ...] = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
    probes: int = 100
    noise: float = 0.1


QUICK = Settings(
    sizes=(200, 600),
    ratios=(0.06, 0.1, 0.13, 0.16, 0.2, 0.25),
    dense_neurons=60,
    dense_ratios=(0.1, 0.2, 1.0, 5.0),
    probes=40,
)


def run(settings: Settings) -> Report:
    report = Report(
        title="Capacity of associative memories",
        summary="Beyond about 0.138 patterns per neuron random patterns are lost, the more abruptly the larger the "
        "network, although the first update still gets 99.6 % of the bits right there; steeper energies hold many "
        "times more patterns than neurons.",
    )
    _transition(report, settings)
    _beyond(report, settings)
    _energy(report, settings)
    _digits(report, settings)
    return report


def random_patterns(count: int, n: int, generator: torch.Generator) -> Tensor:
    return 2.0 * torch.randint(0, 2, (count, n), generator=generator) - 1


def flip(patterns: Tensor, noise: float, generator: torch.Generator) -> Tensor:
    return torch.where(torch.rand(patterns.shape, generator=generator) < noise, -patterns, patterns)


def _transition(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed)
    first, settled = {}, {}
    for d in settings.sizes:
        flipped, kept = [], []
        for ratio in settings.ratios:
            patterns = random_patterns(round(ratio * d), d, generator)
            memory = Hopfield(d)
            memory.store(patterns)
            flipped.append(float((memory.field(patterns) * patterns < 0).double().mean()))
            states = memory.recall(patterns).states
            kept.append(float((states == patterns).double().mean()))
        first[f"d = {d}"] = (settings.ratios, flipped)
        settled[f"d = {d}"] = (settings.ratios, kept)
    largest = f"d = {max(settings.sizes)}"
    _claim_first(report, settings, first[largest][1])
    _claim_settled(report, *settled[largest])
    _claim_stable(report, max(settings.sizes), generator)
    report.figure(
        "capacity",
        hopfield_capacity_curves(first, settled),
        caption="Left: errors of a single update follow ½(1 − erf √(d/2n)) and rise gently. Right: let the errors "
        "feed on each other until nothing changes, and memory breaks down near 0.138, the more sharply the larger "
        "the network.",
    )


def _claim_settled(report: Report, ratios: Sequence[float], kept: Sequence[float]) -> None:
    below = [k for r, k in zip(ratios, kept, strict=True) if r <= 0.1]
    above = [k for r, k in zip(ratios, kept, strict=True) if r >= 0.2]
    report.claim(
        f"patterns stay put well below {TRANSITION} patterns per neuron",
        min(below),
        "{} of bits right up to 0.1",
        above=0.99,
    )
    report.claim(
        f"and are lost well above {TRANSITION}", max(above), "{} of bits from 0.2", below=0.85
    )


def _claim_stable(report: Report, d: int, generator: torch.Generator) -> None:
    patterns = random_patterns(int(hopfield_capacity(d)), d, generator)
    memory = Hopfield(d)
    memory.store(patterns)
    stable = float(memory.is_stable(patterns).double().mean())
    report.claim(
        f"d / (2 log₂ d) = {hopfield_capacity(d):.1f} patterns in {d} neurons are fixed points",
        stable,
        at_least=0.9,
    )


def _claim_first(report: Report, settings: Settings, flipped: list[float]) -> None:
    d = max(settings.sizes)
    worst = 0.0
    for ratio, share in zip(settings.ratios, flipped, strict=True):
        theory = bit_error(ratio, 1.0)
        bits = round(ratio * d) * d
        worst = max(worst, abs(share - theory) / (5 * np.sqrt(theory / bits) + 0.1 * theory))
    report.claim(
        "the first update flips as many bits as ½(1 − erf √(d/2n)) says",
        worst,
        "within 10 % and 5 standard errors at every n / d: ratio",
        at_most=1,
    )


def _beyond(report: Report, settings: Settings) -> None:
    d = settings.dense_neurons
    generator = torch.Generator().manual_seed(settings.seed + 1)
    restored = [_restore_all(d, ratio, settings, generator) for ratio in settings.dense_ratios]
    curves = {name: [shares[name] for shares in restored] for name in restored[0]}
    load = f"memory at {settings.dense_ratios[-1]:g} patterns per neuron"
    report.claim(f"the Hopfield {load}", curves["Hopfield"][-1], "{} of bits right", below=0.8)
    for name in ("exponential", "continuous"):
        report.claim(f"the {name} {load}", curves[name][-1], "{} of bits right", above=0.99)
    order = all(h <= q + 0.02 for h, q in zip(curves["Hopfield"], curves["order 4"], strict=True))
    report.claim(
        "a memory of order 4 is never worse than the Hopfield network",
        expected="at every load, up to 0.02",
        measured=", ".join(f"{value:.2f}" for value in curves["order 4"]),
        holds=order,
    )
    report.figure(
        "beyond",
        memory_comparison({name: (settings.dense_ratios, curves[name]) for name in curves}),
        caption=f"{d} neurons, probes with {settings.noise:.0%} of their bits flipped. The dashed line is the "
        "Hopfield network's limit. Memories with the same result lie on one line.",
    )


def _restore_all(
    d: int, ratio: float, settings: Settings, generator: torch.Generator
) -> dict[str, float]:
    """Share of bits that each kind of memory gets right, by name."""
    patterns = random_patterns(max(2, round(ratio * d)), d, generator)
    goal = patterns[: settings.probes]
    noisy = flip(goal, settings.noise, generator)
    memories: dict[str, Hopfield | DenseMemory | ModernHopfield] = {
        "Hopfield": Hopfield(d),
        "order 3": DenseMemory(d, order=3),
        "order 4": DenseMemory(d, order=4),
        "exponential": DenseMemory(d, interaction="exponential"),
        "continuous": ModernHopfield(d, beta=1.0),
    }
    shares = {}
    for name, memory in memories.items():
        memory.store(patterns)
        states = memory.recall(noisy).states.sign()
        shares[name] = float((states == goal).double().mean())
    return shares


def _energy(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed + 2)
    memory = Hopfield(100)
    memory.store(random_patterns(14, 100, generator))
    probes = random_patterns(40, 100, generator)
    traces = {
        mode: memory.recall(probes, mode=mode, max_sweeps=15).energies
        for mode in ("asynchronous", "synchronous")
    }
    rise = float(traces["asynchronous"].diff(dim=0).max())
    report.claim(
        "energy never rises when one neuron changes at a time", rise, "largest rise", at_most=1e-9
    )
    report.figure(
        "energy",
        energy_descent(traces),
        caption="Energy of 40 random states. One neuron at a time, each path descends; all at once, some paths "
        "climb (orange).",
    )


def _erased_digits() -> tuple[Tensor, Tensor]:
    """One digit of each kind as ink and paper, and the same with the lowest three rows blank."""
    data = load("digits")
    images = np.stack([data.X[data.y == digit][0] for digit in range(10)])
    patterns = torch.where(torch.as_tensor(images).flatten(1) > 7 / 16, 1.0, -1.0)
    hidden = patterns.clone().view(10, 8, 8)
    hidden[:, 5:] = -1.0
    return patterns, hidden.flatten(1)


def _digits(report: Report, settings: Settings) -> None:
    patterns, probes = _erased_digits()
    memories: dict[str, Hopfield | DenseMemory] = {
        "Hopfield": Hopfield(64),
        "exponential": DenseMemory(64, interaction="exponential"),
    }
    rows, right = {"stored": patterns, "shown": probes}, {}
    distinct, changed = len(patterns.unique(dim=0)), int((patterns != probes).any(dim=1).sum())
    report.claim(
        "ten digits, each with part of its ink erased",
        f"{distinct} distinct, {changed} changed",
        equals="10 distinct, 10 changed",
    )
    for name, memory in memories.items():
        memory.store(patterns)
        rows[name] = memory.recall(probes).states
        right[name] = int((rows[name] == patterns).all(dim=1).sum())
    report.claim(
        "the Hopfield network mixes them up", right["Hopfield"], "{} of 10 restored", at_most=3
    )
    report.claim(
        "the exponential memory completes them", right["exponential"], "{} of 10", at_least=8
    )
    report.figure(
        "digits",
        recall_rows({label: states.view(-1, 8, 8) for label, states in rows.items()}),
        caption="Ten digits are stored and shown again with three rows erased. Real patterns are alike, which is "
        "harder for Hebb's rule than random ones: the Hopfield network answers with mixtures.",
    )
