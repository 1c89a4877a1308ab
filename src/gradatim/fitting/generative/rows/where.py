"""Values that columns of new rows must have."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from gradatim.errors import FEW, InvalidValue, choose, nearest_first, require
from gradatim.fitting.generative.rows.form import Form
from gradatim.generative import Margin


class Condition(NamedTuple):
    """A value that a column must have.

    Args:
        text: As it was typed.
        value: As the column holds it.
    """

    text: str
    value: object


def read_conditions(form: Form, margins: Mapping[str, Margin], where: Mapping[str, str]) -> dict[str, Condition]:  # fmt: skip
    """Read what was typed as values of columns.

    Args:
        form: How the table is written.
        margins: Distribution of every column, which knows its categories and its range.
        where: Values by column.
    """
    found = {}
    known = {own.column.name: own for own in form.learned}
    for name, text in where.items():
        if name in form.repeated:
            only = form.repeated[name] or ""
            require(text == only, f"sample: where {name} must be {only!r}, the only value that was seen", repr(text))  # fmt: skip
            continue
        printing = known.get(name)
        if printing is None:
            near = nearest_first(name, form.order)
            told = ", ".join(near[:FEW]) + (", …" if len(near) > FEW else "")
            raise InvalidValue(f"sample: where must name a column that the model learned, got {name!r}. It has {told}.")  # fmt: skip
        if not printing.is_number:
            levels = [str(level) for level in margins[name].levels]
            found[name] = Condition(text, choose("sample", f"where {name}", text, levels))
            continue
        value = printing.settle(printing.read(pd.Series([text], dtype="str"))).iloc[0]
        knots = margins[name].knots
        low, high = (printing.write(pd.Series([end])).iloc[0] for end in (knots[0], knots[-1]))
        if not knots[0] <= value <= knots[-1]:
            raise InvalidValue(f"sample: where {name} must be from {low} to {high}, got {text!r}.")
        found[name] = Condition(text, float(value))
    return found


def expected_share(margins: Mapping[str, Margin], conditions: Mapping[str, Condition]) -> float:
    """Share of rows that would meet all conditions if columns knew nothing of each other.

    Args:
        margins: Distribution of every column.
        conditions: Values by column.

    Example:
        >>> expected_share({"x": Margin(np.array([1.0, 1.0, 2.0, 3.0]), 0.2, False)}, {"x": Condition("1", 1.0)})
        0.4
    """
    share = 1.0
    for name, own in conditions.items():
        margin = margins[name]
        value = (
            own.value
            if isinstance(own.value, float)
            else float([str(level) for level in margin.levels].index(str(own.value)))
        )
        low, high = margin.jump(np.array([value]))
        share *= (1 - margin.missing) * float(high[0] - low[0])
    return share


def settle_conditions(table: pd.DataFrame, conditions: Mapping[str, Condition]) -> np.ndarray:
    """Which rows meet all conditions.

    Args:
        table: Rows, rounded as the data are.
        conditions: Values by column.

    Example:
        >>> settle_conditions(pd.DataFrame({"x": [1.0, 2.0]}), {"x": Condition("1", 1.0)}).tolist()
        [True, False]
    """
    met = np.ones(len(table), bool)
    for name, own in conditions.items():
        if isinstance(own.value, float):
            met &= np.isclose(table[name].to_numpy(np.float64), own.value, rtol=1e-9, atol=1e-9)
        else:
            met &= (table[name] == own.value).to_numpy(bool)
    return met
