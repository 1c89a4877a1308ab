"""Files as pictures of one size: which size, how many of them, and what became of those that cannot be read."""

from pathlib import Path

import numpy as np
from PIL import Image

from gradatim.data.decoding import decode_images
from gradatim.fitting.images.kind import ImageOptions
from gradatim.wording import numbered

SIDES = (16, 64)  # smallest and largest picture that a network which begins from nothing sees
PUBLISHED_SIDES = (96, 224)  # the same of a network that was trained on photographs
GRID = 32  # pixels that such a network makes one of
PROBE = 200  # files whose size is looked at
IMAGES_PER_SECOND = 110  # of the budget, for pictures of 32 × 32
PUBLISHED_PER_SECOND = 20  # of the budget, that a published network reads
FEWEST = 200  # images that are used in any case
MOST_BYTES = 2**30  # of all pictures
LARGE = 4  # times as large as what models see, from which tiles may help
SHOWN_FAULTS = 3


def side_of(job: ImageOptions, paths: list[Path], notes: list[str]) -> int:
    """Pixels along each side of the pictures, all tiles together."""
    typical = typical_side(paths)
    if job.side is not None:
        side = job.side
    elif job.pretrained is not None:
        side = int(np.clip(round(typical / job.tiles / GRID) * GRID, *PUBLISHED_SIDES))
    else:
        side = int(np.clip(round(typical / job.tiles / 4) * 4, *SIDES))
    is_asked = job.side is not None or job.pretrained is not None
    if job.tiles > 1:
        notes.append(f"Every image is seen as {job.tiles} × {job.tiles} tiles of {side} × {side} pixels, whose answers are averaged.")  # fmt: skip
    elif is_asked and typical >= LARGE * side:
        notes.append(f"The images, about {typical:,.0f} pixels high or wide, are scaled to {side}; where details tell more than the whole, try --tiles 3.")  # fmt: skip
    return side * job.tiles


def typical_side(paths: list[Path]) -> float:
    """The shorter side of most files, in pixels."""
    step = max(len(paths) // PROBE, 1)
    shorter = []
    for path in paths[::step]:
        try:
            with Image.open(path) as image:
                shorter.append(min(image.size))
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            continue
    return float(np.median(shorter)) if shorter else float(SIDES[0])


def limit_of(job: ImageOptions, side: int) -> tuple[int, str]:
    """Images that budget and memory can deal with, and what would take more.

    Args:
        job: What was asked for.
        side: Pixels along each side of a picture.

    Example:
        >>> limit_of(ImageOptions(budget=60.0), 32), limit_of(ImageOptions(budget=10.0, pretrained="mobilenet"), 224)
        ((6600, 'a longer --budget or --rows takes more'), (200, 'a longer --budget or --rows takes more'))
    """
    room = max(MOST_BYTES // (side * side * 3), 1)
    if job.rows is not None:
        wanted = job.rows
    elif job.trials is not None:
        wanted = room
    elif job.pretrained is not None:
        wanted = max(int(job.budget * PUBLISHED_PER_SECOND / job.tiles**2), FEWEST)
    else:
        wanted = max(int(job.budget * IMAGES_PER_SECOND * (32 / side) ** 2), FEWEST)
    if room <= wanted:
        return room, "there is no room for more in memory; a smaller --side takes more"
    return wanted, "a longer --budget or --rows takes more"


def sample(count: int, job: ImageOptions, side: int, notes: list[str]) -> np.ndarray:
    """Which of ``count`` images are used, in their order."""
    limit, why = limit_of(job, side)
    if count <= limit:
        return np.arange(count)
    notes.append(f"A random sample of {limit:,} of {count:,} images is used ({why}).")
    return np.sort(np.random.default_rng([job.seed, 3]).permutation(count)[:limit])


def read_pictures(
    paths: list[Path], side: int, notes: list[str], *, is_colour: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Decode files; return pictures, grey ones with one channel if all are, and the rows that could be read.

    Args:
        paths: The files.
        side: Pixels along each side.
        notes: Collects what could not be read.
        is_colour: Whether pictures have three channels in any case.
    """
    images, is_grey, faults = decode_images(paths, side)
    notes += [f"{paths[k].name!r} {faults[k]} and is skipped." for k in list(faults)[:SHOWN_FAULTS]]
    if len(faults) > SHOWN_FAULTS:
        notes.append(f"{len(faults) - SHOWN_FAULTS:,} more files could not be read and are skipped.")  # fmt: skip
    keep = np.array([row for row in range(len(paths)) if row not in faults], dtype=np.int64)
    if len(keep) and is_grey[keep].all() and not is_colour:
        return images[..., :1], keep
    if is_grey[keep].any() and not is_grey[keep].all():
        grey = int(is_grey[keep].sum())
        notes.append(f"{numbered(grey, 'grey images')} {'is' if grey == 1 else 'are'} read as colour, as the other {len(keep) - grey:,} are.")  # fmt: skip
    return images, keep
