r"""The cheapest way to gain a given amount when every coordinate has limited room.

.. math::
    \min_m\lVert m\rVert_p \;\text{ subject to }\; \sum_k w_k m_k\ge g, \quad 0\le m_k\le c_k

The conditions of optimality fill the coordinates like vessels to a common level :math:`t`:
:math:`m_k=\min(t, c_k)` for :math:`p=\infty`, :math:`m_k=\min(t w_k, c_k)` for :math:`p=2`. The gain is
piecewise linear in :math:`t`, with kinks where a vessel is full, so that sorting the kinks finds the level.
For :math:`p=1` the vessels are filled one after the other, the largest :math:`w_k` first.
"""

import math

import torch
from torch import Tensor


def fill_box(gain: Tensor, weights: Tensor, room: Tensor, p: float) -> Tensor:
    """Return the moves :math:`m`, exact up to rounding.

    Args:
        gain: :math:`g`, shape ``(...)``.
        weights: :math:`w`, at least 0, shape ``(..., d)``.
        room: :math:`c`, at least 0 and finite, shape ``(..., d)``.
        p: 1, 2 or infinity.

    Returns:
        Shape ``(..., d)``; not a number where even full vessels gain too little.

    Example:
        >>> fill_box(torch.tensor(5.0), torch.tensor([2.0, 1.0]), torch.tensor([1.0, 9.0]), 1.0)
        tensor([1., 3.])
    """
    room = torch.where(weights > 0, room, 0.0)  # moving the others gains nothing
    gain = gain.clamp(min=0).unsqueeze(-1)
    moves = _in_turn(gain, weights, room) if p == 1 else _level(gain, weights, room, p)
    out_of_reach = gain > (weights * room).sum(-1, keepdim=True)
    return torch.where(out_of_reach, math.nan, moves)


def _in_turn(gain: Tensor, weights: Tensor, room: Tensor) -> Tensor:
    order = weights.argsort(-1, descending=True)
    w, c = weights.gather(-1, order), room.gather(-1, order)
    before = (w * c).cumsum(-1) - w * c  # what the vessels in front of this one hold
    needed = ((gain - before) / torch.where(w > 0, w, 1.0)).clamp(min=0)
    return torch.zeros_like(room).scatter(-1, order, torch.minimum(needed, c))


def _level(gain: Tensor, weights: Tensor, room: Tensor, p: float) -> Tensor:
    speed = weights if p == 2 else (weights > 0).to(weights.dtype)
    kinks = room / torch.where(speed > 0, speed, 1.0)  # the level at which a vessel is full
    kinks, order = kinks.sort(-1)
    full, rate = (weights * room).gather(-1, order), (weights * speed).gather(-1, order)
    full_before, rate_after = full.cumsum(-1) - full, rate.flip(-1).cumsum(-1).flip(-1)
    gained = full_before + kinks * rate_after  # at each kink
    last = (gained < gain).sum(-1, keepdim=True).clamp(max=room.shape[-1] - 1)
    slope = rate_after.gather(-1, last)
    level = (gain - full_before.gather(-1, last)) / torch.where(slope > 0, slope, 1.0)
    return torch.minimum(level * speed, room)
