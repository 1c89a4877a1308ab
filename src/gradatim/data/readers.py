"""From the published bytes to arrays: one function per format, each checked by the shape it makes."""

import io
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

_IDX_UNSIGNED_BYTE = b"\x00\x00\x08"


def read_idx(content: bytes) -> np.ndarray:
    r"""Read an array of bytes in the IDX format of MNIST.

    The file is ``0 0 8 d``, then :math:`d` big-endian 32-bit lengths, then the values row by row.

    Args:
        content: The file.

    Example:
        >>> read_idx(bytes([0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 3, 7, 8, 9]))
        array([[7, 8, 9]], dtype=uint8)
    """
    if content[:3] != _IDX_UNSIGNED_BYTE:
        raise ValueError(f"an IDX file of bytes starts with 0 0 8, got {list(content[:3])}")
    dims = content[3]
    shape = np.frombuffer(content, ">u4", count=dims, offset=4).tolist()
    return np.frombuffer(content, np.uint8, offset=4 + 4 * dims).reshape(shape)


def read_pixels(content: bytes, size: int) -> np.ndarray:
    """View interleaved red, green and blue bytes as images ``(N, 3, size, size)``.

    Args:
        content: Pixels, image after image, row after row.
        size: Height and width.

    Example:
        >>> read_pixels(bytes([1, 2, 3]), size=1).ravel()
        array([1, 2, 3], dtype=uint8)
    """
    return np.frombuffer(content, np.uint8).reshape(-1, size, size, 3).transpose(0, 3, 1, 2)


def read_labels(content: bytes) -> np.ndarray:
    """Read a JSON list of whole numbers.

    Args:
        content: The file.

    Example:
        >>> read_labels(b"[6, 9]")
        array([6, 9])
    """
    return np.array(json.loads(content), dtype=np.int64)


def read_zip_code(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Read the digits of the US Postal Service: images ``(N, 1, 16, 16)`` in [-1, 1], and labels.

    The file starts with ``10 256`` (classes, pixels), ends with ``-1``, and holds per digit its label
    and 256 inks from 0 to 2.

    Args:
        content: The file.
    """
    numbers = np.array(content.split(), dtype=np.float32)
    rows = numbers[2:-1].reshape(-1, 257)
    return rows[:, 1:].reshape(-1, 1, 16, 16) - 1, rows[:, 0].astype(np.int64)


def read_numbers(content: bytes) -> np.ndarray:
    """Read comma-separated numbers without a header as ``(N, D)``.

    Args:
        content: The file.

    Example:
        >>> read_numbers(b"1,2.5\\n3,4\\n")
        array([[1. , 2.5],
               [3. , 4. ]])
    """
    return np.loadtxt(io.BytesIO(content), delimiter=",", ndmin=2)


def read_reviews(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Read a JSON list of ``{"t": text, "s": label}`` as texts and labels.

    Args:
        content: The file.

    Example:
        >>> read_reviews(b'[{"t": "Good.", "s": 1}]')
        (array(['Good.'], dtype=object), array([1]))
    """
    reviews = json.loads(content)
    texts = np.array([review["t"] for review in reviews], dtype=object)
    return texts, np.array([review["s"] for review in reviews], dtype=np.int64)


def read_vocabulary(content: bytes) -> np.ndarray:
    """Read tokens in the order of their numbers: a JSON object of numbers, or one token per line.

    Args:
        content: The file.

    Example:
        >>> read_vocabulary(b'{"b": 1, "a": 0}'), read_vocabulary(b"a\\nb\\n")
        (array(['a', 'b'], dtype=object), array(['a', 'b'], dtype=object))
    """
    text = content.decode()
    if text.startswith("{"):
        numbers = json.loads(text)
        return np.array(sorted(numbers, key=numbers.__getitem__), dtype=object)
    return np.array(text.removesuffix("\n").split("\n"), dtype=object)


def read_word_vectors(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Read a word and its numbers a line, separated by spaces, as vectors ``(N, dim)`` and words ``(N,)``.

    Args:
        content: The file.

    Example:
        >>> read_word_vectors(b"the 0.5 1\\ncat -1 2\\n")
        (array([[ 0.5,  1. ],
               [-1. ,  2. ]], dtype=float32), array(['the', 'cat'], dtype=object))
    """
    words, numbers = [], []
    for line in content.splitlines():
        word, _, rest = line.partition(b" ")
        words.append(word.decode())
        numbers.append(rest)
    vectors = np.fromstring(b" ".join(numbers), dtype=np.float32, sep=" ")
    return vectors.reshape(len(words), -1), np.array(words, dtype=object)


def read_table(content: bytes) -> "pd.DataFrame":
    """Read comma-separated values with a header.

    Args:
        content: The file.
    """
    import pandas as pd

    return pd.read_csv(io.BytesIO(content))


def join_images(parts: Iterable[np.ndarray], raw: bool) -> np.ndarray:
    """Join images of bytes; unless ``raw``, as ``float32`` in [0, 1].

    Args:
        parts: Images ``(N_i, C, H, W)``.
        raw: Keep bytes.

    Example:
        >>> join_images([np.full((1, 1, 1, 2), 51, np.uint8)], raw=False)
        array([[[[0.2, 0.2]]]], dtype=float32)
    """
    parts = list(parts)
    shape = (sum(map(len, parts)), *parts[0].shape[1:])
    images = np.empty(shape, np.uint8 if raw else np.float32)
    start = 0
    for part in parts:  # straight into place: the big sets never lie twice in memory as floats
        place = images[start : start + len(part)]
        if raw:
            place[...] = part
        else:
            np.divide(part, 255, out=place, dtype=np.float32)
        start += len(part)
    return images
