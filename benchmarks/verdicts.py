"""What the benchmarks claim, and whether it held in this run."""

from dataclasses import dataclass

from benchmarks.harness import Result
from benchmarks.jobs import EVERYBODY, REFERENCE, Claim


@dataclass(frozen=True)
class Verdict:
    """A claim and what became of it.

    Args:
        text: The claim in words.
        measured: How many times as fast Gradatim was; ``None`` where a contestant has no times.
        holds: Whether the claim holds; ``None`` where it could not be checked.
        is_goal: Whether the run does not fail with it.
    """

    text: str
    measured: float | None
    holds: bool | None
    is_goal: bool = False

    def __str__(self) -> str:
        if self.measured is None:
            return f"not checked    {self.text}"
        word = "holds" if self.holds else "does not hold"
        return f"{word:<14} {self.text}: measured {self.measured:.2f} ×"


def judge(result: Result) -> list[Verdict]:
    """Check every claim of the job."""
    return [_judge(result, claim) for claim in result.job.claims]


def _judge(result: Result, claim: Claim) -> Verdict:
    rule = "never slower than" if claim.factor == 1 else f"at least {claim.factor:g} × as fast as"
    measured = _ratio(result, claim.peer)
    return Verdict(
        f"{result.job.name}: {'goal: ' * claim.is_goal}Gradatim is {rule} {_title(result, claim.peer)}",
        measured,
        None if measured is None else measured >= claim.factor,
        claim.is_goal,
    )


def _ratio(result: Result, peer: str) -> float | None:
    if peer != EVERYBODY:
        return result.ratio(peer)
    others = (result.ratio(row.name) for row in result.rows if row.name != REFERENCE)
    return min((ratio for ratio in others if ratio is not None), default=None)


def _title(result: Result, peer: str) -> str:
    if peer == EVERYBODY:
        return "the fastest of the others"
    return next(row.title for row in result.rows if row.name == peer)
