"""Families of classifiers shatter points up to their VC dimension, and then grow like a polynomial."""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import comb

import numpy as np
from matplotlib.figure import Figure

from gradatim.linear import cover_count
from gradatim.models import MLP
from gradatim.plots.style import MARKERS, MUTED, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.theory import (
    growth_function,
    labelings,
    log_log_slope,
    rademacher_complexity,
    shatters,
    vc_dimension,
    vc_gap,
    vc_probability,
)

COVERS = ("I3",)
KEYWORDS = (
    "Vapnik-Chervonenkis, shattering, growth function, Sauer's lemma, statistical learning theory"
)
FAMILIES = {  # name of each family, dimensions, most points that are counted
    "thresholds": (1, 12),
    "intervals": (1, 12),
    "half-spaces": (2, 9),
    "rectangles": (2, 7),
    "sines": (1, 9),
}


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    sizes: tuple[int, ...] = (100, 400, 1600, 6400, 25600)
    repeats: int = 1000
    widths: tuple[int, ...] = (1, 2, 3)


QUICK = Settings(sizes=(100, 400, 1600, 6400), repeats=300, widths=(1, 2))


def best_points(family: str, n: int, dim: int, rng: np.random.Generator) -> np.ndarray:
    """Points of which the family makes as many labelings as of any: halving ones for sines, spread ones on a circle else."""
    if family == "sines":
        return 0.5 ** np.arange(n)
    if dim == 1:
        return rng.normal(size=n)
    turn = 2 * np.pi * (np.arange(n) + rng.uniform(0.1, 0.4)) / n
    return np.column_stack([np.cos(turn), np.sin(turn)])


def sauer(n: int, d: int) -> int:
    """Sauer's bound on the labelings of n points: the subsets of at most d of them."""
    return sum(comb(n, i) for i in range(d + 1))


def claim_growth(report: Report, rng: np.random.Generator) -> dict[str, list[int]]:
    grown: dict[str, list[int]] = {}
    for family, (dim, most) in FAMILIES.items():
        grown[family] = [growth_function(family, n, dim=dim) for n in range(1, most + 1)]
        if family != "rectangles":  # whose growth is itself counted, over all orders
            counted = [len(labelings(family, best_points(family, n, dim, rng))) for n in range(1, most + 1)]  # fmt: skip
            report.claim(f"{family}: labelings of well-placed points", str(counted), f"the formula {grown[family]}", holds=counted == grown[family])  # fmt: skip
        if family == "sines":
            continue
        d = int(vc_dimension(family, dim=dim))
        shattered = sum(count == 2**n for n, count in enumerate(grown[family], 1))
        report.claim(f"{family}: growth leaves 2ⁿ at the VC dimension", shattered, "points", equals=d)  # fmt: skip
        within = [count / sauer(n, d) for n, count in enumerate(grown[family], 1)]
        report.claim(f"{family}: growth keeps Sauer's bound", max(within), "largest ratio to it", at_most=1)  # fmt: skip
    cover = [cover_count(n, 3) for n in range(1, len(grown["half-spaces"]) + 1)]
    report.claim("half-spaces of the plane: Cover's count in 3 dimensions", str(grown["half-spaces"]), str(cover), holds=grown["half-spaces"] == cover)  # fmt: skip
    return grown


def claim_sets(report: Report) -> None:
    """The sets that decide the dimensions of rectangles and half-spaces, and a family of one parameter."""
    diamond, square = [[0, 1], [0, -1], [1, 0], [-1, 0]], [[0, 0], [0, 1], [1, 0], [1, 1]]
    report.claim("rectangles shatter a diamond, and no square", f"{shatters('rectangles', diamond)}, {shatters('rectangles', square)}", equals="True, False")  # fmt: skip
    report.claim("half-spaces of the plane shatter a triangle, and not XOR", f"{shatters('half-spaces', diamond[:3])}, {shatters('half-spaces', square)}", equals="True, False")  # fmt: skip
    report.claim("one parameter, the frequency of a sine, shatters 12 points", shatters("sines", 0.5 ** np.arange(12)), equals=True)  # fmt: skip
    noise = rademacher_complexity(labelings("sines", 0.5 ** np.arange(8)), num_samples=1000).value
    report.claim("and fits any noise: Rademacher complexity", noise, equals=1.0)


def gaps(n: int, repeats: int, rng: np.random.Generator) -> np.ndarray:
    """Largest distance of training and true error over all thresholds, for pure noise as labels.

    The rows are sorted, so that the errors of all thresholds are running sums; the true error of each is a half.
    """
    signs = rng.choice([-1.0, 1.0], size=(repeats, n))
    sums = np.concatenate([np.zeros((repeats, 1)), signs.cumsum(1)], 1)
    errors = (sums - (sums[:, -1:] - sums)) / (2 * n)  # of a threshold after k rows, less a half
    return np.abs(errors).max(1)


