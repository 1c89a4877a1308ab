"""Does the network beat the best simple model, and which one to take."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gradatim.evaluation import Interval, choose_by_occam, corrected_interval
from gradatim.fitting.player import NETWORK
from gradatim.reports.values import format_value


class Verdict(NamedTuple):
    """The conclusion.

    Args:
        metric: The figure that decided.
        best_simple: The simple model with the best mean score.
        recommended: The model to use.
        difference: Network minus best simple model; ``None`` without a network.
        network_wins: Whether the whole interval speaks for the network.
        sentence: The conclusion in words.
    """

    metric: str
    best_simple: str
    recommended: str
    difference: Interval | None
    network_wins: bool
    sentence: str


def decide(
    simple: Mapping[str, np.ndarray], network: np.ndarray | None, ratio: float, metric: str
) -> Verdict:
    """Compare the network with the best simple model and apply Occam's rule (:func:`~gradatim.evaluation.choose_by_occam`).

    The network is the most complex of all candidates. That it *beats* the best simple model is said only if the whole 95 %
    interval of the difference is on its side.

    Args:
        simple: Scores of every simple model on every fold, the simplest first; smaller is better.
        network: Scores of the network; ``None`` where it could not be trained.
        ratio: Judging rows per training row.
        metric: Name of the score.
    """
    best = choose_by_occam(simple, ratio).best
    difference = None if network is None else corrected_interval(network - simple[best], ratio)
    wins = difference is not None and difference.high < 0.0
    everyone = simple if network is None else {**simple, NETWORK: network}
    recommended = choose_by_occam(everyone, ratio).recommended
    sentence = _sentence(difference, best, recommended, metric)
    return Verdict(metric, best, recommended, difference, wins, sentence)


def _sentence(difference: Interval | None, best: str, recommended: str, metric: str) -> str:
    if difference is None:
        return f"The network could not be trained. Recommended: {recommended}."
    mean, low, high = (format_value(abs(v) if v is difference.mean else v) for v in (difference.mean, difference.low, difference.high))  # fmt: skip
    direction = "lower" if difference.mean < 0 else "higher"
    interval = f"95 % interval of the difference {low} to {high}"
    gap = f"its {metric} is {mean} {direction} ({interval})"
    word = "is worse than" if difference.low > 0 else "does not clearly beat"
    word = "beats" if difference.high < 0 else word
    name = "the network" if recommended == NETWORK else recommended
    is_plain = recommended == (NETWORK if difference.high < 0 else best)
    reason = (
        "" if is_plain else ", the simplest that no model is more than one standard error ahead of"
    )
    return f"The network {word} the best simple model, {best}: {gap}. Recommended: {name}{reason}."
