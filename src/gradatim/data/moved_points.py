"""Clouds of points turned, shaken and thinned: what a classifier of shapes should not mind."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


def _check_clouds(owner: str, points: Tensor) -> None:
    is_cloud = points.ndim == 3 and points.is_floating_point()
    require(is_cloud, f"{owner}: points must be numbers of shape (B, M, D)", tuple(points.shape))


@takes_arrays
def rotate_points(
    points: Tensor, *, axis: int | None = None, generator: torch.Generator | None = None
) -> Tensor:
    r"""Turn every cloud about the origin by a rotation of its own.

    .. math:: x_m' = Q x_m, \qquad Q \sim U(SO(D))

    Args:
        points: Shape ``(B, M, D)``.
        axis: Turn about this axis alone, of three; about all by default.
        generator: Source of randomness; PyTorch's own by default.

    Returns:
        Turned points, shape of ``points``.

    Example:
        >>> x = torch.randn(2, 5, 3)
        >>> torch.allclose(rotate_points(x).norm(dim=-1), x.norm(dim=-1), atol=1e-5)
        True

    Reference:
        Mezzadri, How to Generate Random Matrices from the Classical Compact Groups, 2007.
    """
    _check_clouds("rotate_points", points)
    dim = points.shape[-1]
    if axis is not None:
        require(dim == 3 and axis in range(3), "rotate_points: axis must be 0, 1 or 2, of points with three coordinates", f"{axis} of {dim}")  # fmt: skip
        others = [k for k in range(3) if k != axis]
        turned = points.clone()
        turned[..., others] = points[..., others] @ _rotations(points, 2, generator).mT
        return turned
    return points @ _rotations(points, dim, generator).mT


def _rotations(points: Tensor, dim: int, generator: torch.Generator | None) -> Tensor:
    """One for each cloud, even over all: QR of noise, with signs that make it unique, and no reflection."""
    noise = torch.randn(len(points), dim, dim, generator=generator, device=points.device, dtype=points.dtype)  # fmt: skip
    Q, R = torch.linalg.qr(noise)
    Q = Q * torch.where(R.diagonal(dim1=1, dim2=2) < 0, -1.0, 1.0).to(Q)[:, None]
    first = Q[..., :1] * torch.linalg.det(Q)[:, None, None].sign()
    return torch.cat([first, Q[..., 1:]], -1)  # (B, dim, dim)


@takes_arrays
def jitter_points(
    points: Tensor, *, std: float = 0.01, most: float = 0.05, generator: torch.Generator | None = None
) -> Tensor:  # fmt: skip
    r"""Move every point a little.

    .. math:: x_m' = x_m + \operatorname{clip}(\sigma\epsilon_m, -c, c), \qquad \epsilon_m \sim N(0, I)

    Args:
        points: Shape ``(B, M, D)``.
        std: :math:`\sigma`, in the units of ``points``.
        most: :math:`c`: no coordinate moves further.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> bool((jitter_points(torch.zeros(2, 50, 3), std=1.0, most=0.1).abs() <= 0.1).all())
        True

    Reference:
        Qi et al., PointNet: Deep Learning on Point Sets for 3D Classification and Segmentation, 2017.
    """
    _check_clouds("jitter_points", points)
    require(std >= 0, "jitter_points: std must be at least 0", std, "Try std=0.01.")
    require(most >= 0, "jitter_points: most must be at least 0", most, "Try most=0.05.")
    noise = torch.randn(points.shape, generator=generator, device=points.device, dtype=points.dtype)
    return points + (std * noise).clamp(-most, most)


@takes_arrays
def drop_points(
    points: Tensor, *, drop: float = 0.25, generator: torch.Generator | None = None
) -> tuple[Tensor, Tensor]:
    """Drop random points of every cloud, and repeat one that stays in their places.

    A maximum over points does not notice repeats; sums and means do, and should be told which are real.

    Args:
        points: Shape ``(B, M, D)``.
        drop: Probability to drop a point; one of each cloud always stays.
        generator: Source of randomness; PyTorch's own by default.

    Returns:
        Points, shape of ``points``, and which of them were kept, shape ``(B, M)``.

    Example:
        >>> thinned, is_kept = drop_points(torch.arange(4.0).view(1, 4, 1), drop=1.0)
        >>> int(is_kept.sum()), int(thinned.unique().numel())
        (1, 1)
    """
    _check_clouds("drop_points", points)
    require(0.0 <= drop <= 1.0, "drop_points: drop must be in [0, 1]", drop, "Try drop=0.25.")
    chance = torch.rand(points.shape[:2], generator=generator, device=points.device)  # (B, M)
    if not chance.shape[1]:
        return points, chance >= drop
    stays = chance.argmax(1, keepdim=True)
    is_kept = (chance >= drop).scatter(1, stays, True)
    kept = points.take_along_dim(stays[..., None], 1)  # (B, 1, D)
    return torch.where(is_kept[..., None], points, kept), is_kept
