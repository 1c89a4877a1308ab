"""Many pictures as one: a grid of pixels, its PNG, and a few lines of text for a terminal."""

import io

import numpy as np
from PIL import Image

from gradatim.files.signatures import sign

WIDEST = 76  # characters of a line
FEW = 14  # pixels a side that pictures have in text
LEGIBLE = 32  # pixels a side that a picture in a grid has at least
_BLOCKS = np.array([" ", "▄", "▀", "█"])


def tile_pictures(pictures: np.ndarray, columns: int) -> np.ndarray:
    """Lay pictures side by side, with a thin line of grey between them.

    Args:
        pictures: Whole numbers from 0 to 255, shape ``(N, side, side, channels)``.
        columns: Pictures in a row.

    Example:
        >>> tile_pictures(np.zeros((3, 8, 8, 1), np.uint8), 2).shape
        (17, 17, 1)
    """
    count, side, _, channels = pictures.shape
    columns = max(min(columns, count), 1)
    rows = -(-count // columns)
    page = np.full((rows * (side + 1) - 1, columns * (side + 1) - 1, channels), 128, np.uint8)
    for k, picture in enumerate(pictures):
        top, left = (side + 1) * (k // columns), (side + 1) * (k % columns)
        page[top : top + side, left : left + side] = picture
    return page


def png_of(picture: np.ndarray) -> bytes:
    """A picture as a PNG that says we made it.

    Args:
        picture: Shape ``(height, width, channels)``.

    Example:
        >>> png_of(np.zeros((2, 2, 1), np.uint8))[1:4]
        b'PNG'
    """
    out = io.BytesIO()
    Image.fromarray(picture[..., 0] if picture.shape[2] == 1 else picture).save(out, "PNG")
    return sign(out.getvalue(), "png")


def grid_png(pictures: np.ndarray) -> bytes:
    """A nearly square grid of pictures, small ones enlarged.

    Args:
        pictures: As for :func:`tile_pictures`.
    """
    times = max(round(LEGIBLE / pictures.shape[1]), 1)
    larger = pictures.repeat(times, axis=1).repeat(times, axis=2)
    return png_of(tile_pictures(larger, round(np.sqrt(len(pictures)))))


def in_blocks(pictures: np.ndarray) -> str:
    """Pictures in two tones as text, two pixels a character, as many as a line holds.

    Args:
        pictures: As for :func:`tile_pictures`.

    Example:
        >>> print(in_blocks(np.array([[[[255], [0]], [[0], [255]]]], np.uint8)))
        ▀▄
    """
    bright = pictures.astype(np.float32).mean(3)  # (N, side, side)
    block = -(-bright.shape[1] // FEW)
    side = bright.shape[1] // block
    cut = bright[:, : side * block, : side * block]
    small = cut.reshape(len(cut), side, block, side, block).mean((2, 4))
    middle = (small.min((1, 2), keepdims=True) + small.max((1, 2), keepdims=True)) / 2
    tones = small > middle
    tones = np.pad(tones, ((0, 0), (0, side % 2), (0, 0)))
    codes = 2 * tones[:, ::2] + tones[:, 1::2]  # (N, lines, side)
    across = max((WIDEST + 2) // (side + 2), 1)
    parts = [codes[k : k + across] for k in range(0, len(codes), across)]
    strips = ["\n".join("  ".join("".join(_BLOCKS[line]) for line in row).rstrip() for row in part.swapaxes(0, 1)) for part in parts]  # fmt: skip
    return "\n\n".join(strips)
