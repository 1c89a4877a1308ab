"""A figure of samples and its interval, as a cell of a report."""

from gradatim.generative import Estimate
from gradatim.wording import brief

SAID = "with 95 % intervals"  # of a table of such cells


def with_ends(own: Estimate | None) -> str | None:
    """Three digits of a figure, and both ends of its interval.

    Args:
        own: The figure; ``None`` leaves the cell empty.

    Example:
        >>> with_ends(Estimate(0.51234, 0.48, 0.5456)), with_ends(Estimate(12.34567, 11.0, 13.5))
        ('0.512 (0.48 to 0.546)', '12.3 (11 to 13.5)')
    """
    return (
        None
        if own is None
        else f"{brief(own.value, 3)} ({brief(own.low, 3)} to {brief(own.high, 3)})"
    )


def percent_with_ends(own: Estimate | None) -> str | None:
    """A share in percent, and both ends of its interval.

    Args:
        own: The share; ``None`` leaves the cell empty.

    Example:
        >>> percent_with_ends(Estimate(0.5, 0.444, 0.556))
        '50 % (44 to 56)'
    """
    return None if own is None else f"{100 * own.value:.0f} % ({100 * own.low:.0f} to {100 * own.high:.0f})"  # fmt: skip
