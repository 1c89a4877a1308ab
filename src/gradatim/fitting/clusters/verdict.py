"""What is said of clusters: how many there are, and what speaks for it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gradatim.clustering import Evidence
from gradatim.clustering.evidence import STABLE
from gradatim.reports import Concern
from gradatim.wording import percent

FEW = 5  # rows of a cluster that is a handful of odd rows rather than a group


class ClusterVerdict(NamedTuple):
    """The conclusion.

    Args:
        num_clusters: How many; 1 where there are none.
        evidence: What speaks for numbers that were looked at.
        sentence: The conclusion in words.
    """

    num_clusters: int
    evidence: list[Evidence]
    sentence: str


def conclude(num_clusters: int, evidence: Sequence[Evidence], *, is_asked: bool) -> ClusterVerdict:
    """Put the conclusion into words.

    Args:
        num_clusters: How many.
        evidence: What speaks for numbers that were looked at.
        is_asked: Whether the user gave the number.
    """
    own = next((e for e in evidence if e.num_clusters == num_clusters), None)
    if own is not None:
        asked = ", as asked" if is_asked else ""
        sentence = f"{num_clusters} clusters{asked}: {in_words(own)}."
    elif is_asked:
        sentence = f"{num_clusters} cluster{'s' if num_clusters > 1 else ''}, as asked."
    else:
        most = evidence[-1].num_clusters
        sentence = (
            f"No clusters here: the rows are one cloud as far as {'2' if most == 2 else f'2 to {most}'} clusters can tell"
            f"{_nearest(evidence)}. One center was kept, by which odd rows are found."
        )
    return ClusterVerdict(num_clusters, list(evidence), sentence)


def in_words(e: Evidence) -> str:
    """What speaks for a number of clusters, or against it."""
    saved = f"they save {percent(1 - np.exp(-e.gap))} of the inertia that the pieces of one cloud would leave"
    if e.gap <= 0:
        saved = "they leave as much inertia as the pieces of one cloud"
    silhouette = f"silhouette {e.silhouette:.2f} ({e.cloud_silhouette:.2f} for one cloud)"
    return f"{saved}, {silhouette}, and two halves of the rows agree on them to {e.stability:.2f} (adjusted Rand index)"


def _nearest(evidence: Sequence[Evidence]) -> str:
    """What the best of the numbers failed by."""
    best = max(evidence, key=lambda e: min(e.gap / e.needed_gap, e.stability / STABLE))
    faults = [
        *([] if best.has_gap else ["they save no more than cutting one cloud does"]),
        *([] if best.is_apart else ["they lie no further apart than its pieces"]),
        *([] if best.is_stable else [f"two halves of the rows agree on them to {best.stability:.2f} only"]),
    ]  # fmt: skip
    return f" ({best.num_clusters} come nearest, but {' and '.join(faults)})"


def doubts(verdict: ClusterVerdict, sizes: Sequence[int], *, is_asked: bool) -> list[Concern]:
    """What a careful reader would worry about.

    Args:
        verdict: The conclusion.
        sizes: Rows of each cluster.
        is_asked: Whether the user gave the number.
    """
    found = []
    own = next((e for e in verdict.evidence if e.num_clusters == verdict.num_clusters), None)
    if own is not None and is_asked and not (own.has_gap and own.is_apart):
        found.append(Concern("Pieces of one cloud", "clusters of rows without any groups would be as good", "Use them to cut, not to explain, or try --clusters auto"))  # fmt: skip
    if own is not None and is_asked and not own.is_stable:
        found.append(Concern("Other rows would give other clusters", f"two halves of the rows agree to {own.stability:.2f} only", "Try fewer clusters"))  # fmt: skip
    small = [k + 1 for k, size in enumerate(sizes) if size < FEW]
    if small and len(sizes) > 1:
        names = ", ".join(map(str, small[:5])) + (", …" if len(small) > 5 else "")
        found.append(Concern("Odd rows rather than groups", f"fewer than {FEW} rows are in cluster {names}"))  # fmt: skip
    return found
