"""A race of candidates over folds: who falls clearly behind leaves it, and the winner is judged by the other folds.

Candidates meet the folds in the same order, some folds at a time, several candidates side by side. To judge the winner
without flattering it, each fold's figures are those of the candidate which was best on the *other* folds.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gradatim.evaluation.criteria import turn


class Result(NamedTuple):
    """Figures of one candidate on one fold.

    Args:
        figures: The deciding one first, in its own direction; none where the candidate failed.
        seconds: How long they took.
    """

    figures: dict[str, float]
    seconds: float


Task = tuple[int, int]  # a candidate's number, and a fold
Judge = Callable[[list[Task]], list[Result | None]]  # nothing for a task that there was no time for


class Race(NamedTuple):
    """What a race found.

    Args:
        tried: Candidates that were judged on a fold at least.
        finished: Results on every fold, of those that saw them all.
    """

    tried: int
    finished: dict[int, list[Result]]


def scores(results: Sequence[Result]) -> np.ndarray:
    """The deciding figure on every fold, as a loss: less is better.

    Example:
        >>> scores([Result({"RMSE": 2.0, "MAE": 1.0}, 0.1), Result({"RMSE": 3.0, "MAE": 1.5}, 0.1)]).tolist()
        [2.0, 3.0]
        >>> scores([Result({"AUC": 0.75, "log loss": 0.5}, 0.1)]).tolist()
        [0.25]
    """
    return np.array([deciding_loss(result.figures) for result in results])


def deciding_loss(figures: Mapping[str, float]) -> float:
    """The first of some figures as a loss.

    Example:
        >>> deciding_loss({"accuracy": 0.75, "log loss": 0.5})
        0.25
    """
    return turn(*next(iter(figures.items())))


def is_behind(own: np.ndarray, best: np.ndarray) -> bool:
    """Whether scores are worse than the best by more than the noise of their differences.

    Args:
        own: Scores on the first folds.
        best: Those of the best candidate, on the same folds.

    Example:
        >>> is_behind(np.array([1.0, 1.3]), np.array([1.1, 1.1])), is_behind(np.array([2.0, 2.1]), np.array([1.1, 1.1]))
        (False, True)
    """
    gaps = own - best
    if len(gaps) == 1:
        return bool(gaps[0] > 0.1 * abs(best[0]))
    return bool(gaps.mean() > gaps.std(ddof=1) / np.sqrt(len(gaps)))


def by_other_folds(matrix: np.ndarray) -> np.ndarray:
    """For every fold, the candidate that is best on the other folds.

    Args:
        matrix: Scores, shape ``(candidates, folds)``; smaller is better.

    Example:
        >>> by_other_folds(np.array([[1.0, 1.0, 5.0], [2.0, 2.0, 0.0]])).tolist()
        [1, 1, 0]
    """
    return (matrix.sum(1, keepdims=True) - matrix).argmin(0)


def doubling_rungs(folds: int) -> list[range]:
    """Cut folds into rungs, each of which doubles what is seen.

    Example:
        >>> [list(rung) for rung in doubling_rungs(7)]
        [[0], [1], [2, 3], [4, 5, 6]]
    """
    ends = [0, 1]
    while ends[-1] < folds:
        ends.append(min(2 * ends[-1], folds))
    return [range(a, b) for a, b in pairwise(ends)]


def hold_race(
    judge: Judge,
    candidates: Sequence[int],
    rungs: Sequence[Sequence[int]],
    *,
    width: int = 1,
    finished: Mapping[int, list[Result]],
) -> Race:
    """Race candidates over the folds, ``width`` of them side by side, rung by rung.

    After a rung a candidate leaves if it failed, if there was no time for it, if it is behind the best that finished or the
    leader beside it, or if it is in the worse half of those beside it: the more folds, the fewer candidates.

    Args:
        judge: Judges tasks.
        candidates: Their numbers.
        rungs: Folds that are judged at once, the first first.
        width: How many run side by side.
        finished: Results of candidates that have seen all folds before.

    Example:
        >>> errors = [[1.0, 1.1], [2.0, 2.0], [0.9, 1.0]]
        >>> race = hold_race(lambda tasks: [Result({"error": errors[c][k]}, 0.0) for c, k in tasks], [0, 1, 2], [[0], [1]], finished={})
        >>> race.tried, list(race.finished)
        (3, [0, 2])

    Reference:
        Jamieson and Talwalkar, Non-stochastic Best Arm Identification and Hyperparameter Optimization, 2016.
    """
    done, tried = dict(finished), 0
    for start in range(0, len(candidates), width):
        field: dict[int, list[Result]] = {c: [] for c in candidates[start : start + width]}
        for rung in rungs:
            tasks = [(candidate, k) for candidate in field for k in rung]
            found = dict(zip(tasks, judge(tasks), strict=True))
            if rung is rungs[0]:
                tried += sum(found[c, rung[0]] is not None for c in field)
            own = {c: [*field[c], *(found[c, k] for k in rung)] for c in field}
            field = {
                c: [r for r in results if r is not None]
                for c, results in own.items()
                if all(r is not None and r.figures for r in results)
            }
            if rung is not rungs[-1]:
                field = _in_the_race(field, done)
            if not field:
                break
        done |= field
    return Race(tried, done)


def _in_the_race(
    field: dict[int, list[Result]], finished: Mapping[int, list[Result]]
) -> dict[int, list[Result]]:
    """Those of the field that are not behind, the better half of them at most."""
    own = {candidate: scores(results) for candidate, results in field.items()}
    order = sorted(own, key=lambda candidate: own[candidate].mean())
    best = [own[order[0]]] if order else []
    if finished:
        best.append(min((scores(results) for results in finished.values()), key=np.mean))
    return {
        candidate: field[candidate]
        for candidate in sorted(order[: -(-len(order) // 2)])
        if not any(is_behind(own[candidate], rival[: len(own[candidate])]) for rival in best)
    }
