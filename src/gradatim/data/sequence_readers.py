"""From the published bytes to sequences of different lengths, and to pairs of sentences."""

import io
from collections.abc import Iterable

import numpy as np


def read_ragged(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Read an NPZ file whose sequences lie end to end in ``X`` and are ``lengths`` long.

    Args:
        content: The file.

    Returns:
        Sequences ``(N,)`` of arrays ``(T_n, D)``, and labels ``(N,)``.
    """
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        X, y, lengths = (file[name] for name in ("X", "y", "lengths"))
    if lengths.sum() != len(X) or len(lengths) != len(y):
        raise ValueError(f"{lengths.sum()} steps are announced, {len(X)} are there")
    return as_objects(np.split(X, np.cumsum(lengths)[:-1])), y.astype(np.int64)


def sort_classes(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the different labels by their numbers, or by the alphabet where one is no number.

    Args:
        labels: Labels of all samples.

    Example:
        >>> sort_classes(["10", "9", "-1", "9"]), sort_classes(["b", "10", "9"])
        (('-1', '9', '10'), ('10', '9', 'b'))
    """
    different = sorted(set(labels))
    try:
        return tuple(sorted(different, key=float))
    except ValueError:
        return tuple(different)


def read_pairs(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Read lines of a sentence, its translation and a remark, separated by tabs.

    Args:
        content: The file.

    Example:
        >>> read_pairs("Go.\\tVe.\\tby CK\\n".encode())
        (array(['Go.'], dtype=object), array(['Ve.'], dtype=object))
    """
    rows = [line.split("\t") for line in content.decode().splitlines()]
    if any(len(row) < 2 for row in rows):
        raise ValueError("a line lacks its translation")
    return as_objects(row[0] for row in rows), as_objects(row[1] for row in rows)


def as_objects(items: Iterable[object]) -> np.ndarray:
    """Return an array ``(N,)`` of objects, also where all of them are arrays of one shape."""
    items = list(items)
    array = np.empty(len(items), dtype=object)
    for index, item in enumerate(items):
        array[index] = item
    return array
