"""A figure of samples and its interval, as a cell of a report."""

import math

from gradatim.generative import Estimate

SAID = "with 95 % intervals"  # of a table of such cells
DECIMALS = 3  # of a figure that chance does not move


def with_ends(own: Estimate | None) -> str | None:
    """A figure and both ends of its interval, to the second digit of its width.

    Args:
        own: The figure; ``None``, or one that is not defined, leaves the cell empty.

    Example:
        >>> with_ends(Estimate(0.51234, 0.48, 0.5456)), with_ends(Estimate(12.34567, 10.0, 14.5))
        ('0.512 (0.480 to 0.546)', '12.3 (10.0 to 14.5)')
    """
    if own is None or math.isnan(own.value):
        return None
    width = own.high - own.low
    decimals = max(1 - math.floor(math.log10(width)), 0) if width > 0 else DECIMALS
    value, low, high = (f"{end:,.{decimals}f}" for end in own)
    return f"{value} ({low} to {high})"


def percent_with_ends(own: Estimate | None) -> str | None:
    """A share in percent, and both ends of its interval.

    Args:
        own: The share; ``None`` leaves the cell empty.

    Example:
        >>> percent_with_ends(Estimate(0.5, 0.444, 0.556))
        '50 % (44 to 56)'
    """
    return None if own is None else f"{100 * own.value:.0f} % ({100 * own.low:.0f} to {100 * own.high:.0f})"  # fmt: skip
