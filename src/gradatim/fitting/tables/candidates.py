"""The simple models that a network must beat, from the simplest to the most complex, fitted by scikit-learn."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from scipy.stats import skew
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.feature_selection import f_classif, f_regression
from sklearn.linear_model import LogisticRegression, RidgeCV

from gradatim.fitting.goals import Goal
from gradatim.fitting.tables.discriminant import wide_discriminant
from gradatim.fitting.tables.gaussian_process import PROCESS, fit_process, process_effort
from gradatim.fitting.tables.predictors import Fitted, hold, predict
from gradatim.fitting.tables.trees import forest_arrays, tree_arrays
from gradatim.threads import limit_threads, safe_threads

Settings = Mapping[str, Any]
T = TypeVar("T")

RIDGE, DISCRIMINANT = "ridge regression", "linear discriminant"
NEAREST, EXTRA, TREES = "k nearest neighbours", "extra trees", "gradient-boosted trees"
# In order of complexity: Occam's rule takes the first that is as good as the best.
REGRESSION = ("mean", RIDGE, NEAREST, PROCESS, EXTRA, TREES)
CLASSIFICATION = (
    "class frequencies",
    "logistic regression",
    DISCRIMINANT,
    NEAREST,
    PROCESS,
    EXTRA,
    TREES,
)
NEIGHBOURS = (3, 7, 15, 31)
PENALTIES = (0.01, 0.1, 1.0, 10.0)
MANY_CELLS = 1_000_000  # past which trees grow on all threads that are free
MOST_TREE_FEATURES = 1_000  # that trees look at; the most telling ones of more
CHOOSING_ROWS = 2_000  # held out to choose a setting, at most
SEARCHING_ROWS = 500  # whose neighbours are searched to choose their number, at most
LOOKING_ROWS = 4_000  # to find out whether the logarithm of a target is learned better,
LOOKING = {"trees": 25, "lr": 0.2}  # by trees so few
MANY_ROWS = 10_000  # from which trees are added until rows held out stop gaining
CORRECTING_ROWS = (
    4_000  # that tell by how much the exponential of a mean of logarithms is too low, about
)
FOREST = 100  # extra trees
MOST_LEAVES = 5_000  # of each of them
SKEWED = 1.0  # skewness of a positive target past which its logarithm is tried
DISTANCES_PER_SECOND = 5e6  # of the budget, in every fold: some 5 % of it


def simple_models(classes: int) -> tuple[str, ...]:
    """Names of the simple models for a task, the simplest first.

    Example:
        >>> simple_models(0)[:2]
        ('mean', 'ridge regression')
    """
    return CLASSIFICATION if classes else REGRESSION


def can_search(train: int, judge: int, budget: float) -> bool:
    """Whether neighbours of so many rows are found in a small part of ``budget`` seconds.

    Example:
        >>> can_search(8_000, 2_000, 60.0), can_search(80_000, 20_000, 60.0)
        (True, False)
    """
    queries = judge + len(NEIGHBOURS) * min(train // 4, SEARCHING_ROWS)
    return train * queries <= DISTANCES_PER_SECOND * budget


def fit_simple(
    name: str,
    X: np.ndarray,
    y: np.ndarray,
    classes: int,
    seed: int,
    chosen: Settings | None = None,
    goal: Goal | None = None,
) -> Fitted:
    """Fit a simple model; its own settings are chosen inside the rows given, unless they are given too.

    Args:
        name: One of :func:`simple_models`.
        X: Features, shape ``(N, D)``.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        seed: Fixes inner splits.
        chosen: Settings of the same model on fewer rows; they stay.
        goal: What it is trained for beside the usual: rows that weigh, a quantile, rare classes.

    Example:
        >>> X = np.arange(20.0)[:, None]
        >>> predict(fit_simple("mean", X, X[:, 0], 0, 0), X[:1]).tolist()
        [9.5]
    """
    # threads that wait for each other after every node cost more than they save on a small table
    is_large = name in (TREES, EXTRA) and X.size >= MANY_CELLS
    with quietly(safe_threads() if is_large else 1):
        return _FIT[name](X, y, classes, seed, chosen or {}, goal or Goal())


@contextmanager
def quietly(threads: int = 1) -> Iterator[None]:
    """Fit without warnings of collinear columns and slow convergence (the score tells), in one thread by default.

    The products are small: threads that wait for each other cost up to ten times what they save.
    """
    with warnings.catch_warnings(), limit_threads(threads):
        warnings.simplefilter("ignore")
        yield


def _linear(coef: np.ndarray, intercept: np.ndarray, classes: int, **settings: object) -> Fitted:
    arrays = {"0.0.weight": np.ascontiguousarray(coef), "0.0.bias": np.ascontiguousarray(intercept)}
    return Fitted("chain", classes, arrays, dict(settings))


def _fit_mean(
    X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Settings, goal: Goal
) -> Fitted:
    if not classes:
        return _linear(np.zeros((1, X.shape[1])), np.array([goal.center(y)]), 0)
    return _linear(
        np.zeros((classes, X.shape[1])), np.log(_prior(y, classes, goal.weight)), classes
    )


def _prior(y: np.ndarray, classes: int, weight: np.ndarray | None = None) -> np.ndarray:
    counts = np.bincount(y, weight, classes) + 1.0 / classes
    return counts / counts.sum()


def _fit_ridge(
    X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Settings, goal: Goal
) -> Fitted:
    center, scale = float(y.mean()), float(y.std()) or 1.0
    penalties = [chosen["penalty"]] if chosen else np.logspace(-3, 4, 15)
    model = RidgeCV(alphas=penalties).fit(X, (y - center) / scale, sample_weight=goal.weight)
    coef, bias = model.coef_[None], np.array([model.intercept_])
    if (
        goal.quantile is not None
    ):  # the line of means, moved to where the share of rows below is right
        bias = bias + goal.center((y - center) / scale - model.predict(X))
    settings = {"center": center, "scale": scale, "penalty": float(model.alpha_), **hold(y)}
    return _linear(coef, bias, 0, **settings)


def from_logits(
    coef: np.ndarray, intercept: np.ndarray, present: np.ndarray, classes: int, **settings: object
) -> Fitted:
    """Logits for all classes from those of the classes present; scikit-learn gives one row for two."""
    if len(coef) == 1:
        coef, intercept = np.stack([-coef[0] / 2, coef[0] / 2]), np.stack([-intercept[0] / 2, intercept[0] / 2])  # fmt: skip
    weight, bias = np.zeros((classes, coef.shape[1])), np.full(classes, -30.0)
    weight[present], bias[present] = coef, intercept
    return _linear(weight, bias, classes, **settings)


def _fit_logistic(X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Settings, goal: Goal) -> Fitted:  # fmt: skip
    def fit(setting: tuple[float, bool], rows: np.ndarray) -> Fitted:
        C, is_balanced = setting
        weight = goal.take(rows).weights(y[rows], is_balanced=is_balanced)
        model = LogisticRegression(C=C, max_iter=300, tol=1e-5).fit(X[rows], y[rows], weight)
        kept = {"penalty": 1 / C, **({"is_balanced": True} if is_balanced else {})}
        fitted = from_logits(model.coef_, model.intercept_, model.classes_, classes, **kept)
        if is_balanced:
            fitted.arrays["0.0.bias"] = goal.take(rows).undo_balance(y[rows], fitted.arrays["0.0.bias"])  # fmt: skip
        return fitted

    if "penalty" in chosen:
        return fit((1 / chosen["penalty"], bool(chosen.get("is_balanced"))), np.arange(len(y)))
    settings = [(C, False) for C in PENALTIES]
    settings += [(C, True) for C in PENALTIES if goal.wants_balance]
    return fit(_choose(settings, fit, X, y, classes, seed, goal), np.arange(len(y)))


def _choose(
    settings: Sequence[T],
    fit: Callable[[T, np.ndarray], Fitted],
    X: np.ndarray,
    y: np.ndarray,
    classes: int,
    seed: int,
    goal: Goal,
    most: int = CHOOSING_ROWS,
) -> T:
    """The setting with the best score on rows held out, a quarter of them and ``most`` at most."""
    order, quarter = np.random.default_rng(seed).permutation(len(y)), len(y) // 4
    held, rows = order[:quarter][:most], np.sort(order[quarter:])
    if len(y) < 20 or (classes and len(np.unique(y[rows])) < 2):
        return settings[len(settings) // 2]
    judged = goal.take(held)
    scores = [judged.loss(y[held], predict(fit(s, rows), X[held]), classes) for s in settings]
    told = np.nan_to_num(scores, nan=np.inf)  # a score may need rows that were not drawn
    return settings[int(told.argmin()) if np.isfinite(told).any() else len(settings) // 2]


def _fit_discriminant(X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Settings, goal: Goal) -> Fitted:  # fmt: skip
    if X.shape[1] > len(X):
        return from_logits(*wide_discriminant(X, y), classes)
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
    return from_logits(model.coef_, model.intercept_, model.classes_, classes)


def _fit_nearest(X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Settings, goal: Goal) -> Fitted:  # fmt: skip
    def fit(k: float, rows: np.ndarray) -> Fitted:
        arrays = {"rows": X[rows].astype(np.float32), "target": y[rows]}
        if classes:
            arrays["prior"] = _prior(y[rows], classes)
        return Fitted("nearest", classes, arrays, {"neighbours": int(min(k, len(rows)))})

    neighbours = chosen.get("neighbours") or _choose(NEIGHBOURS, fit, X, y, classes, seed, goal, SEARCHING_ROWS)  # fmt: skip
    return fit(neighbours, np.arange(len(y)))


def _stops_early(y: np.ndarray, classes: int, least: int = MANY_ROWS) -> bool:
    """Whether trees are added until rows held out stop gaining; few rows are better learned, and rare classes cannot tell."""
    rare = classes and np.bincount(y, minlength=classes)[np.unique(y)].min() < 20
    return len(y) >= least and not rare


def expected_rounds(y: np.ndarray, classes: int) -> int:
    """How many rounds of trees on all rows a fit takes, about; one that may stop early is taken to stop half-way.

    Example:
        >>> expected_rounds(np.zeros(5000), 0), expected_rounds(np.zeros(50_000), 0)
        (100, 150)
    """
    if classes > 3:
        return 60
    rounds = 150 if _stops_early(y, classes) else 100
    looked = min(1.0, LOOKING_ROWS / len(y)) if is_skewed(y, classes) else 0.0
    return int(rounds + 1.5 * LOOKING["trees"] * looked)


def is_skewed(y: np.ndarray, classes: int) -> bool:
    """Whether values are positive with a long tail, as prices and incomes are.

    Example:
        >>> is_skewed(np.array([1.0, 2.0, 3.0, 100.0]), 0), is_skewed(np.arange(4.0), 0)
        (True, False)
    """
    return not classes and bool(y.min() > 0 and skew(y / y.max()) > SKEWED)


# settings of boosted trees that race, as scikit-learn calls them
GROWTH = {
    "lr": "learning_rate",
    "leaves": "max_leaf_nodes",
    "leaf_rows": "min_samples_leaf",
    "features": "max_features",
    "penalty": "l2_regularization",
}


def _fit_extra_trees(X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Settings, goal: Goal) -> Fitted:  # fmt: skip
    """Trees with random cuts, averaged; classes ask half of the features at a node and want larger leaves."""
    leaf_rows = 3 if classes else 2
    limit = MOST_LEAVES if len(y) > leaf_rows * MOST_LEAVES else None
    kind = ExtraTreesClassifier if classes else ExtraTreesRegressor
    columns = np.arange(X.shape[1])
    if X.shape[1] > MOST_TREE_FEATURES:
        columns = most_telling(X, y, classes, MOST_TREE_FEATURES)
    forest = kind(
        chosen.get("trees", FOREST), min_samples_leaf=leaf_rows, max_leaf_nodes=limit,
        max_features=0.5 if classes else 1.0, random_state=seed,
    )  # fmt: skip
    fitted = forest_arrays(
        forest.fit(X[:, columns], y, goal.weight),
        _prior(y, classes, goal.weight) if classes else None,
    )
    fitted.arrays["feature"] = columns[fitted.arrays["feature"]].astype(np.int32)
    return fitted


def _fit_trees(X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Settings, goal: Goal) -> Fitted:  # fmt: skip
    is_log = _is_log(X, y, classes, seed, chosen, goal)
    fitted = _fit_logs(X, y, seed, chosen, goal) if is_log else _grow_trees(X, y, classes, seed, chosen, goal)  # fmt: skip
    fitted.settings.update({name: value for name, value in chosen.items() if name in GROWTH})
    return fitted


def _fit_logs(X: np.ndarray, y: np.ndarray, seed: int, chosen: Settings, goal: Goal) -> Fitted:
    """Trees of the logarithm of a positive target."""
    fitted = _grow_trees(X, np.log(y), 0, seed, chosen, goal)
    fitted.settings["is_log"] = True
    return correct_mean(fitted, X, y, goal)


def correct_mean(fitted: Fitted, X: np.ndarray, y: np.ndarray, goal: Goal) -> Fitted:
    """Trees of logarithms whose values have the mean of the targets.

    The exponential of a mean of logarithms lies below the mean: their ratio makes up for it. That of a quantile is a quantile.

    Args:
        fitted: Trees of the logarithm of a target.
        X: Features of the rows that they learned from.
        y: Their targets.
        goal: What they are trained for.
    """
    if goal.quantile is not None:
        return fitted
    some = slice(None, None, max(len(y) // CORRECTING_ROWS, 1))
    weight = None if goal.weight is None else goal.weight[some]
    true, said = (np.average(values, weights=weight) for values in (y[some], predict(fitted, X[some])))  # fmt: skip
    shift = np.log(true / said)
    arrays = {**fitted.arrays, "start": fitted.arrays["start"] + shift}
    return Fitted(fitted.kind, fitted.classes, arrays, fitted.settings)


def _is_log(X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Settings, goal: Goal) -> bool:  # fmt: skip
    """Whether the logarithm of a positive, skewed target is learned better than the target itself, by a few trees."""
    if chosen:
        return bool(chosen.get("is_log"))
    if not is_skewed(y, classes):
        return False
    some = np.random.default_rng([seed, 4]).permutation(len(y))[:LOOKING_ROWS]
    X, y, goal = X[some], y[some], goal.take(some)

    def fit(is_log: float, rows: np.ndarray) -> Fitted:
        own = X[rows], y[rows]
        if is_log:
            return _fit_logs(*own, seed, LOOKING, goal.take(rows))
        return _grow_trees(*own, 0, seed, LOOKING, goal.take(rows))

    return bool(_choose((False, True), fit, X, y, 0, seed, goal))


def _grow_trees(X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Settings, goal: Goal) -> Fitted:  # fmt: skip
    # trees of a quantile follow rows that they know too closely to leave a share of new ones below
    stop = _stops_early(y, classes, MANY_ROWS if goal.quantile is None else 1_000)
    settings: dict[str, Any] = {
        "max_iter": 300 if stop else 100,
        "early_stopping": stop,
        "learning_rate": 0.1,
        "l2_regularization": 1.0,
        "random_state": seed,
    }
    if classes > 3:  # one tree per class and round: fewer rounds of smaller trees
        settings |= {"max_iter": 60, "early_stopping": False, "learning_rate": 0.2}
        settings |= {"max_leaf_nodes": 15, "max_features": 0.3}
    if "trees" in chosen:
        settings |= {"max_iter": chosen["trees"], "early_stopping": False}
        settings |= {own: chosen[name] for name, own in GROWTH.items() if name in chosen}
    if goal.quantile is not None:
        settings |= {"loss": "quantile", "quantile": goal.quantile}
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    if X.shape[1] <= MOST_TREE_FEATURES:
        return tree_arrays(kind(**settings).fit(X, y, goal.weight), classes)
    columns = most_telling(X, y, classes, MOST_TREE_FEATURES)
    fitted = tree_arrays(kind(**settings).fit(X[:, columns], y, goal.weight), classes)
    fitted.arrays["feature"] = columns[fitted.arrays["feature"]].astype(np.int32)
    return fitted


def most_telling(X: np.ndarray, y: np.ndarray, classes: int, count: int) -> np.ndarray:
    """The ``count`` columns that tell most of the target each by itself, in their order.

    Args:
        X: Numbers, shape ``(N, D)``.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        count: Columns to keep.

    Example:
        >>> X = np.stack([np.tile([0.0, 1.0], 4), np.arange(8.0), np.ones(8)], axis=1)
        >>> most_telling(X, np.arange(8.0), 0, 1).tolist()
        [1]
    """
    return np.sort(rank_telling(X, y, classes)[:count])


def rank_telling(X: np.ndarray, y: np.ndarray, classes: int) -> np.ndarray:
    """Columns by what each tells of the target by itself (a test of variances), the most telling first.

    Args:
        X: Numbers, shape ``(N, D)``.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.

    Example:
        >>> X = np.stack([np.ones(8), np.tile([0.0, 1.0], 4), np.arange(8.0) ** 2], axis=1)
        >>> rank_telling(X, np.arange(8.0), 0).tolist()
        [2, 1, 0]
    """
    with quietly(), np.errstate(all="ignore"):
        # rounding makes the largest ones negative, where a column tells everything
        values = np.abs(f_classif(X, y)[0] if classes else f_regression(X, y)[0])
    return np.argsort(-np.nan_to_num(values, nan=-1.0, posinf=np.finfo(float).max), kind="stable")


def effort(name: str, rows: int, columns: int, ratio: float, classes: int = 0) -> float:
    """How the work of a fit and its judgement grows with the rows, in units of one model's own.

    Args:
        name: One of :func:`simple_models`.
        rows: Rows to learn from.
        columns: Features.
        ratio: Judging rows per training row.
        classes: Number of classes; 0 for regression.

    Example:
        >>> effort("logistic regression", 2000, 10, 0.25) / effort("logistic regression", 1000, 10, 0.25)
        2.0
    """
    if name == NEAREST:
        return rows * (ratio * rows + len(NEIGHBOURS) * min(rows / 4, SEARCHING_ROWS))
    if name == PROCESS:
        return process_effort(rows, classes)
    if name in (RIDGE, DISCRIMINANT):  # products of rows by rows, or of columns by columns
        return rows * min(rows, columns) + (columns**2 if rows >= columns else 0)
    return rows


_FIT: dict[str, Callable[[np.ndarray, np.ndarray, int, int, Settings, Goal], Fitted]] = {
    "mean": _fit_mean,
    "class frequencies": _fit_mean,
    RIDGE: _fit_ridge,
    "logistic regression": _fit_logistic,
    DISCRIMINANT: _fit_discriminant,
    NEAREST: _fit_nearest,
    PROCESS: fit_process,
    EXTRA: _fit_extra_trees,
    TREES: _fit_trees,
}
