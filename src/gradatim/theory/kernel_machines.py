"""What a kernel answers, and the way descent takes there."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, require

ROUNDING = 1e-4  # of the largest eigenvalue: what single precision may leave below 0


@takes_arrays
def kernel_regression(
    K: Tensor,
    y: Tensor,
    k: Tensor,
    *,
    f_train: Tensor | float = 0.0,
    f_test: Tensor | float = 0.0,
    ridge: float = 0.0,
) -> Tensor:
    r"""The answer of a kernel machine that starts as :math:`f_0`.

    .. math:: f(x) = f_0(x) + k(x)^\top(K + \lambda I)^{-1}(y - f_0(X))

    With the tangent kernel of an infinitely wide network and :math:`\lambda=0` it is what training to the end gives. The first
    term is easily forgotten: without it the answer at a training input would be :math:`y-f_0(X)`, not :math:`y`.

    Args:
        K: Kernel among training inputs, shape ``(N, N)``.
        y: Targets, shape ``(N,)`` or ``(N, C)``.
        k: Kernel between test and training inputs, shape ``(M, N)``.
        f_train: :math:`f_0(X)`, shape of ``y``.
        f_test: :math:`f_0(x)`, shape ``(M,)`` or ``(M, C)``.
        ridge: :math:`\lambda`, from 0.

    Returns:
        Answers at the test inputs, shape ``(M,)`` or ``(M, C)``.

    Example:
        >>> K, y = torch.tensor([[2.0, 1.0], [1.0, 2.0]]), torch.tensor([3.0, 0.0])
        >>> kernel_regression(K, y, K).round(decimals=4)
        tensor([3., 0.])
    """
    require(ridge >= 0, "kernel_regression: ridge must be at least 0", ridge, "Try ridge=1e-6.")
    penalized = K + ridge * torch.eye(len(K), dtype=K.dtype, device=K.device)
    factor, failed = torch.linalg.cholesky_ex(penalized)
    if failed:
        raise InvalidValue(
            "kernel_regression: K must be positive definite, got one that is not, as repeated inputs give. "
            f"Try ridge={1e-6 * K.diagonal().mean().abs().item():.0e}."
        )
    missing = y - f_train
    columns = missing[:, None] if missing.ndim == 1 else missing
    moved = k @ torch.cholesky_solve(columns, factor)
    return f_test + (moved[:, 0] if missing.ndim == 1 else moved)


@takes_arrays
def kernel_dynamics(K: Tensor, y: Tensor, f0: Tensor, times: Tensor) -> Tensor:
    r"""The outputs at the training inputs while gradient flow minimizes half the squared error.

    .. math:: \dot f = -K(f - y) \quad\Rightarrow\quad f(t) = y + e^{-Kt}(f_0 - y)

    Gradient descent with a small step :math:`\eta` on :math:`\frac12\lVert f-y\rVert^2` is at :math:`t=\eta n` after
    :math:`n` steps; every eigenvector of the kernel is learned at the rate of its eigenvalue.

    Args:
        K: Kernel among the training inputs, shape ``(N, N)``, symmetric, without a negative eigenvalue.
        y: Targets, shape ``(N,)`` or ``(N, C)``.
        f0: Outputs at time 0, shape of ``y``.
        times: :math:`t`, from 0, shape ``(T,)``.

    Returns:
        Outputs, shape ``(T, N)`` or ``(T, N, C)``.

    Example:
        >>> f = kernel_dynamics(torch.eye(1), torch.ones(1), torch.zeros(1), torch.tensor([0.0, 1.0]))
        >>> f.squeeze(1)  # 1 - 1/e
        tensor([0.0000, 0.6321])
    """
    require(bool((times >= 0).all()), "kernel_dynamics: times must be at least 0", times.tolist())
    rates, modes = torch.linalg.eigh(K)
    rule = "kernel_dynamics: K must be positive semidefinite"
    require(rates[0] >= -ROUNDING * rates[-1].abs(), rule, f"one with eigenvalue {rates[0]:.3g}")
    gap = f0 - y
    amplitudes = modes.T @ (gap[:, None] if gap.ndim == 1 else gap)  # (N, C)
    decay = torch.exp(-times[:, None] * rates.clamp_min(0))  # (T, N); rounding has no rate
    path = torch.einsum("nm,tm,mc->tnc", modes, decay, amplitudes)
    return y + (path[..., 0] if gap.ndim == 1 else path)
