"""Rules on the loss: what it compares, read from the graph."""

from gradatim.doctor.facts import Facts, Loss, Place
from gradatim.doctor.findings import Finding
from gradatim.doctor.rules.making import Symptoms, blew_up, learning_failed, make
from gradatim.doctor.rules.terms import (  # fmt: skip
    BINARY,
    CLASSIFYING,
    REGRESSION,
    SQUASHING,
    essential,
    loss_place,
    place_of,
    terms,
)

MOST_CLASSES = 20  # distinct whole numbers that are still classes
DENSITY = "density by hand"
TOO_WIDE = 1.5  # outputs to classes seen


def broadcast(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for term in terms(facts):
        if term.broadcast:
            output, target, result = ([*term.broadcast, [], [], []])[:3]
            return make(
                "loss.broadcast",
                place_of(term),
                cause=f"outputs of shape {tuple(output)} meet targets of shape {tuple(target)}, so every row is compared with every other: {tuple(result)}",
                remedy="Give both the same shape: target.unsqueeze(1), or output.squeeze(1).",
                strength=0.97,
            )  # fmt: skip
    return None


def wrong_kind(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for term in terms(facts):
        if term.operation not in REGRESSION or not 2 <= term.target.classes <= MOST_CLASSES:
            continue
        chain = essential(term)
        squashed = bool(chain) and chain[0].name in SQUASHING
        is_binary = term.target.classes == 2 and (term.target.low, term.target.high) == (0.0, 1.0)
        compared = facts.witness("compared-as-classes").seen > 0
        if (squashed and is_binary) or compared:
            return make(
                "loss.wrong-kind",
                loss_place(term),
                cause=f"{term.operation.replace('_', ' ')} is used to learn {term.target.classes} classes",
                strength=0.65 if squashed and is_binary else 0.6,
                classes=term.target.classes,
            )
    return None


def labels(facts: Facts, symptoms: Symptoms) -> Finding | None:
    failure = facts.failure
    if failure is not None and failure.numbers.get("kind") == "labels":
        return make(
            "loss.labels",
            failure.place,
            cause=failure.numbers["cause"],
            remedy=failure.numbers["remedy"],
            strength=0.97,
        )
    for term in terms(facts):
        low, high = term.target.low, term.target.high
        if term.operation in BINARY and (low < 0 or high > 1):
            return make(
                "loss.labels",
                facts.data.origins.get("targets") or place_of(term),
                cause=f"{term.operation} expects targets from 0 to 1 and gets values from {low:.3g} to {high:.3g}",
                remedy="Map the two classes to 0.0 and 1.0 (for −1 and 1: (y + 1) / 2).",
                strength=0.97,
            )
    return None


def width(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for term in terms(facts):
        if term.label_width == 1 and (
            term.target.kind == "classes" or term.operation == "cross_entropy"
        ):
            return make(
                "loss.width",
                last_layer(facts, term),
                cause="the model gives one output, and softmax over one number is always 1: the loss is always 0",
                remedy="Give the last layer one output per class, or use binary_cross_entropy_with_logits for two classes.",
                strength=0.97,
            )  # fmt: skip
        seen = term.target.classes
        is_wide = term.label_width >= TOO_WIDE * max(seen, 1) and seen >= 2
        is_sure = facts.data.rows >= 20 * term.label_width
        if term.operation in CLASSIFYING and is_wide and is_sure and learning_failed(symptoms):
            return make("loss.width", last_layer(facts, term), cause=f"the model has {term.label_width} outputs for {seen} classes", strength=0.35)  # fmt: skip
    return None


def last_layer(facts: Facts, term: Loss) -> Place:
    """The line of the layer that gives the outputs."""
    layer = next((o for o in term.below if o.layer and o.line is not None), None)
    return place_of(layer) if layer is not None else place_of(term)


def summed(facts: Facts, symptoms: Symptoms) -> Finding | None:
    for term in terms(facts):
        rows = term.shape[0] if term.shape else 1
        if (
            term.reduction == "sum"
            and abs(term.scale) > max(4.0, 0.5 * rows)
            and blew_up(symptoms) | learning_failed(symptoms)
        ):
            return make(
                "loss.summed",
                loss_place(term),
                cause=f"the loss is the sum over {rows} rows, so every step is {rows} times that of the mean",
                strength=0.55 if blew_up(symptoms) else 0.4,
                rows=rows,
            )
    return None


def sign(facts: Facts, symptoms: Symptoms) -> Finding | None:
    losses = facts.series.loss
    found = list(terms(facts))
    players = sum(optimizer.steps >= 3 for optimizer in facts.optimizers)
    if not found or players > 1 or len(losses) < 5:
        return None
    known = [t for t in found if t.operation in CLASSIFYING | REGRESSION | BINARY or (t.operation == DENSITY and facts.whole)]  # fmt: skip
    if known and len(known) == len(found) and all(t.sign < 0 for t in known):
        worse = losses[-1] != losses[-1] or losses[-1] < min(0.0, losses[0])
        lowest = min((a for t in known for a in t.accuracy[-3:]), default=0.0)
        if worse and lowest < 0.9:
            return make("loss.sign", known[0].negated if known[0].negated.line else place_of(known[0]), strength=0.95, first=losses[0], last=losses[-1])  # fmt: skip
    return None


def detached(facts: Facts, symptoms: Symptoms) -> Finding | None:
    failure, cuts = facts.failure, facts.witness("detaching")
    if failure is not None and failure.numbers.get("kind") == "detached":
        if facts.models and all(model.trainable == 0 for model in facts.models):
            return None  # everything is frozen
        line = f" ({cuts.names[-1]} in line {cuts.place.line})" if cuts.names else ""
        where = cuts.place if cuts.place.line else failure.place
        return make("loss.detached", where, cause=f"backward was called on a loss that does not depend on any parameter{line}", strength=0.95)  # fmt: skip
    seen = facts.witness("detached")
    if seen.always and facts.witness("frozen-all").seen == 0:
        line = (
            f": {cuts.names[-1]} in line {cuts.place.line} takes it out of the graph"
            if cuts.names
            else ""
        )
        where = cuts.place if cuts.place.line else seen.place
        return make("loss.detached", where, cause=f"the loss does not depend on the parameters{line}", strength=0.95)  # fmt: skip
    return None


RULES = {
    "loss.broadcast": broadcast,
    "loss.wrong-kind": wrong_kind,
    "loss.labels": labels,
    "loss.width": width,
    "loss.summed": summed,
    "loss.sign": sign,
    "loss.detached": detached,
}
