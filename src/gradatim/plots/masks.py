"""Images under their masks, in colours that can be told apart."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from gradatim.errors import InvalidValue
from gradatim.plots.style import PALETTE, new_figure

STRENGTH = 0.55  # of a colour over the image
LISTED = 12  # classes in the legend


def class_colours(num_classes: int, plain: int = 0) -> np.ndarray:
    """A colour for every class, shape ``(K, 3)`` in [0, 1]; the plain one has none, which is shown as grey.

    Args:
        num_classes: Number :math:`K` of classes.
        plain: The class that is not painted, such as the background.

    Example:
        >>> class_colours(3).shape
        (3, 3)
    """
    many = [to_rgb(c) for c in PALETTE] + [colormaps["tab20"](k % 20)[:3] for k in range(num_classes)]  # fmt: skip
    order = iter([many[1], many[0], *many[2:]])
    return np.array([(0.6, 0.6, 0.6) if k == plain else next(order) for k in range(num_classes)])


def overlay(image: np.ndarray, mask: np.ndarray, num_classes: int, plain: int = 0) -> np.ndarray:
    """Paint the classes of pixels over an image; the plain class shows the image as it is.

    Args:
        image: Shape ``(H, W)``, ``(H, W, 1)`` or ``(H, W, 3)``, whole numbers from 0 to 255.
        mask: Class of every pixel, shape ``(H, W)``.
        num_classes: Number of classes.
        plain: The class that is not painted.

    Returns:
        Colours in [0, 1], shape ``(H, W, 3)``.

    Example:
        >>> overlay(np.full((1, 2), 255, np.uint8), np.array([[0, 1]]), 2)[0, 0].tolist()
        [1.0, 1.0, 1.0]
    """
    picture = image[..., None] if image.ndim == 2 else image
    picture = np.broadcast_to(picture, (*mask.shape, 3)) / 255.0
    painted = (1 - STRENGTH) * picture + STRENGTH * class_colours(num_classes, plain)[mask]
    return np.where((mask == plain)[..., None], picture, painted)


def mask_rows(
    images: Sequence[np.ndarray] | np.ndarray,
    masks: Mapping[str, Sequence[np.ndarray] | np.ndarray],
    labels: Sequence[object],
    *,
    titles: Sequence[str] = (),
    plain: int = 0,
    size: float = 1.9,
) -> Figure:
    """Draw a row for every image: the image, then the image under each of its masks.

    Args:
        images: Shape ``(H, W, channels)`` each, whole numbers from 0 to 255.
        masks: By name, such as ``"true"`` and ``"predicted"``, the classes of pixels of every image.
        labels: Names of the classes.
        titles: What stands above each image.
        plain: The class that is not painted.
        size: Inches across one panel.

    Example:
        >>> image, mask = np.zeros((4, 4, 1), np.uint8), np.eye(4, dtype=int)
        >>> len(mask_rows([image], {"true": [mask]}, ["paper", "ink"]).axes)
        2
    """
    if not len(images) or any(len(own) != len(images) for own in masks.values()):
        raise InvalidValue(
            f"mask_rows: masks must be there for each of {len(images)} images, got {[len(m) for m in masks.values()]}."
        )
    rows, columns = len(images), 1 + len(masks)
    figure, axes = new_figure(rows, columns, columns * size, rows * (size + 0.25) + 0.35)
    grid = np.array(axes, dtype=object).reshape(rows, columns)
    for row, image in enumerate(images):
        panels = {titles[row] if titles else "": overlay(image, np.full(image.shape[:2], plain), len(labels), plain)}  # fmt: skip
        panels |= {name: overlay(image, own[row], len(labels), plain) for name, own in masks.items()}  # fmt: skip
        for panel, (name, picture) in zip(grid[row], panels.items(), strict=True):
            panel.imshow(picture, interpolation="nearest")
            panel.set_axis_off()
            panel.set_title(name, fontsize=8, fontweight="normal", loc="center", pad=3)
    colours = class_colours(len(labels), plain)
    named = [k for k in range(len(labels)) if k != plain][:LISTED]
    patches = [Patch(color=tuple(colours[k]), label=str(labels[k])) for k in named]
    figure.legend(handles=patches, loc="outside lower center", ncols=min(len(named), 6), fontsize=8)
    return figure
