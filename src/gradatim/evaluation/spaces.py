"""Where hyper-parameters may lie."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

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


Range = Uniform | LogUniform | Integers | Sequence[Any]
Space = Mapping[str, Range]


def check_space(space: Space) -> None:
    """Raise unless every range has an inside."""
    if not space:
        raise InvalidValue("tune: space must name at least one hyper-parameter, got none.")
    for name, own in space.items():
        if isinstance(own, Uniform | LogUniform | Integers):
            if not own.low <= own.high or (isinstance(own, LogUniform) and own.low <= 0):
                rule = "0 < low <= high" if isinstance(own, LogUniform) else "low <= high"
                raise InvalidValue(f"tune: {name} must have {rule}, got {own}.")
        elif isinstance(own, str) or not isinstance(own, Sequence) or not len(own):
            raise InvalidValue(
                f"tune: {name} must be a list of values, Uniform, LogUniform or Integers, got {own!r}."
            )


def grid_choices(space: Space) -> list[dict[str, Any]]:
    """Every combination, the last name varying fastest.

    >>> grid_choices({"a": [1, 2], "b": Integers(0, 1)})
    [{'a': 1, 'b': 0}, {'a': 1, 'b': 1}, {'a': 2, 'b': 0}, {'a': 2, 'b': 1}]
    """
    values = []
    for name, own in space.items():
        if isinstance(own, Uniform | LogUniform):
            raise InvalidValue(
                f"tune: {name} must be a list of values for a grid, got {own}. Try method='random'."
            )
        values.append(range(own.low, own.high + 1) if isinstance(own, Integers) else own)
    return [dict(zip(space, combination, strict=True)) for combination in product(*values)]


def random_choices(space: Space, count: int, seed: int) -> list[dict[str, Any]]:
    """Independent draws; the first ones do not depend on ``count``."""
    rng = np.random.default_rng(seed)

    def draw(own: Range) -> Any:
        if isinstance(own, Uniform | LogUniform | Integers):
            return own.draw(rng)
        return own[int(rng.integers(len(own)))]

    return [{name: draw(own) for name, own in space.items()} for _ in range(count)]
