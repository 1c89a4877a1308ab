"""Try what seems best, or what is not yet known: rules of choosing actions while learning."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor

from gradatim.errors import require


class Exploration(ABC):
    """A rule that chooses actions while learning.

    Example:
        >>> rule: Exploration = UCB(1.0)
        >>> rule.choose(torch.zeros(1, 2), torch.tensor([[3.0, 0.0]]), 0, torch.Generator())
        tensor([1])
    """

    @abstractmethod
    def choose(
        self, values: Tensor, counts: Tensor, step: int, generator: torch.Generator
    ) -> Tensor:
        """Choose an action for each row.

        Args:
            values: What actions seem worth, shape ``(N, A)``.
            counts: How often each was tried here, shape ``(N, A)``.
            step: Steps that were made so far.
            generator: Source of randomness.
        """


@dataclass(frozen=True)
class EpsilonGreedy(Exploration):
    r"""The best action, ties broken at random, or any action with probability :math:`\epsilon`.

    Args:
        eps: :math:`\epsilon` at the start.
        last: :math:`\epsilon` after ``steps``; ``None`` keeps it constant.
        steps: Steps over which it falls in a line.

    Example:
        >>> [round(EpsilonGreedy(1.0, 0.1, 100).at(step), 2) for step in (0, 50, 100, 500)]
        [1.0, 0.55, 0.1, 0.1]
    """

    eps: float = 0.1
    last: float | None = None
    steps: int = 1

    def __post_init__(self) -> None:
        for name in ("eps", "last"):
            value = getattr(self, name)
            is_share = value is None or 0 <= value <= 1
            require(is_share, f"EpsilonGreedy: {name} must be in [0, 1]", value, "Try 0.1.")

    def at(self, step: int) -> float:
        r""":math:`\epsilon` at a step."""
        if self.last is None:
            return self.eps
        share = min(step / self.steps, 1.0)
        return self.eps + share * (self.last - self.eps)

    def choose(
        self, values: Tensor, counts: Tensor, step: int, generator: torch.Generator
    ) -> Tensor:
        """Lift the best actions above all others, unless this is a step to try anything."""
        score = torch.rand(values.shape, generator=generator)
        is_greedy = torch.rand(len(values), 1, generator=generator) >= self.at(step)
        is_best = values == values.amax(1, keepdim=True)
        return (score + (is_best & is_greedy)).argmax(1)


TENTH = EpsilonGreedy()


@dataclass(frozen=True)
class UCB(Exploration):
    r"""The action that could be best: its value plus a bonus for what is rarely tried.

    .. math:: \arg\max_a\; Q(s,a) + c\,\sqrt{\frac{\ln N(s)}{N(s,a)}}

    What was never tried comes first. On a bandit with rewards in [0, 1] and :math:`c=\sqrt2` the expected regret of :math:`n`
    pulls is at most :math:`\sum_{a:\Delta_a>0}\frac{8\ln n}{\Delta_a}+(1+\frac{\pi^2}3)\sum_a\Delta_a`.

    Args:
        c: :math:`c`.

    Example:
        >>> values, counts = torch.tensor([[0.5, 0.4]]), torch.tensor([[100.0, 5.0]])
        >>> UCB().choose(values, counts, 105, torch.Generator())
        tensor([1])

    Reference:
        Auer, Cesa-Bianchi and Fischer, Finite-Time Analysis of the Multiarmed Bandit Problem, 2002, theorem 1.
    """

    c: float = 2**0.5

    def choose(
        self, values: Tensor, counts: Tensor, step: int, generator: torch.Generator
    ) -> Tensor:
        """Ties are broken at random."""
        tried = counts.sum(1, keepdim=True).clamp(min=1).log()
        score = values + self.c * (tried / counts).sqrt()
        score = torch.where(counts > 0, score, torch.inf)
        is_best = score == score.amax(1, keepdim=True)
        return (is_best * torch.rand(values.shape, generator=generator)).argmax(1)
