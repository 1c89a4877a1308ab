r"""Run a linear time-invariant system along many sequences with a few large matrix products.

.. math:: x_t=Fx_{t-1}+Gv_t,\qquad o_t=Hx_{t-1}+Dv_t

Over a block of :math:`L` steps, the outputs are linear in the block's inputs and in the state before it:

.. math:: o_j=HF^jx_{-1}+Dv_j+\sum_{i<j}HF^{j-1-i}Gv_i,\qquad
    x_{L-1}=F^Lx_{-1}+\sum_iF^{L-1-i}Gv_i

so all blocks of all sequences are one product with a block-Toeplitz matrix, and only the states between
blocks need a loop, of :math:`T/L` steps instead of :math:`T`.
"""

import torch
from torch import Tensor

BLOCK = 16


def respond(F: Tensor, G: Tensor, H: Tensor, D: Tensor, v: Tensor, start: Tensor) -> Tensor:
    """Outputs of the system above.

    Args:
        F: State to state, shape ``(n, n)``.
        G: Input to state, shape ``(n, p)``.
        H: State to output, shape ``(q, n)``.
        D: Input to output, shape ``(q, p)``.
        v: Inputs, shape ``(B, T, p)``.
        start: State before the first step, shape ``(B, n)``.

    Returns:
        Outputs, shape ``(B, T, q)``.
    """
    (B, T, p), n, q = v.shape, len(F), len(H)
    L, count = BLOCK, -(-T // BLOCK)
    if count * L != T:
        v = torch.cat([v, v.new_zeros(B, count * L - T, p)], 1)
    blocks = v.reshape(B * count, L * p)
    powers = _powers(F, L)  # (L + 1, n, n)
    to_end = (powers[:L].flip(0) @ G).mT.reshape(L * p, n)
    ends = (blocks @ to_end).view(B, count, n)
    x, starts = start, [start]
    for end in ends[:, :-1].unbind(1):
        x = torch.addmm(end, x, powers[L].T)
        starts.append(x)
    seen = H @ powers[:L]  # H F^j: (L, q, n)
    from_start = seen.permute(2, 0, 1).reshape(n, L * q)
    local = blocks @ _toeplitz(torch.cat([D[None], seen[:-1] @ G]))
    outputs = torch.addmm(local, torch.stack(starts, 1).view(B * count, n), from_start)
    return outputs.view(B, count * L, q)[:, :T]


def _powers(F: Tensor, highest: int) -> Tensor:
    """The powers 0 to ``highest`` of a matrix, by doubling."""
    powers, top = torch.eye(len(F), dtype=F.dtype, device=F.device)[None], F
    while len(powers) <= highest:
        powers = torch.cat([powers, powers @ top])
        top = top @ top
    return powers[: highest + 1]


def _toeplitz(markov: Tensor) -> Tensor:
    """From impulse responses ``(L, q, p)``, the matrix ``(L·p, L·q)`` that applies them to rows of inputs."""
    L, q, p = markov.shape
    step = torch.arange(L, device=markov.device)
    lag = step - step[:, None]  # output step minus input step
    causal = torch.where((lag >= 0)[..., None, None], markov[lag.clamp(min=0)], 0.0)
    return causal.permute(0, 3, 1, 2).reshape(L * p, L * q)
