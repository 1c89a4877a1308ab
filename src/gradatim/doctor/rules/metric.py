"""Rules on metrics."""

from gradatim.doctor.facts import Facts
from gradatim.doctor.findings import Finding
from gradatim.doctor.rules.making import Symptoms, make


def shape(facts: Facts, symptoms: Symptoms) -> Finding | None:
    column, pairs = facts.witness("argmax-of-one"), facts.witness("compared-shapes")
    if column.seen >= 1:
        return make("metric.shape", column.place, cause="argmax is taken over an axis of size 1, so every prediction is class 0", remedy="Threshold a single output (output > 0), or give the model one output per class.", strength=0.9)  # fmt: skip
    if pairs.seen >= 1:
        return make("metric.shape", pairs.place, cause="predictions and targets of shapes (N, 1) and (N) are compared, every row with every other", remedy="Compare equal shapes: squeeze the column with .squeeze(1).", strength=0.9)  # fmt: skip
    return None


RULES = {"metric.shape": shape}