def claim_inequality(report: Report, settings: Settings, rng: np.random.Generator) -> dict[str, list[float]]:  # fmt: skip
    found: dict[str, list[float]] = {"mean": [], "95 %": [], "promised": []}
    broken, chances = 0.0, []
    for n in settings.sizes:
        seen, promise = gaps(n, settings.repeats, rng), vc_gap(n + 1, n)
        broken += float((seen > promise).mean())
        for name, value in zip(found, (seen.mean(), np.quantile(seen, 0.95), promise), strict=True):
            found[name].append(float(value))
        chances += [float((seen > eps).mean()) - vc_probability(n + 1, n, eps) for eps in (0.05, 0.1, 0.2)]  # fmt: skip
    report.claim("the VC inequality holds of all thresholds at once", max(chances), "largest excess of the share of gaps above ε over the bound", at_most=0)  # fmt: skip
    report.claim("gaps above what is promised with 95 %", broken, "share", at_most=0.05)
    for name, low, high in (("mean", -0.55, -0.45), ("promised", -0.5, -0.4)):
        slope = log_log_slope(settings.sizes, found[name])
        words = "falls as n^−½" if name == "mean" else "too, but for a logarithm"
        report.claim(f"the {name} gap {words}", slope, "slope", at_least=low, at_most=high)
    slack = found["promised"][-1] / found["95 %"][-1]
    report.claim("the promise is loose", slack, f"times the 95 % quantile at n = {settings.sizes[-1]}", above=3)  # fmt: skip
    rows = [[n, *(found[name][k] for name in found)] for k, n in enumerate(settings.sizes)]
    report.table("Largest gap over all thresholds, labels by coin", columns=["n", "mean", "95 % quantile", "promised with 95 %"], rows=rows)  # fmt: skip
    return found


def claim_networks(report: Report, settings: Settings) -> None:
    rows = []
    for width in settings.widths:
        sizes = (2, width, 1)
        found = vc_dimension(partial(MLP, sizes, activation="tanh"), dim=2, seed=settings.seed)
        count = sum(p.numel() for p in MLP(sizes).parameters())
        rows.append([width, count, found])
    dims = [row[2] for row in rows]
    report.claim("one hidden unit is a line in disguise: 3 points of the plane", dims[0], "shattered in the search", equals=3)  # fmt: skip
    report.claim("wider networks shatter more points", str(dims), "rising", holds=all(a < b for a, b in pairwise(dims)))  # fmt: skip
    report.table("Points of the plane that tanh networks were seen to shatter: lower bounds, by training all labelings", columns=["hidden units", "parameters", "points"], rows=rows)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="What a family of classifiers can say",
        summary="A family makes all labelings of as many points as its VC dimension, and polynomially many beyond. What follows for "
        "all its members at once is true and loose.",
    )
    rng = np.random.default_rng(settings.seed)
    grown = claim_growth(report, rng)
    claim_sets(report)
    found = claim_inequality(report, settings, rng)
    claim_networks(report, settings)
    caption = "Left: labelings of n points; dashed, all of them. Right: the largest distance of training and true error over all thresholds where labels are thrown by coin, and what the VC inequality promises."  # fmt: skip
    report.figure("growth", draw_figure(grown, found, settings.sizes), caption=caption)
    return report


def draw_figure(
    grown: dict[str, list[int]], found: dict[str, list[float]], sizes: tuple[int, ...]
) -> Figure:
    figure, (left, right) = new_figure(columns=2, width=9.5, height=4.2)
    most = np.arange(1, 13)
    left.semilogy(most, 2.0**most, "--", color=MUTED, label="all, 2ⁿ")
    for k, (family, counts) in enumerate(grown.items()):
        left.semilogy(range(1, len(counts) + 1), counts, marker=MARKERS[k], markersize=4, color=PALETTE[k], label=family)  # fmt: skip
    left.set(title="Labelings of n points", xlabel="points n", ylabel="labelings", ylim=(1.5, 5000))
    left.legend(loc="upper left", fontsize=8)
    for k, (name, label) in enumerate((("mean", "simulated, mean"), ("95 %", "simulated, 95 %"), ("promised", "promised with 95 %"))):  # fmt: skip
        right.loglog(sizes, found[name], marker=MARKERS[k], markersize=4, color=PALETTE[k], label=label)  # fmt: skip
    right.axhline(1.0, color=MUTED, linestyle=":", linewidth=1.0)
    right.annotate("above: says nothing", (sizes[-1], 1.0), xytext=(0, 4), textcoords="offset points", ha="right", color=MUTED, fontsize=8)  # fmt: skip
    right.set(title="Gap over all thresholds", xlabel="rows n", ylabel="gap")
    right.legend(loc="lower left", fontsize=8)
    return figure
