r"""The rule of Occam: which of several models to take.

**The simplest model that no other is ahead of by more than one standard error.** With models in order of complexity and
scores :math:`s_{mj}` on the same folds :math:`j`, smaller is better,

.. math:: m^* = \min\{m : \overline{s_m - s_o} \le \mathrm{SE}(s_m - s_o) \text{ for every other } o\}

where SE is the corrected error of the paired difference (:func:`~gradatim.evaluation.corrected_interval`).

Why one standard error, Breiman's old measure: taking the best mean follows noise, which puts the more complex of two equal
models ahead half of the time, and by more than a standard error one time in six. Asking for a 95 % interval instead asks
for a proof where only a choice is due: with five folds it keeps a simple model that is worse by almost two standard
deviations of a fold.

Why every other model and not the best alone: differences to a best model that is itself noisy have a wide error, within
which a plainly bad model would pass.

A *choice* is not a *claim*: that one model beats another is said only where the whole 95 % interval of their difference
lies on its side.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gradatim.evaluation.intervals import Interval, corrected_interval


class OccamChoice(NamedTuple):
    """What the rule of Occam says.

    Args:
        best: The model with the best mean.
        recommended: The simplest model that no other is ahead of by more than one standard error.
        differences: How much worse each model is than the best; positive is worse.
    """

    best: str
    recommended: str
    differences: dict[str, Interval]


def choose_by_occam(
    scores: Mapping[str, Sequence[float] | np.ndarray], ratio: float
) -> OccamChoice:
    r"""Take the simplest model that no other is ahead of by more than one standard error.

    .. math:: m^* = \min\{m : \overline{s_m - s_o} \le \mathrm{SE}(s_m - s_o) \text{ for every other } o\}

    Args:
        scores: Scores :math:`s_m` of every model on the same folds, **the simplest model first**; smaller is better.
        ratio: Test rows per training row; see :func:`held_out_ratio`.

    Example:
        >>> scores = {"mean": [3.0, 3.1, 2.9], "line": [1.0, 1.2, 1.1], "trees": [1.1, 1.1, 1.0]}
        >>> choice = choose_by_occam(scores, 0.5)
        >>> choice.best, choice.recommended
        ('trees', 'line')

    Reference:
        Breiman et al., Classification and Regression Trees, 1984, section 3.4.3. Nadeau and Bengio, Inference for the
        Generalization Error, 2003.
    """
    values = {name: np.asarray(own, dtype=np.float64) for name, own in scores.items()}
    means = {name: np.nan_to_num(own.mean(), nan=np.inf) for name, own in values.items()}
    best = min(means, key=lambda name: means[name])

    def stands(name: str) -> bool:
        gaps = [corrected_interval(values[name] - other, ratio) for other in values.values()]
        return all(gap.mean <= gap.error for gap in gaps)

    recommended = next(name for name in values if name == best or stands(name))
    differences = {n: corrected_interval(own - values[best], ratio) for n, own in values.items()}
    return OccamChoice(best, recommended, differences)
