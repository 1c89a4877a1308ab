r"""The average of the best candidates, the most complex one of a contest.

.. math:: f(x) = \sum_m \frac{n_m}{n} f_m(x), \qquad n = \sum_m n_m \le 12

Models that err differently err less together. Weights are found greedily: the best candidate is taken first, then again and
again the one, taken before or not, with which the average errs least; the best of all these averages stays. What each of
them said of the rows of a fold is known from the comparison, so weights cost no training. To judge the average without
flattering it, each fold's weights are those that are best on the *other* folds, as are the settings there.

Reference:
    Caruana et al., Ensemble Selection from Libraries of Models, 2004.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gradatim.evaluation.racing import Result, deciding_loss, scores
from gradatim.fitting.clock import never
from gradatim.fitting.comparison import Comparison
from gradatim.fitting.player import NETWORK, Candidate, Figures, Player
from gradatim.fitting.tuning import Tuning
from gradatim.fitting.work import Work

STEPS = 12  # candidates that are added up, the same ones counted again
MOST = 6  # different ones, the best
GAIN = 1e-6  # of the loss, that a longer sum must bring
TIME = 0.03  # of the time until the last trainings, that the search may take

Counts = tuple[int, ...]


@dataclass(frozen=True)
class Average:
    """Whom to average, and how good that is.

    Args:
        members: Names of the candidates.
        weights: Their weights, all positive.
        results: The average on each fold, with weights that are best on the other folds.
        shares: Those weights of each fold, by name.
    """

    members: list[str]
    weights: list[float]
    results: list[Result]
    shares: list[dict[str, float]] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        """Whom it averages, in words."""
        parts = [f"{w:.3g} × {m}" for m, w in zip(self.members, self.weights, strict=True)]
        return f"The average is {' + '.join(parts)}, with the weights that are best over the folds."


def candidate_on_fold(name: str, k: int, comparison: Comparison, tuning: Tuning | None) -> Candidate:  # fmt: skip
    """A model with the settings that are best on the folds other than ``k``."""
    if tuning is not None and name == NETWORK:
        return Candidate(NETWORK, tuning.choices[k])
    return comparison.candidate(name, k)


def add_greedily(loss: Callable[[Counts], float], members: int, steps: int = STEPS, is_over: Callable[[], bool] = never) -> Counts:  # fmt: skip
    """How often to take each of several candidates, added one by one, each time the one that helps most.

    Args:
        loss: Of the average in which candidates count so often; the first is the best alone.
        members: Candidates there are.
        steps: How many are added up, at most.
        is_over: Whether time is up; then the best so far is taken.

    Example:
        >>> add_greedily(lambda n: abs(n[0] - 3 * n[1]) / sum(n), 2)
        (3, 1)
    """
    best = counts = (1,) + (0,) * (members - 1)
    lowest = loss(counts)
    for _ in range(steps - 1):
        if is_over():
            break
        ahead = [tuple(n + (j == k) for j, n in enumerate(counts)) for k in range(members)]
        losses = [loss(own) for own in ahead]
        place = int(np.argmin(losses))
        counts = ahead[place]
        if losses[place] < lowest * (1 - GAIN) if lowest > 0 else losses[place] < lowest:
            best, lowest = counts, losses[place]
    return best


def find_average(
    player: Player,
    comparison: Comparison,
    tuning: Tuning | None,
    work: Work,
    deadline: float | None,
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
    if player.averaged is None:
        return None
    found = work.recall("average", lambda: _average(player, comparison, tuning, work, deadline))
    if found is None:
        return None
    members, weights, results, *shares = found
    return Average(members, weights, [Result(*r) for r in results], *shares)


def _average(
    player: Player,
    comparison: Comparison,
    tuning: Tuning | None,
    work: Work,
    deadline: float | None,
) -> tuple[list[str], list[float], list[Result], list[dict[str, float]]] | None:
    results = {n: own for n, own in comparison.simple.items() if n != player.simple[0]}
    if tuning is not None:
        results[NETWORK] = tuning.results
    order = sorted(results, key=lambda name: float(scores(results[name]).mean()))[:MOST]
    folds = range(len(comparison.folds))
    tasks = {(n, k): candidate_on_fold(n, k, comparison, tuning) for n in order for k in folds}
    again = sum(results[n][k].seconds for (n, k), c in tasks.items() if not player.has_said(c, k))
    if len(order) < 2 or (again and deadline is not None and work.elapsed + again > deadline):
        return None
    outputs = [np.stack([player.said(tasks[n, k], k) for n in order]) for k in folds]
    known: dict[Counts, list[Figures]] = {}

    def figures(counts: Counts) -> list[Figures]:
        if counts not in known:
            weights = np.array(counts) / sum(counts)
            known[counts] = [player.measure(np.tensordot(weights, outputs[k], 1), k) for k in folds]
        return known[counts]

    def loss_without(fold: int | None) -> Callable[[Counts], float]:
        return lambda counts: float(np.mean([deciding_loss(f) for k, f in enumerate(figures(counts)) if k != fold]))  # fmt: skip

    is_over = _timer(work, deadline)
    chosen = add_greedily(loss_without(None), len(order), STEPS, is_over)
    if sum(n > 0 for n in chosen) < 2 or not np.isfinite(loss_without(None)(chosen)):
        return None
    seconds = [sum(results[n][k].seconds for n in order) for k in folds]
    best = [add_greedily(loss_without(k), len(order), sum(chosen), is_over) for k in folds]
    own = [Result(figures(best[k])[k], seconds[k]) for k in folds]
    members = _shares(order, chosen)
    return list(members), list(members.values()), own, [_shares(order, counts) for counts in best]


def _shares(names: list[str], counts: Counts) -> dict[str, float]:
    return {name: n / sum(counts) for name, n in zip(names, counts, strict=True) if n}


def _timer(work: Work, deadline: float | None) -> Callable[[], bool]:
    """Whether the search for weights has had its time."""
    if deadline is None:
        return never
    end = work.elapsed + TIME * deadline
    return lambda: work.elapsed > end
