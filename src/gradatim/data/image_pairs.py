"""Which mask belongs to which image: the one of the same name, whatever the ending."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gradatim.data.image_folder import find_images
from gradatim.errors import InvalidValue, Unavailable

NAMED = 3  # files that a sentence names


class ImagePair(NamedTuple):
    """An image and its mask.

    Args:
        name: Path below the folder without its ending, ``/`` between folders.
        image: The image file.
        mask: The mask file.
    """

    name: str
    image: Path
    mask: Path


def find_named(owner: str, argument: str, folder: Path) -> dict[str, Path]:
    """All images below a folder by their name without its ending; two of one name are refused.

    Args:
        owner: Who asks, for messages.
        argument: What for.
        folder: Where to look.
    """
    if not folder.exists():
        raise Unavailable(f"{owner}: {argument} must be a folder, and {str(folder)!r} is not there.")  # fmt: skip
    if not folder.is_dir():
        raise InvalidValue(f"{owner}: {argument} must be a folder, got the file {str(folder)!r}.")
    found: dict[str, Path] = {}
    for path in find_images(folder):
        name = path.relative_to(folder).with_suffix("").as_posix()
        if name in found:
            raise InvalidValue(
                f"{owner}: {argument} must hold one file of a name, got {found[name].name!r} and {path.name!r} in "
                f"{str(path.parent)!r}. Keep one of them."
            )
        found[name] = path
    if not found:
        raise InvalidValue(f"{owner}: {argument} must hold images (PNG, JPEG), and {str(folder)!r} holds none.")  # fmt: skip
    return found


def match_masks(
    images: Mapping[str, Path], masks: Mapping[str, Path], notes: list[str]
) -> list[ImagePair]:
    """Pairs of images and masks of one name; where all masks add the same to it, such as ``_mask``, that is left off.

    Args:
        images: Files by name.
        masks: Files by name.
        notes: Collects what has no partner.

    Example:
        >>> notes = []
        >>> match_masks({"a": Path("a.jpg"), "b": Path("b.jpg")}, {"a": Path("a.png")}, notes)
        [ImagePair(name='a', image=PosixPath('a.jpg'), mask=PosixPath('a.png'))]
        >>> notes
        ["1 image has no mask and is left out: 'b.jpg'."]
    """
    known = masks if set(masks) & set(images) else _without_ending(images, masks, notes)
    pairs = [ImagePair(name, path, known[name]) for name, path in images.items() if name in known]
    if not pairs:
        raise InvalidValue(
            f"fit: masks must have the names of the images, got {_some(list(masks.values()))} for "
            f"{_some(list(images.values()))}. Rename them."
        )
    for lonely, has in (
        ([p for n, p in images.items() if n not in known], ("image has no mask", "images have no mask")),
        ([p for n, p in known.items() if n not in images], ("mask has no image", "masks have no image")),
    ):  # fmt: skip
        if lonely:
            is_one = len(lonely) == 1
            what = f"{has[0]} and is" if is_one else f"{has[1]} and are"
            notes.append(f"{len(lonely):,} {what} left out: {_some(lonely)}.")
    return pairs


def _without_ending(
    images: Mapping[str, Path], masks: Mapping[str, Path], notes: list[str]
) -> dict[str, Path]:
    """Masks by the names of their images, where one ending makes one of the other."""
    first = next(iter(masks))
    begins = [name for name in images if first.startswith(name)]
    ending = first[len(max(begins, key=len)) :] if begins else ""
    if not ending or not all(name.endswith(ending) for name in masks):
        return dict(masks)
    notes.append(f"Masks are called as their images with {ending!r} behind.")
    return {name.removesuffix(ending): path for name, path in masks.items()}


def _some(paths: Sequence[Path]) -> str:
    more = ", …" if len(paths) > NAMED else ""
    return ", ".join(repr(path.name) for path in paths[:NAMED]) + more
