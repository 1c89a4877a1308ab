"""What Python users hold in memory, as the tables and pictures that ``fit`` and ``predict`` know."""

from typing import Any

import numpy as np
import pandas as pd

from gradatim.errors import InvalidType, InvalidValue

TARGET, TEXT = "target", "text"
CHANNELS = (1, 3)


def as_rows(data: Any) -> "pd.DataFrame | np.ndarray":
    """Give arrays columns with names: ``x1``, ``x2``, … or ``text``; a data frame stays as it is, images become pictures.

    Args:
        data: A data frame, numbers of shape ``(N,)`` or ``(N, D)``, texts, or images.

    Example:
        >>> as_rows([[1.0, 2.0]]).columns.tolist(), as_rows(["a text"]).columns.tolist()
        (['x1', 'x2'], ['text'])
    """
    if isinstance(data, pd.DataFrame):
        return data
    X = _array(data)
    if X.ndim > 2:
        return as_pictures(X)
    if X.ndim == 0 or (X.dtype == object and X.ndim == 2):
        raise InvalidType(
            f"fit: data must be a file, a data frame or arrays, got a {type(data).__name__}."
        )
    if X.ndim == 1 and (X.dtype.kind in "UT" or X.dtype == object):
        return pd.DataFrame({TEXT: X})
    return pd.DataFrame(X, columns=[f"x{k + 1}" for k in range(X.shape[1] if X.ndim == 2 else 1)])


def join_target(data: Any, given: dict[str, Any]) -> Any:
    """Put the target of a pair beside its rows; images and their classes stay a pair.

    Args:
        data: What :func:`as_rows` takes, or a pair of that and what to predict from it.
        given: Options by name; gains the target and the column of texts.

    Example:
        >>> given = {}
        >>> join_target((np.eye(2), [5.0, 6.0]), given)
            x1   x2  target
        0  1.0  0.0     5.0
        1  0.0  1.0     6.0
        >>> given
        {'target': 'target'}
    """
    if not isinstance(data, tuple):
        rows = as_rows(data)
        if isinstance(rows, np.ndarray):
            raise InvalidType("fit: images must come with their classes, as a pair, got images alone.")  # fmt: skip
        return rows
    if len(data) != 2:
        raise InvalidType(f"fit: data must be a pair of rows and targets, got {len(data)} things.")
    X, y = as_rows(data[0]), _array(data[1])
    if isinstance(X, np.ndarray) and y.ndim == 3:
        return _with_masks(X, y)
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    if y.ndim != 1:
        raise InvalidValue(f"fit: targets must be one for every row, got shape {y.shape}.")
    if len(X) != len(y):
        raise InvalidValue(
            f"fit: data must have a target for every row, got {len(X)} rows and {len(y)} targets."
        )
    if isinstance(X, np.ndarray):
        return X, y.astype(str) if y.dtype == object else y
    if not isinstance(data[0], pd.DataFrame) and TEXT in X:
        given["text"] = TEXT
    given["target"] = str(given.get("target") or getattr(data[1], "name", None) or TARGET)
    return X.reset_index(drop=True).assign(**{given["target"]: y})


def _with_masks(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if y.shape != X.shape[:3]:
        raise InvalidValue(
            f"fit: masks must have a class for every pixel of the images, {X.shape[:3]}, got shape {y.shape}."
        )
    return X, y


def as_pictures(X: np.ndarray) -> np.ndarray:
    """Images as pictures of whole numbers from 0 to 255, shape ``(N, side, side, channels)``.

    Args:
        X: Shape ``(N, side, side)``, or with one or three channels last or second; brightness from 0 to 1, or whole numbers
            from 0 to 255.

    Example:
        >>> as_pictures(np.ones((2, 3, 8, 8))).shape, as_pictures(np.ones((2, 8, 8))).max()
        ((2, 8, 8, 3), np.uint8(255))
    """
    pictures = X[..., None] if X.ndim == 3 else X
    if pictures.ndim == 4 and pictures.shape[3] not in CHANNELS and pictures.shape[1] in CHANNELS:
        pictures = np.moveaxis(pictures, 1, -1)
    n, height, width, channels = pictures.shape if pictures.ndim == 4 else (0, 0, 1, 0)
    if height != width or height == 0 or channels not in CHANNELS:
        raise InvalidValue(
            f"fit: images must be square with one or three channels, got shape {X.shape}. Cut them first."
        )
    if pictures.dtype == np.uint8:
        return pictures
    if pictures.dtype.kind not in "biuf":
        raise InvalidType(f"fit: images must be numbers, got {pictures.dtype}.")
    low, high = (float(pictures.min()), float(pictures.max())) if n else (0.0, 0.0)
    top = 1.0 if pictures.dtype.kind == "f" else 255.0
    if not 0.0 <= low <= high <= top:
        raise InvalidValue(
            f"fit: images must lie between 0 and {top:g}, got values from {low:g} to {high:g}."
        )
    return (pictures * (255.0 / top)).round().astype(np.uint8)


def _array(values: Any) -> np.ndarray:
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        values = values.float() if values.is_floating_point() and values.itemsize < 4 else values
    try:
        return np.asarray(values)
    except ValueError as error:
        raise InvalidValue("fit: data must have rows of one length, got rows of several.") from error  # fmt: skip
