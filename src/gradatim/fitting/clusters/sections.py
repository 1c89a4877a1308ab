"""What the report says of clusters: the data, how many, how large, what sets them apart, pictures."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import torch
from scipy.cluster.hierarchy import linkage

from gradatim.clustering import adjusted_rand, find_clusters, silhouettes
from gradatim.clustering.evidence import STABLE, SURE
from gradatim.data.tables.columns import Levels
from gradatim.fitting.clusters.centers import Centers
from gradatim.fitting.clusters.problem import ClusterProblem
from gradatim.fitting.clusters.profile import differences
from gradatim.fitting.clusters.verdict import ClusterVerdict
from gradatim.plots.clusters import (
    CountFigures,
    cluster_scatter,
    count_panels,
    merge_tree,
    silhouette_figure,
)
from gradatim.reports import Concern, Report
from gradatim.wording import percent, shorten

NAMED = 3  # columns that set a cluster apart, in the table of clusters
LISTED = 12  # in the profiles
DRAWN = 5_000  # rows of the picture
MERGED = 2_000  # rows of the dendrogram
JUDGED = 2_000  # rows whose silhouettes are had
PROFILED = 30  # clusters with a profile
RUNS, SAME = 5, 0.99  # runs that are compared; adjusted Rand index from which two are the same
LEVELS = 20  # values of a target that clusters are compared with
HOW_MANY = (
    "The gap is the logarithm of how much less inertia clusters leave than the pieces of tables without groups do: the same columns, "
    f"shuffled, with the same correlations and one hump each. It must be at least 0.1, in four columns or more 0.05, and {SURE:g} times the noise. The silhouette "
    f"must lie above that of such tables, and two halves of the rows must agree to {STABLE} (adjusted Rand index). The smallest number for "
    f"which all three speak is taken, and a larger one where its gap is larger by another 0.1, or 0.05."
)
DESCRIBED = (
    "Effects are differences in deviations (Cohen's d) for numbers and dates, and of angles of shares (Cohen's h) for categories: 0.2 is "
    "small, 0.5 medium, 0.8 large. The clusters were made from these columns, so that large effects describe them and prove nothing."
)


@dataclass
class Found:
    """What was found.

    Args:
        centers: The clusters.
        labels: Of every row, from 0.
        is_far: Rows far from all of them.
        verdict: The conclusion.
        concerns: What a careful reader would worry about.
        folder: Where the model will be.
        seed: Fixes what is drawn for pictures.
    """

    centers: Centers
    labels: np.ndarray
    is_far: np.ndarray
    verdict: ClusterVerdict
    concerns: list[Concern]
    folder: str
    seed: int

    @property
    def count(self) -> int:
        """How many clusters."""
        return len(self.centers.centers)

    def some(self, most: int) -> np.ndarray:
        """Rows for a picture, drawn at random where they are too many."""
        order = np.random.default_rng([self.seed, 4]).permutation(len(self.labels))
        return np.sort(order[:most])


def make_report(p: ClusterProblem, f: Found) -> Report:
    """Compose the report."""
    report = Report(title=f"Clusters of {p.name}", summary=f.verdict.sentence)
    kinds = [column.kind for column in p.columns]
    rows = [["rows", f"{len(p.x):,}"], *([f"{kind} columns", str(kinds.count(kind))] for kind in dict.fromkeys(kinds))]  # fmt: skip
    report.table("Data", columns=["", "value"], rows=rows)
    if p.notes:
        report.table("What was done to the data", columns=["step"], rows=[[n] for n in p.notes])
    if f.concerns:
        report.table("Warnings", columns=["what to worry about"], rows=[[str(c)] for c in f.concerns])  # fmt: skip
    for part, add in (
        ("the table of clusters", _sizes),
        ("how many clusters there are", _numbers),
        ("the agreement of runs", _runs),
        ("the picture", _picture),
        ("the profiles", _profiles),
        ("the comparison with the target", _compare),
        ("the dendrogram", _tree),
    ):
        with report.attempt(part):
            add(report, p, f)
    report.text("How to use the model:")
    report.code("python", _usage(f))
    return report


def _sizes(report: Report, p: ClusterProblem, f: Found) -> None:
    """Add sizes, silhouettes and what sets clusters apart most, and the figure of silhouettes."""
    sizes, means = np.bincount(f.labels, minlength=f.count), [float("nan")] * f.count
    chosen = f.some(JUDGED)
    if len(np.unique(f.labels[chosen])) > 1:
        x, own = torch.from_numpy(p.x[chosen]), f.labels[chosen]
        s = silhouettes(torch.cdist(x, x), torch.from_numpy(own)).numpy()
        means = [float(s[own == k].mean()) if (own == k).any() else float("nan") for k in range(f.count)]  # fmt: skip
        sample = f" of {len(chosen):,} rows drawn at random" if len(chosen) < len(f.labels) else ""
        caption = f"Silhouettes{sample}: how much nearer a row is to its own cluster than to the next one."
        with report.attempt("the silhouettes"):
            report.figure("silhouettes", silhouette_figure(s, own), caption=caption)
    rows = []
    for k, size in enumerate(sizes.tolist()):
        told = differences(p.table, p.columns, f.labels == k)[:NAMED] if k < PROFILED else []
        words = "; ".join(shorten(str(d), 70) for d in told) or "-"
        silhouette = None if np.isnan(means[k]) else round(means[k], 3)
        rows.append([str(k + 1), size, percent(size / len(f.labels)), silhouette, words])
    report.table("Clusters", columns=["cluster", "rows", "share", "silhouette", "set apart by"], rows=rows)  # fmt: skip


def _numbers(report: Report, p: ClusterProblem, f: Found) -> None:
    """Add what speaks for each number of clusters."""
    evidence = f.verdict.evidence
    if not evidence:
        return
    report.text(HOW_MANY)
    columns = ["clusters", "gap", "noise", "silhouette", "of one cloud", "agreement of halves", "speaks for it"]  # fmt: skip
    rows = [
        [e.num_clusters, e.gap, e.noise, e.silhouette, e.cloud_silhouette, e.stability, "yes" if e.is_enough else "no"]
        for e in evidence
    ]  # fmt: skip
    report.table("Numbers of clusters", columns=columns, rows=rows)
    if len(evidence) > 1:
        counts, gap, _, silhouette, cloud, stability, _ = zip(*evidence, strict=True)
        needed = [e.needed_gap for e in evidence]
        figures = CountFigures(counts, gap, needed, silhouette, cloud, stability, STABLE)
        caption = "What speaks for each number of clusters, and what it is held against; the one that was chosen is marked."
        report.figure("numbers", count_panels(figures, f.verdict.num_clusters), caption=caption)


def _runs(report: Report, p: ClusterProblem, f: Found) -> None:
    """Say how often two runs from other random starts find the same."""
    if not 2 <= f.count <= PROFILED:
        return
    x = torch.from_numpy(p.x[f.some(JUDGED)])
    found = [find_clusters(x, f.count, seed=(f.seed + k) % 2**32).labels for k in range(1, RUNS + 1)]  # fmt: skip
    indices = [adjusted_rand(one, other) for one, other in combinations(found, 2)]
    same, least = sum(index >= SAME for index in indices), min(indices)
    words = f"all {same}" if same == len(indices) else f"{same} of {len(indices)}"
    rest = "" if same == len(indices) else f"; the least agreement is {least:.2f}"
    report.text(
        f"Two runs from other random starts find the same clusters in {words} pairs of {RUNS} runs (adjusted Rand index of at least "
        f"{SAME}){rest}."
    )


def _picture(report: Report, p: ClusterProblem, f: Found) -> None:
    """Draw rows and centers in the plane of the first two principal components."""
    chosen = f.some(DRAWN)
    middle = p.x.mean(0)
    _, values, vectors = np.linalg.svd(p.x[f.some(JUDGED)] - middle, full_matrices=False)
    plane = np.zeros((p.x.shape[1], 2))
    plane[:, : len(vectors[:2])] = vectors[:2].T
    shares = [percent(v) for v in (values**2 / (values**2).sum())[:2]] + ["0 %"]
    places, centers = (p.x[chosen] - middle) @ plane, (f.centers.centers - middle) @ plane
    report.figure(
        "components",
        cluster_scatter(
            places, f.labels[chosen], centers, is_far=f.is_far[chosen],
            axes_names=(f"first component, {shares[0]} of the variance", f"second component, {shares[1]}"),
        ),
        caption="The rows in the plane in which they differ most, with the centers. Clusters that overlap here may be apart in other "
        "directions.",
    )  # fmt: skip


def _profiles(report: Report, p: ClusterProblem, f: Found) -> None:
    """Add a table for all clusters of the columns that set them apart."""
    if f.count < 2:
        return
    rows = [
        [str(k + 1), shorten(d.what, 60), d.inside, d.outside, round(d.effect, 2)]
        for k in range(min(f.count, PROFILED))
        for d in differences(p.table, p.columns, f.labels == k)[:LISTED]
    ]
    report.text(DESCRIBED)
    report.table("Profiles", columns=["cluster", "column", "inside", "elsewhere", "effect"], rows=rows)  # fmt: skip


def _compare(report: Report, p: ClusterProblem, f: Found) -> None:
    """Add how clusters and a column that they did not see go together."""
    if p.target is None:
        return
    column, cells = p.target
    values, names = _values(cells)
    if len(names) > LEVELS:
        return
    known = values >= 0
    counts = np.zeros((f.count, len(names)), dtype=int)
    np.add.at(counts, (f.labels[known], values[known]), 1)
    index = adjusted_rand(torch.from_numpy(f.labels[known]), torch.from_numpy(values[known]))
    rows = [[str(k + 1), *row] for k, row in enumerate(counts.tolist())]
    report.table(f"Clusters and {column.name}", columns=["cluster", *names], rows=rows)
    report.text(
        f"The clusters did not see {column.name!r}. Their agreement with it is {index:.3f} (adjusted Rand index: 1 for the same groups, 0 for "
        "what chance gives)."
    )


def _values(cells: "np.ndarray | Levels") -> tuple[np.ndarray, list[str]]:
    """Values of a column as codes, -1 where missing, and their names."""
    if isinstance(cells, Levels):
        return cells.codes.astype(np.int64), cells.names
    is_known = ~np.isnan(cells)
    names, codes = np.unique(cells[is_known], return_inverse=True)
    values = np.full(len(cells), -1)
    values[is_known] = codes
    return values, [f"{name:g}" for name in names.tolist()]


def _tree(report: Report, p: ClusterProblem, f: Found) -> None:
    """Draw how the rows merge by Ward's linkage."""
    chosen = f.some(MERGED)
    if len(chosen) < 3:
        return
    sample = f", {len(chosen):,} of them drawn at random" if len(chosen) < len(f.labels) else ""
    cut = f", cut into {f.count}" if f.count > 1 else ""
    report.figure(
        "dendrogram",
        merge_tree(linkage(p.x[chosen], "ward"), num_clusters=min(f.count, len(chosen))),
        caption=f"How the rows{sample} merge by Ward's linkage{cut}: the higher a merge, the more inertia it adds. A cut far from all merges "
        "is a clear one. The colours below the cut are those of the tree, which need not be those of k-means.",
    )  # fmt: skip


def _usage(f: Found) -> str:
    return (
        "import gradatim\nimport pandas as pd\n\n"
        f"model = gradatim.load_model({f.folder!r})\n"
        'frame = pd.read_csv("new.csv")          # columns are found by name\n'
        "model.predict(frame)                    # cluster, distance, and whether a row is far from all\n"
        "model.about['verdict']                  # what was found\n"
    )
