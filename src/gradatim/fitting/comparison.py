"""Every candidate on the same folds: the one loop that trains and judges."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gradatim.fitting.candidates import MAX_DISTANCES, fit_simple, simple_models
from gradatim.fitting.metrics import measure
from gradatim.fitting.networks import NetworkSettings, NonFiniteError, draw_settings, fit_network
from gradatim.fitting.predictors import Fitted, predict
from gradatim.fitting.preprocessing import Preprocessing, fit_preprocessing, take_rows
from gradatim.fitting.problem import Problem
from gradatim.fitting.splitting import Split, make_folds
from gradatim.fitting.work import Work

CACHE_CELLS = 50_000_000
MIN_FOLDS = 3
SHARE = 0.45  # of the budget, after which no further fold is begun

Figures = dict[str, float]
Tell = Callable[[str, float], None]


@dataclass
class Result:
    """Figures of one candidate on one fold, and the seconds they took; no figures where it failed."""

    figures: Figures
    seconds: float


@dataclass
class Comparison:
    """Figures of every candidate on every fold.

    Args:
        folds: The folds that were used.
        simple: Results of simple models, by name.
        notes: Candidates that were left out, and why.
    """

    folds: list[Split]
    simple: dict[str, list[Result]]
    notes: list[str] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Judging rows per training row, averaged over the folds."""
        return float(np.mean([len(judge) / len(train) for train, judge in self.folds]))


class Folds:
    """Features of each fold, preprocessed by its own training rows; kept while they fit in memory."""

    def __init__(self, problem: Problem, folds: list[Split]) -> None:
        self.problem, self.splits = problem, folds
        self._cache: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._cells = 0

    def features(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Features of the training rows and of the judging rows of fold ``k``."""
        if k not in self._cache:
            p, (train, judge) = self.problem, self.splits[k]
            X = preprocess(p, train).transform(take_rows(p.table, np.concatenate([train, judge])))
            pair = X[: len(train)], X[len(train) :]
            self._cells += X.size
            if self._cells > CACHE_CELLS:
                return pair
            self._cache[k] = pair
        return self._cache[k]

    def judge(self, k: int, fit: Callable[[np.ndarray, np.ndarray], Fitted]) -> Result:
        """Fit on the training rows of fold ``k`` and measure on its judging rows."""
        started = time.perf_counter()
        X, X_judge = self.features(k)
        train, judge = self.splits[k]
        y = self.problem.y
        try:
            output = predict(fit(X, y[train]), X_judge)
        except (NonFiniteError, np.linalg.LinAlgError, ValueError):
            return Result({}, time.perf_counter() - started)
        figures = measure(y[judge], output, self.problem.classes)
        finite = np.isfinite(next(iter(figures.values())))
        return Result(figures if finite else {}, time.perf_counter() - started)


def preprocess(problem: Problem, rows: np.ndarray) -> Preprocessing:
    """The preprocessing learned from ``rows``."""
    return fit_preprocessing(problem.table, problem.columns, rows)


def plan_folds(problem: Problem, seed: int) -> list[Split]:
    """Ten folds for a small table, five for a larger one, as rows of the whole table."""
    cells = len(problem.train) * len(problem.columns)
    count = 10 if cells <= 100_000 and len(problem.train) >= 60 else 5
    train = problem.train
    folds = make_folds(
        problem.strata,
        count,
        np.random.default_rng([seed, 1]),
        groups=None if problem.groups is None else problem.groups[train],
        times=None if problem.times is None else problem.times[train],
    )
    folds = [(train[a], train[b]) for a, b in folds]
    return [fold for fold in folds if len(np.unique(problem.y[fold[0]])) > 1 and len(fold[1])]


def compare(problem: Problem, folds: Folds, work: Work, budget: float | None, seed: int, tell: Tell) -> Comparison:  # fmt: skip
    """Judge every simple model and the network's default on fold after fold.

    Args:
        problem: Table, target and split.
        folds: The folds, in order of use.
        work: Where results are kept.
        budget: Seconds of the whole run; ``None`` uses all folds, however long they take.
        seed: Fixes inner splits.
        tell: Called with what is done and the share that is done.
    """
    names, notes = _affordable(problem, folds)
    results: dict[str, list[Result]] = {name: [] for name in names}
    done = 0
    for k in range(len(folds.splits)):
        for name in names:
            tell(f"fold {k + 1} of {len(folds.splits)}: {name}", k / len(folds.splits))
            results[name].append(_judge_simple(name, k, problem, folds, work, seed))
        judge_network(0, k, folds, work, seed)
        done = k + 1
        late = budget is not None and done >= MIN_FOLDS and work.elapsed > SHARE * budget
        if work.recall(f"stop-{done}", lambda late=late: late):  # type: ignore[misc]
            break
    failed = [name for name in names if not all(result.figures for result in results[name])]
    notes += [
        f"The model '{name}' could not be fitted in every fold and is left out." for name in failed
    ]
    if done < len(folds.splits):
        notes.append(f"{done} of {len(folds.splits)} folds were used, to keep within the budget.")
    return Comparison(
        folds.splits[:done], {n: r for n, r in results.items() if n not in failed}, notes
    )


def _affordable(problem: Problem, folds: Folds) -> tuple[list[str], list[str]]:
    names, notes = list(simple_models(problem.classes)), []
    train, judge = folds.splits[-1]
    width = folds.features(len(folds.splits) - 1)[0].shape[1]
    too_many = len(train) * (len(judge) + len(train) / 4) * width > MAX_DISTANCES
    if too_many and "k nearest neighbours" in names:
        names.remove("k nearest neighbours")
        notes.append("k nearest neighbours is left out: too many rows to measure every distance.")
    return names, notes


def _judge_simple(
    name: str, k: int, problem: Problem, folds: Folds, work: Work, seed: int
) -> Result:
    def judge() -> dict[str, object]:
        return vars(folds.judge(k, lambda X, y: fit_simple(name, X, y, problem.classes, seed)))

    return Result(**work.recall(f"{name.replace(' ', '-')}-fold-{k}", judge))


def judge_network(trial: int, k: int, folds: Folds, work: Work, seed: int) -> Result:
    """Judge trial number ``trial`` of the network on fold ``k``."""
    settings = draw_settings(trial, seed)

    def fit(X: np.ndarray, y: np.ndarray) -> Fitted:
        return fit_network(X, y, folds.problem.classes, settings, seed + k)[0]

    found = work.recall(f"network-{trial}-fold-{k}", lambda: vars(folds.judge(k, fit)))
    return Result(**found)


__all__ = ["Comparison", "Folds", "NetworkSettings", "Result", "compare", "judge_network", "plan_folds", "preprocess"]  # fmt: skip
