"""Hyperplanes make all labelings of n ≤ d points, exactly half at n = 2d, almost none beyond."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np
from matplotlib.figure import Figure

from gradatim.linear.counting import cover_count, dichotomies
from gradatim.linear.separability import separate
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.reports import Report

COVERS = ("A3",)
KEYWORDS = "Cover's theorem, dichotomies, general position, linearly separable, capacity of a hyperplane, counting, linear separability"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    dims: tuple[int, ...] = (2, 3, 4)
    most_points: int = 12
    large_dim: int = 40
    trials: int = 200


QUICK = Settings(dims=(2, 3), most_points=9, large_dim=25, trials=60)


def run(settings: Settings) -> Report:
    report = Report(
        title="Cover's counting theorem",
        summary="Enumeration by linear programming agrees with 2 Σ C(n−1, i) in every case; the chance that a "
        "random labeling is separable falls from 1 to 0 around two points per dimension.",
    )
    rng = np.random.default_rng(settings.seed)
    measured: dict[int, list[tuple[int, int]]] = {}
    rows = []
    for d in settings.dims:
        points = rng.normal(size=(settings.most_points, d))
        measured[d] = [
            (n, len(dichotomies(points[:n]))) for n in range(1, settings.most_points + 1)
        ]
        expected = [cover_count(n, d) for n, _ in measured[d]]
        counts = [count for _, count in measured[d]]
        rows.append([d, *counts])
        report.claim(
            f"labelings of 1 to {settings.most_points} random points in {d} dimensions",
            ", ".join(map(str, counts)),
            equals=", ".join(map(str, expected)),
        )
    report.table(
        "Labelings found by enumeration",
        columns=["d", *(f"n = {n}" for n in range(1, settings.most_points + 1))],
        rows=rows,
    )
    _position(report, rng)
    _transition(report, settings, rng)
    report.figure(
        "cover-fraction",
        cover_fraction([*settings.dims, 20, 100], measured),
        caption="Share of the 2ⁿ labelings that hyperplanes through the origin make: formula (lines) and "
        "enumeration (dots). All curves meet at one half for n = 2d; the step sharpens with d.",
    )
    return report


def _position(report: Report, rng: np.random.Generator) -> None:
    directions = rng.normal(size=(3, 3))
    flat = np.vstack(
        [directions[:2], directions[0] + directions[1], directions[2:]]
    )  # three in a plane
    count = len(dichotomies(flat))
    report.claim(
        "points in special position have fewer labelings",
        count,
        "{} for 4 points in 3 dimensions, 3 of them in a plane",
        below=cover_count(4, 3),
    )


def _transition(report: Report, settings: Settings, rng: np.random.Generator) -> None:
    d, rows = settings.large_dim, []
    for ratio in (1.5, 2.0, 2.5):
        n = int(ratio * d)
        hits = 0
        for _ in range(settings.trials):
            y = rng.integers(0, 2, size=n)
            y[:2] = (0, 1)
            hits += separate(rng.normal(size=(n, d)), y, fit_intercept=False).separable
        share, theory = hits / settings.trials, cover_count(n, d) / 2**n
        error = 4 * np.sqrt(max(theory * (1 - theory), 1e-4) / settings.trials)
        rows.append([n, ratio, theory, share])
        report.claim(
            f"random labelings of {n} points in {d} dimensions that are separable",
            expected=f"share {theory:.3f} ± {error:.3f}",
            measured=share,
            holds=abs(share - theory) <= error,
        )
    report.table(
        f"Chance that a random labeling is separable, d = {d}",
        columns=["n", "n / d", "formula", "measured"],
        rows=rows,
    )


def cover_fraction(
    dims: Sequence[int], measured: Mapping[int, Sequence[tuple[int, int]]] | None = None
) -> Figure:
    """Draw the share of labelings that hyperplanes can make against points per dimension.

    Args:
        dims: Dimensions to draw Cover's formula for.
        measured: By dimension, numbers of points and of labelings found by enumeration.

    Example:
        >>> figure = cover_fraction([2, 50], {2: [(3, 6), (4, 8)]})
    """
    figure, axes = new_figure(width=6.5, height=4.2)
    for d, colour in zip(dims, cycle(PALETTE), strict=False):
        n = np.arange(1, 4 * d + 1)
        share = [cover_count(int(k), d) / 2 ** int(k) for k in n]
        axes.plot(n / d, share, color=colour, label=f"d = {d}")
        found = (measured or {}).get(d, ())
        axes.plot([k / d for k, _ in found], [c / 2**k for k, c in found], "o", color=colour)
    axes.axvline(2.0, color=MUTED, linewidth=1.0, linestyle=":")
    axes.axhline(0.5, color=MUTED, linewidth=1.0, linestyle=":")
    axes.set(xlabel="points per dimension, n / d", ylabel="share of all labelings", xlim=(0, 4))
    axes.legend()
    return figure
