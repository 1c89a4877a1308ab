r"""How much rows weigh: by numbers of the user's, by their class, or both.

.. math:: w_i = s_i\,c_{y_i}, \qquad c_k = \frac{\sum_j s_j}{K \sum_{j:\,y_j = k} s_j} \quad\text{(balanced)}
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradatim.errors import InvalidType, InvalidValue, require

BALANCED = "balanced"
ClassWeight = str | Mapping[Any, float] | None


def check_weights(owner: str, name: str, weight: Any, rows: int) -> np.ndarray:
    """Return weights as numbers, once there is one for each row, none negative and not all zero.

    Args:
        owner: Who asks, for the message.
        name: What the weights are called there.
        weight: Numbers.
        rows: How many there must be.

    Example:
        >>> check_weights("Trainer", "sample_weight", [1, 2], 2)
        array([1., 2.])
        >>> check_weights("Trainer", "sample_weight", [1, -2], 2)
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: Trainer: sample_weight must not be negative, got -2.0 in row 1.
    """
    try:
        values = np.asarray(weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidType(f"{owner}: {name} must be numbers, got {type(weight).__name__}.") from None  # fmt: skip
    is_one_each = values.shape == (rows,)
    require(is_one_each, f"{owner}: {name} must hold one number for each of {rows} rows", f"shape {values.shape}")  # fmt: skip
    for is_bad, rule in ((~np.isfinite(values), "be finite"), (values < 0, "not be negative")):
        if is_bad.any():
            row = int(is_bad.argmax())
            raise InvalidValue(f"{owner}: {name} must {rule}, got {values[row]} in row {row}.")
    require(values.sum() > 0, f"{owner}: {name} must be more than 0 for some row", "zeros only")
    return values


def class_factors(owner: str, class_weight: ClassWeight, y: np.ndarray, weight: np.ndarray | None = None, names: Any = None) -> np.ndarray:  # fmt: skip
    """The factor of every class.

    Args:
        owner: Who asks, for the message.
        class_weight: ``"balanced"``, or a factor by class; a class that is not there counts 1.
        y: Class numbers.
        weight: Of every row, where rows weigh already.
        names: What the classes are called in a mapping; their numbers by default.

    Example:
        >>> class_factors("Trainer", "balanced", np.array([0, 0, 0, 1])).tolist()
        [0.6666666666666666, 2.0]
        >>> class_factors("Trainer", {1: 5.0}, np.array([0, 0, 0, 1])).tolist()
        [1.0, 5.0]
    """
    known = list(range(int(y.max()) + 1) if names is None else names)
    if isinstance(class_weight, str):
        rule = f"{owner}: class_weight must be 'balanced', a factor by class or None"
        require(class_weight == BALANCED, rule, repr(class_weight), "Try 'balanced'.")
        totals = np.bincount(y, weight, len(known))
        is_there = totals > 0
        return np.where(is_there, totals.sum() / (is_there.sum() * np.where(is_there, totals, 1.0)), 1.0)  # fmt: skip
    if not isinstance(class_weight, Mapping):
        raise InvalidType(f"{owner}: class_weight must be 'balanced', a factor by class or None, got {class_weight!r}.")  # fmt: skip
    strange = [name for name in class_weight if name not in known]
    rule = (
        f"{owner}: class_weight must name classes of the target ({', '.join(map(repr, known[:6]))})"
    )
    require(not strange, rule, repr(strange[0]) if strange else "")
    return check_weights(owner, "class_weight", [class_weight.get(name, 1.0) for name in known], len(known))  # fmt: skip


def row_weights(owner: str, y: Any, sample_weight: Any = None, class_weight: ClassWeight = None) -> np.ndarray | None:  # fmt: skip
    """The weight of every row; ``None`` where all weigh the same.

    Args:
        owner: Who asks, for the message.
        y: Targets, shape ``(N, ...)``; class numbers where classes weigh.
        sample_weight: Of every row.
        class_weight: As in :func:`class_factors`.

    Example:
        >>> row_weights("Trainer", np.array([0, 0, 1]), [1, 1, 2], {1: 3.0}).tolist()
        [1.0, 1.0, 6.0]
    """
    weight = None if sample_weight is None else check_weights(owner, "sample_weight", sample_weight, len(y))  # fmt: skip
    if class_weight is None:
        return weight
    codes = np.asarray(y)
    codes = codes[:, 0] if codes.ndim == 2 and codes.shape[1] == 1 else codes
    is_coded = codes.ndim == 1 and codes.size and np.array_equal(codes, codes.astype(np.int64)) and codes.min() >= 0  # fmt: skip
    rule = f"{owner}: class_weight must come with targets that are class numbers 0, 1, …"
    require(is_coded, rule, f"targets of shape {np.shape(y)} of type {np.asarray(y).dtype}")
    codes = codes.astype(np.int64)
    factors = class_factors(owner, class_weight, codes, weight)[codes]
    return factors if weight is None else factors * weight
