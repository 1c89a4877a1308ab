"""Image files at one size, nothing cut off: what is said of a pixel can be taken back to where it was."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image

from gradatim.data.decoding import read_upright, use_image

_ORIENTATION, _ON_ITS_SIDE = 0x0112, (5, 6, 7, 8)  # of EXIF


class WholeImage(NamedTuple):
    """An image at another size.

    Args:
        picture: Shape ``(side, side, 3)``, whole numbers from 0 to 255.
        is_grey: Whether the file had no colours.
        size: Height and width of the file's image, upright.
    """

    picture: np.ndarray
    is_grey: bool
    size: tuple[int, int]


def read_whole(path: str | Path, side: int) -> WholeImage | str:
    """Read all of an image, turned upright and pressed into a square; or say why it cannot be.

    Args:
        path: The file.
        side: Pixels along each side of the square.

    Example:
        >>> read_whole("there-is-none.png", 8)
        'cannot be read'
    """

    def press(image: Image.Image) -> WholeImage:
        size = image_size(image)
        upright, is_grey = read_upright(image, side)
        small = upright.resize((side, side), Image.Resampling.BILINEAR)
        return WholeImage(np.asarray(small), is_grey, size)

    return use_image(path, press)


def image_size(image: Image.Image) -> tuple[int, int]:
    """Height and width of an image, as it will be upright.

    Args:
        image: Opened, not necessarily read.

    Example:
        >>> image_size(Image.new("L", (4, 3)))
        (3, 4)
    """
    is_turned = image.getexif().get(_ORIENTATION) in _ON_ITS_SIDE
    return image.size if is_turned else image.size[::-1]


def press(pictures: np.ndarray, side: int) -> np.ndarray:
    """Pictures ``(N, height, width, channels)`` as squares.

    Args:
        pictures: Whole numbers from 0 to 255.
        side: Pixels along each side.

    Example:
        >>> press(np.zeros((1, 4, 6, 3), np.uint8), 8).shape
        (1, 8, 8, 3)
    """
    if pictures.shape[1:3] == (side, side):
        return pictures
    squares = np.empty((len(pictures), side, side, pictures.shape[3]), dtype=np.uint8)
    for picture, square in zip(pictures, squares, strict=True):
        for channel in range(pictures.shape[3]):
            small = Image.fromarray(picture[..., channel]).resize((side, side), Image.Resampling.BILINEAR)  # fmt: skip
            square[..., channel] = np.asarray(small)
    return squares


def shrink(values: np.ndarray, side: int) -> np.ndarray:
    """Values of pixels ``(H, W)`` as a square, each from the pixel that lies nearest: no new values come up.

    Args:
        values: Any, such as classes.
        side: Pixels along each side.

    Example:
        >>> shrink(np.array([[1, 1, 2, 2], [3, 3, 4, 4]]), 2).tolist()
        [[1, 2], [3, 4]]
    """
    rows, columns = (((np.arange(side) + 0.5) * n / side).astype(int) for n in values.shape)
    return values[rows][:, columns]


def enlarge(maps: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """The class of every pixel of an image from odds of its square, which are interpolated bilinearly.

    Args:
        maps: Odds of each class, shape ``(K, side, side)``.
        size: Height and width of the image.

    Returns:
        Codes, shape ``size``.

    Example:
        >>> enlarge(np.array([[[0.9, 0.2]], [[0.1, 0.8]]]), (1, 4)).tolist()
        [[0, 0, 1, 1]]
    """
    best = np.full(size, -np.inf, dtype=np.float32)
    codes = np.zeros(size, dtype=np.uint8)
    for k, own in enumerate(maps.astype(np.float32)):  # one class at a time: images may be large
        large = np.asarray(Image.fromarray(own).resize(size[::-1], Image.Resampling.BILINEAR))
        codes[large > best] = k
        np.maximum(best, large, out=best)
    return codes
