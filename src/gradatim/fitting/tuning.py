"""Tune the network by a race of random settings over the folds of the comparison.

Every trial meets the folds in the same order and leaves the race as soon as it is clearly behind the best
trial on the folds both have seen. To judge the tuned network without flattering it, each fold's figure is that of
the setting which was best on the *other* folds.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gradatim.events import Stage, Tell
from gradatim.fitting.comparison import Result, judge_network, network_key
from gradatim.fitting.player import Player
from gradatim.fitting.work import Work

MAX_TRIALS = 100
_OVER = "race-over"


@dataclass
class Tuning:
    """What the race found.

    Args:
        settings: The setting that is best over all folds.
        results: The tuned network on each fold, by the setting that is best on the other folds.
        trials: Settings tried; finished: those that saw every fold.
        table: Trial number and mean score of each that finished, the best first.
    """

    settings: Any
    results: list[Result]
    trials: int
    finished: int
    table: list[tuple[int, float]]


def tune(player: Player, count: int, work: Work, *, deadline: float | None, trials: int | None, tell: Tell) -> Tuning | None:  # fmt: skip
    """Race random settings until the deadline, or through ``trials`` settings.

    Args:
        player: The data.
        count: How many of its folds are used.
        work: Where results are kept.
        deadline: Time on the clock of ``work`` at which no further training may be under way.
        trials: Settings to try; takes the place of the deadline.
        tell: Called with what is done and the share that is done.

    Returns:
        ``None`` where no setting could be trained on every fold.
    """
    finished: dict[int, list[Result]] = {}
    tried = 0
    is_over = work.has(_OVER)  # then a resumed run only reads what was measured
    limit = MAX_TRIALS if trials is None else trials
    for trial in range(limit):
        tell(Stage(f"network: setting {trial + 1}", trial / limit))
        results = _race(player, trial, count, work, finished, -1.0 if is_over else deadline)
        tried += bool(results)
        if len(results) == count and results[-1].figures:
            finished[trial] = results
    work.recall(_OVER, lambda: True)
    if not finished:
        return None
    means = {trial: float(np.mean(scores(results))) for trial, results in finished.items()}
    order = sorted(means, key=lambda trial: (means[trial], trial))
    table = [(trial, means[trial]) for trial in order]
    settings = player.draw(order[0])
    return Tuning(settings, _by_other_folds(finished, count), tried, len(finished), table)


def scores(results: list[Result]) -> np.ndarray:
    """The deciding figure on every fold."""
    return np.array([next(iter(result.figures.values())) for result in results])


def _race(player: Player, trial: int, count: int, work: Work, finished: dict[int, list[Result]], deadline: float | None) -> list[Result]:  # fmt: skip
    """Results of a trial until it finished, fell behind, or time was up; none if there was no time for it."""
    results: list[Result] = []
    best = min(finished.values(), key=lambda found: scores(found).mean(), default=None)
    first = finished.get(0)
    fold = 0.0 if first is None else min(r.seconds for r in first) * player.cost(player.draw(trial))
    for k in range(count):
        fold = max([fold, *(result.seconds for result in results)])
        needed = fold * (count - k if not results else 1) + player.last * fold
        late = deadline is not None and work.elapsed + needed > deadline
        if late and not work.has(network_key(trial, k)):
            return results
        results.append(judge_network(player, trial, k, work))
        if not results[-1].figures or (best is not None and is_behind(results, best[: k + 1])):
            break
    return results


def is_behind(results: list[Result], best: list[Result]) -> bool:
    """Whether a trial is worse than the best by more than the noise of their differences.

    Example:
        >>> def told(*values):
        ...     return [Result({"RMSE": v}, 0.0) for v in values]
        >>> is_behind(told(1.0, 1.3), told(1.1, 1.1)), is_behind(told(2.0, 2.1), told(1.1, 1.1))
        (False, True)
    """
    gaps = scores(results) - scores(best)
    if len(gaps) == 1:
        return bool(gaps[0] > 0.1 * abs(scores(best)[0]))
    return bool(gaps.mean() > gaps.std(ddof=1) / np.sqrt(len(gaps)))


def _by_other_folds(finished: dict[int, list[Result]], count: int) -> list[Result]:
    trials = list(finished)
    matrix = np.stack([scores(finished[trial]) for trial in trials])  # (trials, folds)
    others = matrix.sum(1, keepdims=True) - matrix
    return [finished[trials[int(others[:, k].argmin())]][k] for k in range(count)]
