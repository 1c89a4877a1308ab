"""How many clusters, and none where there are none: gap, silhouette and stability where truth is known."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import torch
from matplotlib.figure import Figure

from gradatim.clustering import Choice, OneHump, choose_num_clusters, find_clusters, judge_counts
from gradatim.clustering.evidence import STABLE
from gradatim.plots.clusters import draw_clusters
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.reports import Report

COVERS = ("A7",)
KEYWORDS = "number of clusters, gap statistic, silhouette, elbow, unsupervised learning"
DIMS = (2, 5, 10)
APART = 6.0  # deviations between the nearest of three centers

Draw = Callable[[np.random.Generator, int, int], np.ndarray]


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    draws: int = 20
    rows: int = 200
    max_clusters: int = 8
    references: int = 20
    halvings: int = 10
    square: int = 2000


QUICK = Settings(draws=2, rows=100, max_clusters=4, references=10, halvings=5, square=2000)


def uniform(rng: np.random.Generator, rows: int, dim: int) -> np.ndarray:
    """A cube."""
    return rng.random((rows, dim))


def gaussian(rng: np.random.Generator, rows: int, dim: int) -> np.ndarray:
    """One Gaussian, whose columns are correlated at random."""
    return np.asarray(rng.normal(size=(rows, dim)) @ rng.normal(size=(dim, dim)))


def blobs(rng: np.random.Generator, rows: int, dim: int) -> np.ndarray:
    """Three round clusters at random places, the nearest six deviations apart."""
    centers = rng.normal(size=(3, dim))
    centers *= APART / min(float(np.linalg.norm(a - b)) for a, b in combinations(centers, 2))
    return np.asarray(centers[np.arange(rows) % 3] + rng.normal(size=(rows, dim)))


TABLES: dict[str, tuple[int, Draw]] = {
    "uniform": (1, uniform),
    "one Gaussian": (1, gaussian),
    "three blobs": (3, blobs),
}


WORDS = {
    "uniform": "a cube has no clusters",
    "one Gaussian": "one Gaussian has no clusters",
    "three blobs": "three blobs are three clusters",
}


def standardized(x: np.ndarray) -> np.ndarray:
    """Columns in deviations from their means."""
    return np.asarray((x - x.mean(0)) / x.std(0))


def choose_all(s: Settings) -> tuple[dict[tuple[str, int], list[Choice]], dict[str, np.ndarray]]:
    """What is said of every table, by kind and columns; and the first table of each kind."""
    found: dict[tuple[str, int], list[Choice]] = {}
    shown: dict[str, np.ndarray] = {}
    for number, (name, (_, draw)) in enumerate(TABLES.items()):
        for dim in DIMS:
            for k in range(s.draws):
                x = standardized(draw(np.random.default_rng([s.seed, number, dim, k]), s.rows, dim))
                shown.setdefault(name, x)
                choice = choose_num_clusters(
                    x, max_clusters=s.max_clusters, num_references=s.references, num_halvings=s.halvings, seed=s.seed + k
                )  # fmt: skip
                found.setdefault((name, dim), []).append(choice)
    return found, shown


def run(settings: Settings) -> Report:
    s = settings
    found, shown = choose_all(s)
    right = {key: sum(c.num_clusters == TABLES[key[0]][0] for c in own) for key, own in found.items()}  # fmt: skip
    clouds = [c for key, own in found.items() if key[0] != "three blobs" for c in own]
    square = standardized(uniform(np.random.default_rng([s.seed, 9]), s.square, 2))
    quarters = judge_counts(square, [4], num_references=s.references, num_halvings=s.halvings, seed=s.seed)[0]  # fmt: skip
    total = s.draws * len(DIMS)
    report = Report(
        title="How many clusters?",
        summary=f"Gap, silhouette and stability together answer right for {sum(right.values())} of {3 * total} tables.",
    )
    for name, words in WORDS.items():
        count = sum(n for key, n in right.items() if key[0] == name)
        report.claim(f"{words}, in 2, 5 and 10 columns", count, f"{{}} of {total}", equals=total)
    alone = [max(c.evidence, key=lambda e: e.silhouette).silhouette for c in clouds]
    report.claim("a cloud has a positive silhouette all the same, and its best number of clusters", min(alone), "least of the best silhouettes", above=0.0)  # fmt: skip
    report.claim("two halves of a square agree on its four quarters", quarters.stability, "adjusted Rand index", at_least=STABLE)  # fmt: skip
    report.claim("… which are no clusters: the gap says so", quarters.gap, "gap", below=quarters.needed_gap)  # fmt: skip
    report.table(
        "Tables answered right",
        columns=["table", "columns", "right", "of", "largest gap", "needed there", "agreement there"],
        rows=[[name, dim, right[name, dim], s.draws, *_best(own)] for (name, dim), own in found.items()],
    )  # fmt: skip
    report.figure(
        "tables", draw_tables(shown, {name: found[name, DIMS[0]][0] for name in TABLES}, s.seed),
        caption="A table of each kind in two columns, cut into three by k-means; the same columns, shuffled, with one hump and the same "
        "correlations; how much more inertia the clusters save there, and how well halves agree. Of a cloud nothing is left to save.",
    )  # fmt: skip
    return report


def _best(own: list[Choice]) -> list[float]:
    best = max((e for c in own for e in c.evidence), key=lambda e: e.gap / e.needed_gap)
    return [best.gap, best.needed_gap, best.stability]


def draw_tables(tables: dict[str, np.ndarray], choices: dict[str, Choice], seed: int) -> Figure:
    """Rows, rows without groups, and what speaks for each number of clusters."""
    figure, panels = new_figure(len(tables), 4, width=11.5, height=2.7 * len(tables))
    for line, (name, x) in zip(panels, tables.items(), strict=True):
        gone = OneHump(x).draw(seed=seed)
        for panel, rows, title in ((line[0], x, name), (line[1], gone, "shuffled, one hump")):
            draw_clusters(
                panel, rows, find_clusters(torch.from_numpy(rows), 3, seed=seed).labels.numpy()
            )
            panel.set_title(title)
        choice = choices[name]
        counts = [e.num_clusters for e in choice.evidence]
        for panel, title, own, needed in (
            (line[2], "gap", [e.gap for e in choice.evidence], [e.needed_gap for e in choice.evidence]),
            (line[3], "agreement of halves", [e.stability for e in choice.evidence], [STABLE] * len(counts)),
        ):  # fmt: skip
            panel.plot(counts, needed, color=MUTED, linestyle="--", linewidth=1.4, label="needed")
            panel.plot(counts, own, color=PALETTE[0], marker="o", markersize=5, label="found")
            panel.set_title(title)
            panel.set_xticks(counts)
        line[2].legend(loc="best")
        answer = f"{choice.num_clusters} clusters" if choice.num_clusters > 1 else "no clusters"
        line[3].set(xlabel=f"clusters; the answer: {answer}")
    return figure
