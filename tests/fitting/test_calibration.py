"""Intervals and sets from scores: their equations, the table, what too few rows cannot promise, and folders that lie."""

import json
from io import StringIO

import numpy as np
import pandas as pd
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.fitting.calibration import Calibration, check_coverage
from gradatim.fitting.classes import prediction_frame
from gradatim.fitting.spread import FEATURES, PREDICTION, Spread, learn_trees

SCORES = np.arange(1.0, 20.0)  # 19: the 18th is the radius of 90 %


@pytest.fixture(scope="module")
def spread():
    rng = np.random.default_rng(0)
    X, output = rng.random((300, 2)), rng.random(300)
    error = np.abs(rng.normal(size=300)) * (1 + 3 * X[:, 0])
    return Spread(learn_trees(FEATURES, error, output, X), FEATURES, 1.0, 0.01)


def test_plain_intervals_reach_as_far_as_the_score():
    low, high = Calibration(SCORES).bounds(np.array([0.0, 5.0]), 0.9)
    assert low.tolist() == [-18, -13]
    assert high.tolist() == [18, 23]
    low, high = Calibration(SCORES, shift=-2.0).bounds(np.array([0.0]), 0.5)
    assert (low[0], high[0]) == (-12, 8)


def test_intervals_follow_the_spread(spread):
    X, output = np.array([[0.1, 0.5], [0.9, 0.5]]), np.array([1.0, 1.0])
    low, high = Calibration(SCORES, spread=spread).bounds(output, 0.9, X)
    np.testing.assert_allclose((high - low) / 2, 18 * spread(output, X))
    assert high[1] - low[1] > 1.5 * (high[0] - low[0])


def test_sets_hold_the_likeliest_and_the_class_that_is_said():
    p = np.array([[0.5, 0.3, 0.2], [0.98, 0.01, 0.01]])
    own = Calibration(np.linspace(0.0, 0.75, 19))  # 90 %: 1 - p at most 0.708
    assert own.sets(p, 0.9).tolist() == [[True, True, False], [True, False, False]]
    decision = np.array([1.0, 1.0, 60.0])  # the last class is said of the first row
    assert own.sets(p, 0.9, decision).tolist() == [[True, True, True], [True, False, False]]


def test_a_table_gets_its_columns_behind_the_prediction_and_sets_survive_any_name():
    table = prediction_frame(np.array([1.0, 2.0]), [], ("file", ["a", "b"]))
    found = Calibration(SCORES).add(table, [], 0.9)
    assert found.columns.tolist() == ["file", "prediction", "low", "high"]
    labels = ['a, "b"', "c;d\n", "é"]
    p = np.array([[0.5, 0.3, 0.2], [0.3, 0.4, 0.3]])
    table = prediction_frame(p, labels)
    own = Calibration(np.linspace(0.0, 0.75, 19)).add(table, labels, 0.9)
    assert own.columns.tolist()[:2] == ["prediction", "set"]
    pd.testing.assert_frame_equal(own.drop(columns="set"), table)
    again = pd.read_csv(StringIO(own.to_csv(index=False)))["set"].map(json.loads).tolist()
    assert again == [[labels[0], labels[1]], [labels[1], labels[0], labels[2]]]
    whole = Calibration(np.linspace(0.0, 0.75, 19)).add(prediction_frame(p, [3, 5, 7]), [3, 5, 7], 0.9)  # fmt: skip
    assert json.loads(whole["set"][0]) == [3, 5]


def test_an_index_of_its_own_does_no_harm():
    table = prediction_frame(np.array([1.0, 2.0]), []).set_axis([7, 9])
    assert Calibration(SCORES).add(table, [], 0.9)["low"].tolist() == [-17, -16]


def test_what_too_few_rows_cannot_promise_is_refused():
    own = Calibration(np.ones(8))
    with pytest.raises(InvalidValue) as caught:
        own.bounds(np.zeros(1), 0.99)
    assert str(caught.value) == (
        "predict: coverage must be at most 0.888 for intervals from 8 rows, got 0.99. Fit more rows to promise more."
    )
    assert own.bounds(np.zeros(1), 0.888)[1][0] == 1.0
    with pytest.raises(InvalidValue, match=r"at most 0\.666 for intervals from 8 rows that weigh as 2"):  # fmt: skip
        Calibration(np.ones(8), np.array([1.0, 1.0, 0, 0, 0, 0, 0, 0])).sets(np.ones((1, 1)), 0.9)


@pytest.mark.parametrize(
    ("coverage", "words"),
    [(90, "got 90. Try 0.9."), (95.0, "got 95.0. Try 0.95."), (1.5, "got 1.5. Try 0.9."), (0, "got 0. Try 0.9."), (1, "got 1."), (-0.5, "got -0.5."), (float("nan"), "got nan."), (True, "got True."), ("0.9", "got 0.9")],
)  # fmt: skip
def test_a_coverage_that_is_no_share_is_refused(coverage, words):
    with pytest.raises(InvalidValue, match="predict: coverage must be a share between 0 and 1") as caught:  # fmt: skip
        check_coverage("predict", coverage)
    assert words in str(caught.value)


def test_it_is_stored_whole(spread):
    for own in (Calibration(SCORES), Calibration(SCORES, SCORES / 3, 0.25, spread)):
        again = Calibration.restore(*own.store(), 2)
        X, output = np.random.default_rng(1).random((9, 2)), np.linspace(0, 1, 9)
        for a, b in zip(again.bounds(output, 0.8, X), own.bounds(output, 0.8, X), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("facts", "arrays"),
    [
        ({"shift": float("nan")}, {}),
        ({"shift": "far"}, {}),
        ({}, {"scores": np.array([1.0, np.nan])}),
        ({}, {"scores": np.array([1.0, -1.0])}),
        ({}, {"scores": np.empty(0)}),
        ({}, {"scores": np.ones((2, 2))}),
        ({}, {"scores": np.array([1, 2])}),
        ({}, {"weight": np.ones(3)}),
        ({}, {"weight": np.zeros(19)}),
        ({}, {"weight": -SCORES}),
    ],
)
def test_strange_scores_are_refused(facts, arrays):
    own, tensors = Calibration(SCORES, SCORES).store()
    changed = tensors | {name: torch.from_numpy(a) for name, a in arrays.items()}
    with pytest.raises(InvalidValue, match="scores of intervals must be finite and not negative"):
        Calibration.restore(own | facts, changed, 0)


def test_a_spread_of_the_prediction_needs_no_features():
    rng = np.random.default_rng(2)
    output = rng.random(200)
    trees = learn_trees(PREDICTION, output * np.abs(rng.normal(size=200)), output, None)
    own = Calibration(SCORES, spread=Spread(trees, PREDICTION, 1.0, 0.01))
    low, high = Calibration.restore(*own.store(), 0).bounds(np.array([0.1, 0.9]), 0.9)
    assert high[1] - low[1] > 2 * (high[0] - low[0])
