"""What the benchmarks claim, and whether it held in this run."""

from dataclasses import dataclass

from benchmarks.harness import Result
from benchmarks.jobs import Claim


@dataclass(frozen=True)
class Verdict:
    """A claim and what became of it.

    Args:
        text: The claim in words.
        measured: How many times faster Gradatim was; ``None`` where a contestant has no times.
        holds: Whether the claim holds; ``None`` where it could not be checked.
    """

    text: str
    measured: float | None
    holds: bool | None

    def __str__(self) -> str:
        if self.measured is None:
            return f"not checked    {self.text}"
        word = "holds" if self.holds else "does not hold"
        return f"{word:<14} {self.text}: measured {self.measured:.2f} ×"


def _judge(result: Result, claim: Claim) -> Verdict:
    title = next((row.title for row in result.rows if row.name == claim.peer), claim.peer)
    rule = "never slower than" if claim.factor == 1 else f"at least {claim.factor:g} × as fast as"
    ratio = result.ratio(claim.peer)
    text = f"{result.job.name}: Gradatim is {rule} {title}"
    return Verdict(text, ratio, None if ratio is None else ratio >= claim.factor)


def judge(result: Result) -> list[Verdict]:
    """Check every claim of the job."""
    return [_judge(result, claim) for claim in result.job.claims]
