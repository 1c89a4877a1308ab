"""Figures of predictions, worked by hand."""

import numpy as np
import pytest

from gradatim.evaluation.metrics import measure, score
from gradatim.training.metrics import MEASURES


def test_measures_by_hand():
    p = np.array([[0.5, 0.5], [0.25, 0.75], [0.9, 0.1]])
    found = measure(np.array([0, 1, 1]), p, 2)
    assert found["log loss"] == pytest.approx(-np.log(0.5 * 0.75 * 0.1) / 3)
    assert found["accuracy"] == pytest.approx(2 / 3)
    assert found["AUC"] == pytest.approx(0.5)  # of two pairs one is in order
    found = measure(np.array([1.0, 2.0, 6.0]), np.array([1.0, 4.0, 6.0]), 0)
    assert found == pytest.approx({"RMSE": np.sqrt(4 / 3), "MAE": 2 / 3, "MAPE": 1 / 3, "R²": 1 - 4 / 14})  # fmt: skip


def test_impossible_truth_costs_a_finite_amount():
    assert measure(np.array([1]), np.array([[1.0, 0.0]]), 2)["log loss"] == pytest.approx(
        -np.log(1e-7)
    )


def test_the_deciding_figure_comes_first_and_falls():
    for y, output, classes in ((np.array([0, 1]), np.eye(2), 2), (np.ones(2), np.zeros(2), 0)):
        label, value = next(iter(measure(y, output, classes).items()))
        assert score(y, output, classes) == value
        assert not next(m for m in MEASURES.values() if m.label == label).higher_is_better
