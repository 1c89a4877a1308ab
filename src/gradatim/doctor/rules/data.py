"""Rules on the rows: their values, scale, order, and what training and validation share."""

from dataclasses import replace
from statistics import median

from gradatim.doctor.facts import Facts, Place
from gradatim.doctor.findings import Finding
from gradatim.doctor.rules.making import Symptoms, blew_up, learning_failed, make
from gradatim.doctor.rules.terms import loss_place, terms
from gradatim.doctor.symptoms import share_of_constant

FAR = 10.0  # mean or deviation: 1 is the scale that default initialization and rates are made for
APART = 100.0  # ratio of the deviations of two columns
SORTED = 0.5  # of the entropy over batches
SURE = 1e-6
FEW_BATCHES = 2
NEARLY_ALL = 0.9  # of the steps
MAJORITY = 0.8
ALL_ONE = 0.99
FRESH = 1.05  # rows to different rows: hardly one comes twice
SHARED = 0.01
SHIFT, SHIFT_RATIO = 5.0, 5.0  # training deviations; ratio of deviations
LEARNED = 0.5  # of the loss of a constant: the batches are good enough
NO_SIGNAL = 0.05  # of the constant's error that the best simple model takes away


def place_of(facts: Facts, what: str, other: Place | None = None) -> Place:
    """The line where rows, order or targets come from; else that of the model's call."""
    return replace(facts.data.origins.get(what) or other or facts.data.place)


def nan(facts: Facts, symptoms: Symptoms) -> Finding | None:
    seen = facts.witness("non-finite-data")
    if not seen.seen:
        return None
    what, step = seen.names[0] if seen.names else "inputs", seen.place.step or 0
    column = seen.numbers.get("column")
    at = f" in column {column:.0f}" if column is not None and column >= 0 else ""
    where = place_of(facts, "inputs" if what == "inputs" else "targets", seen.place)
    where.step = seen.place.step
    return make("data.nan", where, cause=f"the {what} of step {step} hold NaN or infinity{at}", strength=0.96)  # fmt: skip


def unscaled(facts: Facts, symptoms: Symptoms) -> Finding | None:
    data = facts.data
    if data.kind == "tokens" or not learning_failed(symptoms):
        return None
    ratio = data.std / data.least_std if data.least_std > 0 and data.columns > 1 else 1.0
    if max(abs(data.mean), data.std) > FAR:
        largest = max(abs(data.mean), data.std)
        cause = f"the inputs reach a mean of {data.mean:,.3g} and a standard deviation of {data.std:,.3g} (column {data.column}), far from 0 and 1"
        return make("data.unscaled", place_of(facts, "inputs"), cause=cause, strength=0.7 if largest > 10 * FAR else 0.55, mean=data.mean, std=data.std)  # fmt: skip
    if ratio > APART and data.kind == "numbers":
        cause = f"the scales of the input columns differ by a factor of {ratio:,.0f} (column {data.column} is the largest)"
        return make(
            "data.unscaled", place_of(facts, "inputs"), cause=cause, strength=0.5, ratio=ratio
        )
    if max(data.std, abs(data.mean)) < 1 / APART and data.kind == "numbers" and data.std > 0:
        cause = f"the inputs are tiny: no column has a standard deviation above {data.std:.2g}"
        return make(
            "data.unscaled", place_of(facts, "inputs"), cause=cause, strength=0.6, std=data.std
        )
    return None


def unshuffled(facts: Facts, symptoms: Symptoms) -> Finding | None:
    data = facts.data
    if data.batches < 3 or not data.within_entropy < SORTED * data.over_entropy or data.p_sorted > SURE:  # fmt: skip
        return None
    return make("data.unshuffled", place_of(facts, "order"), cause=f"batches are sorted by target: within a batch it varies {data.within_entropy / data.over_entropy:.0%} as much as over all batches", strength=0.92, p=data.p_sorted)  # fmt: skip


def same_batch(facts: Facts, symptoms: Symptoms) -> Finding | None:
    data = facts.data
    size = median(data.batch_sizes) if data.batch_sizes else 0
    if data.same < NEARLY_ALL:
        return None  # few rows, but not the same of them in each step
    if data.batches < 8 or data.distinct > FEW_BATCHES * size or data.available < 2 * data.distinct:
        return None
    return make("data.same-batch", place_of(facts, "draw"), cause=f"all {facts.steps} steps saw the same {data.distinct} rows, although there are {data.available:,}", strength=0.93)  # fmt: skip


