"""Losses and metrics over the epochs of one or several training runs."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gradatim.errors import InvalidValue
from gradatim.plots.style import PALETTE, new_figure

PHASES = ("train", "validation")


class RunRecords(Protocol):
    """A training history: one dictionary per epoch."""

    records: list[dict[str, float]]


Run = RunRecords | Mapping[str, Sequence[float]]


def learning_curves(runs: Mapping[str, Run], *, title: str = "") -> Figure:
    """Draw ``train_…`` and ``validation_…`` columns by epoch, one panel for each quantity.

    The validation curve is solid and the training curve is dashed. Losses that span two decades or
    more get a logarithmic scale. Where a panel holds more than four curves, one legend stands below.

    Args:
        runs: Histories by label: an object with ``records`` (one dictionary per epoch), or a mapping
            of columns such as ``{"epoch": …, "train_loss": …, "validation_accuracy": …}``.
        title: Heading above the panels.

    Example:
        >>> run = {"train_loss": [1.0, 0.4], "validation_loss": [1.1, 0.6]}
        >>> [axes.get_title() for axes in learning_curves({"MLP": run}).axes]
        ['loss']
    """
    tables = {label: _columns(run) for label, run in runs.items()}
    quantities = _quantities(tables)
    if not quantities:
        raise InvalidValue(
            "learning_curves: runs must hold a column such as train_loss or validation_loss, "
            f"got {sorted({name for table in tables.values() for name in table})}."
        )
    count = len(quantities)
    columns = min(count, 2)
    rows = -(-count // columns)
    figure, axes = new_figure(rows, columns, 7.0 if columns == 1 else 8.0, 3.4 * rows)
    panels = np.ravel(axes)
    for panel, quantity in zip(panels, quantities, strict=False):
        _draw(panel, quantity, tables)
    for panel in panels[count:]:
        panel.set_axis_off()
    _name_curves(figure, list(panels[:count]), len(tables))
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    return figure


def _columns(run: Run) -> dict[str, np.ndarray]:
    if isinstance(run, Mapping):
        return {name: np.asarray(values, dtype=float) for name, values in run.items()}
    names = dict.fromkeys(name for record in run.records for name in record)
    return {
        name: np.array([record.get(name, np.nan) for record in run.records], dtype=float)
        for name in names
    }


def _quantities(tables: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Quantities measured in either phase, the loss first."""
    found: dict[str, None] = {}
    for table in tables.values():
        for column in table:
            phase, _, quantity = column.partition("_")
            if phase in PHASES and quantity:
                found[quantity] = None
    return sorted(found, key=lambda quantity: quantity != "loss")


def _draw(panel: Axes, quantity: str, tables: Mapping[str, Mapping[str, np.ndarray]]) -> None:
    seen: list[np.ndarray] = []
    both = len({p for table in tables.values() for p in PHASES if f"{p}_{quantity}" in table}) > 1
    for index, (label, table) in enumerate(tables.items()):
        for phase in PHASES:
            values = table.get(f"{phase}_{quantity}")
            if values is None:
                continue
            seen.append(values)
            epochs = table.get("epoch", np.arange(1, len(values) + 1))
            color = PALETTE[(index if len(tables) > 1 else PHASES.index(phase)) % len(PALETTE)]
            panel.plot(
                epochs,
                values,
                color=color,
                linestyle="--" if phase == "train" and both else "-",
                linewidth=1.2 if phase == "train" and both else 1.8,
                marker="o" if len(values) < 4 else None,
                markersize=4,
                label=_label(label, phase, both=both),
            )
    _finish(panel, quantity, np.concatenate(seen))


def _label(run: str, phase: str, *, both: bool) -> str:
    if run and both:
        return f"{run}, {phase}"
    return run or phase


def _finish(panel: Axes, quantity: str, values: np.ndarray) -> None:
    panel.set(title=quantity.replace("_", " "), xlabel="epoch")
    panel.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    finite = values[np.isfinite(values)]
    if (
        quantity == "loss"
        and len(finite)
        and finite.min() > 0
        and finite.max() / finite.min() > 100
    ):
        panel.set_yscale("log")


def _name_curves(figure: Figure, panels: Sequence[Axes], runs: int) -> None:
    """Inside each panel, or where a name would lie on a curve, once for all below them."""
    if max(len(panel.lines) for panel in panels) <= 4:
        for panel in panels:
            panel.legend()
        return
    fullest_first = sorted(panels, key=lambda panel: -len(panel.lines))
    handles: dict[str, Any] = {}
    for line in (line for panel in fullest_first for line in panel.lines):
        # a panel of one phase names its curves by the run alone
        handles.setdefault(str(line.get_label()).removesuffix(", validation"), line)
    columns = runs if runs < 4 else 2
    figure.set_figheight(figure.get_figheight() + 0.22 * -(-len(handles) // columns))
    figure.legend(
        handles=list(handles.values()),
        loc="outside lower left",
        ncols=columns,
        frameon=False,
        fontsize=9,
    )
