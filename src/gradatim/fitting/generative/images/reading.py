"""Pictures of one size to make more of: from a folder, a built-in set or arrays."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image

from gradatim import data as catalogue
from gradatim.data.image_folder import MIN_OF_CLASS, find_images, list_classes
from gradatim.errors import InvalidValue
from gradatim.fitting.generative.kind import GenerativeOptions
from gradatim.fitting.generative.split import split_rows
from gradatim.fitting.images.pictures import read_pictures
from gradatim.wording import numbered, shorten

SIDES = (8, 64)  # smallest and largest picture
PROBE = 400  # files whose size is looked at
MOST_CLASSES = 100
CHUNK = 1024  # pictures that are hashed at once
DIGITS = ("digits", 8)  # a built-in set whose pictures lie in rows
PUBLISHED_TEST = 0.25  # of the training images, at the most, of a published test part


@dataclass
class Pictures:
    """Pictures of one size with their classes, and their parts.

    Args:
        name: Short name of the data.
        images: Shape ``(N, side, side, channels)``, whole numbers from 0 to 255.
        codes: Class of each; zeros without classes.
        classes: Names of the classes; none where there are not two.
        places: Of the training, validation and held-out pictures.
        notes: What was done, one sentence each.
    """

    name: str
    images: np.ndarray
    codes: np.ndarray
    classes: list[str]
    places: tuple[np.ndarray, np.ndarray, np.ndarray]
    notes: list[str] = field(default_factory=list)

    def contents(self) -> Iterator[bytes]:
        """Yield all pixels, classes and the split."""
        yield repr((self.images.shape, self.classes)).encode(errors="surrogatepass")
        yield self.codes.tobytes()
        for rows in self.places:
            yield rows.tobytes()
        for start in range(0, len(self.images), CHUNK):
            yield np.ascontiguousarray(self.images[start : start + CHUNK]).tobytes()


def read_arrays(data: tuple[np.ndarray, np.ndarray], job: GenerativeOptions) -> Pictures:
    """Take pictures from memory, of which those that are too large or too small are scaled.

    Args:
        data: Pictures ``(N, side, side, channels)`` and the class of each.
        job: What is asked for.
    """
    notes: list[str] = []
    images, labels = _scale(data[0], notes), data[1]
    rows = _sample(len(images), images.shape[1], job, notes)
    images, labels = images[rows], labels[rows]
    places = split_rows(len(images), float(job.test), job.seed, "images", "the arrays")
    found = {str(own): np.flatnonzero(labels == own).tolist() for own in np.unique(labels).tolist()}
    return _by_class("images", images, found, places, notes)


def read_set(name: str, job: GenerativeOptions) -> Pictures:
    """Take pictures of a built-in set; its published test part, if it has one, is held out.

    Args:
        name: Of the set.
        job: What is asked for.
    """
    record, notes = catalogue.load(name), list[str]()
    assert record.y is not None
    X = np.asarray(record.X)
    if name == DIGITS[0]:
        X = X.reshape(-1, 1, DIGITS[1], DIGITS[1])
    pictures = np.moveaxis(X, 1, -1)
    if pictures.dtype != np.uint8:
        pictures = (pictures * 255).round().astype(np.uint8)
    labels = np.asarray(record.y)
    names = record.target_names or tuple(map(str, range(int(labels.max()) + 1)))
    train, test = (np.arange(len(labels))[part] for part in record.split or (slice(None), slice(0)))
    train = train[_sample(len(train), pictures.shape[1], job, notes)]
    if len(test):
        order = np.random.default_rng([job.seed, 4]).permutation(len(test))
        test = test[np.sort(order[: max(int(PUBLISHED_TEST * len(train)), 100)])]
        notes.append("The published test part is held out.")
    rows = np.concatenate([train, test])
    places = split_rows(len(train), float(job.test), job.seed, "images", "the set")
    if len(test):
        places = (np.concatenate([places[0], places[2]]), places[1], len(train) + np.arange(len(test)))  # fmt: skip
    found = {names[k]: np.flatnonzero(labels[rows] == k).tolist() for k in range(len(names))}
    return _by_class(name, pictures[rows], found, places, notes)


def read_folder(folder: Path, job: GenerativeOptions) -> Pictures:
    """Read the images below a folder, whose subfolders are classes if there are several.

    Args:
        folder: Of images.
        job: What is asked for.
    """
    notes: list[str] = []
    files = _classed_files(folder, notes)
    if not files:
        raise InvalidValue(f"fit: {str(folder)!r} must hold images (PNG, JPEG), and holds none.")
    paths = [path for path, _ in files]
    side = _side_of(paths, notes)
    rows = _sample(len(files), side, job, notes)
    images, keep = read_pictures([paths[k] for k in rows.tolist()], side, notes)
    if not len(keep):
        raise InvalidValue(f"fit: {str(folder)!r} must hold images, and none can be read: {notes[-1].rstrip('.')}.")  # fmt: skip
    places = split_rows(len(keep), float(job.test), job.seed, "images", "the folder")
    found: dict[str, list[int]] = {}
    for place, row in enumerate(rows[keep].tolist()):
        found.setdefault(files[row][1], []).append(place)
    return _by_class(folder.resolve().name or "images", images[keep], found, places, notes)


def _classed_files(folder: Path, notes: list[str]) -> list[tuple[Path, str]]:
    """Image files with the names of the subfolders in which they lie, empty where there are not several."""
    found = list_classes(folder)
    everyone = find_images(folder)
    if len(found) < 2:
        return [(path, "") for path in everyone]
    loose = len(everyone) - len({path for paths in found.values() for path in paths})
    if loose:
        have, are = ("has", "is") if loose == 1 else ("have", "are")
        notes.append(f"{numbered(loose, 'images')} outside the subfolders {have} no class and {are} left out.")  # fmt: skip
    return [(path, name) for name, paths in found.items() for path in paths]


def _by_class(
    name: str, images: np.ndarray, found: dict[str, list[int]], places: tuple[np.ndarray, np.ndarray, np.ndarray], notes: list[str]
) -> Pictures:  # fmt: skip
    """Pictures with the classes that are large enough; those of others stay, where no class can be asked for."""
    large = [own for own, rows in found.items() if len(rows) >= MIN_OF_CLASS and np.isin(rows, places[0]).any()]  # fmt: skip
    if len(large) < 2 or len(large) > MOST_CLASSES:
        why = f"there are {len(large):,} of them" if len(large) > MOST_CLASSES else f"there are not two with {MIN_OF_CLASS} images or more"  # fmt: skip
        notes.append(f"No class can be asked for: {why}.")
        return Pictures(name, images, np.zeros(len(images), np.int64), [], places, notes)
    small = sorted(set(found) - set(large))
    notes += [f"Class {shorten(repr(own), 40)} has only {numbered(len(found[own]), 'images')} and is left out." for own in small]  # fmt: skip
    codes = np.full(len(images), -1)
    for k, own in enumerate(large):
        codes[found[own]] = k
    kept = tuple(rows[codes[rows] >= 0] for rows in places)
    return Pictures(name, images, codes, large, (kept[0], kept[1], kept[2]), notes)


def _side_of(paths: list[Path], notes: list[str]) -> int:
    """Pixels along each side: those of the files, from 8 to 64; what is cut or scaled is said."""
    sizes = []
    for path in paths[:: max(len(paths) // PROBE, 1)]:
        try:
            with Image.open(path) as image:
                sizes.append(image.size)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            continue
    if not sizes:
        return SIDES[0]
    side = int(np.clip(round(float(np.median([min(size) for size in sizes]))), *SIDES))
    small, large = min(sizes, key=np.prod), max(sizes, key=np.prod)
    if small == large == (side, side):
        return side
    span = _size(small) if small == large else f"{_size(small)} to {_size(large)}"
    is_cut = any(width != height for width, height in sizes)
    notes.append(f"Images of {span} pixels are {'cut to a square around their middle and ' if is_cut else ''}scaled to {_size((side, side))}.")  # fmt: skip
    return side


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]:,} × {size[1]:,}"


def _scale(pictures: np.ndarray, notes: list[str]) -> np.ndarray:
    side = int(np.clip(pictures.shape[1], *SIDES))
    if side == pictures.shape[1]:
        return pictures
    notes.append(f"Images of {_size(pictures.shape[1:3])} pixels are scaled to {_size((side, side))}.")  # fmt: skip
    scaled = np.empty((len(pictures), side, side, pictures.shape[3]), np.uint8)
    for k, picture in enumerate(pictures):
        own = picture[..., 0] if picture.shape[2] == 1 else picture
        small = Image.fromarray(own).resize((side, side), Image.Resampling.BILINEAR)
        scaled[k] = np.asarray(small).reshape(scaled.shape[1:])
    return scaled


def _sample(count: int, side: int, job: GenerativeOptions, notes: list[str]) -> np.ndarray:
    """Which of ``count`` images are used, in their order."""
    limit = job.most_images(side)
    if count <= limit:
        return np.arange(count)
    notes.append(f"A random sample of {limit:,} of {count:,} images is used (a longer --budget or --rows takes more).")  # fmt: skip
    return np.sort(np.random.default_rng([job.seed, 3]).permutation(count)[:limit])
