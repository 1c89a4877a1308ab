"""What a careful reader would worry about: leaks, repeated rows, rare classes, little data, drift."""

from collections.abc import Callable

import numpy as np
from scipy import stats
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from gradatim.data.tables.columns import Cells, Levels
from gradatim.fitting.classes import ANOTHER_SPLIT
from gradatim.fitting.clock import Clock
from gradatim.fitting.tables.candidates import rank_telling
from gradatim.fitting.tables.preprocessing import take_rows
from gradatim.fitting.tables.problem import Problem
from gradatim.reports import Concern
from gradatim.wording import numbered

PROBE_ROWS = 4000
LEAK_R2 = 0.9
LEAK_ERROR = 0.02
_GROUPS = (10, 2.0)  # values with several rows, at least, and rows of a value, on average
LEAKS_BY, DRIFT_BY = 0.88, 0.91  # of the budget, when the search must be over
DRIFT = 0.2  # largest gap of two distribution functions, or share of moved categories


def find_concerns(problem: Problem, seed: int, clock: Clock | None = None) -> list[Concern]:
    """Return all that may make the result less than it seems, as far as there is time to look for it.

    Args:
        problem: The table.
        seed: Fixes the rows that are looked at.
        clock: The budget; what could not be looked at is noted in the problem.
    """
    clock = clock or Clock()
    return [
        *_leaks(problem, seed, clock.over_at(LEAKS_BY)),
        *_groups(problem, clock.over_at(LEAKS_BY)),
        *_dates(problem),
        *_repeats(problem),
        *problem.doubts(),
        *_little(problem),
        *_drift(problem, clock.over_at(DRIFT_BY)),
    ]


def as_numbers(cells: Cells) -> np.ndarray:
    """Cells as one number each; missing ones lie below all others."""
    if isinstance(cells, Levels):
        return cells.codes.astype(np.float64)
    floor = np.nanmin(cells) - 1.0 if np.isfinite(cells).any() else 0.0
    return np.where(np.isnan(cells), floor, cells)


def _leaks(problem: Problem, seed: int, is_over: Callable[[], bool]) -> list[Concern]:
    """Columns from which a tree predicts the target almost perfectly, each alone; the most telling are tried first."""
    rows = problem.train
    if len(rows) > PROBE_ROWS:
        rows = np.random.default_rng([seed, 2]).choice(rows, PROBE_ROWS, replace=False)
    cells = take_rows(problem.table, rows)
    values = np.stack([as_numbers(cells[column.name]) for column in problem.columns], axis=1)
    scale = np.abs(values).max(0)
    values = values / np.where(np.isfinite(scale) & (scale > 1e30), scale, 1.0)
    found = []
    order = rank_telling(values, problem.y[rows], problem.classes)
    for place, k in enumerate(order):
        if is_over():
            problem.notes.append(f"Leaks were looked for in {place:,} of {len(order):,} columns, to keep within the budget.")  # fmt: skip
            break
        name = problem.columns[k].name
        share = _alone(values[:, k : k + 1], problem.y[rows], problem.classes)
        if share is not None:
            seen = f"column {name!r} alone predicts {share} of {problem.target!r}"
            remedy = f"If it is known only afterwards, leave it out with --drop {name!r}"
            found.append((k, Concern("Possible leak", seen, remedy)))
    return [concern for _, concern in sorted(found, key=lambda pair: pair[0])]


