"""Images with the class of every pixel, and the images set aside for the test."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gradatim import data as catalogue
from gradatim.data.image_pairs import ImagePair, find_named, match_masks
from gradatim.data.mask_files import GREY, MOST_COLOURS, MaskStyle
from gradatim.data.whole_images import press, shrink
from gradatim.errors import InvalidValue, require
from gradatim.evaluation.splits import Split, make_folds, split_test
from gradatim.fitting.classes import check_test
from gradatim.fitting.images.labels import check_groups, read_groups
from gradatim.fitting.masks.kind import SETS, MaskOptions
from gradatim.fitting.masks.reading import choose_side, read_pairs, typical_size

LEAST = 8  # images with masks
PIXELS_PER_SECOND = 20_000  # of the budget, all images together
MOST_PIXELS = 60_000_000  # of all images together, for the memory of a small machine

Arrays = tuple[
    np.ndarray, np.ndarray
]  # pictures (N, height, width, channels) and the class of every pixel


@dataclass
class MaskProblem:
    """Pictures and masks of one size, and split.

    Args:
        name: Short name of the data.
        labels: Class names in order of their codes.
        y: Class of every pixel, shape ``(N, side, side)``.
        images: Shape ``(N, side, side, channels)``, whole numbers from 0 to 255.
        files: Where each came from.
        sizes: Height and width of every image as it was, shape ``(N, 2)``.
        style: What the user's masks look like.
        train: Rows to learn from.
        test: Rows that judge at the end.
        notes: What was done to the data, one sentence each.
        groups: Group of every image, if groups stay together.
    """

    things = "images"
    name: str
    labels: list[str]
    y: np.ndarray
    images: np.ndarray
    files: list[str]
    sizes: np.ndarray
    style: MaskStyle
    train: np.ndarray
    test: np.ndarray
    notes: list[str] = field(default_factory=list)
    groups: np.ndarray | None = None

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self.labels)

    @property
    def side(self) -> int:
        """Pixels along each side of what models see."""
        return int(self.images.shape[1])

    @property
    def task(self) -> str:
        """The task in words."""
        return f"segmentation into {self.classes} classes"

    def contents(self) -> Iterator[bytes]:
        """Yield everything that training sees."""
        yield self.y.tobytes() + self.train.tobytes()
        yield np.ascontiguousarray(self.images).tobytes()
        if self.groups is not None:
            yield self.groups.tobytes()

    def folds(self, count: int, seed: int) -> list[Split]:
        """Split the training images into at most ``count`` folds, as rows of the whole."""
        strata = make_image_strata(self.y[self.train], self.classes)
        groups = None if self.groups is None else self.groups[self.train]
        folds = make_folds(strata, count, np.random.default_rng([seed, 1]), groups=groups)
        return [(self.train[a], self.train[b]) for a, b in folds if len(a) and len(b)]


def make_image_strata(y: np.ndarray, num_classes: int) -> np.ndarray:
    """The rarest class that every image shows, so that all parts get some of those with rare ones.

    Args:
        y: Class of every pixel, shape ``(N, H, W)``.
        num_classes: Number of classes.

    Example:
        >>> make_image_strata(np.array([[[0, 0]], [[0, 1]], [[0, 0]]]), 2).tolist()
        [0, 1, 0]
    """
    shows = np.stack([(y == k).any((1, 2)) for k in range(num_classes)], axis=1)  # (N, K)
    frequency = np.where(shows, shows.sum(0), len(y) + 1)
    return frequency.argmin(1)


def prepare(data: "str | Path | Arrays", job: MaskOptions) -> MaskProblem:
    """Read images and masks, and set test images aside."""
    if isinstance(data, tuple):
        return _arrays("images", *data, None, job)
    if str(data) in SETS and not Path(data).is_dir():
        return _builtin(str(data), job)
    return _folder(Path(data), job)


def _budget(job: MaskOptions) -> float | None:
    """Seconds for everything; ``None`` where time plays no part."""
    return None if job.trials is not None else job.budget


def _draw(count: int, side: int, job: MaskOptions, notes: list[str]) -> np.ndarray:
    """Which of so many images are used: as many as were asked for, or as the budget allows."""
    budget = _budget(job)
    pixels = MOST_PIXELS if budget is None else min(budget * PIXELS_PER_SECOND, MOST_PIXELS)
    limit = job.rows if job.rows is not None else max(int(pixels / side**2), 2 * LEAST)
    if count <= limit:
        return np.arange(count)
    notes.append(f"A random sample of {limit:,} of {count:,} images is used (a longer --budget or --rows takes more).")  # fmt: skip
    return np.sort(np.random.default_rng([job.seed, 3]).permutation(count)[:limit])


def _folder(folder: Path, job: MaskOptions) -> MaskProblem:
    if job.masks is None:
        raise InvalidValue("fit: masks must be a folder with a mask for every image, got none. Try --masks FOLDER.")  # fmt: skip
    masks, notes = Path(job.masks), list[str]()
    if folder.is_dir() and masks.is_dir() and folder.samefile(masks):
        raise InvalidValue(f"fit: masks must lie in a folder of their own, got that of the images, {str(masks)!r}.")  # fmt: skip
    own = find_named("fit", "data", folder)
    if masks.is_dir() and masks.resolve().is_relative_to(folder.resolve()):
        own = {name: path for name, path in own.items() if not path.resolve().is_relative_to(masks.resolve())}  # fmt: skip
    known = find_named("fit", "masks", masks)
    test = _test_pairs(job, known)
    taken = {pair.mask for pair in test}
    pairs = match_masks(own, {n: p for n, p in known.items() if p not in taken} or known, notes)
    size = typical_size([pair.image for pair in pairs])
    side = job.side or choose_side(size, _budget(job))
    kept = [pairs[k] for k in _draw(len(pairs), side, job, notes).tolist()]
    read = read_pairs([*kept, *test], side, notes)
    is_test = np.array(read.rows) >= len(kept)
    used = [([*kept, *test])[row] for row in read.rows]
    groups = _groups(used, is_test, folder, job, notes)
    train, judge = _split(read.y, read.style, is_test, job, groups)
    return MaskProblem(
        folder.resolve().name or "images", read.style.names(), read.y, read.images, [_shown(pair, folder) for pair in used],
        read.sizes, read.style, train, judge, [*notes, *_pressed(read.sizes, side, job)], groups,
    )  # fmt: skip


def _groups(pairs: list[ImagePair], is_test: np.ndarray, folder: Path, job: MaskOptions, notes: list[str]) -> np.ndarray | None:  # fmt: skip
    """Group of every image; test images in a folder of their own are one of theirs."""
    if job.group is None:
        return None
    paths = [pair.image for pair, own in zip(pairs, is_test, strict=True) if not own]
    codes = check_groups(read_groups(job.group, paths, folder, notes))
    return np.concatenate([codes, np.full(int(is_test.sum()), codes.max() + 1)])


def _test_pairs(job: MaskOptions, masks: dict[str, Path]) -> list[ImagePair]:
    """Pairs of the user's own test images, whose masks lie among the others."""
    if not isinstance(job.test, str):
        return []
    return match_masks(find_named("fit", "test", Path(job.test)), masks, [])


