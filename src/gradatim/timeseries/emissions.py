r"""What a hidden state emits: what the recursions ask of it, and symbols.

An emission offers the same few operations to the recursions, whatever it emits: check a batch, log-density
under every state, the likelihoods of a step relative to its best state, samples, and the estimate that
maximizes the expected log-likelihood :math:`\sum_n\sum_k\gamma_{nk}\log b_k(y_n)`.
"""

from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from torch import Tensor

from gradatim.errors import InvalidType, InvalidValue
from gradatim.timeseries.inputs import Array
from gradatim.timeseries.log_recursions import safe_log

Floats = NDArray[np.float64]
MISSING = -1  # the symbol of an observation that nobody made


class Emission(Protocol):
    """What the recursions ask of an emission of :math:`K` states.

    A missing observation has likelihood 1 under every state.
    """

    in_logs: bool

    def as_batch(self, owner: str, y: Array) -> Tensor:
        """``y`` as ``(B, T)`` or ``(B, T, D)``, its type checked; values are checked by :meth:`check`."""
        ...

    def check(self, owner: str, values: Tensor) -> None:
        """Refuse observations that no state can emit for want of sense."""
        ...

    def log_prob(self, y: Tensor) -> Tensor:
        """Log-density of observations ``(...)`` or ``(..., D)`` under each state, shape ``(..., K)``."""
        ...

    def relative(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """Likelihoods divided by those of the best state, ``(..., K)``, and the logarithm of the latter, a constant.

        Logarithms of these quotients where :attr:`in_logs` says so. Either way the form is the one in
        which a derivative exists wherever the likelihood has one.
        """
        ...

    def sample(self, states: Tensor, generator: torch.Generator | None) -> Tensor:
        """One observation per state."""
        ...

    def maximize(self, y: Tensor, weights: Floats) -> "Emission":
        """The estimate from ``N`` observations with weights ``(N, K)``."""
        ...


class CategoricalEmission:
    r"""State :math:`k` emits symbol :math:`v` with probability :math:`b_k(v)`.

    Args:
        table: :math:`b`, shape ``(K, V)``, rows summing to one.
    """

    in_logs = False

    def __init__(self, table: Tensor) -> None:
        self.table = table

    def as_batch(self, owner: str, y: Array) -> Tensor:
        symbols = torch.as_tensor(y)
        if symbols.is_floating_point() or symbols.dtype == torch.bool:
            raise InvalidType(
                f"{owner}: y must hold integer symbols, {MISSING} where missing, got {symbols.dtype}. "
                f"Try y.nan_to_num({MISSING}).long()."
            )
        symbols = symbols[None] if symbols.ndim == 1 else symbols
        if symbols.ndim != 2 or not symbols.numel():
            raise InvalidValue(
                f"{owner}: y must be (T,) or (B, T) and not empty, got shape {tuple(torch.as_tensor(y).shape)}."
            )
        return symbols.long()

    def check(self, owner: str, values: Tensor) -> None:
        low, high = int(values.min()), int(values.max())
        if low < MISSING or high >= self.table.shape[1]:
            raise InvalidValue(
                f"{owner}: y must hold symbols from 0 to {self.table.shape[1] - 1}, or {MISSING} where missing, "
                f"got {low if low < MISSING else high}."
            )

    def log_prob(self, y: Tensor) -> Tensor:
        return safe_log(self._columns)[y]

    def relative(self, y: Tensor) -> tuple[Tensor, Tensor]:
        columns = self._columns
        best = columns.detach().amax(1)
        shares = columns / torch.where(best == 0, 1.0, best)[:, None]
        return shares[y], best.log()[y]

    @property
    def _columns(self) -> Tensor:
        """Likelihoods of each symbol, ``(V + 1, K)``; the last, which is symbol -1, is the missing one."""
        return torch.cat([self.table.T, torch.ones_like(self.table.T[:1])])

    def sample(self, states: Tensor, generator: torch.Generator | None) -> Tensor:
        return torch.multinomial(self.table[states], 1, generator=generator)[:, 0]

    def maximize(self, y: Tensor, weights: Floats) -> "CategoricalEmission":
        seen = y.numpy() != MISSING
        y, weights = y[seen], weights[seen]
        size = len(y)
        pointers = np.arange(size + 1, dtype=np.int64)
        shown = csr_matrix((np.ones(size), y.numpy(), pointers), (size, self.table.shape[1]))
        counts = torch.from_numpy(np.ascontiguousarray((shown.T @ weights).T))  # (K, V)
        totals = counts.sum(1, keepdim=True)
        # a state that is never visited keeps what it emits
        return CategoricalEmission(torch.where(totals > 0, counts / totals, self.table))
