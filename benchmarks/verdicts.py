"""What the benchmarks claim, and whether it held in this run."""

from dataclasses import dataclass

from benchmarks.harness import Result
from benchmarks.jobs import EVERYBODY, MEMORY, REFERENCE, Claim


@dataclass(frozen=True)
class Verdict:
    """A claim and what became of it.

    Args:
        text: The claim in words.
        measured: How many times as fast Gradatim was, or how sparing; ``None`` where a contestant has no such figure.
        holds: Whether the claim holds; ``None`` where it could not be checked.
        is_goal: Whether the run does not fail with it.
        unit: What was counted.
    """

    text: str
    measured: float | None
    holds: bool | None
    is_goal: bool = False
    unit: str = "×"

    def __str__(self) -> str:
        if self.measured is None:
            return f"not checked    {self.text}"
        word = "holds" if self.holds else "does not hold"
        return f"{word:<14} {self.text}: measured {self.measured:.2f} {self.unit}"


def judge(result: Result) -> list[Verdict]:
    """Check every claim of the job."""
    found = [_judge(result, claim) for claim in result.job.claims]
    if result.job.most_seconds is not None:
        found.append(_judge_time(result, result.job.most_seconds))
    return found if result.job.most_gigabytes is None else [*found, _judge_limit(result)]


def _judge(result: Result, claim: Claim) -> Verdict:
    rule = "is never slower than" if claim.factor == 1 else f"is at least {claim.factor:.3g} × as fast as"  # fmt: skip
    if claim.figure == MEMORY:
        rule = f"takes at most 1/{claim.factor:g} of the memory of"
    measured = _ratio(result, claim.peer, claim.figure)
    return Verdict(
        f"{result.job.name}: {'goal: ' * claim.is_goal}Gradatim {rule} {_title(result, claim.peer)}",
        measured,
        None if measured is None else measured >= claim.factor,
        claim.is_goal,
    )


def _judge_time(result: Result, limit: float) -> Verdict:
    text = f"{result.job.name}: Gradatim takes at most {limit:g} s per {result.job.unit}"
    taken = result.seconds(REFERENCE)
    return Verdict(text, taken, None if taken is None else taken <= limit, unit="s")


def _judge_limit(result: Result) -> Verdict:
    limit, taken = result.job.most_gigabytes, result.memory(REFERENCE)
    assert limit is not None
    text = f"{result.job.name}: Gradatim takes at most {limit:g} GB"
    if taken is None:
        return Verdict(text, None, None)
    return Verdict(text, taken / 1e9, taken / 1e9 <= limit, unit="GB")


def _ratio(result: Result, peer: str, figure: str) -> float | None:
    if peer != EVERYBODY:
        return result.ratio(peer, figure)
    others = (result.ratio(row.name, figure) for row in result.rows if row.name != REFERENCE)
    return min((ratio for ratio in others if ratio is not None), default=None)


def _title(result: Result, peer: str) -> str:
    if peer == EVERYBODY:
        return "the fastest of the others"
    return next(row.title for row in result.rows if row.name == peer)
