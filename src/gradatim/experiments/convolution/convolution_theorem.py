"""Convolution multiplies spectra: sums of dice, smooth bumps as low-pass filters, and speed."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import pi

import torch
from torch import Tensor

from gradatim.nn import convolve
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report

COVERS = ("E1",)
KEYWORDS = (
    "Fourier transform, FFT, spectrum, polynomial multiplication, sums of dice, integral operator"
)


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    length: int = 256
    width: float = 4.0
    dice: tuple[int, ...] = (1, 2, 3, 6, 12)
    timed_length: int = 16384
    timed_taps: tuple[int, ...] = (4, 16, 64, 256, 1024, 4096)
    repeats: int = 10


QUICK = Settings(timed_length=8192, timed_taps=(4, 16, 64, 256, 1024), repeats=5)


def bump(n: int, width: float) -> Tensor:
    """A Gaussian around place 0 of a circle of ``n`` places, of sum one."""
    place = torch.arange(n, dtype=torch.float64)
    distance = torch.minimum(place, n - place)
    weights = (-0.5 * (distance / width) ** 2).exp()
    return weights / weights.sum()


def claim_theorem(report: Report, settings: Settings, generator: torch.Generator) -> None:
    x, w = torch.randn(2, settings.length, generator=generator, dtype=torch.float64)
    slid = convolve(x, w, mode="circular", method="direct")
    gap = (torch.fft.fft(slid) - torch.fft.fft(x) * torch.fft.fft(w)).abs().max().item()
    report.claim(
        "the spectrum of a circular convolution is the product of the spectra", gap, below=1e-11
    )
    short = w[:17]
    swapped = (convolve(x, short) - convolve(short, x)).abs().max().item()
    report.claim("convolution commutes", swapped, below=1e-12)
    images = torch.randn(2, 3, 40, 40, generator=generator)
    kernel = torch.randn(4, 3, 15, 15, generator=generator)
    exact = convolve(images.double(), kernel.double(), method="direct")
    fast = convolve(images, kernel, method="fft")
    error = ((fast - exact).norm() / exact.norm()).item()
    report.claim("by transform, images with channels, in single precision", error, below=1e-6)


def claim_smoothing(report: Report, settings: Settings, generator: torch.Generator) -> None:
    n, width = settings.length, settings.width
    w = bump(n, width)
    gain = torch.fft.rfft(w).abs()
    frequency = torch.arange(n // 2 + 1, dtype=torch.float64) / n
    formula = (-0.5 * (2 * pi * frequency * width) ** 2).exp()
    gap = (gain - formula).abs().max().item()
    report.claim(
        "the spectrum of a Gaussian is a Gaussian, narrow where the bump is wide", gap, below=1e-9
    )
    place = torch.arange(n, dtype=torch.float64)
    wave = (2 * pi * 2 * place / n).sin()
    x = wave + 0.8 * torch.randn(n, generator=generator, dtype=torch.float64)
    smooth = convolve(x, w, mode="circular")
    before, after = (((signal - wave).square().mean()).sqrt().item() for signal in (x, smooth))
    report.claim(
        "a smooth bump takes noise away and leaves the slow wave",
        after / before,
        "error",
        below=0.5,
    )
    drift = abs((smooth.mean() - x.mean()).item())
    report.claim("a bump of sum one keeps the mean", drift, below=1e-12)
    spectra = {
        "noisy": torch.fft.rfft(x).abs(),
        "bump": gain * torch.fft.rfft(x).abs().max(),
        "smoothed": torch.fft.rfft(smooth).abs(),
    }
    report.figure(
        "smoothing",
        curve_panels(
            [
                CurvePanel("Signals", "place", "value", {"noisy": (place, x), "smoothed": (place, smooth)}, {"wave": (place, wave)}),
                CurvePanel("Spectra", "frequency, cycles per place", "magnitude", {k: (frequency, v) for k, v in spectra.items()}),
            ],
            width=5.0,
        ),
        caption="Sliding a bump over a signal multiplies its spectrum by the bump's: high frequencies vanish.",
    )  # fmt: skip


def total_distribution(count: int) -> Tensor:
    """Probabilities of the total of ``count`` dice, from ``count`` to ``6 count``."""
    die = torch.full((6,), 1 / 6, dtype=torch.float64)
    total = die
    for _ in range(count - 1):
        total = convolve(total, die)
    return total


def claim_dice(report: Report, settings: Settings) -> None:
    two = (36 * total_distribution(2)).round().int().tolist()
    report.claim(
        "ways for two dice to show 2, 3, …, 12",
        " ".join(map(str, two)),
        equals="1 2 3 4 5 6 5 4 3 2 1",
    )
    gaps, curves = [], {}
    for count in settings.dice:
        p = total_distribution(count)
        z = (torch.arange(count, 6 * count + 1) - 3.5 * count) / (35 / 12 * count) ** 0.5
        step = (12 / (35 * count)) ** 0.5
        normal = (-0.5 * z.double() ** 2).exp() / (2 * pi) ** 0.5 * step
        gaps.append((p - normal).abs().sum().item() / 2)
        curves[f"{count} {'die' if count == 1 else 'dice'}"] = (z, p / step)
    grid = torch.linspace(-3.5, 3.5, 200)
    report.claim(
        "sums of more dice come closer to the normal distribution",
        expected=f"each of {len(gaps)} closer than the one before, the last within 0.01",
        measured=", ".join(f"{gap:.3g}" for gap in gaps),
        holds=gaps == sorted(gaps, reverse=True) and gaps[-1] < 0.01,
    )
    report.figure(
        "dice",
        curve_panels(
            [
                CurvePanel(
                    "Totals of dice, standardized",
                    "standard deviations from the mean",
                    "density",
                    curves,
                    {"normal": (grid, (-0.5 * grid**2).exp() / (2 * pi) ** 0.5)},
                )
            ],
            width=6.8,
        ),
        caption="The distribution of a sum of independent numbers is the convolution of their distributions.",
    )


def fastest(work: Callable[[], Tensor], repeats: int) -> float:
    """Milliseconds of the fastest of some runs, after one that does not count."""
    work()
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return 1e3 * best


@torch.inference_mode()
def measure_speed(report: Report, settings: Settings, generator: torch.Generator) -> None:
    """Time both methods; times are shown and not claimed, since they are the machine's."""
    x = torch.randn(settings.timed_length, generator=generator)
    rows = []
    for taps in settings.timed_taps:
        w = torch.randn(taps, generator=generator)
        rows.append(
            [
                taps,
                *(
                    fastest(partial(convolve, x, w, method=method), settings.repeats)
                    for method in ("direct", "fft", "auto")
                ),
            ]
        )
    report.table(
        f"Milliseconds to convolve {settings.timed_length:,} places",
        columns=["taps", "sliding", "by transform", "automatic"],
        rows=rows,
    )
    tried, sliding, transform, automatic = (list(column) for column in zip(*rows, strict=True))
    curves = {"sliding": (tried, sliding), "by transform": (tried, transform)}
    report.figure(
        "speed",
        curve_panels(
            [
                CurvePanel(
                    f"A signal of {settings.timed_length:,} places",
                    "taps of the kernel",
                    "milliseconds",
                    curves,
                    {"automatic": (tried, automatic)},
                    is_log_x=True,
                    is_log_y=True,
                )
            ],
            width=6.5,
        ),
        caption="Sliding takes as many products a place as the kernel has taps; the transform does not care. "
        f"Fastest of {settings.repeats} runs on this machine.",
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="The convolution theorem",
        summary="A convolution in space is a product in frequency. It makes bumps into low-pass filters, sums "
        "of dice into bells, and long kernels cheap.",
    )
    generator = torch.Generator().manual_seed(settings.seed)
    claim_theorem(report, settings, generator)
    claim_smoothing(report, settings, generator)
    claim_dice(report, settings)
    measure_speed(report, settings, generator)
    return report
