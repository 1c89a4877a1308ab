"""How many clusters, and whether there are any."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gradatim.clustering.evidence import Evidence, halve, least_gap, scan
from gradatim.clustering.one_hump import OneHump
from gradatim.errors import require, require_seed, require_whole
from gradatim.events import Stage, Tell, tell_nobody
from gradatim.threads import in_one_thread

MOST_ROWS, MOST_CELLS, LEAST_ROWS = 1_000, 200_000, 200  # that are looked at
MOST_CLUSTERS = 10
PER_CLUSTER = 4  # rows, at least


class Choice(NamedTuple):
    """How many clusters there are.

    Args:
        num_clusters: 1 where nothing tells clusters from one cloud.
        evidence: For every number that was looked at.
        rows: How many rows were looked at.
    """

    num_clusters: int
    evidence: list[Evidence]
    rows: int


def choose_num_clusters(
    x: np.ndarray,
    *,
    max_clusters: int = MOST_CLUSTERS,
    blocks: Sequence[Sequence[int]] | None = None,
    num_references: int = 20,
    num_halvings: int = 10,
    seed: int = 0,
    tell: Tell = tell_nobody,
) -> Choice:
    """The number of clusters for which gap, silhouette and stability speak, or 1: no clusters.

    A number counts if its clusters save at least a tenth of the inertia (a twentieth in four columns or more), and four times the noise, beyond what cutting one cloud
    saves (:class:`OneHump`), if they lie further apart than pieces of such a cloud, and if two halves of the rows find the same
    (adjusted Rand index 0.8). The smallest number that counts is chosen, and a larger one where its gap is larger by another tenth (or twentieth).
    Of more than 1,000 rows, or fewer where they are wide, a random sample is looked at.

    Args:
        x: Rows in which columns count alike, shape ``(N, d)``, at least 8.
        max_clusters: The most clusters.
        blocks: Columns that belong together, as in :class:`OneHump`.
        num_references: Tables without groups.
        num_halvings: Times that the rows are halved.
        seed: Fixes all draws.
        tell: Called with what is being done.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> cloud = rng.normal(size=(150, 2))
        >>> groups = cloud + 7 * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(150) % 3]
        >>> [choose_num_clusters(x, max_clusters=5).num_clusters for x in (cloud, groups)]
        [1, 3]

    Reference:
        Tibshirani, Walther and Hastie, Estimating the number of clusters in a data set via the gap statistic, 2001; Ben-Hur,
        Elisseeff and Guyon, A stability based method for discovering structure in clustered data, 2002.
    """
    x = _checked("choose_num_clusters", x)
    require_whole("choose_num_clusters", max_clusters=max_clusters)
    require(
        len(x) >= 2 * PER_CLUSTER,
        f"choose_num_clusters: x must have at least {2 * PER_CLUSTER} rows",
        len(x),
    )
    sample = sample_rows(x, seed)
    counts = list(range(2, min(max_clusters, len(sample) // PER_CLUSTER) + 1))
    evidence = judge_counts(
        sample, counts, blocks=blocks, num_references=num_references, num_halvings=num_halvings, seed=seed, tell=tell
    )  # fmt: skip
    best: Evidence | None = None
    for own in evidence:
        if own.is_enough and (best is None or own.is_more_than(best)):
            best = own
    return Choice(1 if best is None else best.num_clusters, evidence, len(sample))


def judge_counts(
    x: np.ndarray,
    counts: Sequence[int],
    *,
    blocks: Sequence[Sequence[int]] | None = None,
    num_references: int = 20,
    num_halvings: int = 10,
    seed: int = 0,
    tell: Tell = tell_nobody,
) -> list[Evidence]:
    """What speaks for each of some numbers of clusters.

    Args:
        x: Rows in which columns count alike, shape ``(N, d)``; the time grows with the square of the rows.
        counts: Numbers of clusters, from 2 to half of the rows.
        blocks: Columns that belong together, as in :class:`OneHump`.
        num_references: Tables without groups, at least 2.
        num_halvings: Times that the rows are halved.
        seed: Fixes all draws.
        tell: Called with what is being done.

    Example:
        >>> x = np.random.default_rng(0).normal(size=(80, 2))
        >>> [evidence.is_enough for evidence in judge_counts(x, [2, 3])]
        [False, False]
    """
    x = _checked("judge_counts", x)
    asked = [int(count) for count in counts]
    fits = all(2 <= count <= len(x) // 2 for count in asked)
    require(fits, f"judge_counts: counts must be from 2 to half of the rows, {len(x) // 2}", asked)
    require_whole("judge_counts", num_references=num_references - 1, num_halvings=num_halvings)
    require_seed("judge_counts", seed)
    if not asked:
        return []
    steps = num_references + num_halvings
    with in_one_thread(x.size):
        cloud, own = OneHump(x, blocks), scan(x, asked, seed)
        references, halvings = [], []
        for k in range(num_references):
            tell(
                Stage(
                    f"comparing with tables without groups, {k + 1} of {num_references}", k / steps
                )
            )
            references.append(scan(cloud.draw(seed=(seed + k) % 2**32), asked, (seed + k) % 2**32))
        for k in range(num_halvings):
            tell(
                Stage(f"clustering halves, {k + 1} of {num_halvings}", (num_references + k) / steps)
            )
            halvings.append(halve(x, asked, (seed + k) % 2**32))
    logs = np.array([other.log_inertias for other in references])
    noise = logs.std(0, ddof=1) * np.sqrt(1 + 1 / num_references)
    columns = (
        logs.mean(0) - own.log_inertias,
        noise,
        own.silhouettes,
        np.mean([other.silhouettes for other in references], 0),
        np.mean(halvings, 0),
    )
    rows = zip(asked, *(column.tolist() for column in columns), strict=True)
    return [Evidence(*row)._replace(least_gap=least_gap(x.shape[1])) for row in rows]


def sample_rows(x: np.ndarray, seed: int) -> np.ndarray:
    """As many rows, drawn at random, as can be looked at in seconds.

    Args:
        x: Rows, shape ``(N, d)``.
        seed: Fixes the draw.
    """
    most = int(np.clip(MOST_CELLS // x.shape[1], LEAST_ROWS, MOST_ROWS))
    if len(x) <= most:
        return x
    return x[np.sort(np.random.default_rng([seed, 2]).permutation(len(x))[:most])]


def _checked(owner: str, x: np.ndarray) -> np.ndarray:
    x = np.asarray(x, dtype=np.float64)
    is_table = x.ndim == 2 and x.size > 0 and bool(np.isfinite(x).all())
    require(is_table, f"{owner}: x must be finite rows, of shape (N, d)", f"shape {x.shape}")
    return x
