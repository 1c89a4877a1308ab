"""k-means: every step lowers the inertia, an end is certain, and where it is depends on the start."""

from dataclasses import dataclass
from itertools import pairwise

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

GROUPS = 8
CENTERS = torch.tensor([[0.0, 0.0], [6.0, 1.0], [3.0, 6.0]]).double()
MIXTURES = 10
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


def run(settings: Settings) -> Report:
    g = torch.Generator().manual_seed(settings.seed)
    few, groups = draw_groups(CENTERS, settings.rows, g)
    states = k_means.descend(few, few.mean(0) + ring(3) / 10)  # side by side in the middle
    agreement = adjusted_rand(states[-1].labels, groups)
    many, _ = draw_groups(ring(GROUPS), settings.rows, g)
    ends: dict[str, list[float]] = {"rows at random": [], "k-means++": []}
    begins, rise, longest, agreements = [], 0.0, 0, []
    for start in range(settings.starts):
        rows = torch.randperm(len(many), generator=g)[:GROUPS]
        for name, centers in (
            ("rows at random", many[rows]),
            ("k-means++", draw_centers(many, GROUPS, generator=g)),
        ):
            path = k_means.descend(many, centers)
            inertias = [float(state.inertia) for state in path]
            rise = max([rise, *((b - a) / a for a, b in pairwise(inertias))])
            longest = max(longest, len(path) - 1)
            ends[name].append(inertias[-1])
            if name == "k-means++":
                begins.append(inertias[0])
        if start < 20:
            theirs = KMeans(GROUPS, init=many[rows].numpy(), n_init=1, tol=0.0).fit(many.numpy())
            ours = k_means.descend(many, many[rows])
            if all(
                state.labels.unique().numel() == GROUPS for state in ours
            ):  # else it moves a center
                agreements.append(int((ours[-1].labels.numpy() != theirs.labels_).sum()))
    best = min(min(own) for own in ends.values())
    stuck = {name: float(np.mean(np.array(own) > BEST * best)) for name, own in ends.items()}
    long, truth = long_groups(settings.rows, g)
    found = find_clusters(long, 2, seed=settings.seed)
    mixture = fit_mixture(long, settings.rounds, g)
    shares = adjusted_rand(found.labels, truth), adjusted_rand(mixture, truth)

    report = Report(
        title="k-means, its starts and its shape",
        summary=f"Of {settings.starts} starts at random rows {100 * stuck['rows at random']:.0f} % end in a worse place than the best; of "
        f"as many by k-means++ {100 * stuck['k-means++']:.0f} %.",
    )  # fmt: skip
    report.claim(
        "the inertia never rises by more than rounding", rise, "relative rise", at_most=1e-12
    )
    report.claim("every start comes to an end", longest, "steps of the longest", at_most=1000)
    report.claim(
        "from the same start the labels are those of scikit-learn",
        max(agreements),
        "{} rows differ in 20 starts, but for those in which a center loses all its rows",
        equals=0,
    )
    report.claim(
        "three centers in the middle find three groups",
        agreement,
        "adjusted Rand index",
        at_least=0.95,
    )
    report.claim(
        "starts at random rows often end in a worse place",
        stuck["rows at random"],
        "in a share",
        at_least=0.5,
    )
    report.claim(
        "k-means++ ends there less often",
        stuck["k-means++"],
        "in a share",
        below=stuck["rows at random"],
    )
    bound = 8 * (np.log(GROUPS) + 2)
    report.claim(
        "k-means++ begins as well as is promised",
        float(np.mean(begins)) / best,
        "{} times the best inertia on average",
        at_most=bound,
    )
    report.claim("k-means cuts long groups across", shares[0], "adjusted Rand index", at_most=0.3)
    report.claim(
        "the likeliest of ten Gaussian mixtures finds them",
        shares[1],
        "adjusted Rand index",
        at_least=0.9,
    )
    report.table(
        "Where starts end",
        columns=["start", "share in a worse place", "mean inertia", "worst", "best"],
        rows=[
            [name, stuck[name], float(np.mean(own)), max(own), min(own)]
            for name, own in ends.items()
        ],
    )
    report.figure(
        "steps",
        draw_steps(few, states),
        caption="The same rows while k-means goes on, from three centers in the middle, with the inertia. Crosses are centers, lines their way.",
    )
    worst = k_means.descend(many, worst_start(many, g))[-1]
    report.figure(
        "starts", draw_starts(many, worst, ends, best),
        caption="A bad start: one center holds two groups, and two share one; no row would move. How often starts end at which inertia.",
    )  # fmt: skip
    report.figure(
        "shapes",
        draw_shapes(long, found.labels, mixture),
        caption="Two long groups, cut by k-means and found by a Gaussian mixture.",
    )
    return report


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
    figure, panels = new_figure(2, 3, width=10.0, height=6.2, sharex=True, sharey=True)
    for panel, step in zip(panels.flat, shown, strict=False):
        state = states[step]
        draw_clusters(panel, x.numpy(), state.labels.numpy(), state.centers.numpy())
        way = torch.stack([s.centers for s in states[: step + 1]]).numpy()  # (steps, K, 2)
        for k in range(way.shape[1]):
            panel.plot(way[:, k, 0], way[:, k, 1], color=INK, linewidth=1.1, zorder=4)
        panel.set_title(f"{'start' if step == 0 else f'step {step}'}: {float(state.inertia):,.0f}")
    for panel in panels.flat[len(shown) :]:
        panel.set_axis_off()
    return figure


def draw_starts(x: Tensor, worst: k_means.State, ends: dict[str, list[float]], best: float) -> Figure:  # fmt: skip
    """A bad end, and how often which inertia is reached."""
    figure, (left, right) = new_figure(1, 2, width=10.0, height=4.2)
    draw_clusters(left, x.numpy(), worst.labels.numpy(), worst.centers.numpy())
    left.set_title(f"a bad end: {float(worst.inertia) / best:.1f} times the best inertia")
    left.set_aspect("equal")
    ratios = {name: np.array(own) / best for name, own in ends.items()}
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
