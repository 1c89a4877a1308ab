"""A pole stands on a cart; push the cart left or right so that it does not fall."""

import math

import torch
from torch import Tensor

from gradatim.reinforcement.environment import Environment, Move
from gradatim.reinforcement.spaces import Box, Discrete

GRAVITY, CART, POLE, HALF, FORCE, TAU = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
MASS, MOMENT = CART + POLE, POLE * HALF
FARTHEST, STEEPEST = 2.4, 12 * 2 * math.pi / 360
SPREAD = 0.05


class CartPole(Environment):
    r"""Barto, Sutton and Anderson's pole on a cart, equal to Gymnasium's ``CartPole-v1`` step for step.

    .. math::
        u = \frac{\pm F + m\ell\,\dot\theta^2\sin\theta}{M}, \qquad
        \ddot\theta = \frac{g\sin\theta - u\cos\theta}{\ell\,(4/3 - m_p\cos^2\theta/M)}, \qquad
        \ddot x = u - \frac{m\ell}{M}\,\ddot\theta\cos\theta

    Euler steps of 0.02 s, a reward of 1 for each; it ends where the cart leaves ±2.4 or the pole leans by more than 12°, and
    is cut off after ``time_limit`` steps: 500 is the best return.

    Args:
        time_limit: Most steps of an episode.

    Example:
        >>> world = CartPole().copies(2)
        >>> observation, _ = world.reset(seed=0)
        >>> world.step(torch.tensor([0, 1]))[1]
        tensor([1., 1.])

    Reference:
        Barto, Sutton and Anderson, Neuronlike Adaptive Elements That Can Solve Difficult Learning Control Problems, 1983.
    """

    def __init__(self, *, time_limit: int = 500) -> None:
        inf = math.inf
        high = (2 * FARTHEST, inf, 2 * STEEPEST, inf)
        self.observation_space = Box(tuple(-h for h in high), high)
        self.action_space = Discrete(2)
        self.time_limit = time_limit

    def start(self, which: Tensor, generator: torch.Generator) -> Tensor:
        """Near the middle, nearly upright and nearly at rest, shape ``(n, 4)``."""
        drawn = torch.rand(len(which), 4, dtype=torch.float64, generator=generator)
        return (2 * drawn - 1) * SPREAD

    def move(self, state: Tensor, action: Tensor, generator: torch.Generator) -> Move:
        """Push for 0.02 s."""
        _, speed, angle, spin = state.unbind(1)
        sine, cosine = angle.sin(), angle.cos()
        force = (action * (2 * FORCE)).sub(FORCE)
        push = (force + MOMENT * spin.square() * sine) / MASS
        swing = (GRAVITY * sine - cosine * push) / (HALF * (4.0 / 3.0 - POLE * cosine.square() / MASS))  # fmt: skip
        drive = push - MOMENT * swing * cosine / MASS
        after = state + TAU * torch.stack((speed, drive, spin, swing), 1)  # (N, 4)
        fell = (after[:, 0].abs() > FARTHEST) | (after[:, 2].abs() > STEEPEST)
        return Move(after, torch.ones(len(state)), fell, torch.zeros_like(fell))

    def observe(self, state: Tensor) -> Tensor:
        """Place, speed, angle and spin in single precision."""
        return state.float()
