"""What the doctor says: findings in order of rank, symptoms, what was checked."""

from dataclasses import dataclass, field
from typing import Any

from gradatim.doctor.facts import Place

LEFT = 0.1  # of the loss at the start: below it there is nothing left to gain


@dataclass
class Symptom:
    """Something measured that a healthy run does not show; it blames nobody."""

    name: str
    since: int | None = None
    numbers: dict[str, float] = field(default_factory=dict)


@dataclass
class Trial:
    """A repair that was tried with the user's own loop, beside the same steps as written."""

    code: str
    repair: str
    steps: int = 0
    as_written: float | None = None
    repaired: float | None = None
    spread: float = 0.0
    control_difference: float | None = None
    ended: str = "done"

    reference: float | None = None  # the loss before anything was learned
    margin: float = (
        0.5  # of the progress with the repair: what the loop as written may reach at most
    )
    factor: float | None = None  # by which the repair must lower the loss of a loop that does learn

    @property
    def helped(self) -> bool:
        """Whether the repaired loop learned, by more than the control's own spread, and the loop as written hardly did."""
        if self.repaired is None or self.ended == "void":
            return False
        if self.as_written is None:
            return self.reference is None or self.repaired < 0.97 * self.reference
        if self.repaired >= self.as_written - self.spread:
            return False
        if self.factor is not None:
            far = self.reference is None or self.as_written > LEFT * self.reference
            return far and self.factor * self.repaired < self.as_written
        if self.reference is None:
            return True
        gained, before = self.reference - self.repaired, self.reference - self.as_written
        return before < self.margin * gained


@dataclass
class Finding:
    """A cause, where it stands in the code, the numbers it rests on, and what to change."""

    code: str
    severity: str = "warning"  # error, warning, note
    confidence: float | None = None
    where: Place = field(default_factory=Place)
    numbers: dict[str, Any] = field(default_factory=dict)
    cause: str = ""
    remedy: str = ""
    explains: list[str] = field(default_factory=list)
    trial: str | None = None
    strength: float = 0.5  # of the evidence, from 0 to 1; it orders findings of the same kind


@dataclass(frozen=True)
class Diagnosis:
    """The verdict on a run.

    Attributes:
        findings: In order of rank; the first is the cause to mend first.
        symptoms: What was measured.
        checks: What became of every code: ``"found"``, ``"clear"``, ``"not applicable"``, ``"not reached"``.
        trials: Repairs that were tried.
        steps: Steps that were seen.
    """

    findings: list[Finding] = field(default_factory=list)
    symptoms: list[Symptom] = field(default_factory=list)
    checks: dict[str, str] = field(default_factory=dict)
    trials: list[Trial] = field(default_factory=list)
    steps: int = 0

    @property
    def is_healthy(self) -> bool:
        """No finding is a warning or worse."""
        return all(finding.severity == "note" for finding in self.findings)

    def __repr__(self) -> str:
        if not self.findings:
            return f"Diagnosis(nothing found in {self.steps} steps)"
        first = self.findings[0]
        place = f" at {first.where.file}:{first.where.line}" if first.where.line else ""
        return f"Diagnosis({first.code}{place}: {first.cause})"
