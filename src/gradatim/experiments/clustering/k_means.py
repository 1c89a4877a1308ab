"""k-means: every step lowers the inertia, an end is certain, and where it is depends on the start."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from sklearn.cluster import KMeans
from torch import Tensor

from gradatim.clustering import adjusted_rand, find_clusters, gaussian_mixture, k_means
from gradatim.clustering import k_means_plus_plus as draw_centers
from gradatim.plots.clusters import draw_clusters
from gradatim.plots.style import INK, PALETTE, new_figure
from gradatim.reports import Report

COVERS = ("A7",)
KEYWORDS = "centroids, Lloyd's algorithm, inertia, k-means++, Gaussian mixture, unsupervised learning, within-cluster distance"
GROUPS = 8
CENTERS = torch.tensor([[0.0, 0.0], [6.0, 1.0], [3.0, 6.0]]).double()
MIXTURES = 10
COMPARED = 20  # starts that scikit-learn goes on from too
RANDOM, CAREFUL = "rows at random", "k-means++"
BEST = 1.01  # times the least inertia, up to which a start has found it


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 400
    starts: int = 1000
    rounds: int = 100


QUICK = Settings(rows=240, starts=100, rounds=60)


def draw_groups(centers: Tensor, rows: int, g: torch.Generator) -> tuple[Tensor, Tensor]:
    """Round groups of one size and one deviation, and which of them each row is of."""
    truth = torch.arange(rows) % len(centers)
    return centers[truth] + torch.randn(rows, centers.shape[1], generator=g).double(), truth


def ring(count: int) -> Tensor:
    """Centers on a circle, neighbours 7 deviations apart."""
    angle = 2 * torch.pi * torch.arange(count).double() / count
    radius = 3.5 / np.sin(np.pi / count)
    return radius * torch.stack([angle.cos(), angle.sin()], 1)


def long_groups(rows: int, g: torch.Generator) -> tuple[Tensor, Tensor]:
    """Two groups side by side, eight times longer than wide."""
    truth = torch.arange(rows) % 2
    x = torch.randn(rows, 2, generator=g).double() * torch.tensor([8.0, 1.0])
    return x + 6.0 * truth[:, None] * torch.tensor([0.0, 1.0]), truth


class Starts(NamedTuple):
    """What became of many starts.

    Args:
        ends: Inertias at the end, by how the centers were drawn.
        begins: Inertias at the beginning, of those drawn by k-means++.
        rise: The largest relative rise of an inertia.
        longest: The most steps.
        differ: Rows whose label is not that of scikit-learn, from the same start.
    """

    ends: dict[str, list[float]]
    begins: list[float]
    rise: float
    longest: int
    differ: int

    @property
    def best(self) -> float:
        """The least inertia of all."""
        return min(min(own) for own in self.ends.values())

    @property
    def stuck(self) -> dict[str, float]:
        """The share of the starts that end in a worse place, by how the centers were drawn."""
        return {name: float(np.mean(np.array(own) > BEST * self.best)) for name, own in self.ends.items()}  # fmt: skip


def try_starts(x: Tensor, count: int, g: torch.Generator) -> Starts:
    """Begin k-means at rows drawn at random, and at those that k-means++ draws."""
    paths: dict[str, list[list[k_means.State]]] = {RANDOM: [], CAREFUL: []}
    for _ in range(count):
        rows = x[torch.randperm(len(x), generator=g)[:GROUPS]]
        paths[RANDOM].append(k_means.descend(x, rows))
        paths[CAREFUL].append(k_means.descend(x, draw_centers(x, GROUPS, generator=g)))
    everyone = [[float(state.inertia) for state in path] for own in paths.values() for path in own]
    return Starts(
        ends={name: [float(path[-1].inertia) for path in own] for name, own in paths.items()},
        begins=[float(path[0].inertia) for path in paths[CAREFUL]],
        rise=max([0.0, *((b - a) / a for path in everyone for a, b in pairwise(path))]),
        longest=max(len(path) - 1 for path in everyone),
        differ=max(count_different(x, path) for path in paths[RANDOM][:COMPARED]),
    )


def count_different(x: Tensor, path: list[k_means.State]) -> int:
    """Rows whose label is not that of scikit-learn from the same start; where a center loses all rows, it moves that one."""
    if any(state.labels.unique().numel() < GROUPS for state in path):
        return 0
    theirs = KMeans(GROUPS, init=path[0].centers.numpy(), n_init=1, tol=0.0).fit(x.numpy())
    return int((path[-1].labels.numpy() != theirs.labels_).sum())


def run(settings: Settings) -> Report:
    g = torch.Generator().manual_seed(settings.seed)
    few, groups = draw_groups(CENTERS, settings.rows, g)
    states = k_means.descend(few, few.mean(0) + ring(3) / 10)  # side by side in the middle
    many, _ = draw_groups(ring(GROUPS), settings.rows, g)
    starts = try_starts(many, settings.starts, g)
    long, truth = long_groups(settings.rows, g)
    cut, mixture = find_clusters(long, 2, seed=settings.seed).labels, fit_mixture(long, settings.rounds, g)  # fmt: skip
    report = Report(
        title="k-means, its starts and its shape",
        summary=f"Of {settings.starts} starts at random rows {100 * starts.stuck[RANDOM]:.0f} % end in a worse place than the best; of "
        f"as many by k-means++ {100 * starts.stuck[CAREFUL]:.0f} %.",
    )  # fmt: skip
    claim(report, starts)
    report.claim("three centers in the middle find three groups", adjusted_rand(states[-1].labels, groups), "adjusted Rand index", at_least=0.95)  # fmt: skip
    report.claim("k-means cuts long groups across", adjusted_rand(cut, truth), "adjusted Rand index", at_most=0.3)  # fmt: skip
    report.claim("the likeliest of ten Gaussian mixtures finds them", adjusted_rand(mixture, truth), "adjusted Rand index", at_least=0.9)  # fmt: skip
    report.figure(
        "steps", draw_steps(few, states),
        caption="The same rows while k-means goes on, from three centers in the middle, with the inertia. Crosses are centers, lines their way.",
    )  # fmt: skip
    worst = k_means.descend(many, worst_start(many, g))[-1]
    report.figure(
        "starts", draw_starts(many, worst, starts),
        caption="A bad end: a center holds two groups, and two centers share one, though no row would move. How often starts end at which inertia.",
    )  # fmt: skip
    report.figure("shapes", draw_shapes(long, cut, mixture), caption="Two long groups, cut by k-means and found by a Gaussian mixture.")  # fmt: skip
    return report


def claim(report: Report, starts: Starts) -> None:
    """What holds of all starts, and how often they end well."""
    bound = 8 * (np.log(GROUPS) + 2)
    report.claim("the inertia never rises by more than rounding", starts.rise, "relative rise", at_most=1e-12)  # fmt: skip
    report.claim("every start comes to an end", starts.longest, "steps of the longest", at_most=1000)  # fmt: skip
    report.claim("from the same start the labels are those of scikit-learn", starts.differ, f"{{}} rows differ in {COMPARED} starts, but for those in which a center loses all its rows", equals=0)  # fmt: skip
    report.claim("starts at random rows often end in a worse place", starts.stuck[RANDOM], "in a share", at_least=0.5)  # fmt: skip
    report.claim("k-means++ ends there less often", starts.stuck[CAREFUL], "in a share", below=starts.stuck[RANDOM])  # fmt: skip
    report.claim("k-means++ begins as well as is promised", float(np.mean(starts.begins)) / starts.best, "{} times the best inertia on average", at_most=bound)  # fmt: skip
    report.table(
        "Where starts end",
        columns=["start", "share in a worse place", "mean inertia", "worst", "best"],
        rows=[[name, starts.stuck[name], float(np.mean(own)), max(own), min(own)] for name, own in starts.ends.items()],
    )  # fmt: skip


def fit_mixture(x: Tensor, rounds: int, g: torch.Generator) -> Tensor:
    """The likeliest part of each row, of the likeliest of ten mixtures that begin at random rows."""
    found = []
    for _ in range(MIXTURES):
        state = gaussian_mixture.init(x, x[torch.randperm(len(x), generator=g)[:2]])
        for _ in range(rounds):
            state, info = gaussian_mixture.step(x, state)
        found.append(info)
    return max(found, key=lambda info: float(info.log_likelihood)).shares.argmax(1)


def worst_start(x: Tensor, g: torch.Generator) -> Tensor:
    """The centers, of some random rows, from which k-means ends worst."""
    starts = [x[torch.randperm(len(x), generator=g)[:GROUPS]] for _ in range(30)]
    return max(starts, key=lambda centers: float(k_means.descend(x, centers)[-1].inertia))


def draw_steps(x: Tensor, states: list[k_means.State]) -> Figure:
    """Rows, clusters and centers at some steps."""
    shown = sorted({*range(min(5, len(states))), len(states) - 1})
    rows = 1 if len(shown) <= 3 else 2
    figure, panels = new_figure(rows, 3, width=10.0, height=3.1 * rows, sharex=True, sharey=True)
    for panel, step in zip(panels.flat, shown, strict=False):
        state = states[step]
        draw_clusters(panel, x.numpy(), state.labels.numpy(), state.centers.numpy())
        way = torch.stack([s.centers for s in states[: step + 1]]).numpy()  # (steps, K, 2)
        for k in range(way.shape[1]):
            panel.plot(way[:, k, 0], way[:, k, 1], color=INK, linewidth=1.1, zorder=4)
        panel.set_title(f"{'start' if step == 0 else f'step {step}'}: {float(state.inertia):,.0f}")
    for k in range(len(shown), 3 * rows):
        panels.flat[k].set_axis_off()
        panels.flat[k - 3].tick_params(labelbottom=True)  # the lowest of its column
    return figure


def draw_starts(x: Tensor, worst: k_means.State, starts: Starts) -> Figure:
    """A bad end, and how often which inertia is reached."""
    figure, (left, right) = new_figure(1, 2, width=10.0, height=4.2)
    draw_clusters(left, x.numpy(), worst.labels.numpy(), worst.centers.numpy())
    left.set_title(f"a bad end: {float(worst.inertia) / starts.best:.1f} times the best inertia")
    left.set_aspect("equal")
    ratios = {name: np.array(own) / starts.best for name, own in starts.ends.items()}
    bins = np.linspace(1.0, max(r.max() for r in ratios.values()) + 1e-9, 25)
    for k, (name, own) in enumerate(ratios.items()):
        right.hist(own, bins=bins, weights=np.full(len(own), 1 / len(own)), color=PALETTE[k], alpha=0.65, label=name)  # fmt: skip
    right.set(xlabel="inertia at the end, the best is 1", ylabel="share of the starts")
    right.legend()
    return figure


def draw_shapes(x: Tensor, cut: Tensor, found: Tensor) -> Figure:
    """Long groups by k-means and by a mixture."""
    figure, panels = new_figure(2, 1, width=7.0, height=4.6, sharex=True, sharey=True)
    for panel, title, labels in zip(panels, ("k-means", "Gaussian mixture"), (cut, found), strict=True):  # fmt: skip
        draw_clusters(panel, x.numpy(), labels.numpy())
        panel.set_title(title)
        panel.set_aspect("equal")
    return figure
