"""Symptoms: what a healthy run does not show, measured against the best constant prediction."""

import math
from statistics import fmean, median

from gradatim.doctor.facts import Facts
from gradatim.doctor.findings import Symptom
from gradatim.doctor.kinds import REGRESSION

FEWEST_PAIRS = 4  # sampled steps
FEWEST = 6  # losses below which nothing is said of a trend
NO_BETTER = 0.97  # of the constant's loss: what a constant with its noise reaches by luck
FAR_ABOVE = 1.5  # times the constant's loss: worse than knowing nothing
GROWN = 2.0  # times the loss at the start
SELDOM, MOST_CLASSES = 0.75, 20  # of the rows; different whole numbers that are still classes
SPIKE = 3.0  # times the median of the twenty losses before
MANY_SPIKES = 0.04  # of the steps: Adam on clean data has none
MUCH_LOST = 0.25  # of what was learned: noise takes a few hundredths
FEW_ROWS = 8  # of a batch whose loss says something
LITTLE = 0.75  # of the constant's loss: not even a quarter of what can be learned at all
STEEP = 0.02  # of the constant's loss, from the third quarter of a run to the fourth
HALF = 0.5  # of the constant's loss, between training and validation
APART = 1.1  # validation against its best


def find_symptoms(facts: Facts) -> list[Symptom]:
    """Measure a run.

    Args:
        facts: What was seen of it.
    """
    found = []
    if facts.failure is not None:
        found.append(Symptom("crash", facts.steps))
    start = next((k for k, step in enumerate(facts.series.step) if step >= facts.phase_start), 0)
    losses = facts.series.loss[start:]
    bad = next((k for k, loss in enumerate(losses) if not math.isfinite(loss)), None)
    if bad is not None:
        found.append(Symptom("non-finite", facts.series.step[start + bad]))
    finite = [loss for loss in losses if math.isfinite(loss)]
    if len(finite) >= FEWEST:
        found += _trends(facts, finite, bad is not None)
    found += _gap(facts)
    if _misses_classes(facts) and not found:
        found.append(Symptom("slow", None, dict(facts.witness("compared-as-classes").numbers)))
    return found


def _misses_classes(facts: Facts) -> bool:
    """By the program's own comparison, outputs of a regression are seldom the whole numbers that they are compared with."""
    hits = facts.witness("compared-as-classes").numbers.get("hits", 1.0)
    targets = [t.target for t in facts.losses if t.operation in REGRESSION]
    return hits < SELDOM and any(3 <= target.classes <= MOST_CLASSES for target in targets)


def _trends(facts: Facts, losses: list[float], is_broken: bool) -> list[Symptom]:
    constant, start, end = facts.constant_loss(), _start(losses), _end(losses)
    numbers = {"start": start, "end": end, "steps": float(len(losses))}
    if constant is not None:
        numbers["constant"] = constant
    found = []
    if _diverges(start, end, constant):
        found.append(Symptom("diverging", None, numbers))
    spikes, lost = _spikes(_of_rows(losses, facts)), _lost(losses, constant)
    if spikes > MANY_SPIKES or lost > MUCH_LOST:
        found.append(Symptom("unstable", None, {**numbers, "spikes": spikes, "lost": lost}))
    if not is_broken and constant is not None and constant > 1e-7 and end > 0:
        share = share_of_constant(facts)
        numbers["share"] = share if share is not None else end / constant
        if numbers["share"] > NO_BETTER:
            found.append(Symptom("not-learning", None, numbers))
            if _collapsed(facts):
                found.append(Symptom("collapsed", None, numbers))
        elif numbers["share"] > LITTLE and _still_falls(losses, constant):
            found.append(Symptom("slow", None, numbers))
    elif not is_broken and constant is None and start > 0 and _stands_still(losses):
        found.append(Symptom("slow", None, numbers))
    return found


