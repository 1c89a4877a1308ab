"""How much each column matters."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from gradatim.errors import InvalidValue
from gradatim.plots.bars import comparison_bars

MAX_BARS = 15


def importance_bars(values: Mapping[str, float], *, label: str = "importance") -> Figure:
    """Draw the most important columns as bars, the largest on top.

    Args:
        values: Importance of every column.
        label: What the number is.

    Example:
        >>> figure = importance_bars({"rooms": 2.0, "age": 3.0})
        >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
        ['age', 'rooms']
    """
    if not values:
        raise InvalidValue("importance_bars: values must name at least one column, got none.")
    order = sorted(values, key=lambda name: -values[name])[:MAX_BARS]
    return comparison_bars({name: float(f"{values[name]:.3g}") for name in order}, label=label)
