"""A folder with one table per series, in one subfolder per class or with their targets in a table beside it."""

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from gradatim.data.tables.reading import PARQUET, read_table
from gradatim.errors import InvalidValue
from gradatim.files import is_result, or_unavailable
from gradatim.fitting.sequences.kind import ENDINGS, is_number
from gradatim.fitting.sequences.raw import Layout, RawSeries, from_table
from gradatim.wording import shorten

SHOWN_FAULTS = 3


def find_files(folder: Path) -> list[Path]:
    """Tables below a folder, in order; models and reports that we wrote there are no data.

    Args:
        folder: Where to look.
    """
    found: list[Path] = []
    with or_unavailable(f"{folder}: cannot be read"):
        for path in sorted(folder.iterdir()):
            if path.name.startswith("."):
                continue
            if path.is_dir() and not path.is_symlink():
                found += [] if is_result(path) else find_files(path)
            elif path.suffix.lower() in ENDINGS:
                found.append(path)
    return found


def read_folder(
    folder: Path,
    layout: Layout,
    *,
    leave_out: Path | None = None,
    has_labels: bool = False,
    most: int | None = None,
    seed: int = 0,
    owner: str = "fit",
) -> RawSeries:
    """Read every table below a folder as one series; the subfolder that it lies in is its class.

    Args:
        folder: The folder.
        layout: Which column of the tables holds times.
        leave_out: A table that is no series.
        has_labels: Whether the targets stand elsewhere.
        most: Files to read at the most, drawn at random.
        seed: Fixes the draw.
        owner: Who asks, for messages.
    """
    files = [f for f in find_files(folder) if leave_out is None or f.resolve() != leave_out.resolve()]  # fmt: skip
    if not files:
        raise InvalidValue(f"{owner}: {str(folder)!r} must hold tables (CSV, TSV, Parquet), one for each series, and holds none.")  # fmt: skip
    notes: list[str] = []
    if most is not None and len(files) > most:
        kept = np.sort(np.random.default_rng([seed, 3]).permutation(len(files))[:most])
        notes.append(f"A random sample of {most:,} of {len(files):,} series is used (a longer --budget or --rows takes more).")  # fmt: skip
        files = [files[k] for k in kept.tolist()]
    parts, read, faults = _read_all(files, layout, notes, owner)
    usual = Counter(tuple(part.steps.columns) for part in parts).most_common(1)[0][0]
    alike = {k: None for k, part in enumerate(parts) if set(usual) & set(part.steps.columns)}
    faults += [f"{p}: must have columns of the others, such as {usual[0]!r}" for k, p in enumerate(read) if k not in alike]  # fmt: skip
    notes += [f"{shorten(fault.rstrip('.'), 200)}; this file is skipped." for fault in faults[:SHOWN_FAULTS]]  # fmt: skip
    if len(faults) > SHOWN_FAULTS:
        notes.append(f"{len(faults) - SHOWN_FAULTS:,} more files could not be read and are skipped.")  # fmt: skip
    parts, read = [parts[k] for k in alike], [read[k] for k in alike]
    raw = _joined(parts, folder, read, notes)
    if not has_labels and all(path.parent != folder for path in read):
        classes = [path.relative_to(folder).parts[0] for path in read]
        raw.target = pd.Series(classes, name="class", dtype=object)
        raw.target_name = "class"
    return raw


def _read_all(
    files: list[Path], layout: Layout, notes: list[str], owner: str
) -> tuple[list[RawSeries], list[Path], list[str]]:
    """One series of each file that can be read, which these are, and what is wrong with the others."""
    parts: list[RawSeries] = []
    read: list[Path] = []
    faults: list[str] = []
    for path in files:
        try:
            frame, said = read_steps(path)
            parts.append(from_table(frame, Layout(None, layout.time), path.stem, said, owner=owner)[0])  # fmt: skip
        except InvalidValue as error:
            faults.append(str(error))
            continue
        read.append(path)
        notes += [note for note in said if note not in notes]
    if not parts:
        raise InvalidValue(faults[0])
    return parts, read, faults


def _joined(parts: list[RawSeries], folder: Path, files: list[Path], notes: list[str]) -> RawSeries:
    steps = pd.concat([part.steps for part in parts], ignore_index=True)
    short = [c for c in steps.columns if any(c not in part.steps.columns for part in parts)]
    notes += [
        f"Column {c!r} is missing in {sum(c not in p.steps.columns for p in parts):,} of {len(parts):,} series."
        for c in short[:SHOWN_FAULTS]
    ]
    stamps = [part.stamps for part in parts if part.stamps is not None]
    return RawSeries(
        folder.resolve().name or "series",
        steps,
        np.array([int(part.lengths[0]) for part in parts]),
        [str(path.relative_to(folder)) for path in files],
        "file",
        stamps=np.concatenate(stamps) if stamps else None,
        is_date=parts[0].is_date,
        notes=notes,
    )


def read_steps(path: Path) -> tuple[pd.DataFrame, list[str]]:
    """Read the table of one series; one without a header has channels ``x1``, ``x2``, …

    Args:
        path: CSV, TSV or Parquet.

    Returns:
        The steps, and what was done while reading.
    """
    table = read_table(path)
    frame, notes = table.frame, table.notes
    if path.suffix.lower() in PARQUET or not all(is_number(_original(n)) for n in frame.columns):
        return frame, notes
    names = [f"x{k + 1}" for k in range(frame.shape[1])]
    head = pd.DataFrame([[_original(n) for n in frame.columns]], columns=names, dtype=object)
    whole = pd.concat([head, frame.set_axis(names, axis=1).astype(object)], ignore_index=True)
    said = "The tables of series have no header: their columns are called x1, x2, … here."
    return whole, [*(note for note in notes if "is called" not in note and "called" not in note), said]  # fmt: skip


def _original(name: str) -> str:
    """A cell of the first line, without what a second one of the same name was given."""
    parts = name.split(".")
    return name if is_number(name) or len(parts) < 2 else ".".join(parts[:-1])
