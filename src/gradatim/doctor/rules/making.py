"""How a rule makes its finding: cause and remedy of the table, made specific where more is known."""

from typing import Any

from gradatim.doctor.codes import codes
from gradatim.doctor.facts import Place
from gradatim.doctor.findings import Finding, Symptom

Symptoms = dict[str, Symptom]


def make(
    code: str,
    where: Place | None = None,
    *,
    cause: str = "",
    remedy: str = "",
    strength: float = 0.5,
    **numbers: Any,
) -> Finding:
    """Make a finding.

    Args:
        code: Of the table, which gives what is not said here.
        where: Line, layer, step.
        cause: Said instead of the table's.
        remedy: Said instead of the table's.
        strength: Of the evidence, from 0 to 1: below 0.3 a statistic is believed only once a trial has proved it.
        numbers: What it rests on.
    """
    entry = codes()[code]
    return Finding(
        code,
        "note" if entry.kind == "note" else "warning",
        where=where or Place(),
        numbers=numbers,
        cause=cause or entry.cause,
        remedy=remedy or entry.remedy,
        explains=list(entry.explains),
        strength=strength,
    )


def learning_failed(symptoms: Symptoms) -> bool:
    """Whether training itself went wrong."""
    bad = ("not-learning", "slow", "diverging", "unstable", "non-finite", "collapsed")
    return any(name in symptoms for name in bad)


def blew_up(symptoms: Symptoms) -> bool:
    """Whether the loss left the reasonable."""
    return any(name in symptoms for name in ("diverging", "unstable", "non-finite"))
