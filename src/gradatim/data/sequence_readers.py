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
    return _as_objects(np.split(X, np.cumsum(lengths)[:-1])), y.astype(np.int64)


def read_ts(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Read labelled series in the ``.ts`` format of the UEA archive.

    After a head of lines that begin with ``#`` or ``@``, a line is a sample: channels between colons,
    values between commas, a label from 1 at the end.

    Args:
        content: The file.

    Returns:
        Sequences ``(N,)`` of arrays ``(T_n, D)``, and labels ``(N,)`` from zero.

    Example:
        >>> X, y = read_ts(b"@classLabel true 1 2\\n@data\\n1,2,3:4,5,6:2\\n7:8:1\\n")
        >>> X[0].T.tolist(), y
        ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], array([1, 0]))
    """
    samples, labels = [], []
    for line in content.decode().splitlines():
        if line and line[0] not in "#@":
            *channels, label = line.split(":")
            rows = [np.array(channel.split(","), dtype=np.float64) for channel in channels]
            samples.append(np.stack(rows, axis=1))  # (T, D)
            labels.append(int(label) - 1)
    return _as_objects(samples), np.array(labels, dtype=np.int64)


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
    return _as_objects(row[0] for row in rows), _as_objects(row[1] for row in rows)


def _as_objects(items: Iterable[object]) -> np.ndarray:
    """Shape ``(N,)``, also where all items are arrays of one shape."""
    items = list(items)
    array = np.empty(len(items), dtype=object)
    for index, item in enumerate(items):
        array[index] = item
    return array