def _shown(pair: ImagePair, folder: Path) -> str:
    path = pair.image
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)


def _split(y: np.ndarray, style: MaskStyle, is_test: np.ndarray, job: MaskOptions, groups: np.ndarray | None = None) -> Split:  # fmt: skip
    """Training and test images; too few of either are refused."""
    if isinstance(job.test, str):
        train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    else:
        require(len(y) >= LEAST, f"fit: data must hold at least {LEAST} images with masks", len(y))
        strata = make_image_strata(y, len(style.values))
        train, test = split_test(
            strata, job.test, np.random.default_rng([job.seed, 0]), groups=groups, keep=2
        )
    check_test(len(test), "images")
    require(len(train) >= LEAST - 2, f"fit: data must leave at least {LEAST - 2} images with masks to learn from", len(train))  # fmt: skip
    return train, test


def _pressed(sizes: np.ndarray, side: int, job: MaskOptions) -> list[str]:
    """Say, if so, that models see images smaller than they are."""
    large = float(np.median(np.sqrt(sizes.prod(1, dtype=float))))
    if large <= 1.2 * side:
        return []
    more = "" if job.side else " (a longer --budget or --side sees more)"
    return [f"Images are seen at {side} × {side} pixels, of some {large:.0f} × {large:.0f}{more}; predicted masks have the size of the image."]  # fmt: skip


def _builtin(name: str, job: MaskOptions) -> MaskProblem:
    require(job.masks is None, f"fit: masks must not be given for {name}, which has its own", repr(job.masks))  # fmt: skip
    record = catalogue.load(name)
    assert record.y is not None
    pictures = (np.moveaxis(np.asarray(record.X), 1, -1) * 255).round().astype(np.uint8)
    return _arrays(name, pictures, np.asarray(record.y), list(record.target_names or ()), job)


def _arrays(name: str, pictures: np.ndarray, masks: np.ndarray, labels: list[str] | None, job: MaskOptions) -> MaskProblem:  # fmt: skip
    if isinstance(job.test, str):
        raise InvalidValue("fit: test must be a share for arrays and built-in sets, got a folder. Try 0.2.")  # fmt: skip
    require(job.group is None, "fit: group must be left out for arrays and built-in sets", repr(job.group))  # fmt: skip
    values = np.unique(masks).tolist()
    require(len(values) > 1, "fit: masks must show two classes or more", f"{values} alone")
    require(len(values) <= MOST_COLOURS, f"fit: masks must have at most {MOST_COLOURS} different values", len(values))  # fmt: skip
    is_plain = masks.dtype.kind in "biu" and values[0] >= 0 and values[-1] < 2**16
    require(is_plain, "fit: masks must be whole numbers from 0 to 65535", f"{masks.dtype} from {values[0]} to {values[-1]}")  # fmt: skip
    notes: list[str] = []
    height, width = pictures.shape[1:3]
    side = job.side or choose_side(np.sqrt(height * width), _budget(job))
    rows = _draw(len(pictures), side, job, notes)
    style = MaskStyle(GREY, tuple(int(v) for v in values))
    y = np.stack([shrink(mask, side) for mask in np.searchsorted(values, masks[rows])])
    y = y.astype(np.uint8)
    train, test = _split(y, style, np.zeros(len(rows), dtype=bool), job)
    sizes = np.tile([height, width], (len(rows), 1))
    return MaskProblem(
        name, labels or style.names(), y, press(pictures[rows], side), [f"image {row}" for row in rows.tolist()], sizes, style,
        train, test, [*notes, *_pressed(sizes, side, job)],
    )  # fmt: skip
