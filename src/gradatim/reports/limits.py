"""Limits that a measured value must keep, as words and as a verdict."""

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from gradatim.errors import InvalidType
from gradatim.reports.values import Value, format_value, is_number, plain_value

# How each limit is said, and when a value keeps it: positively, so that NaN never does.
_RULES: dict[str, tuple[str, Callable[..., bool]]] = {
    "at_least": ("≥ {}", operator.ge),
    "at_most": ("≤ {}", operator.le),
    "above": ("> {}", operator.gt),
    "below": ("< {}", operator.lt),
    "near": ("{} ± {}", lambda value, centre, tol: abs(value - centre) < tol),
    "equals": ("{}", operator.eq),
}


class Limits(NamedTuple):
    """Bounds on a measured value; ``None`` is no bound, and all that are given must be kept.

    Example:
        >>> limits = Limits(at_least=0.4, at_most=0.6)
        >>> limits.words(), limits.hold(0.5), limits.hold(float("nan"))
        ('≥ 0.4 and ≤ 0.6', True, False)
    """

    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    below: float | None = None
    near: tuple[float, float] | None = None
    equals: Value = None

    @property
    def given(self) -> dict[str, tuple[Any, ...]]:
        """The numbers of each limit that is not ``None``, by its name."""
        limits = {
            name: limit if isinstance(limit, tuple) else (limit,)
            for name, limit in self._asdict().items()
            if limit is not None
        }
        return {
            name: tuple(plain_value("Report.claim", name, number) for number in numbers)
            for name, numbers in limits.items()
        }

    def words(self) -> str:
        """The limits as a reader sees them."""
        return " and ".join(
            _RULES[name][0].format(*map(format_value, numbers))
            for name, numbers in self.given.items()
        )

    def hold(self, value: Value) -> bool:
        """Whether ``value`` keeps every limit."""
        given = self.given
        if not (is_number(value) or given.keys() <= {"equals"}):
            raise InvalidType(
                f"Report.claim: measured must be a number to keep {self.words()}, got {value!r}. "
                "Give expected= and holds=."
            )
        return all(_RULES[name][1](value, *numbers) for name, numbers in given.items())
