"""What memories that keep their patterns, instead of pairwise weights, share."""

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.neurons.settling import Recall, check_shape


class PatternMemory(nn.Module, ABC):
    """A memory whose buffer ``patterns``, shape ``(N, n)``, grows with every :meth:`store`."""

    patterns: Tensor

    def __init__(self, n: int) -> None:
        super().__init__()
        require(n >= 1, f"{type(self).__name__}: n must be at least 1", n)
        self.n = n
        self.register_buffer("patterns", torch.zeros(0, n))

    @takes_arrays
    def store(self, patterns: Tensor) -> None:
        """Add patterns, shape ``(n,)`` or ``(N, n)``, to those stored before."""
        rows = self._rows("store", "patterns", patterns)
        self.patterns = torch.cat([self.patterns, rows.to(self.patterns)])

    @abstractmethod
    def energy(self, states: Tensor) -> Tensor:
        """Energy of states of shape ``(n,)`` or ``(B, n)``."""

    @abstractmethod
    def recall(self, states: Tensor) -> Recall:
        """Let states of shape ``(n,)`` or ``(B, n)`` descend the energy."""

    def forward(self, states: Tensor) -> Tensor:
        return self.recall(states).states

    def _rows(self, method: str, argument: str, states: Tensor) -> Tensor:
        check_shape(f"{type(self).__name__}.{method}", argument, states, self.n)
        return states.reshape(-1, self.n)

    def _probes(self, method: str, states: Tensor) -> Tensor:
        rule = f"{type(self).__name__}.{method}: patterns must be stored first"
        require(len(self.patterns) != 0, rule, "none", "Call store(patterns).")
        return self._rows(method, "states", states)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        stored = state_dict.get(prefix + "patterns")
        if stored is not None:  # a fresh memory is empty, a saved one is not
            self.patterns = self.patterns.new_zeros(stored.shape)
        super()._load_from_state_dict(state_dict, prefix, *rest)
