r"""Norms of perturbations, their duals, and the directions in which a linear function grows fastest.

For :math:`1/p+1/q=1`, Hölder's inequality says how much a perturbation of size one can gain, and its
case of equality which one gains it:

.. math::
    \max_{\lVert v\rVert_p\le 1} a^\top v=\lVert a\rVert_q, \qquad
    v^*=\operatorname{sign}(a)\;(p=\infty),\quad \frac{a}{\lVert a\rVert_2}\;(p=2),\quad
    \operatorname{sign}(a_k)\,e_k,\;k=\operatorname*{argmax}_i|a_i|\;(p=1)
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from gradatim.errors import InvalidValue

Norm = float | str
NORMS = (1.0, 2.0, math.inf)


def read_norm(owner: str, norm: Norm, allowed: Sequence[float] = NORMS) -> float:
    """Return :math:`p` for ``1``, ``2``, ``"inf"`` or ``math.inf``.

    >>> read_norm("pgd", "inf")
    inf
    """
    p = math.inf if norm == "inf" else norm
    if isinstance(p, str) or p not in allowed:
        names = " or ".join("'inf'" if each == math.inf else f"{each:g}" for each in allowed)
        raise InvalidValue(f"{owner}: norm must be {names}, got {norm!r}. Try norm=2.")
    return float(p)


def dual_norm(a: Tensor, p: float) -> Tensor:
    r"""Return :math:`\lVert a\rVert_q` over the last dimension, with :math:`1/p+1/q=1`.

    >>> dual_norm(torch.tensor([3.0, -4.0]), math.inf)
    tensor(7.)
    """
    if p == 2.0:
        unit, peak = _unit_peak(a)
        return torch.linalg.vector_norm(unit, dim=-1) * peak.squeeze(-1)
    return torch.linalg.vector_norm(a, ord=math.inf if p == 1.0 else 1.0, dim=-1)


def steepest(a: Tensor, p: float) -> Tensor:
    r"""Return :math:`v^*`, the perturbation of size one with the largest :math:`a^\top v`.

    Where :math:`a=0` there is none and the result is zero; an entry that is not a number counts as zero.

    >>> steepest(torch.tensor([3.0, -4.0]), 2.0)
    tensor([ 0.6000, -0.8000])
    """
    if p == math.inf:
        return a.sign()
    a = a.nan_to_num()
    if p == 1.0:
        place = a.abs().argmax(-1, keepdim=True)
        return torch.zeros_like(a).scatter_(-1, place, a.gather(-1, place).sign())
    a, _ = _unit_peak(a)
    size = torch.linalg.vector_norm(a, dim=-1, keepdim=True)
    return a / torch.where(size > 0, size, 1.0)


def _unit_peak(a: Tensor) -> tuple[Tensor, Tensor]:
    """Scale to a largest entry of one: squares of tiny entries would vanish, those of huge ones overflow."""
    peak = a.abs().amax(-1, keepdim=True)
    return a / torch.where(peak > 0, peak, 1.0), peak
