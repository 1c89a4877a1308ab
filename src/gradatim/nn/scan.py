r"""Solve a linear recurrence along time, all time steps at once.

The steps :math:`h \mapsto a_t h + b_t` are maps whose composition is again such a map,
:math:`(a', b') \circ (a, b) = (a'a,\; a'b + b')`. So time is cut into blocks of ``BLOCK`` steps, the
map of every block is composed, all blocks side by side; the states between blocks solve the same
problem, 32 times shorter; from them all blocks are run again, side by side. The longest chain of
dependent operations is of order :math:`\log T`, the work of order :math:`T`. Only products of
neighbouring :math:`a_t` are formed, nothing is divided by them, so nothing can overflow that does not
overflow in the recurrence itself.
"""

from typing import Any

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.hidden_values import is_transformed

BLOCK = 32  # measured: 16 to 64 are equally good, from (1, 4096, 128) to (16, 4096, 128)


@takes_arrays
def linear_scan(a: Tensor, b: Tensor, initial: Tensor | None = None) -> Tensor:
    r"""Solve a linear recurrence with diagonal coefficients.

    .. math:: h_t = a_t \odot h_{t-1} + b_t, \qquad t = 1, \dots, T

    Its gradient is a scan in the opposite direction,
    :math:`g_t = \partial E/\partial h_t + \bar a_{t+1} g_{t+1}`, with :math:`g_t` for :math:`b_t` and
    :math:`g_t \bar h_{t-1}` for :math:`a_t`.

    Args:
        a: Coefficients :math:`a_t`, real or complex, of a shape that broadcasts to ``b``'s; of size 1
            along axis 1, or without it, where they are the same at all times.
        b: Inputs :math:`b_t`, real or complex, shape ``(B, T, ...)``; fastest as the transpose of a
            ``(T, B, ...)`` tensor.
        initial: State :math:`h_0`, shape ``(B, ...)``; zero by default.

    Returns:
        All states :math:`h_1, \dots, h_T`, shape of ``b``.

    Example:
        >>> linear_scan(torch.tensor([0.5]), torch.ones(1, 4, 1)).flatten()
        tensor([1.0000, 1.5000, 1.7500, 1.8750])

    Reference:
        Blelloch, Prefix Sums and Their Applications, 1990. Martin and Cundy, Parallelizing Linear
        Recurrent Neural Nets Over Sequence Length, 2018.
    """
    fits = all(m in (1, n) for m, n in zip(a.shape[::-1], b.shape[::-1], strict=False))
    if b.ndim < 2 or a.ndim > b.ndim or not fits:
        raise InvalidValue(
            f"linear_scan: a must broadcast to b of shape (batch, time, ...), got {tuple(a.shape)} "
            f"and {tuple(b.shape)}."
        )
    state_shape = b.shape[:1] + b.shape[2:]
    if initial is not None and initial.shape != state_shape:
        raise InvalidValue(
            f"linear_scan: initial must be of shape {tuple(state_shape)}, got {tuple(initial.shape)}."
        )
    if b.shape[1] == 0:
        return b
    start = torch.zeros(state_shape, dtype=b.dtype, device=b.device) if initial is None else initial
    dtype = torch.promote_types(torch.promote_types(a.dtype, b.dtype), start.dtype)
    a = a.reshape((1,) * (b.ndim - a.ndim) + a.shape)
    wide = torch.promote_types(dtype, torch.float32)  # half precision cannot carry a long sum
    a, b, start = a.to(wide), b.to(wide), start.to(wide)
    h = (
        _solve_by_doubling(a, b, start)
        if is_transformed()
        else _LinearScan.apply(a, b, start, False)
    )
    return h.to(dtype)


def _solve_by_doubling(a: Tensor, b: Tensor, start: Tensor) -> Tensor:
    r"""Solve in :math:`\log_2 T` steps, each in operations that PyTorch can follow and batch.

    After the :math:`k`-th, ``a`` and ``b`` hold the map of the last :math:`2^k` times.
    """
    first = b[:, :1] + a[:, :1] * start.unsqueeze(1)
    b = torch.cat([first, b[:, 1:]], 1)
    reach = 1
    while reach < b.shape[1]:
        is_constant = a.shape[1] == 1
        later = a if is_constant else a[:, reach:]
        b = torch.cat([b[:, :reach], b[:, reach:] + later * b[:, :-reach]], 1)
        a = a * a if is_constant else torch.cat([a[:, :reach], later * a[:, :-reach]], 1)
        reach *= 2
    return b


