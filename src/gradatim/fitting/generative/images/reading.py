"""Pictures of one size to make more of: from a folder, a built-in set or arrays."""

from collections.abc import Iterator, Sequence
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
SHOWN = 3  # classes that are left out, by name
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
    names, codes = np.unique(labels[rows], return_inverse=True)
    classes, codes = _large_classes([str(name) for name in names.tolist()], codes, notes)
    return _split("images", "the arrays", images[rows], codes, classes, None, job, notes)


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
    classes, codes = _large_classes(names, labels[rows], notes)
    is_test = np.arange(len(rows)) >= len(train) if len(test) else None
    return _split(name, "the set", pictures[rows], codes, classes, is_test, job, notes)


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
    names = sorted({name for _, name in files})
    codes = np.array([names.index(files[row][1]) for row in rows[keep].tolist()])
    classes, codes = _large_classes(names, codes, notes)
    name = folder.resolve().name or "images"
    return _split(name, "the folder", images[keep], codes, classes, None, job, notes)


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


def _large_classes(names: Sequence[str], codes: np.ndarray, notes: list[str]) -> tuple[list[str], np.ndarray]:  # fmt: skip
    """Classes that are large enough, and the place of each image's among them, -1 where it is none; none where there are not two.

    Args:
        names: Of all classes.
        codes: Their places, one for each image.
        notes: Collects what was left out.
    """
    counts = np.bincount(codes, minlength=len(names))
    large = [k for k in range(len(names)) if counts[k] >= MIN_OF_CLASS]
    if len(large) < 2 or len(large) > MOST_CLASSES:
        why = f"there are not two with {MIN_OF_CLASS} images or more"
        if len(large) > MOST_CLASSES:
            why = f"there are {len(large):,} of them"
        elif list(names) == [""]:
            why = "the images do not lie in subfolders, one for each"
        notes.append(f"No class can be asked for: {why}.")
        return [], np.zeros(len(codes), np.int64)
    small = [k for k in range(len(names)) if 0 < counts[k] < MIN_OF_CLASS]
    notes += [f"Class {shorten(repr(names[k]), 40)} has only {numbered(int(counts[k]), 'images')} and is left out." for k in small[:SHOWN]]  # fmt: skip
    if len(small) > SHOWN:
        notes.append(f"{numbered(len(small) - SHOWN, 'more classes')} of fewer than {MIN_OF_CLASS} images are left out.")  # fmt: skip
    places = np.full(len(names), -1)
    places[large] = np.arange(len(large))
    return [names[k] for k in large], places[codes]


def _split(
    name: str, place: str, images: np.ndarray, codes: np.ndarray, classes: list[str], is_test: np.ndarray | None,
    job: GenerativeOptions, notes: list[str],
) -> Pictures:  # fmt: skip
    """Pictures of the classes in three parts, of which the held-out one may be given; every class is in the first."""
    kept = np.flatnonzero(codes >= 0)
    free = kept if is_test is None else kept[~is_test[kept]]
    train, validation, held_out = (free[rows] for rows in split_rows(len(free), float(job.test), job.seed, "images", place))  # fmt: skip
    if is_test is not None:
        train, held_out = np.concatenate([train, held_out]), kept[is_test[kept]]
    for k in sorted(set(range(len(classes))) - set(codes[train].tolist())):
        moved = free[codes[free] == k][:1]
        train = np.concatenate([train, moved])
        validation, held_out = (np.setdiff1d(part, moved, assume_unique=True) for part in (validation, held_out))  # fmt: skip
    return Pictures(name, images, codes, classes, (train, validation, held_out), notes)


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
