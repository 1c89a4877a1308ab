"""Where hyper-parameters may lie."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol, TypeGuard

import numpy as np

from gradatim.errors import InvalidValue


@dataclass(frozen=True)
class Uniform:
    """Any number between ``low`` and ``high``."""

    low: float
    high: float

    def draw(self, generator: np.random.Generator) -> float:
        """Draw a number."""
        return float(generator.uniform(self.low, self.high))


@dataclass(frozen=True)
class LogUniform:
    """Any number between ``low`` and ``high``, every order of magnitude equally likely."""

    low: float
    high: float

    def draw(self, generator: np.random.Generator) -> float:
        """Draw a number."""
        return float(np.exp(generator.uniform(np.log(self.low), np.log(self.high))))


@dataclass(frozen=True)
class Integers:
    """A whole number from ``low`` to ``high``, both included."""

    low: int
    high: int

    def draw(self, generator: np.random.Generator) -> int:
        """Draw a number."""
        return int(generator.integers(self.low, self.high + 1))


class Distribution(Protocol):
    """A distribution with a quantile function, such as ``scipy.stats.loguniform(1e-4, 1e-1)``."""

    def ppf(self, q: float) -> Any:
        """The quantile of ``q``, a probability."""


Range = Uniform | LogUniform | Integers | Distribution | Sequence[Any]
Space = Mapping[str, Range]
_BOUNDED = (Uniform, LogUniform, Integers)


def check_space(space: Space) -> None:
    """Raise unless every range has an inside."""
    if not space:
        raise InvalidValue("tune: space must name at least one hyper-parameter, got none.")
    for name, own in space.items():
        if isinstance(own, _BOUNDED):
            if not own.low <= own.high or (isinstance(own, LogUniform) and own.low <= 0):
                rule = "0 < low <= high" if isinstance(own, LogUniform) else "low <= high"
                raise InvalidValue(f"tune: {name} must have {rule}, got {own}.")
        elif not _has_quantiles(own) and (
            isinstance(own, str) or not isinstance(own, Sequence) or not len(own)
        ):
            raise InvalidValue(
                f"tune: {name} must be a list of values, Uniform, LogUniform, Integers or a distribution with ppf, "
                f"as scipy.stats has them, got {own!r}."
            )


def _has_quantiles(own: object) -> TypeGuard[Distribution]:
    return hasattr(own, "ppf") and not isinstance(own, type)


def describe_range(own: Range) -> str:
    """Write a range so that the same range is always written the same.

    >>> from scipy import stats
    >>> describe_range(stats.randint(0, 5)), describe_range(Uniform(0, 1))
    ('randint(0, 5)', 'Uniform(low=0, high=1)')
    """
    if not _has_quantiles(own):
        return repr(own)
    parts = [repr(value) for value in getattr(own, "args", ())]
    parts += [f"{name}={value!r}" for name, value in getattr(own, "kwds", {}).items()]
    return f"{getattr(getattr(own, 'dist', None), 'name', type(own).__name__)}({', '.join(parts)})"


def value_of(own: Range, place: Any) -> Any:
    """Return the value at a place of a range: the number itself, the quantile of a probability, or an item of a list.

    >>> from scipy import stats
    >>> value_of(["a", "b"], 1), value_of(Integers(0, 9), 4), value_of(stats.randint(0, 4), 0.6)
    ('b', 4, 2)
    """
    if isinstance(own, _BOUNDED):
        return place
    if _has_quantiles(own):
        value = float(own.ppf(place))
        is_whole = hasattr(getattr(own, "dist", own), "pmf")
        return int(value) if is_whole else value
    return own[place]  # type: ignore[index]


def values_of(space: Space, places: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choice of hyper-parameters that lies at ``places`` of a space."""
    return {name: value_of(own, places[name]) for name, own in space.items()}


def grid_places(space: Space) -> list[dict[str, Any]]:
    """Places of every combination, the last name varying fastest.

    >>> grid_places({"a": ["x", "y"], "b": Integers(5, 6)})
    [{'a': 0, 'b': 5}, {'a': 0, 'b': 6}, {'a': 1, 'b': 5}, {'a': 1, 'b': 6}]
    """
    places: list[Sequence[int]] = []
    for name, own in space.items():
        if isinstance(own, Integers):
            places.append(range(own.low, own.high + 1))
        elif isinstance(own, Sequence):
            places.append(range(len(own)))
        else:
            raise InvalidValue(
                f"tune: {name} must be a list of values for a grid, got {describe_range(own)}. "
                "Try method='random'."
            )
    return [dict(zip(space, combination, strict=True)) for combination in product(*places)]


def random_places(space: Space, count: int, seed: int) -> list[dict[str, Any]]:
    """Places of independent draws; the first ones do not depend on ``count``."""
    rng = np.random.default_rng(seed)

    def draw(own: Range) -> Any:
        if isinstance(own, _BOUNDED):
            return own.draw(rng)
        return rng.uniform() if _has_quantiles(own) else int(rng.integers(len(own)))  # type: ignore[arg-type]

    return [{name: draw(own) for name, own in space.items()} for _ in range(count)]
