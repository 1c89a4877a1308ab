"""Tables side by side: how cells are distributed, and how pairs of columns hang together."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gradatim.errors import require
from gradatim.plots.style import INK, MUTED, PALETTE, SEQUENTIAL, new_figure
from gradatim.wording import shorten

MOST_LEVELS = 8  # bars of a category
LARGEST = 1e100  # drawn as it is
ROUNDED = 10  # values of rounded numbers in a bin, at the most
BINS = 24
COLUMNS = 4
DATED = (-719_000.0, 2_932_000.0)  # days since 1970 that have a year of four digits


def marginal_panels(
    tables: Mapping[str, pd.DataFrame],
    columns: Sequence[str],
    *,
    dates: Collection[str] = (),
    width: float = 2.7,
) -> Figure:
    """Draw the distribution of columns, all tables on one scale: numbers as steps, categories as bars.

    Args:
        tables: By name, the real one first, which is filled.
        columns: Names of what is drawn.
        dates: Columns whose numbers are days since 1970.
        width: Inches of a panel.

    Example:
        >>> table = pd.DataFrame({"x": [1.0, 2.0, 2.5], "c": ["u", "v", "v"]})
        >>> len(marginal_panels({"real": table, "made": table}, ["x", "c"]).axes)
        2
    """
    require(len(columns) > 0, "marginal_panels: columns must name at least one", "none")
    across = min(COLUMNS, len(columns))
    down = -(-len(columns) // across)
    figure, axes = new_figure(rows=down, columns=across, width=width * across, height=2.1 * down + 0.4)  # fmt: skip
    panels = np.ravel(axes)
    for axis, name in zip(panels, columns, strict=False):
        own = {label: table[name] for label, table in tables.items()}
        first = next(iter(own.values()))
        is_number = pd.api.types.is_numeric_dtype(first) and not pd.api.types.is_bool_dtype(first)
        (_steps if is_number else _bars)(axis, own)
        if is_number:
            _mark(axis, is_date=name in dates)
        axis.set_title(shorten(str(name), 26), fontsize=9)
        axis.set_yticks([])
        axis.tick_params(labelsize=8)
    for axis in panels[len(columns) :]:
        axis.remove()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(tables), frameon=False)
    return figure


def _steps(axis: Axes, columns: Mapping[str, pd.Series]) -> None:
    present = {label: own.dropna().to_numpy(np.float64) for label, own in columns.items()}
    largest = max((float(np.abs(values).max(initial=0.0)) for values in present.values()), default=0.0)  # fmt: skip
    if largest > LARGEST:  # Matplotlib's own sums would overflow
        power = int(np.log10(largest))
        present = {label: values / 10.0**power for label, values in present.items()}
        axis.set_xlabel(f"in units of 1e{power}", fontsize=8)
    first = next(iter(present.values()))
    edges = _edges(first)
    top = 0.0
    for k, (label, values) in enumerate(present.items()):
        shares = np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0] / max(len(values), 1)
        top = max(top, float(shares.max()))
        if k == 0:
            axis.stairs(shares, edges, fill=True, color="#D9DDE3", label=label)
        else:
            axis.stairs(shares, edges, color=PALETTE[k - 1], linewidth=1.4, label=label)
    rest = sorted(np.histogram(np.clip(first, edges[0], edges[-1]), edges)[0] / max(len(first), 1))
    if len(rest) > 1 and top > 6 * rest[-2] > 0:  # a spike would flatten all others
        axis.set_ylim(0, 2.5 * rest[-2])


def _edges(values: np.ndarray) -> np.ndarray:
    """Ends of bins from the rarest low to the rarest high values, each with equally many values of rounded numbers.

    >>> _edges(np.array([0.0, 1.0, 1.0, 3.0]))
    array([-0.5,  0.5,  1.5,  2.5,  3.5])
    """
    low, high = np.quantile(values, [0.005, 0.995], method="nearest") if len(values) else (0.0, 1.0)
    gaps = np.diff(np.unique(values[(values >= low) & (values <= high)]))
    grain = float(gaps.min(initial=high - low))
    if not 0 < high - low <= ROUNDED * BINS * grain or not np.allclose(gaps / grain, np.round(gaps / grain), rtol=0, atol=1e-3):  # fmt: skip
        return np.linspace(low, high if high > low else low + 1, BINS + 1)
    count = round((high - low) / grain) + 1
    together = -(-count // BINS)
    places = np.arange(-(-count // together) + 1)
    edges: np.ndarray = low + grain * (together * places - 0.5)
    return edges


def _mark(axis: Axes, *, is_date: bool) -> None:
    """Choose few marks of the axis, so that they do not run into each other."""
    low, high = axis.get_xlim()
    if is_date and DATED[0] < low and high < DATED[1]:
        locator = AutoDateLocator(minticks=2, maxticks=4)
        axis.xaxis.set_major_locator(locator)
        axis.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    else:
        axis.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))


def _bars(axis: Axes, columns: Mapping[str, pd.Series]) -> None:
    first = next(iter(columns.values()))
    levels = [str(level) for level in first.astype(str).value_counts().index[:MOST_LEVELS]]
    size = 0.8 / len(columns)
    for k, (label, own) in enumerate(columns.items()):
        shares = own.astype(str).value_counts(normalize=True)
        heights = [float(shares.get(level, 0.0)) for level in levels]
        places = np.arange(len(levels)) + (k - (len(columns) - 1) / 2) * size
        colour = "#D9DDE3" if k == 0 else PALETTE[k - 1]
        axis.bar(places, heights, size, color=colour, label=label)
    axis.set_xticks(range(len(levels)), [shorten(level, 14) for level in levels])


def pair_maps(maps: Mapping[str, pd.DataFrame], *, low: float = 0.5) -> Figure:
    """Draw the similarity of every pair of columns, one map for each generator.

    Args:
        maps: Symmetric tables of similarities from 0 to 1, by name.
        low: Similarity at which colours begin.

    Example:
        >>> table = pd.DataFrame(np.ones((2, 2)), index=list("ab"), columns=list("ab"))
        >>> pair_maps({"copula": table}).axes[0].get_title()
        'copula'
    """
    count = len(maps)
    figure, axes = new_figure(columns=count, width=3.9 * count + 0.6, height=4.0)
    image = None
    for axis, (title, table) in zip(np.ravel(axes), maps.items(), strict=True):
        image = axis.imshow(1.0 - table.to_numpy(np.float64), cmap=SEQUENTIAL, vmin=0.0, vmax=1.0 - low)  # fmt: skip
        axis.grid(visible=False)
        axis.set_title(title)
        names = [shorten(str(name), 18) for name in table.columns]
        if len(names) <= 16:
            axis.set_xticks(range(len(names)), names, rotation=90, fontsize=7, color=INK)
            axis.set_yticks(range(len(names)), names, fontsize=7, color=INK)
        else:
            axis.set_xticks([])
            axis.set_yticks([])
            axis.set_xlabel(f"{len(names)} columns", color=MUTED)
    assert image is not None
    bar = figure.colorbar(image, ax=list(np.ravel(axes)), shrink=0.8)
    bar.set_label("1 - similarity")
    return figure
