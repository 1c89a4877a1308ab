"""Four ways to merge the same points: only Ward's puts three clusters of fifty points on both sides of 15.

Some lecture notes cut a dendrogram of such points near 15 without naming its linkage; here it is found.
"""

from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import fcluster, linkage

from gradatim.clustering import LINKAGES, adjusted_rand, agglomerate
from gradatim.clustering.agglomeration import Linkage
from gradatim.data import synthetic
from gradatim.plots.clusters import draw_clusters, draw_tree
from gradatim.plots.style import PALETTE, new_figure
from gradatim.reports import Report

COVERS = ("A7",)
KEYWORDS = "hierarchical clustering, agglomerative divisive, linkage, Ward, unsupervised learning"
CENTERS = np.array([[0.0, 0.0], [5.0, 5.0], [0.0, 8.0]])
CUT = 15.0
POINTS = 50
LAST = 8  # merges whose heights are drawn


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    draws: int = 100
    moons: int = 300


QUICK = Settings(draws=10)


def draw_points(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Fifty points in three groups with a deviation of 1, and their groups."""
    truth = np.arange(POINTS) % 3
    return CENTERS[truth] + rng.normal(size=(POINTS, 2)), truth


def agreement(merges: np.ndarray, count: int, truth: np.ndarray) -> float:
    """How well clusters of a tree agree with the groups."""
    parts = fcluster(merges, count, "maxclust")
    return adjusted_rand(torch.from_numpy(parts), torch.from_numpy(truth))


def run(settings: Settings) -> Report:
    rng = np.random.default_rng(settings.seed)
    x, truth = draw_points(rng)
    trees = {name: agglomerate(torch.from_numpy(x), name).numpy() for name in LINKAGES}
    error = max(float(np.abs(trees[name] - linkage(x, name)).max()) for name in LINKAGES)
    splits, by_ward = dict.fromkeys(LINKAGES, 0), []
    for _ in range(settings.draws):
        points, groups = draw_points(rng)
        for name in LINKAGES:
            tree = linkage(points, name)
            splits[name] += bool(tree[-3, 2] < CUT < tree[-2, 2])
        by_ward.append(agreement(linkage(points, "ward"), 3, groups))
    inertia = float(((x - x.mean(0)) ** 2).sum())
    added = float((trees["ward"][:, 2] ** 2).sum() / 2)
    moons, sides = (np.asarray(part) for part in synthetic.moons(settings.moons, noise=0.05, seed=settings.seed))  # fmt: skip
    moon_trees = {name: linkage(moons, name) for name in LINKAGES}
    on_moons = {name: agreement(tree, 2, sides) for name, tree in moon_trees.items()}
    rows = [
        [name, float(tree[-3, 2]), float(tree[-2, 2]), float(tree[-1, 2]), agreement(tree, 3, truth), on_moons[name]]
        for name, tree in trees.items()
    ]  # fmt: skip

    report = Report(
        title="Linkages on the same points",
        summary=f"A cut at 15 gives the three clusters of fifty points by Ward's linkage in {splits['ward']} of {settings.draws} draws, by "
        f"the others in {max(splits[name] for name in LINKAGES if name != 'ward')} at most.",
    )  # fmt: skip
    report.claim("merges are those of SciPy", error, "largest difference", at_most=1e-9)
    report.claim(
        "a cut at 15 gives three clusters by Ward's linkage",
        splits["ward"] / settings.draws,
        "in a share {} of the draws",
        at_least=1.0,
    )
    report.claim(
        "… and by no other one", max(splits[n] for n in LINKAGES if n != "ward"), "draws", equals=0
    )
    report.claim(
        "half the squared heights of Ward's merges are the whole inertia",
        added / inertia,
        near=(1.0, 1e-9),
    )
    report.claim(
        "three clusters of Ward's tree are the groups",
        float(np.mean(by_ward)),
        "adjusted Rand index, mean over the draws",
        at_least=0.9,
    )
    report.claim(
        "single linkage follows two half-moons",
        on_moons["single"],
        "adjusted Rand index",
        at_least=0.99,
    )
    report.claim("Ward's linkage cuts them", on_moons["ward"], "adjusted Rand index", at_most=0.9)
    report.table(
        "Heights of the last merges, and how well clusters agree with the groups",
        columns=[
            "linkage",
            "third last",
            "second last",
            "last",
            "agreement, points",
            "agreement, half-moons",
        ],
        rows=rows,
    )
    report.figure(
        "trees", draw_trees(x, trees),
        caption="Fifty points and their dendrograms, cut into three clusters (red). Only Ward's heights, "
        "which grow with the size of what is merged, have a cut near 15.",
    )  # fmt: skip
    report.figure(
        "moons", draw_moons(moons, moon_trees),
        caption="Two half-moons, cut into two clusters: single linkage follows the nearest neighbour, the others look for round clusters.",
    )  # fmt: skip
    return report


def draw_trees(x: np.ndarray, trees: dict[Linkage, np.ndarray]) -> Figure:
    """The points, and the tree of every linkage."""
    figure, panels = new_figure(2, 3, width=11.0, height=6.4)
    spots = panels.flat
    parts = fcluster(trees["ward"], 3, "maxclust") - 1
    places = [spots[0], spots[1], spots[2], spots[4], spots[5]]
    draw_clusters(places[0], x, parts)
    places[0].set_title("fifty points")
    for panel, (name, tree) in zip(places[1:], trees.items(), strict=True):
        draw_tree(panel, tree, num_clusters=3)
        panel.set_title(name)
        panel.set_xticks([])
    for k, (name, tree) in enumerate(trees.items()):
        spots[3].plot(range(LAST, 0, -1), tree[-LAST:, 2], color=PALETTE[k], marker="o", markersize=4, label=name)  # fmt: skip
    spots[3].axhline(CUT, color="#C0392B", linestyle="--", linewidth=1.3)
    spots[3].set_title("heights of the last merges")
    spots[3].set(xlabel="merges from the end")
    spots[3].legend(loc="upper right")
    return figure


def draw_moons(x: np.ndarray, trees: dict[Linkage, np.ndarray]) -> Figure:
    """Half-moons in two clusters by every linkage."""
    figure, panels = new_figure(1, 4, width=11.0, height=2.6, sharex=True, sharey=True)
    for panel, (name, tree) in zip(panels, trees.items(), strict=True):
        draw_clusters(panel, x, fcluster(tree, 2, "maxclust") - 1)
        panel.set_title(name)
        panel.set_aspect("equal")
    return figure
