"""Series with one label or one number each as a kind of data."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidValue
from gradatim.fitting.kind import Kind
from gradatim.fitting.options import ContestOptions, option
from gradatim.fitting.tables.kind import refuse_target, target_option, task_option

if TYPE_CHECKING:
    from gradatim.fitting.sequences.model import SequenceModel
    from gradatim.fitting.sequences.player import SequencePlayer

FORMATS = ("ragged", "ts", "ucr", "waves")  # of built-in sets
ENDINGS = (".csv", ".tsv", ".parquet", ".pq")  # of one series in a folder
LOOKED_AT = 2_000  # files of a folder, before it is taken for one of images


@dataclass(frozen=True, kw_only=True)
class SequenceOptions(ContestOptions):
    """What may be asked for series with one label or number each.

    Args:
        series: Column that names the series of a row.
        target: Column to predict, one value for every series; files of series and built-in sets know it.
        labels: Table with a target for every series, beside the steps.
        task: ``"auto"``, ``"regression"``, ``"binary"``, ``"multiclass"`` or ``"classification"``.
        time_column: Column of times, in the order of which steps are read.
        group: Column of groups, such as persons or machines, whose series stay together.
        drop: Columns to leave out.
    """

    series: str | None = option(None, "Column that names the series of a row, each with one target.", metavar="COLUMN")  # fmt: skip
    target: str | None = target_option()
    labels: str | None = option(None, "Table with the target of every series.", metavar="FILE")
    task: str = task_option()
    time_column: str | None = option(None, "Times: the steps of a series are read in their order.", metavar="COLUMN")  # fmt: skip
    group: str | None = option(None, "Groups whose series stay together.", metavar="COLUMN")
    drop: tuple[str, ...] = option((), "Leave a column out; may be repeated.", metavar="COLUMN")

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_target(self, "series", "time_column", "group")
        if self.series is not None and self.series in (self.time_column, self.group):
            other = "time_column" if self.series == self.time_column else "group"
            raise InvalidValue(
                f"fit: {other} must differ from series, got {self.series!r} for both."
            )
        if self.target is not None and self.target in self.drop:
            raise InvalidValue(f"fit: drop must not name the target, got {self.target!r}.")


def _is_meant(data: object, given: Mapping[str, Any]) -> bool:
    """The series of a row are named, or the data are files, folders, sets or arrays of series."""
    if given.get("series") is not None:
        return True
    if not isinstance(data, str | Path):
        from gradatim.fitting.sequences.arrays import holds_series

        return holds_series(data)
    path = Path(data)
    if path.is_dir():
        return holds_files(path)
    if path.suffix.lower() in (".ts", ".npz"):
        return True
    if path.suffix.lower() == ".tsv":
        return given.get("target") is None and path.is_file() and is_bare(path)
    return not path.exists() and is_built_in(str(data))


def is_built_in(name: str) -> bool:
    """Whether a name is that of a built-in set of series with labels.

    Example:
        >>> is_built_in("japanese-vowels"), is_built_in("iris")
        (True, False)
    """
    from gradatim.data import catalogue

    return any(entry.name == name and entry.format in FORMATS for entry in catalogue())


def holds_files(folder: Path) -> bool:
    """Whether a folder, or its subfolders, hold tables, a series each, and no images.

    Args:
        folder: With or without subfolders of classes.
    """
    from gradatim.data.image_folder import ENDINGS as IMAGES

    endings = {path.suffix.lower() for path in islice(_two_floors(folder), LOOKED_AT)}
    return bool(endings & set(ENDINGS)) and not endings & set(IMAGES)


def _two_floors(folder: Path) -> Iterator[Path]:
    """Files of a folder and of its subfolders; what cannot be looked at is left out."""
    for pattern in ("*", "*/*"):
        with suppress(OSError):
            yield from (p for p in folder.glob(pattern) if not p.name.startswith("."))


def is_bare(path: Path) -> bool:
    """Whether the first line of a file holds numbers between tabs and nothing else, as UCR's do.

    Args:
        path: A file.
    """
    with path.open("rb") as file:
        cells = file.readline(1_000_000).decode("utf-8", "replace").rstrip("\r\n").split("\t")
    return len(cells) > 2 and all(is_number(cell) for cell in cells)


def is_number(cell: str) -> bool:
    """Whether a text is a number.

    Example:
        >>> is_number("-1.5e3"), is_number("x1")
        (True, False)
    """
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _read(data: Any, job: SequenceOptions) -> "SequencePlayer":
    from gradatim.fitting.sequences.player import read_player

    return read_player(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "SequenceModel":
    from gradatim.fitting.sequences.model import SequenceModel

    return SequenceModel.from_folder(description, tensors)


SEQUENCE = Kind(
    name="sequence",
    words="series with labels",
    title="Series with labels",
    options=SequenceOptions,
    is_meant=_is_meant,
    read=_read,
    load=_load,
)
