"""Scores on predictions worked by hand."""

import math

import numpy as np
import pytest
from sklearn import metrics
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from gradatim.errors import InvalidType, InvalidValue
from gradatim.evaluation import SCORES, tune
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
        ("precision", 2 / 3),
        ("recall", 1.0),
        ("f1", 0.8),
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


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("labels", [np.arange(3), np.array(["a", "b", "c"])])
def test_names_of_scikit_learn_and_ours_agree(classes, labels):
    rng = np.random.default_rng(classes)
    X, y = rng.normal(size=(90, 2)), labels[rng.integers(classes, size=90)]
    model = GaussianNB().fit(X, y)
    pairs = {"f1": "f1_macro", "precision": "precision_macro", "recall": "recall_macro"}
    pairs |= {"auc": "roc_auc_ovr", "accuracy": "accuracy"}
    for ours, theirs in pairs.items():
        if classes == 2 and ours in ("f1", "precision", "recall"):
            metric = getattr(metrics, f"{ours}_score")
            expected = metric(y, model.predict(X), pos_label=labels[1])
        else:
            expected = metrics.get_scorer(theirs)(model, X, y)
            assert build_score(theirs, model).function(model, X, y) == pytest.approx(expected)
        assert build_score(ours, model).function(model, X, y) == pytest.approx(expected)
    loss = build_score("neg_log_loss", model)
    assert loss.higher_is_better
    assert loss.function(model, X, y) == pytest.approx(
        -build_score("log_loss", model).function(model, X, y)
    )


def test_every_scorer_of_scikit_learn_has_its_name():
    for name in metrics.get_scorer_names():
        assert build_score(name, Fixed()).name == name


def test_functions_are_maximized_and_called_by_their_name():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    model = GaussianNB().fit(X, y)

    def surprise(model, X, y):
        return np.float32(len(X))

    found = build_score(surprise, model)
    assert (found.name, found.higher_is_better) == ("surprise", True)
    assert found.function(model, X, y) == 6.0
    scorer = build_score(metrics.make_scorer(metrics.fbeta_score, beta=2), model)
    assert (scorer.name, scorer.function(model, X, y)) == ("fbeta_score", 1.0)
    loss = build_score(metrics.make_scorer(metrics.max_error, greater_is_better=False), model)
    assert loss.function(model, X, 1 - y) == -1.0
    assert loss.best([-3.0, -1.0]) == 1
    best = tune(KNeighborsClassifier(), X, y, {"n_neighbors": [4, 1]}, method="grid", folds=3, score=surprise)  # fmt: skip
    assert best.score == "surprise"


def test_messages():
    with pytest.raises(InvalidValue, match="score must be one of accuracy"):
        build_score("acuracy", Fixed())
    with pytest.raises(InvalidValue, match=r"score must be one of f1_macro.*Try 'f1_macro'"):
        build_score("f1_macr", Fixed())
    with pytest.raises(InvalidType, match=r"score must be a name, a function .*got 3"):
        build_score(3, Fixed())
    with pytest.raises(
        InvalidValue, match=r"got the metric f1_score of.*Try make_scorer\(f1_score\)"
    ):
        build_score(metrics.f1_score, Fixed())
