"""Rates of convergence, read from measurements."""

import numpy as np
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue


def log_log_slope(sizes: ArrayLike, errors: ArrayLike) -> float:
    r"""The exponent :math:`a` of the power law :math:`\text{error} \approx c\,m^a` that fits best in the log-log plane.

    Args:
        sizes: :math:`m`, positive, two or more.
        errors: Positive, one for each size.

    Example:
        >>> round(log_log_slope([1, 2, 4, 8], [5.0, 2.5, 1.25, 0.625]), 6)
        -1.0
    """
    x, y = np.asarray(sizes, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1 or len(x) < 2 or not (x > 0).all() or not (y > 0).all():
        raise InvalidValue(
            "log_log_slope: sizes and errors must be equally many positive numbers, two or more, "
            f"got {sizes!r} and {errors!r}."
        )
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])
