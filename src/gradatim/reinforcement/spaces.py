"""What may be seen and done in an environment: one of several things, or numbers between bounds."""

from typing import NamedTuple

import torch.nn.functional as F
from torch import Tensor

from gradatim.errors import require


class Discrete(NamedTuple):
    """One of ``n`` things, numbered from 0.

    Args:
        n: How many there are.

    Example:
        >>> Discrete(4).width
        4
    """

    n: int

    @property
    def width(self) -> int:
        """Numbers that a network gets of one: a one-hot vector."""
        return self.n


class Box(NamedTuple):
    """Numbers between bounds.

    Args:
        low: Least values, one for each number.
        high: Largest values.

    Example:
        >>> Box((-1.0, -2.0), (1.0, 2.0)).width
        2
    """

    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def width(self) -> int:
        """How many numbers."""
        return len(self.low)


Space = Discrete | Box


def encode(space: Space, observation: Tensor) -> Tensor:
    """Observations as a network takes them: numbers as they are, states as one-hot rows ``(N, n)``."""
    if isinstance(space, Discrete):
        return F.one_hot(observation, space.n).float()
    return observation


def clip(space: Space, action: Tensor) -> Tensor:
    """Actions as the environment takes them: numbers within the bounds."""
    if isinstance(space, Discrete):
        return action
    return action.clamp(action.new_tensor(space.low), action.new_tensor(space.high))


def require_discrete(owner: str, name: str, space: Space) -> int:
    """Return how many things a space has, or say that it must have a number of them."""
    is_discrete = isinstance(space, Discrete)
    require(is_discrete, f"{owner}: {name} must be discrete", f"a {type(space).__name__}")
    assert isinstance(space, Discrete)
    return space.n
