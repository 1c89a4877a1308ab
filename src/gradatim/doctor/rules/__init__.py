"""The rules: one function for each code, from facts to a finding or nothing; none of them touches torch."""

from collections.abc import Callable

from gradatim.doctor.facts import Facts
from gradatim.doctor.findings import Finding, Symptom
from gradatim.doctor.rules import crash, data, fit, grad, init, loss, metric, model, optim, outputs

Rule = Callable[[Facts, dict[str, Symptom]], Finding | None]

RULES: dict[str, Rule] = {
    **crash.RULES,
    **data.RULES,
    **init.RULES,
    **model.RULES,
    **outputs.RULES,
    **loss.RULES,
    **grad.RULES,
    **optim.RULES,
    **metric.RULES,
    **fit.RULES,
}

__all__ = ["RULES", "Rule"]
