"""Rows that repeat each other are found and never stand on both sides of a split."""

import numpy as np
import pandas as pd
import pytest

from gradatim.evaluation.splits import make_folds, split_test
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.player import read_player
from gradatim.fitting.tables.twins import LOOKED_AT, find_twins


def make_frame(rows=200, numbers=4, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(rows, numbers))).add_prefix("x")
    return frame.assign(town=rng.choice(["Bern", "Chur", "Genf"], rows))


def repeated(frame, places, noise=0.0):
    rng = np.random.default_rng(1)
    again = frame.iloc[places].copy()
    numbers = again.select_dtypes("number").columns
    again[numbers] += noise * rng.normal(size=again[numbers].shape)
    return pd.concat([frame, again], ignore_index=True)


@pytest.mark.parametrize("noise", [0.0, 1e-9, 1e-7])
@pytest.mark.parametrize("numbers", [4, 3 * LOOKED_AT])
def test_twins_are_those_that_a_loop_finds(noise, numbers):
    frame = repeated(make_frame(numbers=numbers), [3, 7, 7, 150], noise)
    found = find_twins(frame)
    values = frame.select_dtypes("number").to_numpy()
    for i in range(len(frame)):
        for j in range(i):
            is_near = np.abs(values[i] - values[j]).max() < 1e-5 and frame["town"][i] == frame["town"][j]  # fmt: skip
            assert (found.codes[i] == found.codes[j]) == is_near
    assert (found.exact, found.near) == ((4, 0) if noise == 0 else (0, 4))
    word = "exactly" if noise == 0 else "nearly"
    assert found.sentence == f"4 rows repeat another one {word} in all columns but the target; such rows stay together in every split."  # fmt: skip


def test_numbers_of_rows_do_not_hide_twins():
    frame = repeated(make_frame(), [5])
    numbered = frame.assign(id=np.arange(len(frame)), key=[f"k{k}" for k in range(len(frame))])
    assert find_twins(numbered).exact == 1
    assert find_twins(frame.assign(id=np.random.default_rng(0).permutation(len(frame)) * 7)).exact == 1  # fmt: skip


def test_a_table_without_twins_or_with_nothing_else_has_none():
    assert find_twins(make_frame()) is None
    few = pd.DataFrame({"class": ["1st", "2nd"] * 50, "age": ["child", "adult"] * 50})
    assert find_twins(few) is None  # most rows have twins
    assert find_twins(make_frame()[["town"]].assign(x=np.arange(200) / 7)) is None
    assert find_twins(pd.DataFrame(index=range(30))) is None


def test_missing_cells_and_few_numbers_count_as_equal_only():
    frame = make_frame(numbers=2)
    frame.loc[4, "x0"] = np.nan
    assert find_twins(repeated(frame, [4])).exact == 1
    assert find_twins(repeated(frame, [9], noise=1e-9)) is None


def test_twins_fall_on_one_side_and_strata_stay():
    rng = np.random.default_rng(0)
    strata, twins = rng.integers(0, 3, 300), np.arange(300)
    twins[200:240] = np.arange(40)
    strata[200:240] = strata[:40]
    train, test = split_test(strata, 0.25, np.random.default_rng(1), twins=twins)
    assert not set(twins[train]) & set(twins[test])
    assert sorted([*train, *test]) == list(range(300))
    assert 55 < len(test) < 95
    folds = make_folds(strata, 5, np.random.default_rng(2), twins=twins)
    assert sorted(np.concatenate([judge for _, judge in folds])) == list(range(300))
    for learn, judge in folds:
        assert not set(twins[learn]) & set(twins[judge])
        assert 35 < len(judge) < 85


def test_a_fit_keeps_them_together_and_says_so():
    frame = repeated(make_frame(120), [*range(40)], 1e-9)
    frame["y"] = frame["x0"] + np.random.default_rng(3).normal(size=160)
    player = read_player(frame, TableOptions(target="y"))
    p = player.problem
    assert any(note.startswith("40 rows repeat another one nearly") for note in player.notes)
    for learn, judge in [(p.train, p.test), *player.folds]:
        assert not set(p.twins[learn]) & set(p.twins[judge])
    timed = frame.assign(day=np.arange(160))
    assert read_player(timed, TableOptions(target="y", time_column="day")).problem.twins is None
