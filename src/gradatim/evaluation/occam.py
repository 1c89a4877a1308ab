r"""The rule of Occam: which of several models to take.

**The simplest model that is as good as the best, where an erratic model is never excused by its own spread.** With scores
:math:`s_{mj}` of models :math:`m` in order of complexity on the same folds :math:`j`, smaller is better, let SE be the
corrected error of a mean over folds (:func:`~gradatim.evaluation.corrected_interval`) and

.. math:: e_m = \min\bigl(\mathrm{SE}(s_m),\ \mathrm{median}_{o \ne m}\,\mathrm{SE}(s_m - s_o)\bigr), \qquad
   u_m = \bar s_m + e_m, \qquad b = \arg\min_m u_m

:math:`e_m` is the noise of the model itself: its own scores spread with the difficulty of the folds too, its difference to
another model with the noise of that one, and the lower of the two leaves most of both out. :math:`u_m` is a cautious score.
The *best* model has the lowest; taken is the simplest that is within half of the best one's own noise, or that is *shown* to
be close to it, by a share :math:`\tau` of 2 % of the score :math:`c`:

.. math:: m^* = \min\{m : u_m - u_b \le \tfrac12 e_b \ \text{ or } \ \overline{s_m - s_b} + \mathrm{SE}(s_m - s_b) \le \tau c\}

Why caution: a mean of few folds that spread widely promises what it may not keep. Why not the error of the difference, as
Breiman's old rule has it: a model that does badly in one fold and well in others makes that error large, and so excuses
itself. Why the noise at all: taking the lowest :math:`u` follows chance, which puts the more complex of two equal models
ahead half of the time. Why half of it: on a mix of draws (equal models, simple ones ahead, complex ones ahead, erratic
ones; 3, 5 and 10 folds) the score lost against the truly best model is lowest so: 1.1 %, where the lowest mean loses 2.0 %
and Breiman's rule 2.5 %; the whole of it costs more wherever a complex model is truly ahead.

A *choice* is not a *claim*: that one model beats another is said only where the whole 95 % interval of their difference
lies on its side.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gradatim.evaluation.intervals import Interval, corrected_interval

CLOSE = 0.02  # of the score
NOISE = 0.5  # of the best model's own


class OccamChoice(NamedTuple):
    """What the rule of Occam says.

    Args:
        best: The model with the best cautious score: its mean and its own noise.
        recommended: The simplest model that is within the noise of the best, or shown to be close to it.
        differences: How much worse each model is than the best; positive is worse.
    """

    best: str
    recommended: str
    differences: dict[str, Interval]


def choose_by_occam(
    scores: Mapping[str, Sequence[float] | np.ndarray], ratio: float, *, scale: float | None = None
) -> OccamChoice:
    r"""Take the simplest model that is as good as the best.

    .. math:: m^* = \min\{m : u_m - u_b \le \tfrac12 e_b \ \text{ or } \ \overline{s_m - s_b} + \mathrm{SE}(s_m - s_b) \le \tau c\}

    with the noise :math:`e_m` of a model, its cautious score :math:`u_m = \bar s_m + e_m` and the best one :math:`b`, as at the
    head of :mod:`gradatim.evaluation.occam`.

    Args:
        scores: Scores :math:`s_m` of every model on the same folds, **the simplest model first**; smaller is better.
        ratio: Test rows per training row; see :func:`held_out_ratio`.
        scale: What a difference is small beside, :math:`c`; by default the mean score of the best model, from zero.

    Example:
        >>> scores = {"mean": [3.0, 3.1, 2.9], "line": [1.0, 1.3, 1.0], "trees": [1.0, 1.2, 1.08]}
        >>> choice = choose_by_occam(scores, 0.5)
        >>> choice.best, choice.recommended
        ('trees', 'line')

    Reference:
        Breiman et al., Classification and Regression Trees, 1984, section 3.4.3. Nadeau and Bengio, Inference for the
        Generalization Error, 2003.
    """
    values = {name: np.asarray(own, dtype=np.float64) for name, own in scores.items()}
    sound = {name: own for name, own in values.items() if np.isfinite(own).all()}
    noise = {name: _own_noise(name, sound, ratio) for name in sound}
    cautious = {name: float(own.mean()) + noise[name] for name, own in sound.items()}
    best = min(cautious, key=lambda name: cautious[name])
    differences = {n: corrected_interval(own - values[best], ratio) for n, own in values.items()}
    margin = CLOSE * (abs(float(values[best].mean())) if scale is None else scale)

    def is_as_good(name: str) -> bool:
        gap = differences[name]
        is_within = cautious[name] - cautious[best] <= NOISE * noise[best]
        return is_within or gap.mean + gap.error <= margin

    recommended = next(name for name in sound if is_as_good(name))
    return OccamChoice(best, recommended, differences)


def _own_noise(name: str, scores: Mapping[str, np.ndarray], ratio: float) -> float:
    """The lower of the errors of a model's mean score and of its difference to another model, the middle one of them."""
    own = scores[name]
    error = corrected_interval(own, ratio).error
    others = sorted(
        corrected_interval(own - o, ratio).error for n, o in scores.items() if n != name
    )
    return min(error, others[(len(others) - 1) // 2]) if others else error
