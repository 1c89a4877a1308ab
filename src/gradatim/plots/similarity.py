"""How alike things are, in pairs."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.plots.style import INK, SEQUENTIAL, new_figure


def similarity_matrices(matrices: Mapping[str, ArrayLike], labels: Sequence[str]) -> Figure:
    """Draw cosines between the same things by several measures, side by side, with their numbers.

    Args:
        matrices: By title, cosines of shape ``(N, N)``.
        labels: Names of the things, in the order of rows and columns.

    Example:
        >>> figure = similarity_matrices({"by meaning": np.eye(2)}, ["a cat", "a dog"])
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['1.0', '0.0', '0.0', '1.0']
    """
    N = len(labels)
    tables = {title: np.asarray(values, dtype=float) for title, values in matrices.items()}
    for title, table in tables.items():
        if table.shape != (N, N):
            raise InvalidValue(
                f"similarity_matrices: {title!r} must be of shape ({N}, {N}), as there are labels, got {table.shape}."
            )
    side = max(0.38 * N, 1.6)
    names = 0.075 * max(map(len, labels)) + 0.2
    figure, axes = new_figure(1, len(tables), side * len(tables) + names, side + 0.5)
    for panel, (title, table) in zip(np.ravel(axes), tables.items(), strict=True):
        panel.imshow(table, cmap=SEQUENTIAL, vmin=0.0, vmax=1.0)
        for (i, j), value in np.ndenumerate(table):
            shown = f"{value:.1f}".replace("-0.0", "0.0")
            color = "white" if value > 0.6 else INK
            panel.text(j, i, shown, ha="center", va="center", color=color, fontsize=8)
        panel.set(xticks=[], yticks=[])
        panel.set_title(title)
        panel.grid(False)
    np.ravel(axes)[0].set_yticks(range(N), labels, fontsize=9, color=INK)
    for panel in np.ravel(axes):
        panel.tick_params(length=0)
    return figure
