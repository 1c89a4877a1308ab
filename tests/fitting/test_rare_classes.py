"""What is said of rare classes."""

import numpy as np
import pytest

from gradatim.fitting.classes import LabelledRows
from gradatim.fitting.rare_classes import describe_decision, has_rare_class, threshold_of


def rows(share, classes=2, score=None):
    problem = LabelledRows()
    problem.labels, problem.train, problem.test = list(range(classes)), np.arange(200), np.arange(20)  # fmt: skip
    problem.y = np.where(np.arange(200) < 200 * share, classes - 1, np.arange(200) % (classes - 1))
    problem.score = score
    return problem


@pytest.mark.parametrize("score", [None, "accuracy", "log_loss"])
def test_a_rare_class_is_a_concern_where_the_score_hides_it(score):
    (found,) = rows(0.03, score=score).doubts()
    assert str(found).startswith("Imbalance: class 1 has 3.0 % of the rows")
    assert "--score average-precision or --score balanced-accuracy" in str(found)
    assert not rows(0.2, score=score).doubts()


def test_no_concern_where_the_score_counts_it():
    assert has_rare_class(rows(0.03))
    assert not has_rare_class(rows(0.3))
    for score in ("balanced_accuracy", "average_precision", "cost"):
        assert not rows(0.03, score=score).doubts()


def test_decisions_in_words():
    assert threshold_of(np.array([1.0, 1.0])) == 0.5
    assert threshold_of(np.array([[0.0, 1.0], [19.0, 0.0]])) == pytest.approx(0.05)
    words = describe_decision(np.array([[0.0, 1.0], [19.0, 0.0]]), ["no", "yes"], "cost per row", is_cost=True)  # fmt: skip
    assert words[0].startswith("'yes' is said where its probability is at least 0.05, at which it costs less")  # fmt: skip
    many = describe_decision(np.array([0.5, 1.0, 2.0]), list("abc"), "macro F1", is_cost=False)
    assert "largest probability times weight (a 0.5, b 1, c 2), best for the macro F1" in many[0]
    assert describe_decision(None, ["no", "yes"], "AUC", is_cost=False) == []
