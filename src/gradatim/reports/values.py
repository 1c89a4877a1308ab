"""Numbers as readers and JSON files want them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gradatim.errors import InvalidType

Value = str | int | float | bool | None


def plain_value(owner: str, argument: str, value: object) -> Value:
    """Turn a number of any library into Python's own; strings and ``None`` pass.

    Example:
        >>> import numpy as np
        >>> plain_value("Report", "measured", np.float64(0.5))
        0.5
    """
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    if value is None or isinstance(value, str | int | float):
        return value
    raise InvalidType(
        f"{owner}: {argument} must be a string or a number, got {type(value).__name__}. "
        "Format it as a string first."
    )


def json_value(value: object) -> Any:
    """Make ``value`` valid in JSON: tuples become lists, infinities and NaN become strings.

    Example:
        >>> json_value({"lr": (0.1, float("inf"))})
        {'lr': [0.1, 'inf']}
    """
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _decimals(value: float) -> int:
    """Decimals that show four significant digits of ``value``."""
    rounded = float(f"{value:.3e}")
    return max(0, 3 - math.floor(math.log10(abs(rounded)))) if rounded else 0


def _is_plain(value: float) -> bool:
    """Whether fixed-point notation suits ``value``."""
    return value == 0 or (math.isfinite(value) and 1e-4 <= abs(value) < 1e7)


def format_value(value: object, *, decimals: int | None = None) -> str:
    """Show a value: four significant digits, thousands separated, a dash for nothing.

    Args:
        value: A string, number, truth value or ``None``; anything else is shown by ``str``.
        decimals: How many decimals to keep though they be zero, never past the fourth significant
            digit. ``None`` drops trailing zeros.

    Example:
        >>> [format_value(v) for v in (0.98765, 235146, 1 / 3e6, 12345.6, 2.0, True, None)]
        ['0.9877', '235,146', '3.333e-07', '12,346', '2', 'yes', '–']
        >>> format_value(0.95, decimals=4)
        '0.9500'
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if not _is_plain(value):
        return f"{value:.4g}".replace("inf", "∞")
    own = _decimals(value)
    text = f"{value:,.{own}f}"
    stripped = text.rstrip("0").rstrip(".") if "." in text else text
    if decimals is None or len(stripped.partition(".")[2]) >= min(decimals, own):
        return stripped
    return f"{value:,.{min(decimals, own)}f}"


def format_column(values: Sequence[object]) -> list[str]:
    """Format one column of a table so that its numbers show the same decimals where they can.

    Example:
        >>> format_column([1.8, 2.0, 12.345])
        ['1.80', '2.00', '12.35']
    """
    numbers = [v for v in values if isinstance(v, float) and _is_plain(v)]
    kept = max((len(format_value(v).partition(".")[2]) for v in numbers), default=0)
    return [format_value(value, decimals=kept) for value in values]


def is_number(value: object) -> bool:
    """Whether ``value`` is a number that a table should align to the right."""
    return isinstance(value, int | float) and not isinstance(value, bool)
