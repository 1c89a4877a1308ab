r"""The continuous modern Hopfield network, whose one step is attention."""

import math

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.hidden_values import is_transformed
from gradatim.neurons.pattern_memory import PatternMemory
from gradatim.neurons.settling import Recall


class ModernHopfield(PatternMemory):
    r"""A memory of real vectors :math:`x_1 \dots x_N` that a query approaches by softmax averaging.

    .. math::
        \xi \leftarrow X^\top \operatorname{softmax}(\beta X \xi),
        \qquad
        E(\xi) = -\frac1\beta \log \sum_\mu e^{\beta x_\mu^\top \xi} + \tfrac12 \|\xi\|^2
        + \frac{\log N}\beta + \tfrac12 \max_\mu \|x_\mu\|^2

    No step raises the energy. With :math:`\beta = 1/\sqrt{n}` one step is scaled dot-product attention
    with the patterns as keys and values. Large :math:`\beta` retrieves single patterns, small
    :math:`\beta` averages of many.

    Args:
        n: Length of a pattern.
        beta: Inverse temperature :math:`\beta`; ``None`` takes :math:`1/\sqrt n`.

    Example:
        >>> memory = ModernHopfield(2, beta=20.0)
        >>> memory.store(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
        >>> memory.recall(torch.tensor([0.7, 0.3])).states.round(decimals=2)
        tensor([1., 0.])

    Reference:
        Ramsauer et al., Hopfield networks is all you need, 2020, eq. 2 and 3.
    """

    def __init__(self, n: int, *, beta: float | None = None) -> None:
        super().__init__(n)
        self.beta = 1 / math.sqrt(n) if beta is None else beta
        require(self.beta > 0, "ModernHopfield: beta must be positive", beta)

    @takes_arrays
    def step(self, states: Tensor) -> Tensor:
        """One update of states of shape ``(n,)`` or ``(B, n)``."""
        rows = self._probes("step", states).to(self.patterns)
        return self._step(rows).reshape(states.shape)

    @takes_arrays
    def energy(self, states: Tensor) -> Tensor:
        """:math:`E` of states of shape ``(n,)`` or ``(B, n)``."""
        rows = self._probes("energy", states).to(self.patterns)
        return self._energy(rows).reshape(states.shape[:-1])

    @takes_arrays
    def recall(self, states: Tensor, *, max_steps: int = 100, tol: float = 1e-5) -> Recall:
        """Update each query until a step moves none of its coordinates by more than ``tol``.

        Args:
            states: Queries, shape ``(n,)`` or ``(B, n)``.
            max_steps: Steps after which recall stops.
            tol: Largest change of a coordinate that counts as standing still.

        Returns:
            A :class:`Recall`; its period is 1 where the state stands still.
        """
        rows = self._probes("recall", states).to(self.patterns)
        energies = [self._energy(rows)]
        sweeps = torch.zeros(len(rows), dtype=torch.long)
        moving = torch.ones(len(rows), dtype=torch.bool)
        while len(energies) <= max_steps and (is_transformed() or moving.any()):
            after = torch.where(moving[:, None], self._step(rows), rows)
            moving = moving & ((after - rows).abs().amax(dim=1) > tol)
            sweeps = sweeps + moving.long()
            rows = after
            energies.append(self._energy(rows))
        lead = states.shape[:-1]
        return Recall(
            rows.reshape(states.shape),
            torch.stack(energies).reshape(-1, *lead),
            sweeps.reshape(lead),
            (~moving).long().reshape(lead),
        )

    def _step(self, rows: Tensor) -> Tensor:
        return (self.beta * rows @ self.patterns.T).softmax(dim=-1) @ self.patterns  # (B, n)

    def _energy(self, rows: Tensor) -> Tensor:
        scores = self.beta * rows @ self.patterns.T  # (B, N)
        largest = self.patterns.square().sum(dim=1).amax()
        constant = math.log(len(self.patterns)) / self.beta + largest / 2
        return -scores.logsumexp(dim=1) / self.beta + rows.square().sum(dim=1) / 2 + constant
