"""What speaks against draws: chains that have not met, too few, paths that left the density."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from torch import Tensor

if TYPE_CHECKING:
    from pandas import DataFrame, Series

R_HAT, ESS = 1.01, 400  # limits of Vehtari et al., 2021
ENERGY = 0.3  # limit of Betancourt, 2016


def find_concerns(
    table: "DataFrame", info: Mapping[str, Tensor], chains: int, draws: int
) -> list[str]:
    """A sentence with its remedy for everything that speaks against the draws.

    Args:
        table: The summary of the draws.
        info: What the sampler said of each.
        chains: How many there are.
        draws: Of each chain.
    """
    if draws < 4:
        return [f"{count(draws, 'draw')} of a chain cannot be judged; ask for 1,000."]
    found = []
    if chains < 2:
        found.append("One chain has no other to agree with; start four, apart from each other.")
    elif not (table["r_hat"] < R_HAT).all():
        name, value = _worst(table["r_hat"].fillna(np.inf).nlargest(1))
        found.append(
            f"The chains have not met: R-hat of {name} is {value:.3f}, not below {R_HAT}; ask for a longer warm-up and "
            "more draws."
        )
    for column, where in (("ess_bulk", "bulk"), ("ess_tail", "tails")):
        if not (table[column] >= ESS).all():
            name, value = _worst(table[column].fillna(0.0).nsmallest(1))
            found.append(
                f"The draws of {name} are worth {value:,.0f} independent ones in the {where}, fewer than {ESS}; ask for "
                "more."
            )
    return found + _path_concerns(info, chains * draws)


def _path_concerns(info: Mapping[str, Tensor], draws: int) -> list[str]:
    found = []
    if lost := count_divergences(info):
        found.append(
            f"{count(lost, 'path')} of {draws:,} left the density, so that a part of it was not reached; write the model in "
            "other parameters (a non-centred form), or take shorter steps: sampler=SAMPLERS['nuts']._replace(target_acceptance=0.95)."
        )
    if "energy" in info and not (change := _energy_change(info["energy"])) >= ENERGY:
        found.append(
            f"The energy changes too little from draw to draw ({change:.2f}, less than {ENERGY}), so that tails are reached "
            "slowly; write the model in other parameters."
        )
    return found


def count_divergences(info: Mapping[str, Tensor]) -> int:
    """How many paths left the density."""
    return int(info["is_divergent"].sum()) if "is_divergent" in info else 0


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "chain"), count(1200, "draw")
    ('1 chain', '1,200 draws')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _worst(row: "Series[float]") -> tuple[str, float]:
    return str(row.index[0]), float(row.iloc[0])


def _energy_change(energy: Tensor) -> float:
    r"""The least over the chains of :math:`\sum(E_t-E_{t-1})^2/\sum(E_t-\bar E)^2` (Betancourt's E-BFMI)."""
    values = energy.double()
    spread = (values - values.mean(1, keepdim=True)).square().sum(1)
    return float((values.diff(dim=1).square().sum(1) / spread).min())
