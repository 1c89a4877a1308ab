"""What every formula of this room asks of its arguments."""

import math

from gradatim.errors import choose, require

PARALLEL = ("none", "ddp", "fsdp")
PRECISIONS = ("float32", "bf16", "fp16")


def check_whole(owner: str, **counts: float) -> None:
    """Raise unless every count is a whole number from 1; 7.5e9 is one.

    >>> check_whole("plan", processes=0.5)
    Traceback (most recent call last):
    ...
    gradatim.errors.InvalidValue: plan: processes must be a whole number from 1, got 0.5.
    """
    for name, count in counts.items():
        is_whole = math.isfinite(count) and count >= 1 and count == int(count)
        require(is_whole, f"{owner}: {name} must be a whole number from 1", repr(count))


def check_positive(owner: str, *, may_be_zero: bool = False, **amounts: float | None) -> None:
    """Raise unless every amount that is given is finite and above 0, or at least 0.

    >>> check_positive("plan", bandwidth=float("inf"))
    Traceback (most recent call last):
    ...
    gradatim.errors.InvalidValue: plan: bandwidth must be finite and above 0, got inf.
    """
    rule = "at least 0" if may_be_zero else "above 0"
    for name, amount in amounts.items():
        is_right = amount is None or (
            math.isfinite(amount) and (amount > 0 or (may_be_zero and amount == 0))
        )
        require(is_right, f"{owner}: {name} must be finite and {rule}", repr(amount))


def check_parallel(owner: str, parallel: str, processes: float) -> None:
    """Raise unless so many processes can train in this way."""
    choose(owner, "parallel", parallel, PARALLEL)
    check_whole(owner, processes=processes)
    rule = f"{owner}: processes must be 1 with parallel='none'"
    require(parallel != "none" or processes == 1, rule, f"{processes:g}", "Try parallel='ddp'.")