class _LinearScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, start: Tensor, is_reversed: bool) -> Tensor:
        h = _solve(a.resolve_conj(), b.resolve_conj(), start.resolve_conj(), is_reversed)
        ctx.save_for_backward(a, start, h)
        ctx.is_reversed = is_reversed
        return h

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor, Tensor, None]:
        a, start, h = ctx.saved_tensors
        backwards = not ctx.is_reversed
        g = _adjoint(a.conj(), grad, backwards)
        later, first = _split(g, 1, backwards)
        grad_a = None
        if ctx.needs_input_grad[0]:
            before, _ = _split(h, 1, ctx.is_reversed)
            parts = [first * start.unsqueeze(1).conj()]
            if a.shape[1] == 1:  # piece by piece, so that the products stay in the cache
                pieces = zip(later.split(4 * BLOCK, 1), before.split(4 * BLOCK, 1), strict=True)
                parts += [(x * y.conj()).sum(1, keepdim=True) for x, y in pieces]
                grad_a = torch.cat(parts, 1).sum(1, keepdim=True).sum_to_size(a.shape)
            else:
                grad_a = _join([*parts, later * before.conj()], ctx.is_reversed).sum_to_size(
                    a.shape
                )
        grad_start = _split_coefficients(a.conj(), 1, backwards)[1] * first
        return grad_a, g, grad_start.squeeze(1), None


def _adjoint(a: Tensor, grad: Tensor, is_reversed: bool) -> Tensor:
    r"""Return :math:`g_t = \partial_t + a_{t+1} g_{t+1}`, which runs against the scan it belongs to."""
    if a.shape[1] == 1:
        return _LinearScan.apply(a, grad, torch.zeros_like(grad[:, 0]), is_reversed)
    rest, first = _split(grad, 1, not is_reversed)
    shifted, _ = _split(a, 1, is_reversed)
    g = _LinearScan.apply(shifted, rest, first.squeeze(1), is_reversed)
    return _join([first, g], is_reversed)


def _solve(a: Tensor, b: Tensor, start: Tensor, is_reversed: bool) -> Tensor:
    """Return all states ``(B, T, ...)``; ``a`` is of size 1 or ``T`` along axis 1."""
    out = torch.empty_like(b)  # with the strides of b, so that every step runs along the memory
    count, rest = divmod(b.shape[1], BLOCK)
    if count < 2:
        _sweep(_cut(a, 1), _cut(b, 1), start.unsqueeze(1), is_reversed, _cut(out, 1))
        return out
    a, a_tail = _split_coefficients(a, rest, is_reversed)
    (b, b_tail), (h, h_tail) = _split(b, rest, is_reversed), _split(out, rest, is_reversed)
    a, b = _cut(a, count), _cut(b, count)  # (B, count, BLOCK, ...)
    offset = _sweep(a, b, torch.zeros_like(b[:, :, 0]), is_reversed)
    after = _solve(_product(a), offset, start, is_reversed)  # the state after each block
    before = torch.roll(after, -1 if is_reversed else 1, 1)
    before[:, -1 if is_reversed else 0] = start
    _sweep(a, b, before, is_reversed, _cut(h, count))
    if rest:
        last = after[:, :1] if is_reversed else after[:, -1:]
        _sweep(_cut(a_tail, 1), _cut(b_tail, 1), last, is_reversed, _cut(h_tail, 1))
    return out


def _sweep(
    a: Tensor, b: Tensor, state: Tensor, is_reversed: bool, out: Tensor | None = None
) -> Tensor:
    """Step along axis 2, all blocks side by side, and return the last state; ``out`` takes all of them."""
    steps = range(b.shape[2])
    if a.shape[2] == 1:
        coefficients = (torch.empty_like(state).copy_(a[:, :, 0]),) * len(steps)
    else:
        coefficients = a.unbind(2)
    inputs = b.unbind(2)
    targets = [state] * len(steps) if out is None else out.unbind(2)
    for t in reversed(steps) if is_reversed else steps:
        torch.addcmul(inputs[t], coefficients[t], state, out=targets[t])
        state = targets[t]
    return state


def _product(a: Tensor) -> Tensor:
    """Return the product of the coefficients of every block, shape ``(B, count, ...)``."""
    if a.shape[2] > 1:
        return a.prod(2)
    wide = a.to(torch.complex128 if a.is_complex() else torch.float64)
    return wide[:, :, 0].pow(BLOCK).to(a.dtype)  # in double: its error would return at every block


def _cut(x: Tensor, count: int) -> Tensor:
    """View ``(B, T, ...)`` as ``(B, count, T / count, ...)``; what is constant in time stays of size 1."""
    return x.unsqueeze(1) if count == 1 or x.shape[1] == 1 else x.unflatten(1, (count, -1))


def _split_coefficients(a: Tensor, last: int, is_reversed: bool) -> tuple[Tensor, Tensor]:
    """Split off the last coefficients of a scan; one that is constant in time serves both parts."""
    return (a, a) if a.shape[1] == 1 else _split(a, last, is_reversed)


def _split(x: Tensor, last: int, is_reversed: bool) -> tuple[Tensor, Tensor]:
    """Split off the last steps of a scan."""
    cut = last if is_reversed else x.shape[1] - last
    parts = x[:, :cut], x[:, cut:]
    return parts[::-1] if is_reversed else parts


def _join(parts: list[Tensor], is_reversed: bool) -> Tensor:
    """Join parts that follow each other in the order of a scan."""
    return torch.cat(parts[::-1] if is_reversed else parts, 1)
