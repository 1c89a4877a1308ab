"""What a model with codes makes of images: rows that belong together, a sheet of decoded codes, a map of codes."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.errors import require
from gradatim.plots.images import channels_last
from gradatim.plots.style import INK, PALETTE, new_figure

COLOURS = (*PALETTE, "#B8A400", "#7B3FB5")  # ten classes that can be told apart


def image_rows(rows: Mapping[str, ArrayLike], *, size: float = 0.6) -> Figure:
    """Lay out rows of images with a name before each, as originals above their reconstructions.

    Args:
        rows: Images by name, of one number and size in all rows; as in :func:`image_grid`.
        size: Inches across one image.

    Example:
        >>> import numpy as np
        >>> figure = image_rows({"image": np.zeros((3, 8, 8)), "reconstruction": np.zeros((3, 8, 8))})
        >>> [axes.get_title() for axes in figure.axes]
        ['', '']
    """
    strips = {name: channels_last(np.asarray(images)) for name, images in rows.items()}
    shapes = {strip.shape for strip in strips.values()}
    require(len(shapes) == 1, "image_rows: rows must hold images of one number and size", sorted(shapes))  # fmt: skip
    count, height, width = next(iter(shapes))[:3]
    longest = max(len(line) for name in strips for line in name.splitlines())
    # beside the images the names, and between rows what a figure leaves free
    inches = (count * size + 0.085 * longest + 0.3, len(strips) * (size * height / width + 0.2))
    figure, axes = new_figure(len(strips), 1, *inches)
    for panel, (name, strip) in zip(np.ravel(axes), strips.items(), strict=True):
        panel.imshow(np.concatenate(list(strip), axis=1), cmap="gray", interpolation="nearest", vmin=min(0.0, strip.min()), vmax=max(1.0, strip.max()))  # fmt: skip
        panel.set_yticks([height / 2], [name], color=INK)
        panel.set_xticks([])
        panel.tick_params(length=0)
        panel.grid(False)
        panel.spines[:].set_visible(False)
    return figure


def image_sheet(images: ArrayLike, columns: int, *, inches: float = 5.5) -> Figure:
    """Draw images edge to edge as one picture, such as a plane of codes decoded.

    Args:
        images: In the order of reading; their number is a multiple of ``columns``. As in :func:`image_grid`.
        columns: Images in a row.
        inches: Width of the picture.

    Example:
        >>> import numpy as np
        >>> image_sheet(np.zeros((6, 8, 8)), 3).axes[0].get_images()[0].get_array().shape
        (16, 24)
    """
    pictures = channels_last(np.asarray(images))
    rule = "image_sheet: columns must divide the number of images"
    require(columns >= 1 and len(pictures) % columns == 0, rule, f"{columns} for {len(pictures)}")
    lines = [np.concatenate(list(line), axis=1) for line in pictures.reshape(-1, columns, *pictures.shape[1:])]  # fmt: skip
    sheet = np.concatenate(lines)
    figure, axes = new_figure(width=inches, height=inches * sheet.shape[0] / sheet.shape[1])
    axes.imshow(sheet, cmap="gray", interpolation="nearest")
    axes.set_axis_off()
    return figure


def latent_map(
    codes: ArrayLike, labels: ArrayLike, *, names: tuple[str, ...] | None = None, title: str = ""
) -> Figure:
    """Draw codes in the plane, coloured by class, with each class's name at its middle.

    Args:
        codes: Shape ``(N, 2)``.
        labels: Class of each, from 0; ten colours are told apart.
        names: Of the classes; by default their numbers.
        title: Heading.

    Example:
        >>> import numpy as np
        >>> figure = latent_map(np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([0, 1]))
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['0', '1']
    """
    points, classes = np.asarray(codes), np.asarray(labels)
    rule = "latent_map: codes must have shape (N, 2), with a label each"
    fits = points.ndim == 2 and points.shape[1:] == (2,) and classes.shape == points.shape[:1]
    require(fits, rule, f"{points.shape} and {classes.shape}")
    figure, axes = new_figure(width=6.2, height=5.8)
    size = float(np.clip(4_000 / max(len(points), 1), 2.0, 20.0))
    for k in np.unique(classes):
        own, colour = points[classes == k], COLOURS[int(k) % len(COLOURS)]
        axes.scatter(*own.T, s=size, color=colour, alpha=0.55, linewidths=0)
        name = str(k) if names is None else names[int(k)]
        axes.annotate(
            name, np.median(own, axis=0), ha="center", va="center", fontsize=12, fontweight="bold", color=INK,
            bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": colour, "alpha": 0.9},
        )  # fmt: skip
    axes.set(xlabel="first entry of the code", ylabel="second entry", title=title)
    axes.set_aspect("equal", adjustable="datalim")
    return figure
