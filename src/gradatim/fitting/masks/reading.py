"""From pairs of files to pictures and classes of one size."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from gradatim.data.image_pairs import ImagePair
from gradatim.data.mask_files import (
    MOST_COLOURS,
    Mask,
    MaskStyle,
    convert_values,
    find_kind,
    read_mask,
)
from gradatim.data.whole_images import image_size, read_whole, shrink
from gradatim.errors import InvalidValue
from gradatim.fitting.masks.kind import SIDES, STEP

LARGEST = 128  # pixels a side, unless more are asked for
SMALLEST = 48  # that a short budget presses images to
PIXELS_OF_A_SIDE = 65  # squared, for a second of budget: a training then sees some 800 images
PROBE = 200  # files whose size is looked at
SHOWN_FAULTS = 3
SURE = 2  # colours that a file may have whose format changes them
REMEDY = "Save masks as PNG without smoothing, a colour for every class."


@dataclass
class ReadPairs:
    """Images and masks of one size.

    Args:
        images: Shape ``(N, side, side, channels)``, whole numbers from 0 to 255.
        y: Class of every pixel, shape ``(N, side, side)``.
        style: What the masks looked like.
        sizes: Height and width of every image as it was, shape ``(N, 2)``.
        rows: Which of the pairs could be read.
    """

    images: np.ndarray
    y: np.ndarray
    style: MaskStyle
    sizes: np.ndarray
    rows: list[int]


def typical_size(paths: Sequence[Path]) -> float:
    """The middle of the sizes of images, each the root of its pixels; 0 where none can be read."""
    found = []
    for path in paths[:: max(len(paths) // PROBE, 1)]:
        try:
            with Image.open(path) as image:
                found.append(float(np.sqrt(np.prod(image_size(image), dtype=float))))
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            continue
    return float(np.median(found)) if found else 0.0


def choose_side(size: float, budget: float | None) -> int:
    """Pixels a side: those of the images themselves, 128 at most, fewer where a short budget allows few steps of training.

    Args:
        size: Typical size of the images.
        budget: Seconds for everything; ``None`` where time plays no part.

    Example:
        >>> choose_side(50, 60.0), choose_side(800, 60.0), choose_side(800, 300.0), choose_side(800, None)
        (48, 64, 128, 128)
    """
    affordable = np.inf if budget is None else max(np.sqrt(PIXELS_OF_A_SIDE * budget), SMALLEST)
    wanted = min(size, LARGEST, affordable)
    return int(np.clip(STEP * round(wanted / STEP), SIDES[0], LARGEST))


def read_pairs(pairs: Sequence[ImagePair], side: int, notes: list[str]) -> ReadPairs:
    """Read images and masks; what cannot be used is skipped and said, masks that are none are refused.

    Args:
        pairs: The files.
        side: Pixels along each side.
        notes: Collects what was skipped.
    """
    images, masks, found, sizes, rows, grey = [], [], [], [], [], []
    faults: list[str] = []
    for row, pair in enumerate(pairs):
        image, mask = read_whole(pair.image, side), read_mask(pair.mask)
        fault = _fault(pair, image, mask)
        if isinstance(image, str) or isinstance(mask, str) or fault:
            faults.append(fault)
            continue
        found.append(_values(pair, mask))
        images.append(image.picture)
        masks.append(mask._replace(values=shrink(mask.values, side)))
        sizes.append(image.size)
        grey.append(image.is_grey)
        rows.append(row)
    notes += [f"{fault} and is skipped." for fault in faults[:SHOWN_FAULTS]]
    if len(faults) > SHOWN_FAULTS:
        notes.append(f"{len(faults) - SHOWN_FAULTS:,} more pairs cannot be used and are skipped.")
    if not rows:
        raise InvalidValue(f"fit: images and masks must be readable pairs, and none is: {faults[0]}.")  # fmt: skip
    style, y = _classes(masks, found, notes)
    pictures = np.stack(images)
    return ReadPairs(pictures[..., :1] if all(grey) else pictures, y, style, np.array(sizes), rows)


def _fault(pair: ImagePair, image: object, mask: object) -> str:
    """Why a pair cannot be used; empty where it can."""
    if isinstance(image, str):
        return f"{pair.image.name!r} {image}"
    if isinstance(mask, str):
        return f"The mask {pair.mask.name!r} {mask}"
    size, own = image.size, mask.values.shape  # type: ignore[attr-defined]
    if size == own:
        return ""
    shown = [f"{w:,} × {h:,}" for h, w in (own, size)]
    return f"The mask {pair.mask.name!r} has {shown[0]} pixels, its image {shown[1]},"


def _values(pair: ImagePair, mask: Mask) -> list[int]:
    """The different values of a mask, in order; many are no classes."""
    values = mask.found()
    if mask.is_lossy and len(values) > SURE:
        raise InvalidValue(
            f"fit: masks must have a colour for every class, got {pair.mask.name!r} with {_many(values)} colours, which JPEG "
            f"has changed. {REMEDY}"
        )
    if len(values) > MOST_COLOURS:
        raise InvalidValue(
            f"fit: masks must have at most {MOST_COLOURS} colours, one for every class, got {_many(values)} in "
            f"{pair.mask.name!r}. {REMEDY}"
        )
    return values


def _many(values: list[int]) -> str:
    return f"more than {MOST_COLOURS}" if len(values) > MOST_COLOURS else str(len(values))


def _classes(masks: list[Mask], found: list[list[int]], notes: list[str]) -> tuple[MaskStyle, np.ndarray]:  # fmt: skip
    """What values mean which class, and the class of every pixel."""
    kind = find_kind(masks)
    if {mask.kind for mask in masks} != {kind}:
        notes.append("Masks differ in kind or palette; their colours tell the classes.")
    known = [mask._replace(values=np.array(own)) for mask, own in zip(masks, found, strict=True)]
    values = sorted({int(v) for mask in known for v in convert_values(mask, kind)})
    if len(values) > MOST_COLOURS:
        raise InvalidValue(
            f"fit: masks must have at most {MOST_COLOURS} colours, one for every class, got {len(values)} in all of them. "
            f"{REMEDY}"
        )
    table = {index: colour for mask in masks for index, colour in mask.colours.items()}
    colours = tuple(table.get(v, (0, 0, 0)) for v in values) if kind == "palette" else ()
    style = MaskStyle(kind, tuple(values), colours)
    if len(values) < 2:
        raise InvalidValue(
            f"fit: masks must show two classes or more, got {style.names()[0]!r} alone in all {len(masks):,} of them."
        )
    order = np.array(values)
    codes = [np.searchsorted(order, convert_values(mask, kind)) for mask in masks]
    return style, np.stack(codes).astype(np.uint8)
