"""Image files as one array of small pictures, decoded by worker processes.

``python -m gradatim.data.decoding JOB`` is such a worker: it decodes its share of the files straight into the array on
the disk, so that nothing is sent between processes and training reads from memory.
"""

import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from PIL import Image, ImageOps

from gradatim.errors import Unavailable
from gradatim.files import or_unavailable, scratch_folder, sweep

MOST_PIXELS = 50_000_000
GREY = ("1", "L", "LA", "I", "F")
SCRATCH = "decoding"
FEW = 400  # files that are decoded faster than a worker starts
T = TypeVar("T")


class Decoded(NamedTuple):
    """Pictures of one size.

    Args:
        images: Shape ``(N, side, side, 3)``, whole numbers from 0 to 255; zeros where a file could not be read.
        is_grey: Whether a file had no colours, shape ``(N,)``.
        faults: Why a file could not be read, by its place.
    """

    images: np.ndarray
    is_grey: np.ndarray
    faults: dict[int, str]


def decode_image(path: str | Path, side: int) -> tuple[np.ndarray, bool] | str:
    """Decode a file, turned upright, cut to a square around its middle and scaled.

    Args:
        path: The file.
        side: Pixels along each side of the result.

    Returns:
        The picture ``(side, side, 3)`` and whether it was grey, or the reason why it cannot be read.

    Example:
        >>> decode_image("there-is-none.png", 8)
        'cannot be read'
    """

    def decode(image: Image.Image) -> tuple[np.ndarray, bool]:
        upright, is_grey = read_upright(image, side)
        picture = ImageOps.fit(upright, (side, side), Image.Resampling.BILINEAR)
        return np.asarray(picture), is_grey

    return use_image(path, decode)


def use_image(path: str | Path, use: Callable[[Image.Image], T]) -> T | str:
    """Open an image file and make something of it, or say why that cannot be.

    Args:
        path: The file.
        use: What is made of it.

    Example:
        >>> use_image("there-is-none.png", lambda image: image.size)
        'cannot be read'
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(path) as image:
                if image.width * image.height > MOST_PIXELS:
                    return f"is too large ({image.width:,} × {image.height:,} pixels)"
                return use(image)
    except Image.DecompressionBombError:
        return "is too large"
    except (OSError, SyntaxError, ValueError, TypeError):
        return "cannot be read"


def read_upright(image: Image.Image, side: int) -> tuple[Image.Image, bool]:
    """An image in 8-bit colours, upright, read no finer than ``side`` pixels need; and whether it was grey."""
    is_grey = image.mode in GREY or image.mode.startswith("I;")
    image.draft("L" if is_grey else "RGB", (2 * side, 2 * side))
    return to_rgb(ImageOps.exif_transpose(image)), is_grey


def to_rgb(image: Image.Image) -> Image.Image:
    """An image of any mode in 8-bit colours: what is transparent is white, deep values are scaled down.

    Args:
        image: Upright.

    Example:
        >>> to_rgb(Image.new("LA", (1, 1), (0, 0))).getpixel((0, 0))
        (255, 255, 255)
    """
    if image.mode in ("I", "F") or image.mode.startswith("I;"):  # more than 8 bits
        values = np.asarray(image, dtype=np.float64)
        scale = 255.0 / max(float(values.max()), 255.0)
        image = Image.fromarray((values * scale).clip(0, 255).astype(np.uint8))
    if "transparency" in image.info or image.mode in ("LA", "RGBA", "PA"):
        seen = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", seen.size, "white"), seen)
    return image.convert("RGB")


def decode_images(paths: Sequence[str | Path], side: int, *, workers: int | None = None) -> Decoded:
    """Decode files into one array; many files by several processes at once.

    Args:
        paths: The files.
        side: Pixels along each side.
        workers: Processes; one per processor by default, none for few files.
    """
    count = (os.cpu_count() or 1) if workers is None else workers
    if len(paths) <= FEW and workers is None:
        count = 0
    shape = (len(paths), side, side, 3)
    if count:
        images, results = _decode_beside(paths, shape, count)
    else:
        images = np.zeros(shape, dtype=np.uint8)
        results = [_decode_into(images, enumerate(map(str, paths)), side)]
    grey = np.zeros(len(paths), dtype=bool)
    grey[[place for result in results for place in result["grey"]]] = True
    faults = {int(k): v for result in results for k, v in result["faults"].items()}
    return Decoded(images, grey, faults)


def _decode_beside(
    paths: Sequence[str | Path], shape: tuple[int, ...], count: int
) -> tuple[np.ndarray, list[dict]]:
    """Let processes fill an array on the disk, for which there is room before they begin."""
    home = Path(tempfile.gettempdir())
    sweep(home, SCRATCH)
    room = f"decode_images: {len(paths):,} images cannot be decoded in {str(home)!r}"
    with or_unavailable(room), scratch_folder(home, SCRATCH) as place:
        store = place / "images.npy"
        array = np.lib.format.open_memmap(store, mode="w+", dtype=np.uint8, shape=shape)
        if hasattr(
            os, "posix_fallocate"
        ):  # else a full disk ends who writes to the map, without a word
            with open(store, "r+b") as file:
                os.posix_fallocate(file.fileno(), 0, os.path.getsize(store))
        results = _run_workers(paths, shape[1], store, count)
        return np.array(array), results


def _run_workers(paths: Sequence[str | Path], side: int, store: Path, count: int) -> list[dict]:
    running = []
    try:
        for k in range(count):
            job = store.with_name(f"job-{k}.json")
            own = [(place, str(paths[place])) for place in range(k, len(paths), count)]
            job.write_text(
                json.dumps({"files": own, "side": side, "store": str(store), "parent": os.getpid()})
            )
            command = [sys.executable, "-m", "gradatim.data.decoding", str(job)]
            running.append((job, subprocess.Popen(command, stderr=subprocess.DEVNULL)))
        codes = [worker.wait() for _, worker in running]
    finally:  # also where the user interrupts
        for _, worker in running:
            worker.kill()
            worker.wait()
    code = next(filter(None, codes), 0)
    if code:
        raise Unavailable(
            f"decode_images: {len(paths):,} images cannot be decoded: a process ended with code {code}. "
            f"Is there room in memory and in {str(store.parent.parent)!r}?"
        )
    return [json.loads(job.with_suffix(".done").read_text()) for job, _ in running]


def _decode_into(array: np.ndarray, files: Iterable[tuple[int, str]], side: int) -> dict:
    grey, faults = [], {}
    for place, path in files:
        found = decode_image(path, side)
        if isinstance(found, str):
            faults[place] = found
            continue
        array[place], is_grey = found
        if is_grey:
            grey.append(place)
    return {"grey": grey, "faults": faults}


def _while_wanted(files: Iterable[tuple[int, str]], parent: int) -> Iterator[tuple[int, str]]:
    """Pass files on as long as the process lives that waits for them."""
    for file in files:
        if os.getppid() != parent:
            raise SystemExit(1)
        yield file


def _work(job: Path) -> None:
    task = json.loads(job.read_text())
    array = np.lib.format.open_memmap(task["store"], mode="r+")
    result = _decode_into(array, _while_wanted(task["files"], task["parent"]), task["side"])
    array.flush()
    job.with_suffix(".done").write_text(json.dumps(result))


if __name__ == "__main__":
    _work(Path(sys.argv[1]))
