"""The clock of a run, for those who do what time allows and say so."""

from collections.abc import Callable

LEAST = 0.02  # of the budget, that anything gets however late it is


def never() -> bool:
    """Time is never over.

    Example:
        >>> never()
        False
    """
    return False


class Clock:
    """How much of a budget is used.

    Args:
        budget: Seconds of the whole run; ``None`` where time plays no part.
        elapsed: Seconds that the run has taken.

    Example:
        >>> clock = Clock(10.0, lambda: 9.7)
        >>> clock.over_at(0.95)(), clock.has(0.2, by=1.0), clock.has(0.5, by=1.0)
        (False, True, False)
    """

    def __init__(
        self, budget: float | None = None, elapsed: Callable[[], float] = lambda: 0.0
    ) -> None:
        self.budget, self.elapsed = budget, elapsed

    def over_at(self, share: float) -> Callable[[], bool]:
        """A look at whether a share of the budget is used; a little time there is in any case."""
        if self.budget is None:
            return never
        end = max(share * self.budget, self.elapsed() + LEAST * self.budget)
        return lambda: self.elapsed() > end

    def has(self, seconds: float, *, by: float) -> bool:
        """Whether so many seconds are left before a share of the budget is used."""
        return self.budget is None or self.elapsed() + seconds <= by * self.budget
