"""Scores from folds: exact for exchangeable rows, widths that follow difficulty only where that is narrower."""

import numpy as np
import pytest

from gradatim.fitting import cross_conformal
from gradatim.fitting.cross_conformal import (
    calibrate_classes,
    calibrate_values,
    learn_spread_again,
)
from gradatim.fitting.spread import FEATURES, PREDICTION


def draw(rows, seed, *, grows=True, by="x"):
    """Values around zero whose noise grows with a column, or with what is said; a model that says the middle."""
    rng = np.random.default_rng(seed)
    X, said = rng.random((rows, 3)), rng.random(rows)
    size = {"x": X[:, 0], "said": said}[by]
    y = said + (0.1 + 2 * size if grows else 1.0) * rng.normal(size=rows)
    return X, said, y


def test_coverage_of_new_rows_is_what_was_asked_for():
    """A model that learns nothing: all rows are exchangeable, and n/(n + 1)-quantiles are exact."""
    shares = []
    for seed in range(24):
        X, said, y = draw(400, seed)
        own = calibrate_values(y[:200], said[:200], np.arange(200) % 10, X[:200])
        low, high = own.bounds(said[200:], 0.9, X[200:])
        shares.append(np.mean((low <= y[200:]) & (y[200:] <= high)))
    assert abs(np.mean(shares) - 0.9) < 4 * np.std(shares) / np.sqrt(len(shares)) + 0.005


@pytest.mark.parametrize(("by", "reads"), [("x", FEATURES), ("said", PREDICTION)])
def test_widths_follow_difficulty_where_that_is_narrower(by, reads):
    X, said, y = draw(1200, 0, by=by)
    own = calibrate_values(y[:600], said[:600], np.arange(600) % 5, X[:600])
    plain = calibrate_values(y[:600], said[:600], np.arange(600) % 5, has_spread=False)
    assert own.spread is not None
    assert own.spread.reads == reads
    widths, one = (np.subtract(*own.bounds(said[600:], 0.9, X[600:])[::-1]), np.subtract(*plain.bounds(said[600:], 0.9)[::-1]))  # fmt: skip
    assert widths.mean() < 0.97 * one.mean()
    hard = X[600:, 0] if by == "x" else said[600:]
    assert np.corrcoef(widths, hard)[0, 1] > 0.7


def test_plain_errors_stay_where_all_rows_are_alike():
    chosen = 0
    for seed in range(8):
        X, said, y = draw(300, seed, grows=False)
        chosen += calibrate_values(y, said, np.arange(300) % 10, X).spread is not None
    assert chosen <= 4
    X, said, y = draw(3000, 0, grows=False)
    own = calibrate_values(y, said, np.arange(3000) % 5, X)
    np.testing.assert_array_equal(own.scores, np.sort(np.abs(y - said)))


@pytest.mark.parametrize("rows", [12, 50])
def test_few_rows_and_no_errors_have_one_width(rows):
    X, said, y = draw(rows, 0)
    assert calibrate_values(y, said, np.arange(rows) % 5, X).spread is None
    perfect = calibrate_values(said, said, np.arange(rows) % 5, X)
    assert perfect.bounds(said, 0.9)[0].tolist() == said.tolist()


def test_many_features_are_not_looked_at():
    X, said, y = draw(400, 0)
    wide = np.column_stack([X, np.zeros((400, 100))])
    own = calibrate_values(y, said, np.arange(400) % 5, wide)
    assert own.spread is None or own.spread.reads == PREDICTION


def test_no_row_teaches_its_own_spread(monkeypatch):
    X, said, y = draw(300, 0)
    seen = []
    learn = cross_conformal.learn_trees
    monkeypatch.setattr(cross_conformal, "learn_trees", lambda *given: seen.append(given[2]) or learn(*given))  # fmt: skip
    fold = np.arange(300) % 5
    calibrate_values(y, said, fold, X)
    for k in range(5):
        assert not np.isin(said[fold == k], seen[k]).any()
        assert np.isin(said[fold != k], seen[k]).all()


def test_a_predicted_quantile_has_intervals_around_the_middle():
    rng = np.random.default_rng(0)
    y, said = rng.normal(size=2000), np.full(2000, 1.2816)  # the quantile of 90 %
    own = calibrate_values(y[:1000], said[:1000], np.arange(1000) % 5, has_shift=True)
    low, high = own.bounds(said[1000:], 0.8)
    assert own.shift == pytest.approx(-1.28, abs=0.1)
    assert np.mean((low <= y[1000:]) & (y[1000:] <= high)) == pytest.approx(0.8, abs=0.04)
    around = calibrate_values(y[:1000], said[:1000], np.arange(1000) % 5)
    assert (high - low).mean() < 0.8 * np.subtract(*around.bounds(said[1000:], 0.8)[::-1]).mean()
    weight = np.where(y[:1000] > 0, 1.0, 1e-9)
    heavy = calibrate_values(y[:1000], said[:1000], np.arange(1000) % 5, weight=weight, has_shift=True)  # fmt: skip
    assert heavy.shift == pytest.approx(np.median(y[:1000][y[:1000] > 0]) - 1.2816, abs=0.01)


def test_weights_stay_with_their_scores():
    scores, weight = np.array([0.3, 0.1, 0.2]), np.array([3.0, 1.0, 2.0])
    own = calibrate_classes(1 - scores, weight)
    np.testing.assert_allclose(own.scores, [0.1, 0.2, 0.3])
    assert own.weight.tolist() == [1, 2, 3]


def test_the_spread_can_be_learned_again_from_other_features():
    X, said, y = draw(600, 0)
    own = calibrate_values(y, said, np.arange(600) % 5, X)
    moved = learn_spread_again(own, y, said, X[:, ::-1])
    np.testing.assert_array_equal(moved.scores, own.scores)
    np.testing.assert_allclose(moved.spread(said, X[:, ::-1]), own.spread(said, X), rtol=1e-9)
    plain = calibrate_values(y, said, np.arange(600) % 5, has_spread=False)
    assert learn_spread_again(plain, y, said, X) is plain
