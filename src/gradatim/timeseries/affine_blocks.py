r"""Affine recursions with a map of their own at every step, along all blocks of a sequence at once.

.. math:: x_t=M_tx_{t-1}+u_t\qquad\text{or}\qquad X_t=M_tX_{t-1}M_t^\top+U_t

A step costs a call, however small the matrices are. So the steps are cut into blocks of :math:`L`; what a
block does to any start, :math:`x_j=(M_j\cdots M_1)x_0+\tilde u_j`, is found for all blocks together, and a
loop over the blocks links them: :math:`L+T/L` calls instead of :math:`T`.
"""

import torch
from torch import Tensor

WIDE = 512  # numbers in the matrices of a step: beyond it arithmetic costs more than calls


def block_length(steps: int, numbers: int) -> int:
    """Length of the blocks; all the steps, where one step after the other is as fast."""
    return steps if steps < 32 or numbers > WIDE else int(steps**0.5)


def into_blocks(x: Tensor, length: int) -> Tensor:
    """Steps ``(T, B, ...)`` as blocks side by side, ``(length, blocks · B, ...)``; the last is filled with zeros."""
    T = len(x)
    count = -(-T // length)
    if count * length != T:
        x = torch.cat([x, x.new_zeros(count * length - T, *x.shape[1:])])
    return x.unflatten(0, (count, length)).transpose(0, 1).flatten(1, 2)


def out_of_blocks(x: Tensor, steps: int, num_sequences: int) -> Tensor:
    """The inverse of :func:`into_blocks`, ``(T, B, ...)``."""
    return x.unflatten(1, (-1, num_sequences)).transpose(0, 1).flatten(0, 1)[:steps]


def run_affine(M: Tensor, u: Tensor, start: Tensor, *, both_sides: bool = False) -> Tensor:
    """All steps of the recursion.

    Args:
        M: The maps, shape ``(T, B, n, n)``.
        u: What each step adds, shape ``(T, B, n, k)``.
        start: Before the first step, shape ``(B, n, k)``.
        both_sides: Whether the map is applied from both sides, as to a covariance.

    Returns:
        After each step, shape ``(T, B, n, k)``.
    """

    def apply(M: Tensor, x: Tensor) -> Tensor:
        return M @ x @ M.mT if both_sides else M @ x

    T, B = M.shape[:2]
    if not T:
        return u
    length = block_length(T, M[0].numel())
    maps, gains = into_blocks(M, length), into_blocks(u, length)
    products, local = [maps[0]], [gains[0]]
    for m, g in zip(maps[1:], gains[1:], strict=True):
        products.append(m @ products[-1])
        local.append(apply(m, local[-1]) + g)
    ends = local[-1].unflatten(0, (-1, B)), products[-1].unflatten(0, (-1, B))
    starts = [start]
    for end, product in zip(*(part[:-1] for part in ends), strict=True):
        starts.append(apply(product, starts[-1]) + end)
    x = torch.stack(local) + apply(torch.stack(products), torch.cat(starts))
    return out_of_blocks(x, T, B)
