"""Rules on the fit: overfitted, underfitted, stopped early, nothing held out."""

import math
from itertools import pairwise
from statistics import fmean, pstdev

from gradatim.doctor.facts import Facts, Layer, Place
from gradatim.doctor.findings import Finding
from gradatim.doctor.rules.making import Symptoms, blew_up, make
from gradatim.doctor.symptoms import validation_curve

FEWEST_EVALUATIONS = 5  # that show a trend
WORSE = 1.1  # validation at the end to its best
STEEP = 0.25  # of the slope at the start
FEW_STEPS = 200
NARROW = 2  # units
NARROW_FOR_SIGNAL, CLEAR_SIGNAL = (
    8,
    0.3,
)  # units, where simple models take away so much of the error
RISING = 0.01  # of the loss, from the third quarter to the fourth


def overfit(facts: Facts, symptoms: Symptoms) -> Finding | None:
    curve = validation_curve(facts)
    losses = [x for x in facts.series.loss if math.isfinite(x)]
    if (
        len(curve) < FEWEST_EVALUATIONS
        or "gap" not in symptoms
        or len(losses) < 20
        or facts.witness("restored").seen
    ):
        return None
    k = curve.index(min(curve))
    steps = [abs(b - a) for a, b in pairwise(curve)]
    rises = curve[-1] > WORSE * curve[k] and curve[-1] - curve[k] > 3 * pstdev(steps) / math.sqrt(2)
    half = len(losses) // 2
    falling = fmean(losses[half:]) < fmean(losses[:half])
    if not rises or not falling or k == len(curve) - 1:
        return None
    cause = f"validation was best at evaluation {k + 1} of {len(curve)} ({curve[k]:.3g}) and is {curve[-1]:.3g} now, while training went on falling"
    return make("fit.overfit", facts.data.origins.get("loop") or facts.evaluations[-1].place, cause=cause, strength=0.65, best=curve[k], last=curve[-1])  # fmt: skip


def underfit(facts: Facts, symptoms: Symptoms) -> Finding | None:
    if blew_up(symptoms) or not ("not-learning" in symptoms or "slow" in symptoms):
        return None
    signal = max((v for k, v in facts.data.signal.items() if k != "chance"), default=0.0)
    for model in facts.models:
        for name, stats in facts.layers.items():
            units = stats.last.get("units", math.inf)
            layer = next((x for x in model.layers if x.name == name), None)
            is_hidden = (
                layer is not None and layer.parameters > 0 and layer is not _last(model.layers)
            )
            narrow = NARROW_FOR_SIGNAL if signal > CLEAR_SIGNAL else NARROW
            if is_hidden and layer is not None and units <= narrow:
                cause = f"everything must pass through {units:.0f} units of {name}"
                return make("fit.underfit", Place(layer.file, layer.line, name), cause=cause, strength=0.45)  # fmt: skip
    return make("fit.underfit", strength=0.2)


def _last(layers: list[Layer]) -> Layer | None:
    return next((layer for layer in reversed(layers) if layer.parameters), None)


def too_short(facts: Facts, symptoms: Symptoms) -> Finding | None:
    losses = [x for x in facts.series.loss if math.isfinite(x)]
    n = len(losses)
    if blew_up(symptoms) or n < 4 or n > FEW_STEPS or not {"slow", "not-learning"} & set(symptoms):
        return None
    quarter = max(1, n // 4)
    first = fmean(losses[:quarter]) - fmean(losses[quarter : 2 * quarter])
    last = fmean(losses[-2 * quarter : -quarter]) - fmean(losses[-quarter:])
    if last < max(STEEP * first, RISING * abs(losses[0])):
        return None
    once = (
        facts.data.rows <= facts.data.distinct * 1.02 <= 1.02 * facts.data.available
    )  # no row came twice
    return make("fit.too-short", facts.data.origins.get("loop"), cause=f"training stopped after {facts.steps} steps, while the loss was still falling fast", strength=0.65 if once else 0.5, steps=facts.steps)  # fmt: skip


def no_validation(facts: Facts, symptoms: Symptoms) -> Finding | None:
    if facts.evaluations or not facts.models or facts.passes < 20 or facts.failure is not None:
        return None
    return make("fit.no-validation", strength=0.1)


RULES = {
    "fit.overfit": overfit,
    "fit.underfit": underfit,
    "fit.too-short": too_short,
    "fit.no-validation": no_validation,
}