def _alone(X: np.ndarray, y: np.ndarray, classes: int) -> str | None:
    learn, judge = slice(0, None, 2), slice(1, None, 2)
    leaves = max(len(y[learn]) // 3, 2)
    if classes:
        tree = DecisionTreeClassifier(min_samples_leaf=2, max_leaf_nodes=leaves, random_state=0)
        error = 1.0 - tree.fit(X[learn], y[learn]).score(X[judge], y[judge])
        trivial = 1.0 - np.bincount(y[judge]).max() / len(y[judge])
        leaks = error <= min(LEAK_ERROR, 0.1 * trivial)
        return f"{1 - error:.1%}".replace("%", " %") if leaks else None
    tree = DecisionTreeRegressor(min_samples_leaf=2, max_leaf_nodes=leaves, random_state=0)
    top = np.abs(y[learn]).max() or 1.0
    r2 = tree.fit(X[learn], y[learn] / top).score(X[judge], y[judge] / top)
    return f"{r2:.1%} of the variance".replace("%", " %") if r2 >= LEAK_R2 else None


def _repeats(problem: Problem) -> list[Concern]:
    """Test rows that stand in the training part too, target included."""
    matrix = np.stack([as_numbers(cells) for cells in problem.table.values()] + [problem.y], axis=1)
    matrix = np.ascontiguousarray(matrix + 0.0)
    seen = np.isin(_hashes(matrix[problem.test]), _hashes(matrix[problem.train]))
    count = int(seen.sum())
    if not count:
        return []
    rows = "1 test row repeats" if count == 1 else f"{count:,} test rows ({percentage(count / len(problem.test))}) repeat"  # fmt: skip
    return [Concern("Repeats", f"{rows} a training row exactly", "The test is easier than new data will be")]  # fmt: skip


def percentage(share: float) -> str:
    """A share in per cent that never rounds something to nothing, nor a part to all.

    Example:
        >>> [percentage(share) for share in (0.5, 0.0139, 0.00139, 0.0001)]
        ['50 %', '1 %', '0.1 %', '<0.1 %']
        >>> [percentage(share) for share in (1.0, 0.99, 0.9983, 0.9999)]
        ['100 %', '99 %', '99.8 %', '>99.9 %']
    """
    rest = min(share, 1.0 - share)
    if 0.0 < rest < 0.001:
        return "<0.1 %" if share < 0.5 else ">99.9 %"
    return f"{100 * share:.{1 if 0.0 < rest < 0.0095 else 0}f} %"


def _has_own_test(problem: Problem) -> bool:
    """Whether the test rows are a table of the user's."""
    return bool((problem.rows[problem.test] < 0).any())


def _is_split_at_random(problem: Problem) -> bool:
    return problem.times is None and problem.groups is None and not _has_own_test(problem)


def _dates(problem: Problem) -> list[Concern]:
    """A column of dates, where rows are split at random."""
    dates = [column.name for column in problem.columns if column.kind == "date"]
    if not dates or not _is_split_at_random(problem):
        return []
    seen = f"column {dates[0]!r} holds dates, and test rows are drawn at random from all of them"
    remedy = f"If new rows will be later than these, judge by the latest ones with --time-column {dates[0]!r}"
    return [Concern("Order in time", seen, remedy)]


def _groups(problem: Problem, is_over: Callable[[], bool]) -> list[Concern]:
    """A column in each of whose values the target never changes, where such rows are torn apart: are they series?"""
    if problem.groups is not None or _has_own_test(problem):
        return []
    y = problem.y[problem.train]
    for column in problem.columns:
        if is_over():
            break
        values = as_numbers(problem.table[column.name])[problem.train]
        _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
        if not _GROUPS[0] <= (counts > 1).sum() or len(counts) > len(y) / _GROUPS[1]:
            continue
        order = np.lexsort((y, codes))
        same = codes[order][1:] == codes[order][:-1]
        if len(counts) > len(np.unique(y)) / 2 and (y[order][1:] == y[order][:-1])[same].all():
            seen = f"{problem.target!r} never changes within a value of {column.name!r} ({len(counts):,} of them), and their rows stand on both sides of the split"
            remedy = (
                f"Are they the steps of series with one {problem.target!r} each? Then type --target {problem.target!r} "
                f"--series {column.name!r}; else keep them together with --group {column.name!r}"
            )
            return [Concern("Groups", seen, remedy)]
    return []


def _hashes(rows: np.ndarray) -> np.ndarray:
    return np.array([hash(row.tobytes()) for row in rows], dtype=np.int64)


def _little(problem: Problem) -> list[Concern]:
    rows, columns = len(problem.train), len(problem.columns)
    if rows >= 200 and rows >= 10 * columns:
        return []
    return [
        Concern(
            "Little data",
            f"{numbered(rows, 'training rows')} for {numbered(columns, 'columns')}",
            ANOTHER_SPLIT,
        )
    ]


def _drift(problem: Problem, is_over: Callable[[], bool]) -> list[Concern]:
    """Columns whose training and test distributions differ by more than chance explains."""
    found = []
    for place, column in enumerate(problem.columns):
        if is_over():
            problem.notes.append(f"Drift was looked for in {place:,} of {len(problem.columns):,} columns, to keep within the budget.")  # fmt: skip
            break
        cells = problem.table[column.name]
        values = as_numbers(cells)
        train, test = values[problem.train], values[problem.test]
        if isinstance(cells, Levels):
            size = len(cells.names) + 1
            table = np.stack([np.bincount(part.astype(int) + 1, minlength=size) for part in (train, test)])  # fmt: skip
            table = table[:, table.sum(0) > 0]
            gap = float(np.abs(table[0] / len(train) - table[1] / len(test)).sum() / 2)
            p = float(stats.chi2_contingency(table).pvalue) if table.shape[1] > 1 else 1.0
        else:
            test_result = stats.ks_2samp(train, test, method="asymp")
            gap, p = float(test_result.statistic), float(test_result.pvalue)
        if gap > DRIFT and p < 0.001 / len(problem.columns):
            found.append(column.name)
    if not found:
        return []
    names = ", ".join(repr(name) for name in found[:5]) + (", …" if len(found) > 5 else "")
    seen = f"{names} differ{'s' if len(found) == 1 else ''} between training and test rows"
    return [Concern("Drift", seen)]
