"""Rewards on the way that leave the best policy as it is."""

from copy import copy
from typing import TypeVar

import torch
from torch import Tensor

from gradatim.errors import require
from gradatim.reinforcement.environment import require_gamma
from gradatim.reinforcement.grid import Grid

G = TypeVar("G", bound=Grid)


def shaped(world: G, potential: Tensor, *, gamma: float) -> G:
    r"""Pay for every step what the potential of the place rises by.

    .. math:: r'(s,a)=r(s,a)+\gamma\,\Phi(s')-\Phi(s), \qquad \Phi=0\text{ at an end}

    Along any episode the additions telescope to :math:`-\Phi(s_0)`, so :math:`Q'^*=Q^*-\Phi` and the best policy stays. A bonus
    for being near the goal, without what is taken off for leaving, may make it best never to arrive.

    Args:
        world: A maze, the cliff or the windy field.
        potential: :math:`\Phi`, one number for each cell, shape ``(S,)``.
        gamma: :math:`\gamma` of the learner.

    Example:
        >>> from gradatim.reinforcement import Maze
        >>> maze = shaped(Maze("S.G"), torch.tensor([0.0, 1.0, 9.0]), gamma=0.5)
        >>> maze.reset(seed=0)[0], maze.step(1)[1], maze.step(1)[1]
        (tensor(0), 0.5, 0.0)

    Reference:
        Ng, Harada and Russell, Policy Invariance Under Reward Transformations, 1999.
    """
    require_gamma("shaped", gamma)
    phi = torch.as_tensor(potential, dtype=torch.float32)
    shape = (world.observation_space.width,)
    require(tuple(phi.shape) == shape, f"shaped: potential must have shape {shape}", tuple(phi.shape))  # fmt: skip
    goes_to, pays, ends = world.tables
    after = torch.where(ends, torch.zeros(()), phi[goes_to])
    is_idle = ends.all(1) & (pays == 0).all(1)  # walls and exits, from which nobody acts
    gain = gamma * after - phi[:, None] * ~is_idle[:, None]
    other = copy(world)
    other.tables = world.tables._replace(pays=pays + gain)
    return other
