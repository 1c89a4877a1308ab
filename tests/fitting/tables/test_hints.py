"""What is said of columns that a user may have meant otherwise."""

import numpy as np
import pandas as pd
import pytest

from gradatim.data.tables.columns import Column, Levels
from gradatim.fitting.tables.concerns import find_concerns, percentage
from gradatim.fitting.tables.hints import describe_levels, text_hints
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.player import read_player

ROWS = 120


def concerns(frame, **options):
    player = read_player(frame, TableOptions(target="y", **options))
    return [str(concern) for concern in find_concerns(player.problem, 0)], player.notes


def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=ROWS), "y": rng.normal(size=ROWS)})


def test_dates_that_are_split_at_random_hint_at_time(tmp_path):
    days = pd.date_range("2024-01-01", periods=ROWS).strftime("%Y-%m-%d")
    table = frame().assign(day=days)
    found, _ = concerns(table)
    assert any(c.startswith("Order in time: column 'day' holds dates") and c.endswith("with --time-column 'day'.") for c in found)  # fmt: skip
    assert not any("Order in time" in c for c in concerns(table, time_column="day")[0])
    table.iloc[:30].to_csv(tmp_path / "test.csv", index=False)
    assert not any("Order in time" in c for c in concerns(table, test=str(tmp_path / "test.csv"))[0])  # fmt: skip
    assert not any("Order in time" in c for c in concerns(frame())[0])


@pytest.mark.parametrize("kind", ["numbers", "texts"])
def test_a_target_that_never_changes_within_a_group_hints_at_it(kind):
    table, group = frame(), np.arange(ROWS) // 4
    table["y"] = table["y"].to_numpy()[group]
    table["shop"] = group * 17 % 101 if kind == "numbers" else [f"shop {k}" for k in group]
    found, _ = concerns(table)
    assert any(c.startswith("Groups: 'y' never changes within a value of 'shop' (30 of them)") and "--group 'shop'" in c for c in found)  # fmt: skip
    asked = "Are they the steps of series with one 'y' each? Then type --target 'y' --series 'shop'"
    assert any(asked in c for c in found)
    assert any(asked in c for c in concerns(table.assign(t=np.arange(ROWS)), time_column="t")[0])
    assert not any(c.startswith("Groups") for c in concerns(table, group="shop")[0])
    table.loc[5, "y"] += 1.0
    table.loc[6, "y"] -= 1.0
    table.loc[50:53, "y"] += np.arange(4.0)
    assert not any(c.startswith("Groups") for c in concerns(table)[0])


def test_a_class_that_a_column_names_is_no_group():
    table = frame()
    table["y"] = np.where(table["x"] > 0, "up", "down")
    table["kind"] = np.where(table["x"] > 0, "a", "b")
    assert not any(c.startswith("Groups") for c in concerns(table)[0])


def test_texts_hint_at_reading_them():
    rng = np.random.default_rng(1)
    words = np.array(["good", "bad", "film", "plot", "actor", "scene", "music"])
    table = frame().assign(review=[" ".join(rng.choice(words, 6)) for _ in range(ROWS)])
    table["street"] = [f"Long Road {k % 9}" for k in range(ROWS)]
    _, notes = concerns(table)
    assert (
        "Column 'review' holds texts: 16 themes of their words are read; --text 'review' reads them word by word."
        in notes
    )
    assert not any("'street' holds" in note for note in notes)
    assert text_hints([]) == []


def test_many_categories_say_what_becomes_of_them():
    table = frame().assign(town=[f"t{k % 55:02d}" for k in range(ROWS)])
    _, notes = concerns(table)
    assert any(note.startswith("Column 'town' has 5") and note.endswith(" count as one.") for note in notes)  # fmt: skip
    rare = Levels(np.arange(ROWS) // 2, [str(k) for k in range(ROWS // 2)])
    assert describe_levels({"k": rare}, [Column("k", "categorical")], np.arange(ROWS)) == [
        "Column 'k' has 60 categories: none is frequent, and all count as one."
    ]
    few = Levels(np.arange(ROWS) % 5, list("abcde"))
    assert describe_levels({"k": few}, [Column("k", "categorical")], np.arange(ROWS)) == []


def test_a_share_that_is_there_is_not_nothing():
    assert [percentage(s) for s in (0.0, 1e-6, 0.001, 0.0094, 0.0096, 1.0)] == ["0 %", "<0.1 %", "0.1 %", "0.9 %", "1 %", "100 %"]  # fmt: skip
