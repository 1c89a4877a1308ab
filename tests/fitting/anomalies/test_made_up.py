"""Anomalies that are made up: what they change, and what they leave."""

import numpy as np
import pytest

from gradatim.data.tables.columns import Column, Levels
from gradatim.fitting.anomalies.made_up import (
    EXCHANGED,
    FROZEN,
    REVERSED,
    SHIFT,
    SPIKE,
    STRANGE,
    SWAPPED,
    odd_events,
    odd_rows,
    tile,
)
from gradatim.fitting.tables.preprocessing import fit_preprocessing


def table(rows=200):
    rng = np.random.default_rng(0)
    return {
        "a": rng.normal(size=rows),
        "b": rng.normal(5.0, 2.0, size=rows),
        "town": Levels(rng.integers(0, 3, rows), ["Bern", "Genf", "Zug"]),
    }


COLUMNS = [Column("a", "numeric"), Column("b", "numeric"), Column("town", "categorical")]


def test_rows_are_swapped_or_strange_in_turn():
    cells, rows = table(), np.arange(100, 200)
    own = fit_preprocessing(cells, COLUMNS, np.arange(100))
    usual = own.transform({n: Levels(c.codes[rows], c.names) if isinstance(c, Levels) else c[rows] for n, c in cells.items()})  # fmt: skip
    odd, kinds = odd_rows(cells, own, rows, np.random.default_rng(0))
    assert odd.shape == usual.shape
    assert kinds.tolist() == [SWAPPED, STRANGE] * 50
    parts = [slice(0, 1), slice(1, 2), slice(2, 5)]
    changed = np.stack([(odd[:, p] != usual[:, p]).any(1) for p in parts], 1)
    swapped, strange = kinds == SWAPPED, kinds == STRANGE
    assert not changed[swapped].all(1).any()  # a cell is always left
    assert changed[swapped].any(1).mean() > 0.8  # another row may have the same category
    assert np.isin(odd[swapped][:, 0], usual[:, 0]).all()  # every number was there before
    assert (changed[strange].sum(1) == 1).all()
    far = changed[strange][:, :2] & (np.abs(odd[strange][:, :2]) > 2.999)
    unseen = odd[strange][:, 2:].sum(1) == 0
    np.testing.assert_array_equal(far.sum(1) + unseen, 1)
    assert np.abs(odd[strange][:, :2]).max() <= 6.001


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ([Column("a", "numeric")], {STRANGE}),
        ([Column("town", "categorical")], {STRANGE}),
        ([Column("a", "boolean")], {STRANGE}),
        ([Column("a", "boolean"), Column("b", "boolean")], {SWAPPED}),
    ],
)
def test_few_columns_give_what_they_can(columns, expected):
    cells = table()
    odd, kinds = odd_rows(cells, fit_preprocessing(cells, columns, np.arange(50)), np.arange(50, 60), np.random.default_rng(0))  # fmt: skip
    assert set(kinds.tolist()) == expected
    assert np.isfinite(odd).all()


def test_pieces_never_cross_a_gap():
    rows = np.array([*range(10), *range(20, 27), 40])
    pieces = tile(rows, 3, 100)
    assert pieces.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [20, 21, 22], [23, 24, 25]]
    assert len(tile(np.arange(1000), 4, 10)) == 10
    assert tile(np.zeros(0, int), 3, 5).shape == (0, 3)


def test_events_change_their_own_steps_alone():
    rng = np.random.default_rng(1)
    before = rng.normal(size=(50, 12, 2))
    after, kinds = odd_events(before.copy(), 5, np.random.default_rng(0))
    assert set(kinds.tolist()) == {SPIKE, SHIFT, REVERSED, FROZEN, EXCHANGED}
    np.testing.assert_array_equal(after[:, :7], before[:, :7])
    gap = (after - before)[:, 7:]
    for kind, own, new, old in zip(kinds, gap, after[:, 7:], before[:, 7:], strict=True):
        if kind == SPIKE:
            assert (own != 0).sum() == 1
            assert 3 <= np.abs(own).max() <= 6
        elif kind == SHIFT:
            column = own[:, np.abs(own).any(0)]
            assert column.shape == (5, 1)
            assert np.ptp(column) < 1e-9
            assert 1.5 <= abs(column[0, 0]) <= 3
        elif kind == REVERSED:
            np.testing.assert_array_equal(new, old[::-1])
        elif kind == FROZEN:
            assert (np.ptp(new, axis=0) == 0).sum() == 1
        else:
            assert (np.abs(own).any(0)).sum() == 1


def test_one_channel_and_single_steps_give_what_they_can():
    _, kinds = odd_events(np.zeros((6, 4, 1)), 1, np.random.default_rng(0))
    assert set(kinds.tolist()) == {SPIKE, SHIFT}
