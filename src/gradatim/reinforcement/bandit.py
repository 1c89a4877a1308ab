"""A row of slot machines: one state, several actions, and rewards that must be found out."""

from collections.abc import Sequence

import torch
from torch import Tensor

from gradatim.errors import require
from gradatim.reinforcement.environment import Environment, Move
from gradatim.reinforcement.spaces import Discrete


class Bandit(Environment):
    r"""Arms that pay 1 with probability :math:`p_a` and 0 otherwise; it never ends.

    The regret of :math:`n` pulls is what the best arm would have paid more: :math:`\sum_a \Delta_a\,N_a`,
    :math:`\Delta_a = \max_b p_b - p_a`.

    Args:
        probabilities: :math:`p`, one for each arm.

    Example:
        >>> arms = Bandit((0.2, 0.8)).copies(3)
        >>> arms.reset(seed=0)[0]
        tensor([0, 0, 0])
        >>> arms.gaps
        tensor([0.6000, 0.0000])

    Reference:
        Lai and Robbins, Asymptotically Efficient Adaptive Allocation Rules, 1985.
    """

    has_end = False

    def __init__(self, probabilities: Sequence[float]) -> None:
        self.probabilities = torch.as_tensor(probabilities, dtype=torch.float32)
        p = self.probabilities
        is_fine = p.ndim == 1 and len(p) > 0 and bool(((p >= 0) & (p <= 1)).all())
        require(is_fine, "Bandit: probabilities must be a list of numbers in [0, 1]", probabilities)
        self.gaps = p.max() - p
        self.observation_space, self.action_space = Discrete(1), Discrete(len(p))

    def start(self, which: Tensor, generator: torch.Generator) -> Tensor:
        """The one state there is."""
        return torch.zeros_like(which)

    def move(self, state: Tensor, action: Tensor, generator: torch.Generator) -> Move:
        """Pull arms."""
        chance = self.probabilities[action]
        reward = (torch.rand(chance.shape, generator=generator) < chance).float()
        goes_on = torch.zeros(len(state), dtype=torch.bool)
        return Move(state, reward, goes_on, goes_on)
