"""What sampling found: draws, and whether to trust them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import Tensor

from gradatim.bayes.diagnostics import ess_bulk, ess_tail, r_hat
from gradatim.bayes.support import ALONE, Values
from gradatim.bayes.trust import count, count_divergences, find_concerns

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """Draws of several chains, each of which counts the same.

    Args:
        draws: Shape ``(chains, draws, ...)``, or several by name.
        info: What the sampler said of every draw, by name, shape ``(chains, draws)`` each.
        step_size: The step of all draws.
        inverse_mass: The mass of all draws; ``None`` is the identity.

    Example:
        >>> import torch
        >>> trace = Trace(torch.randn(4, 500, 2, generator=torch.Generator().manual_seed(0)), {}, 0.1)
        >>> trace
        Trace(4 chains of 500 draws, trusted)
        >>> list(trace.summary().index)
        ['theta[0]', 'theta[1]']
    """

    draws: Values
    info: dict[str, Tensor]
    step_size: float
    inverse_mass: Tensor | None = None

    def __repr__(self) -> str:
        chains, draws = self._size
        trust = "trusted" if self.is_trusted else "not to be trusted"
        return f"Trace({count(chains, 'chain')} of {count(draws, 'draw')}, {trust})"

    @property
    def acceptance(self) -> float:
        """Mean probability with which proposals were taken; 1 where nothing is ever rejected."""
        return float(self.info["acceptance"].double().mean()) if "acceptance" in self.info else 1.0

    @property
    def divergences(self) -> int:
        """How many paths left the density."""
        return count_divergences(self.info)

    @property
    def is_trusted(self) -> bool:
        """Whether the chains have met, are long enough, and no sign says that a part of the density was missed."""
        return not self._concerns

    @property
    def verdict(self) -> str:
        """Whether to trust the draws, why not, and what to do about it."""
        chains, draws = self._size
        words = f"{count(chains, 'chain')} of {count(draws, 'draw')}"
        if self._concerns:
            return f"Not to be trusted ({words}): " + " ".join(self._concerns)
        table = self._table
        told = (
            f"To be trusted ({words}): the largest R-hat is {table['r_hat'].max():.3f}, the effective sizes are at least "
            f"{table['ess_bulk'].min():,.0f} in the bulk and {table['ess_tail'].min():,.0f} in the tails."
        )
        if "acceptance" in self.info:
            return told
        return (
            f"{told} Nothing was ever rejected, so the error of the step itself is not seen here."
        )

    def summary(self) -> "DataFrame":
        """One row per number: mean, standard deviation, quantiles, R-hat and effective sizes of bulk and tails."""
        return self._table.copy()

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Draws and what was said of them as arrays ``(chain, draw, ...)`` in ArviZ's words: ``from_dict`` reads it."""
        words = {"acceptance": "acceptance_rate", "is_divergent": "diverging", "steps": "n_steps", "depth": "tree_depth"}  # fmt: skip
        return {
            "posterior": {name: value.cpu().numpy() for name, value in self._named.items()},
            "sample_stats": {words.get(k, k): value.cpu().numpy() for k, value in self.info.items()},
        }  # fmt: skip

    def figure(self, names: Sequence[str] | None = None) -> "Figure":
        """Draw the chains and the ranks of their draws.

        Args:
            names: Rows of the summary; by default the six with the largest R-hat.
        """
        from gradatim.plots.bayes import chain_figure

        return chain_figure(self, names)

    def columns(self) -> dict[str, Tensor]:
        """Every number by its name in the summary, shape ``(chains, draws)`` each."""
        found = {}
        for name, value in self._named.items():
            numbers = value.reshape(*value.shape[:2], -1).unbind(2)
            for index, number in zip(np.ndindex(*value.shape[2:]), numbers, strict=True):
                found[f"{name}[{','.join(map(str, index))}]" if index else name] = number
        return found

    @property
    def _named(self) -> dict[str, Tensor]:
        return self.draws if isinstance(self.draws, dict) else {ALONE: self.draws}

    @property
    def _size(self) -> tuple[int, int]:
        chains, draws = next(iter(self._named.values())).shape[:2]
        return chains, draws

    @cached_property
    def _table(self) -> "DataFrame":
        from pandas import DataFrame

        parts = []
        for value in self._named.values():
            flat = value.detach().double().cpu().reshape(*value.shape[:2], -1)
            pooled = flat.flatten(0, 1).numpy()  # (chains · draws, numbers)
            spread = pooled.std(0, ddof=1) if len(pooled) > 1 else np.full(pooled.shape[1], np.nan)
            quantiles = np.quantile(pooled, (0.05, 0.5, 0.95), axis=0)
            checks = [check(flat).numpy() for check in (r_hat, ess_bulk, ess_tail)]
            parts.append(np.stack([pooled.mean(0), spread, *quantiles, *checks], 1))
        columns = ["mean", "sd", "5%", "50%", "95%", "r_hat", "ess_bulk", "ess_tail"]
        return DataFrame(np.concatenate(parts), index=list(self.columns()), columns=columns)

    @cached_property
    def _concerns(self) -> list[str]:
        return find_concerns(self._table, self.info, *self._size)
