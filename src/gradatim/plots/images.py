"""Many small images on one card."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.plots.style import new_figure


def image_grid(
    images: ArrayLike,
    titles: Sequence[object] | None = None,
    columns: int = 8,
    *,
    size: float = 0.85,
) -> Figure:
    """Lay images out in rows, grey or in colour, all on one scale of brightness.

    Args:
        images: Shape ``(N, H, W)``, ``(N, 1, H, W)``, ``(N, 3, H, W)`` or ``(N, H, W, 3)``, as an array
            or a tensor. Colours are in [0, 1], or in [0, 255] when they are integers.
        titles: Words above each image.
        columns: Images in a row.
        size: Inches across one image.

    Example:
        >>> import numpy as np
        >>> len(image_grid(np.zeros((10, 8, 8)), columns=5).axes)
        10
    """
    pictures = channels_last(np.asarray(images))
    if titles is not None and len(titles) != len(pictures):
        raise InvalidValue(
            f"image_grid: titles must name {len(pictures)} images, got {len(titles)}."
        )
    columns = max(1, min(columns, len(pictures)))
    rows = -(-len(pictures) // columns)
    height = size * pictures.shape[1] / pictures.shape[2] + (0.24 if titles is not None else 0.08)
    figure, axes = new_figure(rows, columns, max(columns * size, 2.0), rows * height + 0.1)
    low, high = float(np.nanmin(pictures)), float(np.nanmax(pictures))
    for k, panel in enumerate(np.ravel(axes)):
        panel.set_axis_off()
        if k >= len(pictures):
            panel.remove()
            continue
        panel.imshow(pictures[k], cmap="gray", vmin=low, vmax=high, interpolation="nearest")
        if titles is not None:
            panel.set_title(str(titles[k]), fontsize=8, fontweight="normal", loc="center", pad=3)
    return figure


def channels_last(images: np.ndarray) -> np.ndarray:
    """Shape ``(N, H, W)`` for grey images, ``(N, H, W, 3)`` in [0, 1] for colour."""
    shape = images.shape
    if images.ndim == 4 and shape[1] in (1, 3):
        images = np.moveaxis(images, 1, -1)  # (N, H, W, C)
    if images.ndim == 4 and images.shape[-1] == 1:
        images = images[..., 0]  # (N, H, W)
    is_colour = images.ndim == 4 and images.shape[-1] == 3
    if not images.size or (images.ndim != 3 and not is_colour):
        raise InvalidValue(
            "image_grid: images must have shape (N, H, W), (N, 1, H, W), (N, 3, H, W) or (N, H, W, 3), "
            f"got {shape}."
        )
    if is_colour:
        scale = 255.0 if np.issubdtype(images.dtype, np.integer) else 1.0
        return np.clip(images / scale, 0.0, 1.0)
    return images