def _start(losses: list[float]) -> float:
    return min(losses[0], fmean(losses[: max(1, min(3, len(losses) // 4))]))


def _tail(losses: list[float]) -> int:
    return max(3, len(losses) // 8)


def _end(losses: list[float]) -> float:
    return fmean(losses[-_tail(losses) :])


def share_of_constant(facts: Facts) -> float | None:
    """The loss of the last sampled steps, by that of a constant on the same targets; None where too few are known."""
    paired = facts.paired
    late = [k for k, step in enumerate(paired.step) if step >= 0.6 * facts.sampled]
    late = late if len(late) >= FEWEST_PAIRS else list(range(len(paired.step)))[-FEWEST_PAIRS:]
    loss, constant = sum(paired.loss[k] for k in late), sum(paired.constant[k] for k in late)
    return loss / constant if len(late) >= FEWEST_PAIRS and constant > 0 else None


def _diverges(start: float, end: float, constant: float | None) -> bool:
    if constant is not None:
        return end > FAR_ABOVE * constant and end > GROWN * start
    return start > 0 and end > 2 * GROWN * start


def _spikes(losses: list[float]) -> float:
    """Share of the steps whose loss jumps far above those before and comes back."""
    settled = losses[len(losses) // 5 :]
    if len(settled) < 20 or min(losses) <= 0:
        return 0.0
    before = [settled[max(0, k - 20) : k] for k in range(5, len(settled))]
    floor = 0.1 * _start(losses)  # noise of a loss that has almost vanished is no jump
    jumps = [max(median(b), floor) * SPIKE < settled[k + 5] for k, b in enumerate(before)]
    return sum(jumps) / len(jumps)


def _of_rows(losses: list[float], facts: Facts) -> list[float]:
    """Losses over 16 rows or more: that of a single row jumps by itself."""
    sizes = facts.data.batch_sizes
    size = int(median(sizes)) if sizes else FEW_ROWS
    if size >= FEW_ROWS:
        return losses
    each = -(-2 * FEW_ROWS // max(size, 1))
    return [fmean(losses[k : k + each]) for k in range(0, len(losses) - each + 1, each)]


def _lost(losses: list[float], constant: float | None) -> float:
    """Share of what was once learned that is lost at the end."""
    window = max(10, len(losses) // 12)
    if constant is None or len(losses) < 6 * window:
        return 0.0
    means = [fmean(losses[k : k + window]) for k in range(0, len(losses) - window + 1, window)]
    best = min(means)
    return (means[-1] - best) / (constant - best) if best < LITTLE * constant else 0.0


def _still_falls(losses: list[float], constant: float) -> bool:
    quarter = len(losses) // 4
    third, last = fmean(losses[2 * quarter : 3 * quarter]), fmean(losses[-quarter:])
    return third - last > STEEP * constant / 4 or len(losses) < 100


def _stands_still(losses: list[float]) -> bool:
    """The loss has no known constant, and its last tenth is where its first was, without any noise."""
    tenth = max(2, len(losses) // 10)
    first, last = losses[:tenth], losses[-tenth:]
    return abs(fmean(first) - fmean(last)) < 1e-3 * abs(fmean(first)) and len(losses) >= 30


def _collapsed(facts: Facts) -> bool:
    terms = [t for t in facts.losses if math.isfinite(t.spread) and math.isfinite(t.first_spread)]
    return any(t.spread < 1e-3 * max(t.first_spread, 1e-6) or t.spread < 1e-6 for t in terms)


def _gap(facts: Facts) -> list[Symptom]:
    """Validation rises while training falls, or stays far above it."""
    curve = validation_curve(facts)
    if len(curve) < 2 or not facts.series.loss:
        return []
    best, last = min(curve), curve[-1]
    training = _end([loss for loss in facts.series.loss if math.isfinite(loss)] or [math.nan])
    scale = abs(next((t.scale for t in facts.losses if t.scale), 1.0)) or 1.0
    numbers = {"best": best, "last": last, "training": training / scale}
    rises = last > APART * best and last > training / scale
    constant = facts.constant_loss()
    lost = (
        constant is not None and constant > 0 and best > NO_BETTER * constant / scale
        and training < 0.7 * constant
    )  # fmt: skip
    far = (
        constant is not None
        and len(curve) >= FEWEST_PAIRS
        and best - training / scale > HALF * constant / scale > 0
    )
    return [Symptom("gap", None, numbers)] if rises or lost or far else []


def validation_curve(facts: Facts) -> list[float]:
    """Losses of the evaluations on the same number of rows as the last, in their order."""
    known = [
        e for e in facts.evaluations
        if e.loss is not None and math.isfinite(e.loss) and e.step > 0 and e.overlap < 0.5
    ]  # fmt: skip
    if not known:
        return []
    rows = known[-1].rows
    return [e.loss for e in known if e.rows == rows and e.loss is not None]
