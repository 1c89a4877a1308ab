r"""The average of the best candidates, the most complex one of a contest.

.. math:: f(x) = \sum_m w_m f_m(x), \qquad w_m \in \{0, \tfrac14, \tfrac12, \tfrac34, 1\}, \quad \sum_m w_m = 1

Models that err differently err less together. What each of them said of the rows of a fold is known from the comparison, so
weights cost no training. To judge the average without flattering it, each fold's weights are those that are best on the
*other* folds, as are the network's settings there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol, runtime_checkable

import numpy as np

from gradatim.evaluation.racing import Result, by_other_folds, deciding_loss, scores
from gradatim.fitting.comparison import Comparison
from gradatim.fitting.player import NETWORK, Candidate, Figures
from gradatim.fitting.tuning import Tuning
from gradatim.fitting.work import Work

PARTS = 4  # a weight is a multiple of one over so many
MOST = 3  # members


@runtime_checkable
class Averaging(Protocol):
    """A player whose candidates can be averaged."""

    simple: tuple[str, ...]

    def has_said(self, candidate: Candidate, k: int) -> bool:
        """Whether it is known what a candidate says of the judging rows of fold ``k``."""

    def said(self, candidate: Candidate, k: int) -> np.ndarray:
        """Return what a candidate says of the judging rows of fold ``k``; it is trained again where that is not known."""

    def measure(self, output: np.ndarray, k: int | None) -> Figures:
        """Return the figures of what was said."""

    def combine(self, models: Sequence[Any], weights: Sequence[float]) -> Any:
        """Return a model that averages others."""


@dataclass(frozen=True)
class Average:
    """Whom to average, and how good that is.

    Args:
        members: Names of the candidates.
        weights: Their weights, all positive.
        results: The average on each fold, with weights that are best on the other folds.
    """

    members: list[str]
    weights: list[float]
    results: list[Result]

    @property
    def sentence(self) -> str:
        """Whom it averages, in words."""
        parts = [f"{w:g} × {m}" for m, w in zip(self.members, self.weights, strict=True)]
        return f"The average is {' + '.join(parts)}, with the weights that are best over the folds."


def quarters(members: int) -> np.ndarray:
    """All weights of so many members, in quarters.

    Example:
        >>> quarters(2).tolist()
        [[0.0, 1.0], [0.25, 0.75], [0.5, 0.5], [0.75, 0.25], [1.0, 0.0]]
    """
    counts = product(range(PARTS + 1), repeat=members)
    return np.array([c for c in counts if sum(c) == PARTS]) / PARTS


def find_average(
    player: Any, comparison: Comparison, tuning: Tuning | None, work: Work, deadline: float | None
) -> Average | None:
    """Average the best candidates.

    Args:
        player: The data.
        comparison: Results of the simple models.
        tuning: What the race of networks found.
        work: Where the result is kept.
        deadline: When no training may be under way; what a resumed run would have to train again counts.

    Returns:
        ``None`` where one candidate alone is best, where there is no time, or where the player cannot average.
    """
    if not isinstance(player, Averaging):
        return None
    found = work.recall("average", lambda: _average(player, comparison, tuning, work, deadline))
    return None if found is None else Average(found[0], found[1], [Result(*r) for r in found[2]])


def _average(
    player: Averaging,
    comparison: Comparison,
    tuning: Tuning | None,
    work: Work,
    deadline: float | None,
) -> tuple[list[str], list[float], list[Result]] | None:
    results = {n: own for n, own in comparison.simple.items() if n != player.simple[0]}
    if tuning is not None:
        results[NETWORK] = tuning.results
    order = sorted(results, key=lambda name: float(scores(results[name]).mean()))[:MOST]
    folds = range(len(comparison.folds))
    tasks = {(n, k): Candidate(n, tuning.choices[k]) if tuning and n == NETWORK else comparison.candidate(n, k) for n in order for k in folds}  # fmt: skip
    again = sum(results[n][k].seconds for (n, k), c in tasks.items() if not player.has_said(c, k))
    if len(order) < 2 or (again and deadline is not None and work.elapsed + again > deadline):
        return None
    weights = quarters(len(order))
    figures = []  # by fold, then by weights
    for k in folds:
        outputs = np.stack([player.said(tasks[n, k], k) for n in order])
        figures.append([player.measure(np.tensordot(w, outputs, 1), k) for w in weights])
    matrix = np.array([[deciding_loss(f) for f in own] for own in figures]).T
    chosen = weights[matrix.mean(1).argmin()]
    if not np.isfinite(matrix).all() or (chosen > 0).sum() < 2:
        return None
    seconds = [sum(results[n][k].seconds for n in order) for k in folds]
    own = [Result(figures[k][best], seconds[k]) for k, best in enumerate(by_other_folds(matrix).tolist())]  # fmt: skip
    members = [(n, float(w)) for n, w in zip(order, chosen, strict=True) if w > 0]
    return [n for n, _ in members], [w for _, w in members], own
