"""What an environment is: Gymnasium's form for one, and N copies in one tensor for learning fast."""

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor

from gradatim.errors import InvalidType, require, require_seed, require_whole
from gradatim.reinforcement.spaces import Discrete, Space

Info = dict[str, Tensor]
Observation = Any


class Move(NamedTuple):
    """What a step did to each copy.

    Args:
        state: Where the copies stand now, a row per copy.
        reward: Shape ``(N,)``.
        terminated: Whether the task itself is over, so that no reward can follow.
        truncated: Whether somebody looked away, though rewards would follow.
    """

    state: Tensor
    reward: Tensor
    terminated: Tensor
    truncated: Tensor


class Environment(ABC):
    r"""A world that answers actions with observations and rewards, alone or as N copies in one tensor.

    Alone it has Gymnasium's form: ``reset(seed=…)`` gives ``observation, info`` and ``step(action)`` gives
    ``observation, reward, terminated, truncated, info``. ``copies(N)`` gives the same world N times: observations, actions
    and rewards get an axis in front, and a copy whose episode has ended starts anew in the same step, so that
    ``observation`` is the first of its next episode and ``info["final_observation"]`` the last of this one.

    The return of a state is :math:`\sum_{t\ge0}\gamma^t r_t`. With :math:`\gamma=1` it is finite only where episodes end:
    ``has_end`` says whether they can.

    A world of your own gives ``start`` and ``move`` for rows of states, and ``observe`` where not everything is seen.

    Example:
        >>> from gradatim.reinforcement import CartPole
        >>> world = CartPole()
        >>> observation, info = world.reset(seed=0)
        >>> observation, reward, terminated, truncated, info = world.step(1)
        >>> observation.shape, reward, terminated
        (torch.Size([4]), 1.0, False)
        >>> many = world.copies(64)
        >>> many.reset(seed=0)[0].shape
        torch.Size([64, 4])

    Reference:
        Towers et al., Gymnasium: A Standard Interface for Reinforcement Learning Environments, 2024.
    """

    observation_space: Space
    action_space: Space
    has_end: bool = True
    time_limit: int | None = None
    num_copies: int | None = None

    _state: Tensor | None = None
    _is_over = False

    @abstractmethod
    def start(self, which: Tensor, generator: torch.Generator) -> Tensor:
        """First states of the copies ``which``, a row for each."""

    @abstractmethod
    def move(self, state: Tensor, action: Tensor, generator: torch.Generator) -> Move:
        """What actions do to states, a row per copy."""

    def observe(self, state: Tensor) -> Tensor:
        """What is seen of states, a row per copy."""
        return state

    def copies(self, count: int) -> Self:
        """The same world ``count`` times side by side, not yet started.

        Example:
            >>> from gradatim.reinforcement import Maze
            >>> Maze().copies(3).reset(seed=0)[0].shape
            torch.Size([3])
        """
        require_whole(f"{type(self).__name__}.copies", count=count)
        other = copy(self)
        other.num_copies, other._state = int(count), None
        return other

    def reset(self, *, seed: int | None = None) -> tuple[Observation, Info]:
        """Start an episode in every copy.

        Args:
            seed: Fixes all draws until the next seed; without one they go on, or begin anywhere.
        """
        owner = f"{type(self).__name__}.reset"
        if seed is not None:
            require_seed(owner, seed)
        if seed is not None or self._state is None:
            drawn = int(torch.randint(2**31, ())) if seed is None else seed
            self._generator = torch.Generator().manual_seed(drawn)
        which = torch.arange(self.num_copies or 1)
        self._state, self._is_over = self.start(which, self._generator), False
        self._age = torch.zeros(len(which), dtype=torch.long)
        seen = self.observe(self._state)
        return (seen if self.num_copies else seen[0]), {}

    def step(self, action: Any) -> tuple[Observation, Any, Any, Any, Info]:
        """Act in every copy: a number, or one row per copy.

        Args:
            action: What to do, within ``action_space``.
        """
        if self.num_copies is None:
            return self._step_alone(action)
        owner = f"{type(self).__name__}.step"
        require(self._state is not None, f"{owner}: reset must come first", "no state")
        if not isinstance(action, Tensor):
            action = torch.as_tensor(action)
        rule = f"{owner}: action must have a row for each of {self.num_copies} copies"
        require(
            action.ndim and len(action) == self.num_copies, rule, f"shape {tuple(action.shape)}"
        )
        assert self._state is not None
        state, reward, terminated, truncated = self.move(self._state, action, self._generator)
        self._age += 1
        if self.time_limit is not None:
            truncated = truncated | (self._age >= self.time_limit)
        final = seen = self.observe(state)
        ended = terminated | truncated
        if ended.any():
            which = ended.nonzero().squeeze(1)
            state = state.index_copy(0, which, self.start(which, self._generator))
            self._age[which] = 0
            seen = self.observe(state)
        self._state = state
        return seen, reward, terminated, truncated, {"final_observation": final}

    def _step_alone(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        owner = type(self).__name__
        is_ready = self._state is not None and not self._is_over
        require(is_ready, f"{owner}.step: reset must come first", "an episode that is over")
        assert self._state is not None
        row = torch.as_tensor(action)
        if isinstance(self.action_space, Discrete):
            is_known = row.ndim == 0 and 0 <= int(row) < self.action_space.n
            rule = (
                f"{owner}.step: action must be a whole number from 0 to {self.action_space.n - 1}"
            )
            require(is_known and float(row) == int(row), rule, repr(action))
            row = row.long()
        state, reward, terminated, truncated = self.move(self._state, row[None], self._generator)
        self._state, self._age = state, self._age + 1
        is_late = self.time_limit is not None and int(self._age) >= self.time_limit
        has_ended, is_cut = bool(terminated[0]), bool(truncated[0]) or is_late
        self._is_over = has_ended or is_cut
        return self.observe(state)[0], float(reward[0]), has_ended, is_cut, {}


def require_environment(owner: str, environment: object) -> None:
    """Raise unless it is an environment of this package."""
    if not isinstance(environment, Environment):
        raise InvalidType(
            f"{owner}: environment must be one of gradatim.reinforcement, got {type(environment).__name__}. "
            "Try Gym(make), where make() makes a Gymnasium environment."
        )


def require_gamma(owner: str, gamma: float, *, has_end: bool = True) -> None:
    """Raise unless a discount is in [0, 1], and below 1 where episodes need not end."""
    is_discount = isinstance(gamma, int | float) and 0.0 <= gamma <= 1.0
    require(is_discount, f"{owner}: gamma must be in [0, 1]", repr(gamma), "Try 0.99.")
    rule = f"{owner}: gamma must be below 1 where episodes do not end, for the return is not finite"
    require(gamma < 1.0 or has_end, rule, gamma, "Try 0.99.")
