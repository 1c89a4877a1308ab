"""Images with what is to be said of them, and the rows set aside for the test."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gradatim import data as catalogue
from gradatim.data.image_folder import drop_small, find_classes, find_images, list_classes
from gradatim.errors import InvalidValue
from gradatim.evaluation.splits import Split, make_strata, split_test
from gradatim.fitting.classes import LabelledRows, check_test
from gradatim.fitting.images.kind import ImageOptions
from gradatim.fitting.images.labels import check_groups, read_groups, read_labels, settle
from gradatim.fitting.images.pictures import limit_of, read_pictures, sample, side_of
from gradatim.fitting.images.tags import strata_of_tags
from gradatim.reports import Concern

CHUNK = 256  # pictures that are hashed at once

Arrays = tuple[np.ndarray, np.ndarray]  # pictures (N, side, side, channels) and their classes


@dataclass
class ImageProblem(LabelledRows):
    """Pictures of one size, targets and split.

    Args:
        name: Short name of the data.
        labels: Class names in order of their codes, or names of labels of which an image may have several; none for values.
        y: Class codes or values ``(N,)``, or ones and zeros ``(N, labels)``.
        images: Shape ``(N, side, side, channels)``, whole numbers from 0 to 255.
        files: Where each came from.
        train: Rows to learn from.
        test: Rows that judge at the end.
        notes: What was done to the data, one sentence each.
        groups: Group of every image, if any.
        is_tagged: Whether an image may have several labels, or none.
    """

    things = "images"
    name: str
    labels: list[str | int]
    y: np.ndarray
    images: np.ndarray
    files: list[str]
    train: np.ndarray
    test: np.ndarray
    notes: list[str] = field(default_factory=list)
    groups: np.ndarray | None = None
    is_tagged: bool = False

    def contents(self) -> Iterator[bytes]:
        """Yield all pixels, targets and the split."""
        yield from super().contents()
        for start in range(0, len(self.images), CHUNK):
            yield np.ascontiguousarray(self.images[start : start + CHUNK]).tobytes()
        if self.groups is not None:
            yield self.groups.tobytes()

    @property
    def strata(self) -> np.ndarray:
        """Strata of the training rows."""
        return strata_of(self.y, self.labels)[self.train]

    @property
    def strata_of_test(self) -> np.ndarray:
        """Strata of the test rows."""
        return strata_of(self.y, self.labels)[self.test]

    @property
    def task(self) -> str:
        """The task in words."""
        return f"tagging with {self.classes} labels" if self.is_tagged else super().task

    def _imbalance(self) -> list[Concern]:
        return [] if self.is_tagged else super()._imbalance()

    def places(self) -> tuple[str, list[str]]:
        """Where each test image came from, as a column."""
        return "file", [self.files[k] for k in self.test.tolist()]


def strata_of(y: np.ndarray, labels: Sequence[str | int]) -> np.ndarray:
    """Stratum of every row: its class, its rarest label of several, or the tenth that its value lies in."""
    return strata_of_tags(y) if y.ndim == 2 else make_strata(y, is_classification=bool(labels))


def prepare(data: "str | Path | Arrays", job: ImageOptions) -> ImageProblem:
    """Read a folder, a built-in set or arrays of images, and set test images aside."""
    if not isinstance(data, tuple) and Path(data).is_dir():
        return (_by_folders if job.labels is None else _by_table)(Path(data), job)
    what = "arrays" if isinstance(data, tuple) else "a built-in set"
    wrong = [name for name in ("labels", "group") if getattr(job, name) is not None]
    wrong += ["side"] if job.side is not None and job.pretrained is None else []
    wrong += ["tiles"] if job.tiles > 1 else []
    if wrong:
        raise InvalidValue(f"fit: {wrong[0]} must be left out for {what}, got {getattr(job, wrong[0])!r}. It is for folders of images.")  # fmt: skip
    if isinstance(job.test, str):
        raise InvalidValue(f"fit: test must be a share for {what}, got a folder. Try 0.2.")
    return _arrays(*data, job) if isinstance(data, tuple) else _builtin(str(data), job)


def _arrays(pictures: np.ndarray, classes: np.ndarray, job: ImageOptions) -> ImageProblem:
    notes: list[str] = []
    rows = np.arange(len(classes))
    if job.rows is not None and job.rows < len(rows):
        rows = np.sort(np.random.default_rng([job.seed, 3]).permutation(rows)[: job.rows])
        notes.append(f"A random sample of {len(rows):,} of {len(classes):,} images is used.")
    found = {label: rows[classes[rows] == label].tolist() for label in np.unique(classes).tolist()}
    labels = list(drop_small(found, notes, "the arrays"))
    rows = np.sort(np.concatenate([found[label] for label in labels]))
    y = np.searchsorted(np.array(labels), classes[rows])
    train, test = split_test(y, float(job.test), np.random.default_rng([job.seed, 0]), keep=3)
    names = [f"image {row}" for row in rows.tolist()]
    return ImageProblem("images", labels, y, pictures[rows], names, train, test, notes)


def _builtin(name: str, job: ImageOptions) -> ImageProblem:
    record = catalogue.load(name)
    assert record.y is not None
    X, y, notes = np.asarray(record.X), np.asarray(record.y), []
    train, test = (np.arange(len(y))[part] for part in record.split or (slice(0), slice(0)))
    rng = np.random.default_rng([job.seed, 3])
    limit = limit_of(job, X.shape[-1])[0]
    if limit < len(train):
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


def _by_folders(folder: Path, job: ImageOptions) -> ImageProblem:
    """A folder with one subfolder per class."""
    notes: list[str] = []
    found = find_classes(folder, notes)
    files = [(path, name) for name, paths in found.items() for path in paths]
    if job.group is not None and isinstance(job.test, str):
        raise InvalidValue("fit: group must come with a share for the test, got a folder. Try --test 0.2.")  # fmt: skip
    everyone = _groups_of(None, [path for path, _ in files], folder, job, notes, has_classes=True)
    side = side_of(job, [path for path, _ in files], notes)
    chosen = sample(len(files), job, side, notes)
    files = [files[k] for k in chosen.tolist()]
    count = len(files)
    if isinstance(job.test, str):
        files += _test_files(Path(job.test), list(found), notes)
    images, keep = read_pictures([path for path, _ in files], side, notes, is_colour=job.pretrained is not None)  # fmt: skip
    is_test = np.arange(len(files)) >= count
    survivors: dict[str, list[Path]] = {name: [] for name in found}
    for row in keep.tolist():
        if not is_test[row]:
            survivors[files[row][1]].append(files[row][0])
    labels = list(drop_small({n: p for n, p in survivors.items() if p}, notes, str(folder)))
    rows = [row for row in keep.tolist() if files[row][1] in labels]
    y = np.array([labels.index(files[row][1]) for row in rows])
    groups = None if everyone is None else check_groups(everyone[chosen[rows]])
    own = is_test[rows] if isinstance(job.test, str) else None
    train, test = _split(y, list(labels), groups, own, job)
    names = [_shown(files[row][0], folder) for row in rows]
    return ImageProblem(folder.name or "images", list(labels), y, images[rows], names, train, test, notes, groups)  # fmt: skip


def _by_table(folder: Path, job: ImageOptions) -> ImageProblem:
    """A folder of images, and a table of what to say of them."""
    notes: list[str] = []
    assert job.labels is not None
    if isinstance(job.test, str):
        raise InvalidValue("fit: test must be a share where a table holds the labels, got a folder. Try 0.2.")  # fmt: skip
    paths = find_images(folder)
    if not paths:
        raise InvalidValue(f"fit: {str(folder)!r} must hold images (PNG, JPEG), and holds none.")
    found = read_labels(job.labels, paths, folder, job.task, job.group, notes)
    paths = [paths[k] for k in found.rows.tolist()]
    everyone = _groups_of(found.groups, paths, folder, job, notes)
    side = side_of(job, paths, notes)
    chosen = sample(len(paths), job, side, notes)
    images, keep = read_pictures([paths[k] for k in chosen.tolist()], side, notes, is_colour=job.pretrained is not None)  # fmt: skip
    answers = settle(found, chosen[keep], notes)
    images = images[keep[np.isin(chosen[keep], answers.rows)]]
    groups = None if everyone is None else check_groups(everyone[answers.rows])
    train, test = _split(answers.y, answers.labels, groups, None, job)
    names = [_shown(paths[k], folder) for k in answers.rows.tolist()]
    return ImageProblem(
        folder.name or "images", answers.labels, answers.y, images, names, train, test, notes, groups, answers.is_tagged
    )  # fmt: skip


def _groups_of(
    named: np.ndarray | None, paths: list[Path], folder: Path, job: ImageOptions, notes: list[str], *, has_classes: bool = False
) -> np.ndarray | None:  # fmt: skip
    """Group of every image, where groups are asked for: those that the labels named, or by a table or the files."""
    if job.group is None or named is not None:
        return named
    return read_groups(job.group, paths, folder, notes, has_classes=has_classes)


def _split(y: np.ndarray, labels: list[str | int], groups: np.ndarray | None, is_test: np.ndarray | None, job: ImageOptions) -> Split:  # fmt: skip
    """Training and test rows: the user's own, or a share of all; groups stay together."""
    if is_test is not None:
        train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    else:
        rng = np.random.default_rng([job.seed, 0])
        train, test = split_test(strata_of(y, labels), float(job.test), rng, keep=3 * bool(labels), groups=groups)  # fmt: skip
    check_test(len(test), "images")
    if len(np.unique(y[train], axis=0)) < 2:
        raise InvalidValue("fit: the training images must have different labels, got one only. Use more groups.")  # fmt: skip
    return train, test


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
