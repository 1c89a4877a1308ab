"""Several labels per image: figures, words, models, strata."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score, log_loss, roc_auc_score

from gradatim.evaluation.criteria import named_criterion
from gradatim.fitting.images.pixels import SIMPLE, fit_tags
from gradatim.fitting.images.tags import (
    PerTag,
    measure_tags,
    say_tags,
    strata_of_tags,
    tag_frame,
)
from gradatim.fitting.tables.predictors import predict

RNG = np.random.default_rng(0)
Y = (RNG.random((80, 3)) < [0.5, 0.3, 0.2]).astype(int)
P = np.clip(0.6 * Y + 0.2 + 0.3 * RNG.normal(size=Y.shape), 0.01, 0.99)


def test_figures_are_means_over_the_labels_as_scikit_learns():
    found = measure_tags(Y, P)
    assert next(iter(found)) == "log loss"
    columns = range(3)
    assert found["log loss"] == pytest.approx(np.mean([log_loss(Y[:, k], P[:, k]) for k in columns]))  # fmt: skip
    assert found["AUC"] == pytest.approx(roc_auc_score(Y, P, average="macro"))
    assert found["macro F1"] == pytest.approx(f1_score(Y, P >= 0.5, average="macro"))
    assert found["average precision"] == pytest.approx(average_precision_score(Y, P))
    assert next(iter(measure_tags(Y, P, named_criterion("macro_f1")))) == "macro F1"


def test_a_perfect_predictor_has_perfect_figures():
    found = measure_tags(Y, Y.astype(float))
    assert found["log loss"] == pytest.approx(0.0)
    for name in ("accuracy", "macro F1", "AUC"):
        assert found[name] == pytest.approx(1.0)


def test_a_label_that_the_rows_have_not_does_not_spoil_the_mean():
    y = np.concatenate([Y, np.zeros((80, 1), int)], axis=1)
    p = np.concatenate([P, np.full((80, 1), 0.01)], axis=1)
    assert measure_tags(y, p)["AUC"] == pytest.approx(measure_tags(Y, P)["AUC"])


def test_words():
    frame = tag_frame(np.array([[0.9, 0.5], [0.2, 0.1]]), ["cat", "dog"], ("file", ["a", "b"]))
    assert frame.columns.tolist() == ["file", "prediction", "probability cat", "probability dog"]
    assert frame["prediction"].tolist() == ["cat;dog", ""]
    assert say_tags(np.zeros((0, 2)), ["cat", "dog"]).shape == (0,)


def test_strata_spread_the_rare_labels():
    strata = strata_of_tags(Y)
    for row, stratum in zip(Y, strata, strict=True):
        own = np.flatnonzero(row)
        assert stratum == (1 + own[Y.sum(0)[own].argmin()] if len(own) else 0)


@pytest.mark.parametrize("name", SIMPLE)
def test_models_of_each_label_learn_and_come_back(name):
    X = RNG.normal(size=(120, 6))
    y = (X[:, :3] > 0).astype(int)
    y[:, 2] = 0  # a label that nobody has
    model = fit_tags(name, X, y, 0)
    said = model.outputs(X)
    assert said.shape == (120, 3)
    np.testing.assert_array_equal(said[:, 0], predict(model.members[0], X)[:, 1])
    assert said[:, 2].max() < 0.1
    if name != SIMPLE[0]:
        assert ((said[:, :2] > 0.5) == y[:, :2]).mean() > 0.75
    again = PerTag.restore(*model.store())
    np.testing.assert_array_equal(again.outputs(X), said)
    assert again.parameters == model.parameters
    kept = fit_tags(name, X, y, 0, model.settings)
    np.testing.assert_array_equal(kept.outputs(X), said)
