r"""Frequencies on a graph, and filters: the eigenvectors of a Laplacian are its Fourier basis.

.. math:: L = U\Lambda U^\top, \qquad g(L)x = U g(\Lambda) U^\top x

Only filters :math:`g(L)` are offered. A product of two signals in the frequency domain,
:math:`U(U^\top x \odot U^\top y)`, changes with the signs of the eigenvectors, which nothing fixes.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.nn.sparse_matrix import read_csr


class GraphFourier(NamedTuple):
    """Frequencies in ascending order ``(N,)``, and the basis ``(N, N)``, one column each."""

    frequencies: Tensor
    basis: Tensor


@takes_arrays
def graph_fourier(L: Tensor) -> GraphFourier:
    r"""Diagonalize a symmetric Laplacian, :math:`L = U\Lambda U^\top`.

    Args:
        L: Laplacian of an undirected graph, shape ``(N, N)``, sparse or dense; of kind ``"combinatorial"`` or ``"symmetric"``.

    Returns:
        Frequencies :math:`\lambda_1 \le \dots \le \lambda_N` and the basis :math:`U`, in :math:`O(N^3)`.

    Example:
        >>> path = torch.tensor([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
        >>> graph_fourier(path).frequencies.round(decimals=4).abs()
        tensor([0., 1., 3.])
    """
    whole = _dense(L)
    require(whole.ndim == 2, "graph_fourier: L must be a matrix", tuple(whole.shape))
    require(torch.allclose(whole, whole.T, atol=1e-5), "graph_fourier: L must be symmetric", "another", "Take kind='symmetric', and list each edge both ways.")  # fmt: skip
    return GraphFourier(*torch.linalg.eigh(whole))


@takes_arrays
def spectral_filter(x: Tensor, L: Tensor, response: Callable[[Tensor], Tensor]) -> Tensor:
    r"""Weigh the frequencies of a signal: :math:`U g(\Lambda) U^\top x`, in :math:`O(N^3)`.

    Args:
        x: Signal, shape ``(N,)`` or ``(N, F)``.
        L: Symmetric Laplacian, shape ``(N, N)``.
        response: :math:`g`, from frequencies ``(N,)`` to factors ``(N,)``.

    Example:
        >>> L = torch.tensor([[1.0, -1.0], [-1.0, 1.0]])
        >>> spectral_filter(torch.tensor([0.0, 2.0]), L, lambda f: (f < 1).float()).round(decimals=4)
        tensor([1., 1.])
    """
    frequencies, basis = graph_fourier(L)
    signal, is_one = _columns(x)
    found = basis @ (response(frequencies)[:, None] * (basis.T @ signal.to(basis.dtype)))
    return _as_given(found, is_one)


@takes_arrays
def polynomial_filter(x: Tensor, L: Tensor, coefficients: Tensor | Sequence[float]) -> Tensor:
    r"""Filter by a polynomial of the Laplacian: :math:`\sum_{k=0}^K \alpha_k L^k x`, in :math:`O(KE)`.

    A node hears of nodes at most :math:`K` steps away, and a filter of order :math:`K` has :math:`K + 1` coefficients.

    Args:
        x: Signal, shape ``(N,)`` or ``(N, F)``.
        L: Laplacian, shape ``(N, N)``.
        coefficients: :math:`\alpha_0, \dots, \alpha_K`.

    Example:
        >>> L = torch.tensor([[1.0, -1.0], [-1.0, 1.0]])
        >>> polynomial_filter(torch.tensor([0.0, 2.0]), L, [1.0, -0.5])
        tensor([1., 1.])
    """
    alpha = _coefficients("polynomial_filter", coefficients, x)
    signal, is_one = _columns(x)
    total = alpha[-1] * signal
    for a in reversed(alpha[:-1]):  # Horner: ((α_K L + α_{K-1}) L + …) x
        total = _times(L, total) + a * signal
    return _as_given(total, is_one)


@takes_arrays
def chebyshev_filter(
    x: Tensor, L: Tensor, coefficients: Tensor | Sequence[float], *, largest: float | None = None
) -> Tensor:
    r"""Filter by Chebyshev polynomials, which do not cancel each other at high order.

    .. math:: \sum_{k=0}^K \alpha_k T_k(\tilde L)x, \qquad \tilde L = \frac{2}{\lambda_{\max}}L - I, \qquad
        T_k(z) = 2zT_{k-1}(z) - T_{k-2}(z)

    Args:
        x: Signal, shape ``(N,)`` or ``(N, F)``.
        L: Symmetric Laplacian, shape ``(N, N)``.
        coefficients: :math:`\alpha_0, \dots, \alpha_K`.
        largest: :math:`\lambda_{\max}`, or a bound of it; by default twice the largest entry of the diagonal, which bounds it.

    Example:
        >>> L = torch.tensor([[1.0, -1.0], [-1.0, 1.0]])
        >>> chebyshev_filter(torch.tensor([0.0, 2.0]), L, [0.5, -0.5], largest=2.0)
        tensor([1., 1.])

    Reference:
        Defferrard, Bresson and Vandergheynst, Convolutional Neural Networks on Graphs with Fast Localized Spectral Filtering, 2016.
    """
    alpha = _coefficients("chebyshev_filter", coefficients, x)
    scale = 2.0 / (largest_frequency(L) if largest is None else largest)
    signal, is_one = _columns(x)
    found = chebyshev_sum(lambda k: alpha[k] * signal, len(alpha) - 1, partial(_times, L), scale)
    return _as_given(found, is_one)


def chebyshev_sum(
    part: Callable[[int], Tensor], order: int, times: Callable[[Tensor], Tensor], scale: float
) -> Tensor:
    r"""The sum :math:`\sum_{k=0}^K T_k(\tilde L)c_k` by Clenshaw's recursion, which keeps two signals, whatever the order.

    .. math:: b_k = c_k + 2\tilde L b_{k+1} - b_{k+2}, \qquad \sum_k T_k(\tilde L)c_k = c_0 + \tilde L b_1 - b_2, \qquad
        \tilde L = \text{scale}\cdot L - I

    Args:
        part: :math:`c_k`, from its number to a signal of shape ``(N, F)``.
        order: :math:`K`.
        times: Multiplies with the Laplacian.
        scale: :math:`2/\lambda_{\max}`.

    Example:
        >>> chebyshev_sum(lambda k: torch.ones(1, 1), 2, lambda b: 3 * b, 1.0)  # 1 + 2 + (2·2² − 1)
        tensor([[10.]])
    """
    b, later = part(order), None
    for k in reversed(range(order)):
        factor = 2.0 if k else 1.0
        sum_ = torch.add(part(k), times(b), alpha=factor * scale).sub(b, alpha=factor)
        b, later = (sum_ if later is None else sum_ - later), b
    return b


def largest_frequency(L: Tensor) -> float:
    r"""A bound of the largest frequency, :math:`2\max_i \ell_{ii}` (Gershgorin), at least the smallest positive number.

    Example:
        >>> largest_frequency(torch.tensor([[1.0, -1.0], [-1.0, 1.0]]))
        2.0
    """
    if L.layout != torch.sparse_csr:
        diagonal = L.diagonal()
    else:
        S = read_csr(L)
        diagonal = S.values[S.pattern.rows == S.pattern.columns]
    largest = float(diagonal.max()) if diagonal.numel() else 0.0
    return 2.0 * largest if largest > 0 else 1.0


@takes_arrays
def heat_kernel(x: Tensor, L: Tensor, time: float, *, order: int = 30) -> Tensor:
    r"""Let a signal spread like heat: :math:`e^{-tL}x`, by Chebyshev polynomials.

    .. math:: e^{-tL} = e^{-a}\Bigl(I_0(a) + 2\sum_{k\ge1} (-1)^k I_k(a)\,T_k(\tilde L)\Bigr), \qquad a = t\lambda_{\max}/2

    Heat is kept by ``kind="combinatorial"``: the sum of the signal does not change.

    Args:
        x: Signal, shape ``(N,)`` or ``(N, F)``.
        L: Symmetric Laplacian, shape ``(N, N)``.
        time: :math:`t`, at least 0.
        order: Polynomials of one step; long times are taken in several steps.

    Example:
        >>> L = torch.tensor([[1.0, -1.0], [-1.0, 1.0]])
        >>> heat_kernel(torch.tensor([0.0, 2.0]), L, 100.0).round(decimals=4)
        tensor([1., 1.])
    """
    from scipy.special import ive

    require(time >= 0.0, "heat_kernel: time must be at least 0", time)
    largest = largest_frequency(L)
    steps = max(int(time * largest / 2 / 10.0) + 1, 1)  # within a step a is at most 10
    a = time * largest / 2 / steps
    k = torch.arange(order + 1)
    factors = torch.as_tensor(ive(k.numpy(), a)) * torch.where(k == 0, 1.0, 2.0) * (-1.0) ** k
    for _ in range(steps):
        x = chebyshev_filter(x, L, factors.to(x.dtype), largest=largest)
    return x


def _dense(L: Tensor) -> Tensor:
    return L.to_dense() if L.layout != torch.strided else L


def _times(L: Tensor, x: Tensor) -> Tensor:
    return read_csr(L).times(x) if L.layout == torch.sparse_csr else L @ x


def _columns(x: Tensor) -> tuple[Tensor, bool]:
    return (x[:, None], True) if x.ndim == 1 else (x, False)


def _as_given(x: Tensor, is_one: bool) -> Tensor:
    return x[:, 0] if is_one else x


def _coefficients(owner: str, coefficients: Tensor | Sequence[float], like: Tensor) -> Tensor:
    alpha = torch.as_tensor(coefficients, dtype=like.dtype, device=like.device)
    require(alpha.ndim == 1 and len(alpha), f"{owner}: coefficients must be a list of at least one number", tuple(alpha.shape))  # fmt: skip
    return alpha
