"""Worlds of Gymnasium, or of its form, as copies side by side."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from gradatim.errors import InvalidType, InvalidValue, Unavailable, require
from gradatim.reinforcement.environment import Environment, Move
from gradatim.reinforcement.spaces import Box, Discrete, Space

PARTS = ("reset", "step", "observation_space", "action_space")


class Gym(Environment):
    """Any environment of Gymnasium whose observations and actions are discrete or a box.

    Args:
        make: Makes one environment each time it is called, or the name of one that Gymnasium knows, such as
            ``"Pendulum-v1"``, which needs the extra ``rl``.
        has_end: Whether its task can be over; γ = 1 needs that. Gymnasium does not tell.

    Example:
        >>> world = Gym("Pendulum-v1", has_end=False).copies(2)
        >>> seen, info = world.reset(seed=0)
        >>> seen.shape, world.action_space
        (torch.Size([2, 3]), Box(low=(-2.0,), high=(2.0,)))
        >>> world.step(torch.zeros(2, 1))[1].shape
        torch.Size([2])
    """

    def __init__(self, make: str | Callable[[], Any], *, has_end: bool = True) -> None:
        self.make = _maker(make) if isinstance(make, str) else make
        if not callable(self.make):
            kind = type(make).__name__
            raise InvalidType(f"Gym: make must be a name or a function that makes an environment, got {kind}. Try Gym(lambda: environment).")  # fmt: skip
        self.has_end = has_end
        self.worlds = [self._new()]
        self.observation_space = _read("observation", self.worlds[0].observation_space)
        self.action_space = _read("action", self.worlds[0].action_space)
        self.first_action = int(getattr(self.worlds[0].action_space, "start", 0))
        self.first_state = int(getattr(self.worlds[0].observation_space, "start", 0))

    def _new(self) -> Any:
        world = self.make()
        missing = [part for part in PARTS if not hasattr(world, part)]
        rule = f"Gym: make must give an environment with {', '.join(PARTS[:-1])} and {PARTS[-1]}"
        if missing:
            raise InvalidType(f"{rule}, got {type(world).__name__} without {missing[0]}.")
        return world

    def copies(self, count: int) -> Self:
        """As many environments, made anew."""
        other = super().copies(count)
        other.worlds = [self._new() for _ in range(int(count))]
        return other

    def start(self, which: Tensor, generator: torch.Generator) -> Tensor:
        """Start environments, with seeds of their own."""
        seeds = torch.randint(2**31, which.shape, generator=generator).tolist()
        return torch.stack([self._seen(self.worlds[k].reset(seed=seed)[0]) for k, seed in zip(which.tolist(), seeds, strict=True)])  # fmt: skip

    def move(self, state: Tensor, action: Tensor, generator: torch.Generator) -> Move:
        """Step environments, one after the other."""
        if isinstance(self.action_space, Discrete):
            actions: list[Any] = (action + self.first_action).tolist()
        else:
            shape, kind = self.worlds[0].action_space.shape, self.worlds[0].action_space.dtype
            actions = list(action.numpy().reshape(-1, *shape).astype(kind))
        rows = [world.step(a) for world, a in zip(self.worlds, actions, strict=True)]
        is_form = all(isinstance(row, tuple) and len(row) == 5 for row in rows)
        rule = "Gym: step must give observation, reward, terminated, truncated and info"
        require(is_form, rule, f"a {type(rows[0]).__name__}", "Try a newer Gymnasium's form.")
        seen = torch.stack([self._seen(row[0]) for row in rows])
        rewards, ends, cuts = ([row[k] for row in rows] for k in (1, 2, 3))
        return Move(seen, torch.tensor(rewards, dtype=torch.float32), torch.tensor(ends), torch.tensor(cuts))  # fmt: skip

    def _seen(self, observation: Any) -> Tensor:
        if isinstance(self.observation_space, Discrete):
            return torch.tensor(int(observation) - self.first_state)
        return torch.as_tensor(np.asarray(observation, dtype=np.float32).reshape(-1).copy())


def _maker(name: str) -> Callable[[], Any]:
    try:
        import gymnasium
    except ImportError:
        raise Unavailable("Gym: Gymnasium is not installed. Try pip install 'gradatim[rl]'.") from None  # fmt: skip

    def make() -> Any:
        try:
            return gymnasium.make(name)
        except gymnasium.error.Error as error:
            raise InvalidValue(f"Gym: make must be a name that Gymnasium knows, got {name!r}. {error}") from error  # fmt: skip

    return make


def _read(what: str, space: Any) -> Space:
    """A space of ours for one of Gymnasium's."""
    if hasattr(space, "n") and not getattr(space, "shape", ()):
        return Discrete(int(space.n))
    if hasattr(space, "low") and hasattr(space, "high"):
        low, high = (np.asarray(side, dtype=np.float64).reshape(-1) for side in (space.low, space.high))  # fmt: skip
        return Box(tuple(low.tolist()), tuple(high.tolist()))
    raise InvalidValue(f"Gym: {what} space must be discrete or a box, got {type(space).__name__}.")
