r"""Basis functions: a model that is linear in its weights and curved in its input.

.. math:: f(x)=b+\sum_{k=1}^M w_k\,\phi_k(x)

The functions below return the features :math:`\phi_k(x_n)`, shape ``(N, M)``, without the constant,
ready for any linear fit. :class:`GaussianBasis` lets a network learn centres and widths as well.
"""

from collections.abc import Callable
from itertools import combinations_with_replacement

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


def _columns(x: Tensor) -> Tensor:
    return x[:, None] if x.ndim == 1 else x


@takes_arrays
def polynomial(x: Tensor, degree: int) -> Tensor:
    r"""Monomials of degree 1 to ``degree``: :math:`x, x^2, \dots`, or :math:`x_1, x_2, x_1^2, x_1x_2, \dots`.

    Args:
        x: Inputs, shape ``(N,)`` or ``(N, d)``.
        degree: Highest total degree.

    Example:
        >>> polynomial(torch.tensor([[2.0, 3.0]]), degree=2)
        tensor([[2., 3., 4., 6., 9.]])
    """
    require(degree >= 1, "polynomial: degree must be at least 1", degree)
    x = _columns(x)
    powers = (combinations_with_replacement(range(x.shape[1]), n + 1) for n in range(degree))
    return torch.stack([x[:, list(p)].prod(1) for same in powers for p in same], dim=1)


@takes_arrays
def sinusoids(x: Tensor, frequencies: Tensor) -> Tensor:
    r"""Sines, then cosines, of :math:`\omega_k^\top x`.

    Args:
        x: Inputs, shape ``(N,)`` or ``(N, d)``.
        frequencies: :math:`\omega`, shape ``(K,)`` or ``(K, d)``.

    Returns:
        Features, shape ``(N, 2K)``.

    Example:
        >>> sinusoids(torch.tensor([0.0]), torch.tensor([1.0, 2.0]))
        tensor([[0., 0., 1., 1.]])
    """
    angles = _columns(x) @ _columns(frequencies).T  # (N, K)
    return torch.cat([torch.sin(angles), torch.cos(angles)], dim=1)


@takes_arrays
def gaussians(x: Tensor, centers: Tensor, widths: Tensor | float) -> Tensor:
    r"""Radial basis functions :math:`\exp(-\lVert x-\mu_k\rVert^2/2\sigma_k^2)`.

    Args:
        x: Inputs, shape ``(N,)`` or ``(N, d)``.
        centers: :math:`\mu`, shape ``(K,)`` or ``(K, d)``.
        widths: :math:`\sigma`, one number or shape ``(K,)``.

    Example:
        >>> gaussians(torch.tensor([1.0]), torch.tensor([1.0, 2.0]), 1.0)
        tensor([[1.0000, 0.6065]])
    """
    squared = (_columns(x)[:, None] - _columns(centers)).square().sum(-1)  # (N, K)
    return torch.exp(-squared / (2 * widths**2))


@takes_arrays
def translated(x: Tensor, centers: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    r"""Copies of one function of a scalar, each moved to its centre: :math:`\phi(x-c_k)`.

    Args:
        x: Inputs, shape ``(N,)``.
        centers: :math:`c`, shape ``(K,)``.
        function: :math:`\phi`, element-wise, such as ``torch.relu`` or ``torch.sigmoid``.

    Example:
        >>> translated(torch.tensor([1.0]), torch.tensor([0.0, 2.0]), torch.relu)
        tensor([[1., 0.]])
    """
    return function(x[:, None] - centers)


class GaussianBasis(nn.Module):
    r"""Gaussian basis functions whose centres and widths are learned.

    Widths are kept positive as :math:`\sigma=e^{s}`. ``nn.Sequential(GaussianBasis(...), nn.Linear(K, 1))``
    is a radial-basis-function network.

    Args:
        centers: First centres :math:`\mu`, shape ``(K,)`` or ``(K, d)``.
        width: First width :math:`\sigma` of every function.

    Example:
        >>> basis = GaussianBasis(torch.linspace(0, 1, 5), width=0.2)
        >>> basis(torch.rand(7, 1)).shape
        torch.Size([7, 5])
    """

    @takes_arrays
    def __init__(self, centers: Tensor, *, width: float = 1.0) -> None:
        super().__init__()
        require(width > 0, "GaussianBasis: width must be positive", width, "Try 1.0.")
        centers = _columns(centers).detach().clone()
        self.width = width
        self.centers = nn.Parameter(centers)
        self.log_widths = nn.Parameter(torch.full_like(centers[:, 0], width).log())

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        return gaussians(x, self.centers, self.log_widths.exp())  # (N, K)
