"""Scores on predictions worked by hand."""

import math

import numpy as np
import pytest

from gradatim.errors import InvalidType, InvalidValue
from gradatim.evaluation import SCORES
from gradatim.evaluation.scoring import build_score


class Fixed:
    classes_ = np.array([0, 1])

    def predict(self, X):
        return np.array([0, 1, 1, 1])

    def predict_proba(self, X):
        p = np.array([0.5, 0.75, 0.75, 0.5])
        return np.c_[1 - p, p]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("accuracy", 0.75),
        ("error", 0.25),
        ("log_loss", -(2 * math.log(0.5) + math.log(0.75) + math.log(0.25)) / 4),
        ("auc", 0.5),  # of the four pairs one is right, two are ties, one is wrong
        ("mse", 0.25),
        ("rmse", 0.5),
        ("mae", 0.25),
        ("r2", 0.0),
    ],
)
def test_worked_numbers(name, expected):
    y = np.array([0, 1, 0, 1])
    assert SCORES[name].function(Fixed(), None, y) == pytest.approx(expected)


def test_not_a_number_never_wins():
    assert SCORES["mse"].best([math.nan, 2.0, 1.0, math.nan]) == 2
    assert SCORES["r2"].best([math.nan, 2.0, 1.0]) == 1
    assert SCORES["mse"].best([1.0, 1.0]) == 0


def test_messages():
    with pytest.raises(InvalidValue, match="score must be one of accuracy"):
        build_score("acuracy", Fixed())
    with pytest.raises(InvalidType, match="score must be a name or a Score, got 3"):
        build_score(3, Fixed())
