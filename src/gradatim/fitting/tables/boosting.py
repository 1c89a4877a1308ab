"""Settings of boosted trees, which race each other as a network's do: depth, rate, and how many trees.

Trees are added one after another, so those of a long training hold those of every shorter one: settings that differ in
their number only are one training.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from time import perf_counter

import numpy as np

from gradatim.evaluation.racing import Result
from gradatim.fitting.goals import Goal
from gradatim.fitting.player import FAILURES, Candidate, Figures
from gradatim.fitting.tables.candidates import (
    TREES,
    correct_mean,
    expected_rounds,
    fit_simple,
    is_skewed,
)
from gradatim.fitting.tables.predictors import Fitted
from gradatim.fitting.tables.trees import first_trees
from gradatim.fitting.told import Told

# learning rate, leaves of a tree, rows of a leaf, share of the features at a node, penalty: the most promising first
GROWTHS = (
    (0.1, 4, 5, 1.0, 0.0),
    (0.05, 31, 3, 0.3, 1.0),
    (0.1, 8, 10, 1.0, 0.0),
    (0.05, 15, 5, 0.5, 1.0),
    (0.05, 31, 20, 1.0, 1.0),
    (0.05, 63, 40, 0.7, 1.0),
    (0.03, 8, 20, 0.3, 10.0),
)
ROUNDS, ROUNDS_OF_MANY = (25, 50, 100, 200, 400), (15, 30, 60, 120)


@dataclass(frozen=True)
class TreeSettings:
    """How boosted trees grow.

    Args:
        lr: What a tree adds, of what it says.
        leaves: Leaves of a tree, at most.
        leaf_rows: Rows of a leaf, at least.
        features: Share of the features that a node may ask.
        penalty: On squared values of leaves.
        trees: Rounds, each a tree for every output.
        is_log: Whether the logarithm of the target is learned.
    """

    lr: float
    leaves: int
    leaf_rows: int
    features: float
    penalty: float
    trees: int
    is_log: bool = False


def tree_settings(y: np.ndarray, classes: int) -> list[TreeSettings]:
    """Settings that race, those of one growth side by side.

    Args:
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.

    Example:
        >>> [own.trees for own in tree_settings(np.arange(9.0), 0)[:6]]
        [25, 50, 100, 200, 400, 25]
    """
    logs = (False, True) if is_skewed(y, classes) else (False,)
    rounds = ROUNDS if classes <= 3 else ROUNDS_OF_MANY
    return [
        TreeSettings(*growth, trees, is_log)
        for growth, is_log, trees in product(GROWTHS, logs, rounds)
    ]


class TreeRace:
    """Boosted trees as a family of settings (:class:`~gradatim.fitting.tuning.Family`).

    Args:
        data: Gives features and targets that fold ``k`` learns from, and what for.
        judge: Judges a model of a candidate on fold ``k``.
        y: Targets of all training rows.
        classes: Number of classes; 0 for regression.
        seed: Fixes which features a node may ask.
        told: What models said of judging rows.
    """

    name, slice = TREES, 0.25
    last = 2.4  # trainings on all training rows, and on all rows

    def __init__(
        self,
        data: Callable[[int], tuple[np.ndarray, np.ndarray, Goal]],
        judge: Callable[[Candidate, Fitted, int], Figures],
        y: np.ndarray,
        classes: int,
        seed: int,
        told: Told | None = None,
    ) -> None:
        self.data, self.judge_fitted, self.classes, self.seed = data, judge, classes, seed
        self.told = told or Told()
        self.settings = tree_settings(y, classes)
        self.usual = float(expected_rounds(y, classes))
        self.width = len(ROUNDS if classes <= 3 else ROUNDS_OF_MANY)
        self.limit = 1 + len(self.settings)

    def draw(self, trial: int) -> TreeSettings | None:
        """Settings of trial number ``trial``; the first are those that the candidate has by itself."""
        return self.settings[trial - 1] if trial else None

    def cost(self, settings: TreeSettings | None) -> float:
        """Training time in units of that of the first settings, about."""
        if settings is None:
            return 1.0
        return settings.trees / self.usual * (settings.leaves / 31) ** 0.5

    def cost_together(self, settings: Sequence[TreeSettings]) -> float:
        """The longest training of every growth holds the others."""
        growths = {_growth(own) for own in settings}
        return sum(max(self.cost(own) for own in settings if _growth(own) == growth) for growth in growths)  # fmt: skip

    def judge(self, jobs: Sequence[tuple[Candidate, int]]) -> list[Result]:
        """Results of settings on their folds; one training serves all that differ in the number of trees."""
        longest: dict[tuple[TreeSettings, int], int] = {}
        for candidate, k in jobs:
            key = _growth(candidate.settings), k
            longest[key] = max(longest.get(key, 0), candidate.settings.trees)
        found = {}
        for (growth, k), trees in longest.items():
            started = perf_counter()
            whole = self._grow(replace(growth, trees=trees), k)
            seconds = perf_counter() - started
            for candidate, fold in jobs:
                if (_growth(candidate.settings), fold) == (growth, k):
                    figures = self._judge(candidate, whole, k)
                    found[candidate, k] = Result(figures, seconds * candidate.settings.trees / trees)  # fmt: skip
        return [found[job] for job in jobs]

    def _grow(self, settings: TreeSettings, k: int) -> Fitted | None:
        X, y, goal = self.data(k)
        try:
            return fit_simple(TREES, X, y, self.classes, self.seed, asdict(settings), goal)
        except FAILURES:
            return None

    def _judge(self, candidate: Candidate, whole: Fitted | None, k: int) -> Figures:
        if whole is None:
            return {}
        fitted = first_trees(whole, candidate.settings.trees)
        fitted = correct_mean(fitted, *self.data(k)) if candidate.settings.is_log else fitted
        return self.judge_fitted(candidate, fitted, k)

    def sentence(self, settings: TreeSettings | None, trials: int) -> str:
        """What the race chose, in words."""
        if settings is None:
            others = (
                f", the best of {trials} settings"
                if trials > 1
                else "; there was no time to try others"
            )
            return f"The {TREES} are as they are by default{others}."
        return (
            f"The {TREES} are the best of {trials} settings: {settings.trees} rounds at a rate of {settings.lr:g}, up to "
            f"{settings.leaves} leaves of at least {settings.leaf_rows} rows"
            + (f", {settings.features:.0%} of the features at a node".replace("%", " %") if settings.features < 1 else "")
            + (", of the logarithm of the target." if settings.is_log else ".")
        )  # fmt: skip


def _growth(settings: TreeSettings) -> TreeSettings:
    """All but the number of trees."""
    return replace(settings, trees=0)
