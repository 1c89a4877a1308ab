"""Does the network beat the best simple model, and which one to take."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gradatim.evaluation import Interval, choose_by_occam, corrected_interval
from gradatim.evaluation.criteria import is_larger_better, turn_difference
from gradatim.evaluation.occam import CLOSE
from gradatim.fitting.options import SIMPLE
from gradatim.fitting.player import AVERAGE, NETWORK
from gradatim.reports.values import format_value
from gradatim.wording import percent


class Verdict(NamedTuple):
    """The conclusion.

    Args:
        metric: The figure that decided.
        best_simple: The best of the simple models.
        recommended: The model to use.
        difference: Network minus best simple model, in the metric's own direction; ``None`` without a network.
        network_wins: Whether the whole interval speaks for the network.
        sentence: The conclusion in words.
        best: The best of all.
        cost: How much worse the recommended model is than the best: what simplicity costs.
    """

    metric: str
    best_simple: str
    recommended: str
    difference: Interval | None
    network_wins: bool
    sentence: str
    best: str
    cost: Interval


def decide(
    simple: Mapping[str, np.ndarray],
    network: np.ndarray | None,
    ratio: float,
    metric: str,
    prefer: str = SIMPLE,
    average: np.ndarray | None = None,
) -> Verdict:
    """Compare the network with the best simple model and apply Occam's rule (:func:`~gradatim.evaluation.choose_by_occam`).

    The network is more complex than the simple models. That it *beats* the best simple model is said only if the whole 95 %
    interval of the difference is on its side. A difference is small beside the best score, or beside what the best gains
    over the trivial model if that is less: the trivial model is never close to one that learned something.

    Args:
        simple: Losses of every simple model on every fold, the simplest first and trivial.
        network: Losses of the network; ``None`` where it could not be trained.
        ratio: Judging rows per training row.
        metric: What reports call the score, which tells how losses become figures (:func:`~gradatim.evaluation.criteria.turn`).
        prefer: ``"simple"`` follows the rule, ``"accurate"`` takes the best.
        average: Losses of the average of the best candidates, the most complex of all; ``None`` without one.
    """
    best_simple = choose_by_occam(simple, ratio).best
    difference = None if network is None else corrected_interval(network - simple[best_simple], ratio)  # fmt: skip
    wins = difference is not None and difference.high < 0.0
    complex_ones = {NETWORK: network, AVERAGE: average}
    everyone = {**simple, **{n: own for n, own in complex_ones.items() if own is not None}}
    best = choose_by_occam(everyone, ratio).best
    score, trivial = float(everyone[best].mean()), next(iter(everyone))
    scale = max(min(abs(score), float(everyone[trivial].mean()) - score), 0.0)
    choice = choose_by_occam(everyone, ratio, scale=scale)
    recommended = choice.recommended if prefer == SIMPLE else best
    cost = choice.differences[recommended]
    compared = _compared(difference, best_simple, metric)
    reason = _reason(everyone) if recommended == NETWORK and not wins else ""
    sentence = f"{compared}. {_recommended(recommended, best, reason, cost, score, metric)}."
    if recommended != choice.recommended:
        other = price(choice.differences[choice.recommended], score, metric)
        sentence += f" {_called(choice.recommended).capitalize()} would be simpler: {other}."
    shown = None if difference is None else turn_difference(metric, difference)
    return Verdict(metric, best_simple, recommended, shown, wins, sentence, best, cost)


def _compared(difference: Interval | None, best: str, metric: str) -> str:
    if difference is None:
        return "No network was trained"
    shown = turn_difference(metric, difference)
    low, high = (format_value(v) for v in (shown.low, shown.high))
    direction = "lower" if shown.mean < 0 else "higher"
    gap = f"its {metric} is {format_value(abs(shown.mean))} {direction} (95 % interval of the difference {low} to {high})"
    word = "is worse than" if difference.low > 0 else "does not clearly beat"
    word = "beats" if difference.high < 0 else word
    return f"The network {word} the best simple model, {best}: {gap}"


def _recommended(recommended: str, best: str, reason: str, cost: Interval, score: float, metric: str) -> str:  # fmt: skip
    """The recommendation, and what simplicity costs."""
    if recommended != best:
        near = "about as good" if cost.mean <= CLOSE * abs(score) else "within its noise"
        return f"Recommended: {_called(recommended)}, simpler than {_called(best)} and {near}: {price(cost, score, metric)}"
    return f"Recommended: {_called(recommended)}{reason}"


def _reason(losses: Mapping[str, np.ndarray]) -> str:
    """Why a network is the best that is not shown to beat simpler models: by its mean, or by the noise of theirs."""
    means = {name: float(own.mean()) for name, own in losses.items() if np.isfinite(own).all()}
    is_lowest = means[NETWORK] <= min(means.values())
    return ", the best on average" if is_lowest else ", the best with the noise of each counted"


def _called(name: str) -> str:
    return f"the {name}" if name in (NETWORK, AVERAGE) else name


def price(cost: Interval, score: float, metric: str) -> str:
    """What simplicity costs, in per cent of the best error where that is not zero.

    Args:
        cost: How much worse the recommended model is than the best.
        score: Mean loss of the best.
        metric: What reports call the score.

    Example:
        >>> price(Interval(0.02, 0.01, -0.01, 0.05), 2.0, "RMSE")
        'simplicity costs 1 % of the RMSE (95 % interval -0.5 % to 2.5 %)'
        >>> price(Interval(0.02, 0.01, -0.01, 0.05), 0.2, "AUC")
        'simplicity costs 0.02 in AUC (95 % interval -0.01 to 0.05)'
    """
    if cost.mean <= 0:
        return "simplicity costs nothing on average"
    if score > 0 and not is_larger_better(metric):
        mean, low, high = (percent(v / score) for v in (cost.mean, cost.low, cost.high))
        return f"simplicity costs {mean} of the {metric} (95 % interval {low} to {high})"
    mean, low, high = (format_value(v) for v in (cost.mean, cost.low, cost.high))
    return f"simplicity costs {mean} in {metric} (95 % interval {low} to {high})"
