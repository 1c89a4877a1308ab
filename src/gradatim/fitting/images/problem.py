"""Images with classes, and the rows set aside for the test."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image

from gradatim import data as catalogue
from gradatim.data.decoding import decode_images
from gradatim.data.image_folder import drop_small, find_classes, list_classes
from gradatim.errors import InvalidValue
from gradatim.evaluation.splits import split_test
from gradatim.fitting.classes import LabelledRows, check_test
from gradatim.fitting.images.kind import ImageOptions

SIDES = (16, 64)  # smallest and largest picture a model sees
PROBE = 200  # files whose size is looked at
IMAGES_PER_SECOND = 110  # of the budget, for pictures of 32 × 32
SHOWN_FAULTS = 3

Arrays = tuple[np.ndarray, np.ndarray]  # pictures (N, side, side, channels) and their classes


@dataclass
class ImageProblem(LabelledRows):
    """Pictures of one size, classes and split.

    Args:
        name: Short name of the data.
        labels: Class names in order of their codes.
        y: Class codes.
        images: Shape ``(N, side, side, channels)``, whole numbers from 0 to 255.
        files: Where each came from.
        train: Rows to learn from.
        test: Rows that judge at the end.
        notes: What was done to the data, one sentence each.
    """

    name: str
    labels: list[str | int]
    y: np.ndarray
    images: np.ndarray
    files: list[str]
    train: np.ndarray
    test: np.ndarray
    notes: list[str] = field(default_factory=list)

    def contents(self) -> Iterator[bytes]:
        """Yield all pixels, classes and the split."""
        yield from super().contents()
        yield np.ascontiguousarray(self.images).tobytes()

    def places(self) -> tuple[str, list[str]]:
        """Where each test image came from, as a column."""
        return "file", [self.files[k] for k in self.test.tolist()]


def prepare(data: "str | Path | Arrays", job: ImageOptions) -> ImageProblem:
    """Read a folder, a built-in set or arrays of images, and set test images aside."""
    if isinstance(data, tuple):
        return _arrays(*data, job)
    return _folder(Path(data), job) if Path(data).is_dir() else _builtin(str(data), job)


def limit_of(job: ImageOptions, side: int) -> int | None:
    """Images that the budget can deal with; ``None`` where time plays no part."""
    if job.rows is not None:
        return job.rows
    if job.trials is not None:
        return None
    return max(int(job.budget * IMAGES_PER_SECOND * (32 / side) ** 2), 200)


def _arrays(pictures: np.ndarray, classes: np.ndarray, job: ImageOptions) -> ImageProblem:
    if isinstance(job.test, str):
        raise InvalidValue("fit: test must be a share for arrays, got a folder. Try 0.2.")
    notes: list[str] = []
    rows = np.arange(len(classes))
    limit = limit_of(job, pictures.shape[1])
    if limit is not None and len(rows) > limit:
        rows = np.sort(np.random.default_rng([job.seed, 3]).permutation(rows)[:limit])
        notes.append(f"A random sample of {limit:,} of {len(classes):,} images is used (a longer --budget or --rows takes more).")  # fmt: skip
    found = {label: rows[classes[rows] == label].tolist() for label in np.unique(classes).tolist()}
    labels = list(drop_small(found, notes, "the arrays"))
    rows = np.sort(np.concatenate([found[label] for label in labels]))
    y = np.searchsorted(np.array(labels), classes[rows])
    train, test = split_test(y, job.test, np.random.default_rng([job.seed, 0]), keep=3)
    names = [f"image {row}" for row in rows.tolist()]
    return ImageProblem("images", labels, y, pictures[rows], names, train, test, notes)


def _builtin(name: str, job: ImageOptions) -> ImageProblem:
    record = catalogue.load(name)
    assert record.y is not None
    if isinstance(job.test, str):
        raise InvalidValue("fit: test must be a share for a built-in set, got a folder. Try 0.2.")
    X, y, notes = np.asarray(record.X), np.asarray(record.y), []
    train, test = (np.arange(len(y))[part] for part in record.split or (slice(0), slice(0)))
    rng = np.random.default_rng([job.seed, 3])
    limit = limit_of(job, X.shape[-1])
    if limit is not None and limit < len(train):
        train = np.sort(rng.permutation(train)[:limit])
        test = np.sort(rng.permutation(test)[: max(limit // 4, 100)])
        notes.append(
            f"A random sample of {len(train):,} training and {len(test):,} test images is used (a longer --budget "
            "or --rows takes more)."
        )
    rows = np.concatenate([train, test])
    pictures = np.moveaxis(X[rows], 1, -1)
    if pictures.dtype != np.uint8:
        pictures = (pictures * 255).round().astype(np.uint8)
    notes.append("The published test part is the test.")
    labels: list[str | int] = list(record.target_names or range(int(y.max()) + 1))
    files = [f"{name} {row}" for row in rows.tolist()]
    return ImageProblem(
        name, labels, y[rows].astype(np.int64), pictures, files,
        np.arange(len(train)), np.arange(len(train), len(rows)), notes,
    )  # fmt: skip


def _folder(folder: Path, job: ImageOptions) -> ImageProblem:
    notes: list[str] = []
    found = find_classes(folder, notes)
    files = [(path, name) for name, paths in found.items() for path in paths]
    side = choose_side([path for path, _ in files])
    limit = limit_of(job, side)
    if limit is not None and len(files) > limit:
        kept = np.random.default_rng([job.seed, 3]).permutation(len(files))[:limit]
        notes.append(f"A random sample of {limit:,} of {len(files):,} images is used (a longer --budget or --rows takes more).")  # fmt: skip
        files = [files[k] for k in np.sort(kept).tolist()]
    count = len(files)
    if isinstance(job.test, str):
        files += _test_files(Path(job.test), list(found), notes)
    images, keep = read_pictures([path for path, _ in files], side, notes)
    is_test = np.arange(len(files)) >= count
    survivors: dict[str, list[Path]] = {name: [] for name in found}
    for row in keep.tolist():
        if not is_test[row]:
            survivors[files[row][1]].append(files[row][0])
    labels = list(drop_small({n: p for n, p in survivors.items() if p}, notes, str(folder)))
    rows = [row for row in keep.tolist() if files[row][1] in labels]
    y = np.array([labels.index(files[row][1]) for row in rows])
    own = is_test[rows]
    if isinstance(job.test, str):
        train, test = np.flatnonzero(~own), np.flatnonzero(own)
    else:
        rng = np.random.default_rng([job.seed, 0])
        train, test = split_test(y, job.test, rng, keep=3)
    check_test(len(test), "images")
    names = [_shown(files[row][0], folder) for row in rows]
    return ImageProblem(folder.name or "images", list(labels), y, images[rows], names, train, test, notes)  # fmt: skip


def _shown(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)


def _test_files(folder: Path, classes: list[str], notes: list[str]) -> list[tuple[Path, str]]:
    if not folder.is_dir():
        raise InvalidValue(f"fit: test must be a share or a folder of images, got {str(folder)!r}.")
    found = list_classes(folder)
    strange = [name for name in found if name not in classes]
    if len(strange) == len(found):
        got = ", ".join(map(repr, strange[:5])) or "no images"
        raise InvalidValue(
            f"fit: {str(folder)!r} must hold images of the classes {', '.join(map(repr, classes[:5]))}, got {got}."
        )
    if strange:
        names = ", ".join(map(repr, strange[:5]))
        notes.append(f"Test images of other classes ({names}) are left out.")
    return [(path, name) for name, paths in found.items() if name in classes for path in paths]


def choose_side(paths: list[Path]) -> int:
    """Pixels a side that suit most files: their own size where they are small, 64 where they are large."""
    step = max(len(paths) // PROBE, 1)
    shorter = []
    for path in paths[::step]:
        try:
            with Image.open(path) as image:
                shorter.append(min(image.size))
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            continue
    typical = float(np.median(shorter)) if shorter else SIDES[0]
    return int(np.clip(round(typical / 4) * 4, *SIDES))


def read_pictures(paths: list[Path], side: int, notes: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Decode files; return pictures, grey ones with one channel if all are, and the rows that could be read."""
    images, is_grey, faults = decode_images(paths, side)
    notes += [f"{paths[k].name!r} {faults[k]} and is skipped." for k in list(faults)[:SHOWN_FAULTS]]
    if len(faults) > SHOWN_FAULTS:
        notes.append(f"{len(faults) - SHOWN_FAULTS:,} more files could not be read and are skipped.")  # fmt: skip
    keep = np.array([row for row in range(len(paths)) if row not in faults], dtype=np.int64)
    if len(keep) and is_grey[keep].all():
        return images[..., :1], keep
    if is_grey[keep].any():
        grey = int(is_grey[keep].sum())
        notes.append(f"{grey:,} grey images are read as colour, as the other {len(keep) - grey:,} are.")  # fmt: skip
    return images, keep