def no_signal(facts: Facts, symptoms: Symptoms) -> Finding | None:
    signal = facts.data.signal
    if (
        not signal
        or blew_up(symptoms)
        or not ("not-learning" in symptoms or "gap" in symptoms or "slow" in symptoms)
    ):
        return None
    fresh = facts.data.rows <= FRESH * facts.data.distinct
    if fresh and not {"not-learning", "gap"} & set(symptoms):
        return None  # on rows that it has never seen the network finds something
    best = max(score for name, score in signal.items() if name != "chance")
    if best > max(NO_SIGNAL, signal.get("chance", 0.0)):
        return None
    return make("data.no-signal", place_of(facts, "pairing"), cause="the labels do not belong to the inputs: ridge regression, nearest neighbours and trees find nothing in these rows either", strength=0.63, scores=dict(signal))  # fmt: skip


def imbalance(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for term in terms(facts):
        target = term.target
        if target.kind != "classes" or target.majority < MAJORITY or target.classes < 2:
            continue
        if term.predicted_majority >= ALL_ONE:
            return make("data.imbalance", loss_place(term), cause=f"{target.majority:.0%} of the rows are of one class, and the model predicts nothing else", strength=0.6, majority=target.majority)  # fmt: skip
    return None


def leak(facts: Facts, symptoms: Symptoms) -> Finding | None:
    data = facts.data
    if data.telling_column is not None:
        return make("data.leak", place_of(facts, "columns"), cause=f"column {data.telling_column} of the inputs alone gives the target", strength=0.8, column=data.telling_column)  # fmt: skip
    if data.overlap > SHARED and data.validation_rows >= 10 and not data.few_valued:
        place = facts.witness("overlap").place
        return make("data.leak", place_of(facts, "split", place if place.line else data.place), cause=f"{data.overlap:.0%} of the validation rows were trained on", strength=0.88 if data.overlap > 0.05 else 0.7, overlap=data.overlap)  # fmt: skip
    return None


def validation_differs(facts: Facts, symptoms: Symptoms) -> Finding | None:
    data = facts.data
    ratio = max(data.shift_ratio, 1 / max(data.shift_ratio, 1e-12))
    if data.kind == "tokens" or (data.shift < SHIFT and ratio < SHIFT_RATIO):
        return None
    place = facts.witness("overlap").place
    cause = f"validation inputs are prepared differently: column {data.shift_column} is {max(data.shift, data.shift_largest):.2g} training deviations away, and columns are {data.shift_ratio:.2g} times as wide"
    return make("data.validation-differs", place_of(facts, "validation", place if place.line else data.place), cause=cause, strength=0.9, shift=data.shift, ratio=data.shift_ratio)  # fmt: skip


def batch_size(facts: Facts, symptoms: Symptoms) -> Finding | None:
    data = facts.data
    if not data.batch_sizes or not learning_failed(symptoms):
        return None
    size, share = int(median(data.batch_sizes)), share_of_constant(facts)
    if share is not None and share < LEARNED:
        return None
    if size <= 2 and (blew_up(symptoms) or "not-learning" in symptoms):
        return make("data.batch-size", place_of(facts, "batch-size"), cause=f"batches of {size}: a single row decides each step", strength=0.5, batch_size=size)  # fmt: skip
    whole = size >= 0.9 * max(data.distinct, 1) and size >= 256
    if whole and facts.steps < 50 and any(s in symptoms for s in ("slow", "not-learning")):
        return make("data.batch-size", place_of(facts, "batch-size"), cause=f"each step takes all {size:,} rows, so there are only {facts.steps} steps", strength=0.6, batch_size=size)  # fmt: skip
    return None


RULES = {
    "data.nan": nan,
    "data.unscaled": unscaled,
    "data.unshuffled": unshuffled,
    "data.same-batch": same_batch,
    "data.no-signal": no_signal,
    "data.imbalance": imbalance,
    "data.leak": leak,
    "data.validation-differs": validation_differs,
    "data.batch-size": batch_size,
}
