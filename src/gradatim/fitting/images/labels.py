"""Labels and groups of images, from tables that name their files."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import clean
from gradatim.data.tables.reading import read_table
from gradatim.data.tables.targets import read_target
from gradatim.errors import InvalidValue, require

FILES = ("file", "filename", "file_name", "image", "image_id", "path", "name", "id")
TAGS = ";"  # stands between several labels of an image
FOLDER, PREFIX = "folder", "prefix"
LEAST = 20  # images with a label
LEAST_OF_CLASS = 3
LEAST_OF_TAG = 5  # images that have a label of several, and that have it not
FEWEST_GROUPS = 4
_TRUE, _FALSE = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no")


class Answers(NamedTuple):
    """What is to be said of images.

    Args:
        labels: Class names, or names of tags; none for values.
        y: Class codes or values ``(N,)``, or ones and zeros ``(N, tags)``.
        rows: Which images have one.
        is_tagged: Whether an image may have several labels, or none.
        groups: Group of every image of ``rows``, where the table names them.
    """

    labels: list[str | int]
    y: np.ndarray
    rows: np.ndarray
    is_tagged: bool = False
    groups: np.ndarray | None = None


class Names:
    """The images of a folder by the names that a table may give them.

    Args:
        paths: The files.
        folder: Where they lie.

    Example:
        >>> names = Names([Path("p/a/1.png"), Path("p/b/1.png"), Path("p/c.jpg")], Path("p"))
        >>> names.find("a/1.png"), names.find("c"), names.find("./c.jpg"), names.find("1.png")
        (0, 2, 2, None)
    """

    def __init__(self, paths: Sequence[Path], folder: Path) -> None:
        self._places: dict[str, int | None] = {}
        shown = [path.relative_to(folder).as_posix() for path in paths]
        for spelled in (
            shown,
            [name.rpartition(".")[0] for name in shown],
            [path.name for path in paths],
            [path.stem for path in paths],
        ):
            known = set(self._places)
            for place, name in enumerate(spelled):
                if name not in known:  # two files of one name are none
                    self._places[name] = None if name in self._places else place

    def find(self, name: object) -> int | None:
        """The place of an image; ``None`` where none, or more than one, is called so."""
        text = str(name).strip().replace("\\", "/")
        return self._places.get(text.removeprefix("./"))


def match_rows(frame: pd.DataFrame, names: Names, source: str, what: str, notes: list[str]) -> tuple[pd.DataFrame, np.ndarray]:  # fmt: skip
    """Rows of a table that name an image, once each, and the place of each image; the column of names is taken out.

    Args:
        frame: One column names files: one of ``FILES``, or the first.
        names: The images that are there.
        source: Where the table came from.
        what: The option, for messages.
        notes: Collects what was left out.
    """
    column = next((c for c in frame.columns if str(c).strip().lower() in FILES), frame.columns[0])
    cells = frame[column]
    places = [None if pd.isna(cell) else names.find(cell) for cell in cells]
    unknown = [str(cell) for cell, place in zip(cells, places, strict=True) if place is None]
    if len(unknown) == len(places):
        raise InvalidValue(f"fit: {what} must name images of the folder in its column {str(column)!r}, got {unknown[0]!r} in {source!r}.")  # fmt: skip
    if unknown:
        rows = "1 row names" if len(unknown) == 1 else f"{len(unknown):,} rows name"
        notes.append(f"{rows} no image of the folder in {source!r}, such as {unknown[0]!r}, and {'is' if len(unknown) == 1 else 'are'} left out.")  # fmt: skip
    kept = [row for row, place in enumerate(places) if place is not None]
    found = np.array([places[row] for row in kept], dtype=np.int64)
    rest = frame.iloc[kept].drop(columns=[column]).reset_index(drop=True)
    return _once(rest, found, cells.iloc[kept].to_list(), source, what, notes)


def _once(rest: pd.DataFrame, found: np.ndarray, names: list[object], source: str, what: str, notes: list[str]) -> tuple[pd.DataFrame, np.ndarray]:  # fmt: skip
    """Leave out rows that say the same of an image again; refuse those that say something else."""
    _, first, inverse = np.unique(found, return_index=True, return_inverse=True)
    texts = rest.astype(str)
    for row in np.flatnonzero(first[inverse] != np.arange(len(found))).tolist():
        if not texts.iloc[row].equals(texts.iloc[first[inverse[row]]]):
            raise InvalidValue(f"fit: {what} must say one thing of each image, got two rows that differ for {str(names[row])!r} in {source!r}.")  # fmt: skip
    again = len(found) - len(first)
    if again:
        notes.append(f"{again:,} row{'s' if again > 1 else ''} of {source!r} that stand{'' if again > 1 else 's'} there twice {'are' if again > 1 else 'is'} left out.")  # fmt: skip
    kept = np.sort(first)
    return rest.iloc[kept].reset_index(drop=True), found[kept]


def read_labels(source: str, paths: Sequence[Path], folder: Path, task: str, group: str | None, notes: list[str]) -> Answers:  # fmt: skip
    """Read what is to be said of the images of a folder.

    Args:
        source: A table with a column of file names, and one column of classes, of numbers or of several labels with ``;``
            between them, or several columns of 0 and 1.
        paths: The images.
        folder: Where they lie.
        task: ``"auto"``, ``"regression"``, ``"classification"``, …
        group: Column of the table that holds groups, if it has one of that name.
        notes: Collects what was done.
    """
    table = read_table(source)
    notes += table.notes
    frame, places = match_rows(table.frame, Names(paths, folder), source, "labels", notes)
    columns = {str(name): name for name in frame.columns}
    groups = None
    if group in columns:
        groups = frame.pop(columns[str(group)]).astype(str).to_numpy()
    if not frame.shape[1]:
        raise InvalidValue(f"fit: labels must have a column of labels beside the file names, and {source!r} has none.")  # fmt: skip
    missing = len(paths) - len(places)
    if missing:
        notes.append(f"{missing:,} image{'s have' if missing > 1 else ' has'} no row in {source!r} and {'are' if missing > 1 else 'is'} left out.")  # fmt: skip
    found = _read_answers(frame, source, task, notes)
    require(len(found.rows) >= LEAST, f"fit: labels must tell of at least {LEAST} images", len(found.rows))  # fmt: skip
    own = None if groups is None else groups[found.rows]
    return found._replace(rows=places[found.rows], groups=own)


def _read_answers(frame: pd.DataFrame, source: str, task: str, notes: list[str]) -> Answers:
    """Answers by row of the table."""
    if frame.shape[1] > 1:
        return _drop_rare([str(c) for c in frame.columns], _read_marks(frame, source), notes)
    cells = clean(frame.iloc[:, 0])
    if task == "auto" and any(TAGS in str(cell) for cell in cells.dropna()):
        sets = [{tag.strip() for tag in str(cell).split(TAGS)} - {""} if pd.notna(cell) else set() for cell in cells]  # fmt: skip
        tags = sorted(set().union(*sets))
        return _drop_rare(tags, np.array([[tag in own for tag in tags] for own in sets]), notes)
    labels, y, rows = read_target(frame.iloc[:, 0], task, notes)
    return Answers(labels, y, rows)


def _read_marks(frame: pd.DataFrame, source: str) -> np.ndarray:
    """Columns of 0 and 1, shape ``(N, tags)``."""
    marks = np.zeros(frame.shape, dtype=bool)
    for k, name in enumerate(frame.columns):
        cells = frame[name].astype(str).str.strip().str.lower()
        strange = cells[~cells.isin([*_TRUE, *_FALSE])]
        if len(strange):
            raise InvalidValue(f"fit: labels must have one column of labels, or several of 0 and 1, got {strange.iloc[0]!r} in {str(name)!r} of {source!r}.")  # fmt: skip
        marks[:, k] = cells.isin(_TRUE)
    return marks


def _drop_rare(tags: Sequence[str], marks: np.ndarray, notes: list[str]) -> Answers:
    """Leave out labels that too few images have, or have not."""
    counts = marks.sum(0)
    enough = (counts >= LEAST_OF_TAG) & (len(marks) - counts >= LEAST_OF_TAG)
    notes += [
        f"Label {tag!r} is left out: {count:,} of {len(marks):,} images have it."
        for tag, count, kept in zip(tags, counts.tolist(), enough.tolist(), strict=True)
        if not kept
    ]
    if not enough.any():
        raise InvalidValue(f"fit: labels must have one that {LEAST_OF_TAG} images or more have and {LEAST_OF_TAG} or more have not, got none.")  # fmt: skip
    kept = [tag for tag, is_kept in zip(tags, enough, strict=True) if is_kept]
    return Answers(list(kept), marks[:, enough].astype(np.int64), np.arange(len(marks)), True)


def settle(answers: Answers, rows: np.ndarray, notes: list[str]) -> Answers:
    """What is left of answers where only some images are used: labels that too few of them have are left out.

    Args:
        answers: Of all images, by place.
        rows: Places of the images that are used, in order.
        notes: Collects what was left out.
    """
    y = answers.y[rows]
    if answers.is_tagged:
        left = _drop_rare([str(label) for label in answers.labels], y > 0, notes)
        left = left._replace(rows=rows)
    elif answers.labels:
        counts = np.bincount(y, minlength=len(answers.labels))
        enough = np.flatnonzero(counts >= LEAST_OF_CLASS)
        kept = np.isin(y, enough)
        lost = [repr(answers.labels[k]) for k in range(len(counts)) if k not in enough]
        if lost:
            notes.append(f"Of the images used, fewer than {LEAST_OF_CLASS} are of class {', '.join(lost[:3])}: {int((~kept).sum())} are left out.")  # fmt: skip
        labels = [answers.labels[k] for k in enough]
        left = Answers(labels, np.searchsorted(enough, y[kept]), rows[kept])
    else:
        left = Answers([], y, rows)
    is_one = len(left.rows) < LEAST or len(np.unique(left.y, axis=0)) < 2
    require(not is_one, f"fit: at least {LEAST} images that can be read must have different labels", f"{len(left.rows)} images of {len(np.unique(left.y, axis=0))} labels")  # fmt: skip
    return left


def read_groups(
    source: str, paths: Sequence[Path], folder: Path, notes: list[str], *, has_classes: bool = False
) -> np.ndarray:
    """Group of every image: by a table, by the folder that it lies in, or by how its name begins.

    Args:
        source: A table with a column of file names and one of groups; ``"folder"``: the folder of the file; ``"prefix"``: its
            name up to the first ``_`` or ``-``.
        paths: The images.
        folder: Where they lie.
        notes: Collects what was left out.
        has_classes: Whether the first folder is the class of an image, and no part of its group.
    """
    if source == FOLDER:
        parts = [path.parent.relative_to(folder).parts[int(has_classes) :] for path in paths]
        return np.array(["/".join(own) for own in parts])
    if source == PREFIX:
        return np.array([path.stem.replace("-", "_").partition("_")[0] for path in paths])
    if not Path(source).exists():
        raise InvalidValue(f"fit: group must be a table of file names and groups, a column of labels, 'folder' or 'prefix', got {source!r}.")  # fmt: skip
    frame, places = match_rows(read_table(source).frame, Names(paths, folder), source, "group", notes)  # fmt: skip
    if not frame.shape[1]:
        raise InvalidValue(f"fit: group must have a column of groups beside the file names, and {source!r} has none.")  # fmt: skip
    groups = np.full(len(paths), None, dtype=object)
    cells = frame.iloc[:, 0]
    groups[places] = [None if pd.isna(cell) else str(cell) for cell in cells]
    without = np.flatnonzero(groups == None)  # noqa: E711 - of every entry
    if len(without):
        first, more = str(paths[without[0]].relative_to(folder)), len(without) - 1
        raise InvalidValue(f"fit: group must name the group of every image, and {source!r} does not for {first!r}{f' and {more:,} more' if more else ''}.")  # fmt: skip
    return groups.astype(str)


def check_groups(groups: np.ndarray) -> np.ndarray:
    """Codes of groups; fewer than can be split are refused.

    Args:
        groups: Name of the group of every image.

    Example:
        >>> check_groups(np.array(["b", "a", "c", "d", "a"])).tolist()
        [1, 0, 2, 3, 0]
    """
    names, codes = np.unique(groups, return_inverse=True)
    rule = f"fit: group must have at least {FEWEST_GROUPS} different values"
    remedy = "Fewer groups cannot be split into training and judging parts."
    require(len(names) >= FEWEST_GROUPS, rule, len(names), remedy)
    return codes
