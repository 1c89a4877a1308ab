"""What a wide table costs at the end of a run: looks that stop in time, and say so."""

import numpy as np
import pandas as pd
import pytest

from gradatim.data.tables.columns import Column
from gradatim.fitting.clock import Clock
from gradatim.fitting.planning import LEAST_ROWS
from gradatim.fitting.player import NETWORK, Candidate
from gradatim.fitting.tables import costs
from gradatim.fitting.tables.candidates import (
    EXTRA,
    MOST_TREE_FEATURES,
    TREES,
    fit_simple,
    rank_telling,
    simple_models,
)
from gradatim.fitting.tables.concerns import find_concerns
from gradatim.fitting.tables.importance import permutation_importance
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.networks import NetworkSettings
from gradatim.fitting.tables.player import read_player
from gradatim.fitting.tables.predictors import Fitted, predict
from gradatim.fitting.tables.preprocessing import fit_preprocessing

COLUMNS = 40


def wide(rows=200, classes=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, COLUMNS))
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(COLUMNS)])
    frame["y"] = 2 * X[:, 7] + X[:, 3] + 0.01 * rng.normal(size=rows)
    if classes:
        frame["y"] = np.where(frame["y"] > 0, "yes", "no")
    frame["leak"] = frame["y"]
    return frame


class Ticking:
    """A clock that goes on by a step whenever somebody looks."""

    def __init__(self, step):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


@pytest.mark.parametrize("classes", [False, True])
def test_the_most_telling_columns_are_looked_at_first(classes):
    problem = read_player(wide(classes=classes), TableOptions(target="y")).problem
    concerns = find_concerns(problem, 0, Clock(100.0, Ticking(9.0)))
    assert ["column 'leak' alone" in str(c) for c in concerns if c.what == "Possible leak"] == [
        True
    ]
    assert [note.split(" in ")[0] for note in problem.notes[-2:]] == ["Leaks were looked for", "Drift was looked for"]  # fmt: skip
    assert problem.notes[-2].endswith(" of 41 columns, to keep within the budget.")


def test_importance_begins_with_what_the_model_uses_and_ends_in_time():
    rng = np.random.default_rng(0)
    names = [f"x{k}" for k in range(COLUMNS)]
    table = {name: rng.normal(size=600) for name in names}
    steps = fit_preprocessing(table, [Column(name, "numeric") for name in names], np.arange(600))
    weight = np.zeros((1, COLUMNS))
    weight[0, [7, 3]] = 2.0, 1.0
    model = Fitted("chain", 0, {"0.0.weight": weight, "0.0.bias": np.zeros(1)})
    y = predict(model, steps.transform(table))
    whole = permutation_importance(model, steps, table, y)
    assert list(whole)[:2] == ["x7", "x3"]
    assert len(whole) == COLUMNS
    assert all(value == 0 for value in list(whole.values())[2:])
    looks = iter([False] * 3 + [True] * 100)
    part = permutation_importance(model, steps, table, y, is_over=lambda: next(looks))
    assert list(part)[:2] == ["x7", "x3"]
    assert len(part) < COLUMNS


@pytest.mark.parametrize("classes", [0, 3])
def test_trees_of_a_very_wide_table_look_at_the_most_telling_features(classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, MOST_TREE_FEATURES + 500))
    told = X[:, -1]
    y = np.digitize(told, [-0.5, 0.5]) if classes else told
    fitted = fit_simple(TREES, X, y, classes, 0, {"trees": 20})
    assert X.shape[1] - 1 in fitted.arrays["feature"]
    output = predict(fitted, X)
    right = output.argmax(1) == y if classes else np.abs(output - y) < np.abs(y).max() / 2
    assert np.mean(right) > 0.9


@pytest.mark.parametrize("classes", [0, 3])
def test_every_model_is_probed_before_it_learns(monkeypatch, classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 12))
    y = rng.integers(0, 3, 4000) if classes else X[:, 0]
    data = costs.FoldData(X, y, X[:1000], classes)
    for name in [*simple_models(classes)[1:], NETWORK]:
        candidate = Candidate(name, NetworkSettings(steps=50) if name == NETWORK else None)
        assert costs.rows_in_time(candidate, data, 0, 1e9) is None
        assert costs.rows_in_time(candidate, data, 0, 1e-9) == 0
    monkeypatch.setattr(costs, "_probe", lambda name, data, rows, seed: len(rows) / 1000)
    rows = costs.rows_in_time(Candidate(TREES), data, 0, 2.0)
    assert rows == pytest.approx(2000, abs=1)
    extra = [costs.rows_in_time(Candidate(EXTRA), data, 0, seconds) for seconds in (9.0, 7.0)]
    assert extra == [None, 0]  # all rows in half of the time, or none


def test_a_model_held_to_fewer_rows_learns_from_so_many():
    player = read_player(wide(rows=1500), TableOptions(target="y", drop=("leak",)))
    player.most_rows = {"k nearest neighbours": LEAST_ROWS}
    for k in (0, None):
        fitted = player.fit(Candidate("k nearest neighbours"), k)
        assert len(fitted.arrays["rows"]) == LEAST_ROWS
    again = player.complete(Candidate("k nearest neighbours"), fitted)
    assert len(again.arrays["rows"]) == LEAST_ROWS


def test_what_does_not_grow_with_the_trees_is_counted_once(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 20))
    data = costs.FoldData(X, X[:, 0], X[:500], 0)
    seconds = {1: 0.5 + 0.01, costs.PROBE_ROUNDS: 0.5 + 0.01 * costs.PROBE_ROUNDS}
    monkeypatch.setattr(costs, "_time", lambda name, data, rows, seed, chosen: seconds[chosen["trees"]])  # fmt: skip
    assert costs._probe(TREES, data, np.arange(1000), 0) == pytest.approx(0.5 + 0.01 * 100)
    assert costs._probe(EXTRA, data, np.arange(1000), 0) == pytest.approx(0.5 + 0.01 * 100)


def test_a_column_that_tells_everything_ranks_first():
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.normal(size=(40, 6))
        assert rank_telling(X, X[:, 4] * 3.7 + 11.0, 0)[0] == 4
        assert rank_telling(np.round(X), np.unique(np.round(X[:, 2]), return_inverse=True)[1], 5)[0] == 2  # fmt: skip
