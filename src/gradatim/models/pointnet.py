"""PointNet: classes of point clouds, and of their points."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole
from gradatim.nn.set_pooling import pool_sets


class TNet(nn.Module):
    r"""A linear map for a cloud, found from the cloud: :math:`T(X) = I + \rho(\max_m \phi(x_m))`.

    It is any matrix; :func:`orthogonality_penalty` pulls it towards a rotation or reflection, and nothing else does.

    Args:
        dim: Width of a point.
        hidden: Widths of the layers on points, the last of which is pooled.

    Example:
        >>> TNet(3, (8, 16))(torch.randn(2, 10, 3)).shape
        torch.Size([2, 3, 3])
    """

    def __init__(self, dim: int, hidden: Sequence[int] = (64, 128, 1024)) -> None:
        super().__init__()
        self.dim, self.hidden = dim, tuple(hidden)
        last = self.hidden[-1]
        self.points = _PointLayers((dim, *self.hidden))
        end = nn.Linear(last // 2, dim * dim)
        nn.init.zeros_(end.weight)  # it starts as the identity
        nn.init.zeros_(end.bias)
        self.readout = nn.Sequential(nn.Linear(last, last // 2), nn.ReLU(), end)

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        """Matrices ``(B, dim, dim)`` of clouds ``(B, M, dim)``."""
        found = self.readout(pool_sets(self.points(x), pooling="max"))
        return found.unflatten(1, (self.dim, self.dim)) + torch.eye(self.dim, dtype=x.dtype, device=x.device)  # fmt: skip


@takes_arrays
def orthogonality_penalty(T: Tensor) -> Tensor:
    r"""How far matrices are from rotations: the mean of :math:`\lVert I - TT^\top\rVert_F^2`.

    Args:
        T: Matrices, shape ``(B, D, D)``.

    Example:
        >>> orthogonality_penalty(torch.tensor([[[0.0, 1.0], [-1.0, 0.0]]]))
        tensor(0.)
    """
    identity = torch.eye(T.shape[-1], dtype=T.dtype, device=T.device)
    return (identity - T @ T.mT).square().sum((1, 2)).mean()


class _PointLayers(nn.Sequential):
    """The same layers on every point, with batch normalization over all points."""

    def __init__(self, widths: Sequence[int]) -> None:
        parts: list[nn.Module] = []
        for a, b in pairwise(widths):
            parts += [nn.Linear(a, b), _PointNorm(b), nn.ReLU()]
        super().__init__(*parts)


class _PointNorm(nn.BatchNorm1d):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.flatten(0, 1)).view_as(x)


class _Seen(NamedTuple):
    local: Tensor  # (B, M, dims[0])
    whole: Tensor  # (B, dims[-1])
    penalty: Tensor


class _PointEncoder(nn.Module):
    """Points turned by a map of their own, features turned by another, and the largest of each feature."""

    def __init__(self, owner: str, num_classes: int, input_dim: int, dims: Sequence[int]) -> None:
        super().__init__()
        require_whole(owner, num_classes=num_classes, input_dim=input_dim)
        require(len(dims) >= 2 and min(dims) >= 2, f"{owner}: dims must be at least two widths of 2 or more", dims)  # fmt: skip
        self.num_classes, self.input_dim, self.dims = num_classes, input_dim, tuple(dims)
        self.turn_points = TNet(input_dim, dims)
        self.first = _PointLayers((input_dim, dims[0], dims[0]))
        self.turn_features = TNet(dims[0], dims)
        self.second = _PointLayers(dims)

    def see(self, x: Tensor) -> _Seen:
        h = self.first(x @ self.turn_points(x))  # (B, M, dims[0])
        turn = self.turn_features(h)
        local = h @ turn
        return _Seen(local, pool_sets(self.second(local), pooling="max"), orthogonality_penalty(turn))  # fmt: skip


class PointNet(_PointEncoder):
    r"""Classify a cloud of points, in whatever order they come.

    .. math:: f(X) = \rho\Bigl(\max_m \phi(x_m)\Bigr)

    with :math:`\phi` the layers on points, between which a T-net turns the cloud and its features.

    Args:
        num_classes: Number of classes.
        input_dim: Width of a point.
        dims: Widths of the layers on points: the first is that of local features, the last is pooled.
        dropout: Probability to drop a feature before the last layer.

    Example:
        >>> PointNet(5, dims=(8, 16, 32))(torch.randn(2, 20, 3)).shape
        torch.Size([2, 5])

    Reference:
        Qi et al., PointNet: Deep Learning on Point Sets for 3D Classification and Segmentation, 2017.
    """

    def __init__(
        self, num_classes: int, *, input_dim: int = 3, dims: Sequence[int] = (64, 128, 1024), dropout: float = 0.3
    ) -> None:  # fmt: skip
        super().__init__("PointNet", num_classes, input_dim, dims)
        self.dropout = dropout
        last = dims[-1]
        self.readout = nn.Sequential(
            nn.Linear(last, last // 2), nn.ReLU(), nn.Dropout(dropout), nn.Linear(last // 2, num_classes)
        )  # fmt: skip

    @takes_arrays
    def forward(self, x: Tensor, *, with_penalty: bool = False) -> Tensor | tuple[Tensor, Tensor]:
        """Logits ``(B, num_classes)`` of clouds ``(B, M, input_dim)``; with ``with_penalty`` also the orthogonality penalty."""
        seen = self.see(x)
        logits = self.readout(seen.whole)
        return (logits, seen.penalty) if with_penalty else logits


class PointNetSegmenter(_PointEncoder):
    r"""Classify every point of a cloud: :math:`f(PX) = P f(X)`.

    .. math:: y_m = \rho\Bigl(h_m, \max_n \phi(x_n)\Bigr)

    Args:
        num_classes: Number of classes of points.
        input_dim: Width of a point.
        dims: Widths of the layers on points: the first is that of local features :math:`h`, the last is pooled.

    Example:
        >>> PointNetSegmenter(4, dims=(8, 16, 32))(torch.randn(2, 20, 3)).shape
        torch.Size([2, 20, 4])

    Reference:
        Qi et al., PointNet: Deep Learning on Point Sets for 3D Classification and Segmentation, 2017.
    """

    def __init__(
        self, num_classes: int, *, input_dim: int = 3, dims: Sequence[int] = (64, 128, 1024)
    ) -> None:
        super().__init__("PointNetSegmenter", num_classes, input_dim, dims)
        widths = (dims[0] + dims[-1], dims[-1] // 2, dims[-1] // 4)
        self.readout = nn.Sequential(_PointLayers(widths), nn.Linear(widths[-1], num_classes))

    @takes_arrays
    def forward(self, x: Tensor, *, with_penalty: bool = False) -> Tensor | tuple[Tensor, Tensor]:
        """Logits ``(B, M, num_classes)`` of clouds ``(B, M, input_dim)``; with ``with_penalty`` also the orthogonality penalty."""
        seen = self.see(x)
        whole = seen.whole[:, None].expand(-1, x.shape[1], -1)
        logits = self.readout(torch.cat([seen.local, whole], -1))
        return (logits, seen.penalty) if with_penalty else logits
