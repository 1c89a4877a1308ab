"""Figures of convolution: pictures, filters, feature maps, and what units see."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.plots.style import DIVERGING, PALETTE, RULE, SEQUENTIAL, new_figure


def picture_panels(
    pictures: Mapping[str, ArrayLike], *, columns: int = 4, size: float = 1.9
) -> Figure:
    """Draw pictures with their names, each on its own scale; those with negative values in red and blue.

    Args:
        pictures: By title, shape ``(H, W)``, or ``(H, W, 3)`` in [0, 1].
        columns: Pictures in a row.
        size: Inches across one picture.

    Example:
        >>> figure = picture_panels({"input": [[0, 1]], "response": [[-1, 1]]})
        >>> [axes.get_title() for axes in figure.axes]
        ['input', 'response']
    """
    if not pictures:
        raise InvalidValue("picture_panels: pictures must hold at least one, got none.")
    arrays = {title: np.asarray(values, dtype=float) for title, values in pictures.items()}
    columns = min(columns, len(arrays))
    rows = -(-len(arrays) // columns)
    shape = next(iter(arrays.values())).shape
    height = size * shape[0] / shape[1] + 0.32
    figure, axes = new_figure(rows, columns, columns * size, rows * height)
    for panel in np.ravel(axes)[len(arrays) :]:
        panel.remove()
    for panel, (title, values) in zip(np.ravel(axes), arrays.items(), strict=False):
        show_picture(panel, values)
        panel.set_title(title, fontsize=9, fontweight="normal", loc="center", pad=4)
    return figure


def show_picture(panel: Axes, values: np.ndarray, limit: float | None = None) -> None:
    """Grey for what varies and is never negative, blue to red around zero for the rest."""
    if values.ndim == 3:
        panel.imshow(values.clip(0, 1), interpolation="nearest")
    elif values.min() < 0 or values.min() == values.max() or limit is not None:
        limit = limit or float(np.abs(values).max()) or 1.0
        panel.imshow(values, cmap=DIVERGING, vmin=-limit, vmax=limit, interpolation="nearest")
    else:
        panel.imshow(values, cmap="gray", interpolation="nearest")
    panel.set(xticks=[], yticks=[])
    panel.grid(False)
    for spine in panel.spines.values():
        spine.set(visible=True, color=RULE)


def filter_grid(
    weights: ArrayLike,
    titles: Sequence[object] | None = None,
    *,
    columns: int = 8,
    size: float = 0.9,
) -> Figure:
    """Draw the filters of a layer, all on one scale around zero: blue is negative, red positive.

    Args:
        weights: Shape ``(N, h, w)``, or a layer's ``(O, I, h, w)``, of which every output shows the mean
            over inputs.
        titles: Words above each filter.
        columns: Filters in a row.
        size: Inches across one filter.

    Example:
        >>> import numpy as np
        >>> len(filter_grid(np.random.randn(6, 1, 5, 5)).axes)
        6
    """
    filters = np.asarray(weights, dtype=float)
    filters = filters.mean(1) if filters.ndim == 4 else filters
    if filters.ndim != 3 or not filters.size:
        raise InvalidValue(
            f"filter_grid: weights must have shape (N, h, w) or (O, I, h, w), got {np.shape(weights)}."
        )
    if titles is not None and len(titles) != len(filters):
        raise InvalidValue(
            f"filter_grid: titles must name {len(filters)} filters, got {len(titles)}."
        )
    columns = min(columns, len(filters))
    rows = -(-len(filters) // columns)
    height = size + (0.26 if titles is not None else 0.08)
    figure, axes = new_figure(rows, columns, max(columns * size, 2.0), rows * height + 0.1)
    limit = float(np.abs(filters).max()) or 1.0
    for place, panel in enumerate(np.ravel(axes)):
        if place >= len(filters):
            panel.remove()
            continue
        show_picture(panel, filters[place], limit)
        if titles is not None:
            panel.set_title(str(titles[place]), fontsize=8, fontweight="normal", loc="center", pad=3)  # fmt: skip
    return figure


def feature_map_grid(
    image: ArrayLike, maps: Mapping[str, ArrayLike], *, channels: int = 8, size: float = 0.95
) -> Figure:
    """Draw what the layers of a network make of one image, a row a layer, the strongest maps first.

    Args:
        image: Shape ``(H, W)`` or ``(H, W, 3)``.
        maps: By layer, shape ``(channels, h, w)``, such as one sample of :func:`gradatim.instruments.feature_maps`.
        channels: Maps to show of each layer.
        size: Inches across one map.

    Example:
        >>> import numpy as np
        >>> figure = feature_map_grid(np.zeros((8, 8)), {"conv": np.random.rand(4, 6, 6)}, channels=3)
        >>> len(figure.axes)
        4
    """
    figure, axes = new_figure(len(maps), channels + 1, size * (channels + 1), len(maps) * (size + 0.1))  # fmt: skip
    for row, (name, values) in enumerate(maps.items()):
        stack = np.asarray(values, dtype=float)
        order = np.argsort(-np.abs(stack).mean((1, 2)), kind="stable")[:channels]
        line = np.reshape(axes, (len(maps), channels + 1))[row]
        line[0].set_axis_off()
        if row == 0:
            show_picture(line[0], np.asarray(image, dtype=float))
            line[0].set_title("input", fontsize=8, fontweight="normal", loc="center", pad=3)
            line[0].set_axis_on()
        for panel in line[1 + len(order) :]:
            panel.remove()
        for panel, channel in zip(line[1:], order, strict=False):
            # One kind of colours a layer: signed if any of its maps is.
            limit = float(np.abs(stack[channel]).max()) if stack.min() < 0 else None
            show_picture(panel, stack[channel], limit)
        line[1].set_ylabel(name, fontsize=9, rotation=0, ha="right", va="center")
    return figure


def sensitivity_maps(
    maps: Mapping[str, ArrayLike], boxes: Mapping[str, int], *, size: float = 2.2
) -> Figure:
    """Draw where the input matters to one unit, with the square that counting allows.

    Args:
        maps: By title, sensitivities of shape ``(H, W)``; colours show their square roots.
        boxes: By title, side of the square around the centre.
        size: Inches across one map.

    Example:
        >>> import numpy as np
        >>> figure = sensitivity_maps({"one layer": np.ones((9, 9))}, {"one layer": 3})
    """
    figure, axes = new_figure(columns=len(maps), width=size * len(maps), height=size + 0.35)
    for panel, (title, values) in zip(np.ravel(axes), maps.items(), strict=True):
        field = np.sqrt(np.asarray(values, dtype=float))
        panel.imshow(field, cmap=SEQUENTIAL, vmin=0.0, interpolation="nearest")
        panel.set(xticks=[], yticks=[])
        panel.grid(False)
        side, middle = boxes[title], np.array(field.shape) // 2
        corner = middle[::-1] - side / 2
        panel.add_patch(Rectangle(tuple(corner), side, side, fill=False, color=PALETTE[1], lw=1.4))
        panel.set_title(title)
    return figure
