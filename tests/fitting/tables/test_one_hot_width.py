import numpy as np
import pandas as pd
import pytest

from gradatim.data.tables.reading import read_table
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.one_hot_width import (
    LEAST,
    estimate_width,
    keep_affordable_columns,
    keep_affordable_rows,
)
from gradatim.fitting.tables.player import read_player


def towns(rows, columns=30, levels=40):
    rng = np.random.default_rng(0)
    names = np.array([f"town {k}" for k in range(levels)])
    frame = pd.DataFrame({f"c{k}": names[rng.integers(0, levels, rows)] for k in range(columns)})
    return frame.assign(y=rng.normal(size=rows))


def test_width_counts_levels_and_numbers():
    assert estimate_width(towns(500)) == 30 * 40 + 1
    assert estimate_width(towns(500, levels=400).astype(str)) == 30 * 50 + 1


@pytest.mark.parametrize(
    ("options", "rows"),
    [({"budget": 5.0}, 2081), ({"budget": 60.0}, 4000), ({"budget": 0.5}, LEAST), ({"rows": 3000}, 4000), ({"trials": 1}, 4000)],
)  # fmt: skip
def test_rows_follow_from_budget_and_width(options, rows):
    raw = read_table(towns(4000))
    keep_affordable_rows(raw, TableOptions(target="y", **options))
    assert len(raw.frame) == rows
    assert raw.frame.index.is_monotonic_increasing
    assert len(raw.notes) == (rows < 4000)


def test_the_player_uses_the_rows_that_are_left():
    player = read_player(towns(4000), TableOptions(target="y", budget=1.0))
    assert sum(player.rows) == LEAST
    assert "categories make about 1,201 features" in " ".join(player.notes)


@pytest.mark.parametrize(("options", "columns"), [({"budget": 10.0}, 5000), ({"budget": 1.0}, 1000), ({"budget": 60.0}, 6001), ({"trials": 1}, 6001)])  # fmt: skip
def test_columns_follow_from_the_budget_and_those_that_are_named_stay(options, columns):
    frame = pd.DataFrame(np.zeros((12, 6001)), columns=[*(f"x{k}" for k in range(6000)), "y"])
    raw = read_table(frame)
    keep_affordable_columns(raw, TableOptions(target="y", group="x17", drop=("x5999",), **options))
    assert raw.frame.shape == (12, columns)
    assert {"x17", "x5999", "y"} <= set(raw.frame.columns)
    assert len(raw.notes) == (columns < 6001)
    order = [int(name[1:]) for name in raw.frame.columns[:-1]]
    assert order == sorted(order)
