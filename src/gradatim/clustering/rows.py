"""What rows to be clustered must be."""

from torch import Tensor

from gradatim.errors import require, require_whole


def check_rows(owner: str, x: Tensor, num_clusters: int = 1) -> Tensor:
    """Refuse what are no rows of finite numbers, or fewer than clusters; return them in floating point.

    Args:
        owner: Who asks.
        x: Rows.
        num_clusters: How many clusters are wanted.
    """
    is_table = x.ndim == 2 and x.shape[1] > 0 and not x.is_complex()
    require(
        is_table,
        f"{owner}: x must be real of shape (N, d) with d from 1",
        f"shape {tuple(x.shape)}",
    )
    x = x if x.is_floating_point() else x.double()
    require(x.isfinite().all(), f"{owner}: x must be finite", "NaN or infinity")
    require_whole(owner, num_clusters=num_clusters)
    require(num_clusters <= len(x), f"{owner}: num_clusters must be at most the number of rows, {len(x):,}", num_clusters)  # fmt: skip
    return x


def check_centers(owner: str, x: Tensor, centers: Tensor) -> Tensor:
    """Refuse centers that rows cannot have; return them in the precision of the rows.

    Args:
        owner: Who asks.
        x: Rows, shape ``(N, d)``.
        centers: As many as there shall be clusters.
    """
    rule = (
        f"{owner}: centers must be finite, of shape (K, {x.shape[1]}) with K from 1 to {len(x):,}"
    )
    is_sound = centers.ndim == 2 and centers.shape[1] == x.shape[1] and 1 <= len(centers) <= len(x)
    require(is_sound, rule, f"shape {tuple(centers.shape)}")
    require(centers.isfinite().all(), rule, "NaN or infinity")
    return centers.to(x)
