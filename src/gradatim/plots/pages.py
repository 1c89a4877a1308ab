"""Ready pictures side by side, such as grids of samples."""

import io
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from gradatim.errors import require
from gradatim.plots.style import new_figure


def picture_pages(pages: Sequence[bytes], titles: Sequence[str], *, width: float = 2.7) -> Figure:
    """Lay pictures side by side, pixel by pixel as they are.

    Args:
        pages: PNGs or other pictures.
        titles: Words above each.
        width: Inches across one.

    Example:
        >>> page = io.BytesIO()
        >>> Image.new("L", (4, 4)).save(page, "PNG")
        >>> [axes.get_title() for axes in picture_pages([page.getvalue()], ["black"]).axes]
        ['black']
    """
    require(len(pages) == len(titles) > 0, "picture_pages: titles must be one for each page, at least one", f"{len(titles)} for {len(pages)}")  # fmt: skip
    pictures = [np.asarray(Image.open(io.BytesIO(page))) for page in pages]
    high = max(picture.shape[0] / picture.shape[1] for picture in pictures)
    figure, axes = new_figure(1, len(pages), width * len(pages), width * high + 0.35)
    for panel, picture, title in zip(np.ravel(axes), pictures, titles, strict=True):
        panel.set_axis_off()
        panel.imshow(picture, cmap="gray", vmin=0, vmax=255, interpolation="nearest")
        panel.set_title(title, fontsize=9, fontweight="normal", loc="center")
    return figure
