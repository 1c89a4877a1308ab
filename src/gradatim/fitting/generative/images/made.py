"""Pictures that were made, and how they are written: as a grid in one PNG, or as a folder with a file for each."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gradatim.errors import InvalidValue, require
from gradatim.files import (
    check_output,
    open_atomically,
    or_unavailable,
    refuse,
    short_name,
    write_files,
)
from gradatim.files.signatures import is_signed
from gradatim.fitting.generative.images.drawing import grid_png, png_of

GRID = ".png"
MOST_IN_GRID = 2_500


@dataclass(frozen=True, eq=False)
class MadeImages:
    """New pictures.

    Args:
        images: Whole numbers from 0 to 255, shape ``(N, side, side, channels)``.
        labels: Class of each as its place in ``classes``; ``None`` where there are none.
        classes: Names of the classes.

    Example:
        >>> len(MadeImages(np.zeros((3, 8, 8, 1), np.uint8)))
        3
    """

    images: np.ndarray
    labels: np.ndarray | None = None
    classes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.images)

    def files(self) -> dict[str, bytes]:
        """A PNG of each by its name, in a subfolder for each class."""
        digits = len(str(len(self)))
        rooms = folder_names(self.classes)
        found = {}
        for k, picture in enumerate(self.images):
            room = "" if self.labels is None else f"{rooms[int(self.labels[k])]}/"
            found[f"{room}{k + 1:0{digits}d}.png"] = png_of(picture)
        return found

    def write(self, output: Path, inputs: Sequence[Path]) -> None:
        """Write a grid, class by class, or a folder of files, whole or not at all.

        Args:
            output: A name that ends with ``.png``, or a folder.
            inputs: Files that are read.
        """
        check_images_output(output, len(self), inputs)
        if is_grid(output):
            with open_atomically(output, owner="sample", inputs=inputs, is_ours=is_signed) as file:
                file.write(
                    grid_png(
                        self.images
                        if self.labels is None
                        else self.images[self.labels.argsort(kind="stable")]
                    )
                )
        else:
            write_files(output, self.files())

    def __repr__(self) -> str:
        told = f" of {len(self.classes)} classes" if self.classes else ""
        return f"MadeImages({len(self):,} of {self.images.shape[1]} × {self.images.shape[2]} pixels{told})"


def is_grid(output: Path) -> bool:
    """Whether an output is one picture of all."""
    return output.suffix.lower() == GRID


def check_images_output(output: Path, count: int, inputs: Sequence[Path]) -> None:
    """Refuse an output that cannot be, or would cost the user a file.

    Args:
        output: A name that ends with ``.png``, or a folder that is new or empty.
        count: Pictures to write.
        inputs: Files that are read.
    """
    got = repr(str(output))
    if is_grid(output):
        check_output(output, "sample: output", inputs=inputs, is_ours=is_signed)
        require(count <= MOST_IN_GRID, f"sample: num_samples must be at most {MOST_IN_GRID:,} for a grid", f"{count:,}", "Name a folder for more.")  # fmt: skip
        return
    if output.suffix and not output.is_dir():
        raise InvalidValue(f"sample: output must end with .png for a grid of images, or be a folder, got {got}. Try grid.png.")  # fmt: skip
    with or_unavailable(f"sample: {output} cannot be written"):
        if os.path.lexists(output) and not output.is_dir():
            refuse("sample: output must end with .png for a grid of images, or be a folder", got)
        if output.is_dir() and os.listdir(output):
            refuse("sample: output must be a folder that is new or empty", got)


def folder_names(classes: Sequence[str]) -> list[str]:
    """A name for the folder of each class that every system can hold, none twice.

    Args:
        classes: Their names, which may come from a stranger.

    Example:
        >>> folder_names(["cat", "../dog", "CAT", ""])
        ['cat', 'dog', 'CAT-2', 'class']
    """
    found: list[str] = []
    for name in classes:
        plain = short_name(name.replace("\\", "/").rpartition("/")[2].strip(". "), 100) or "class"
        taken = {own.casefold() for own in found}
        number = next(k for k in range(1, len(classes) + 1) if _numbered(plain, k).casefold() not in taken)  # fmt: skip
        found.append(_numbered(plain, number))
    return found


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"
