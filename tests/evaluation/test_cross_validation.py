"""Cross-validation against scikit-learn and closed forms."""

import warnings
from typing import ClassVar

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from gradatim.errors import InvalidValue
from gradatim.estimators import NeuralClassifier, NeuralRegressor
from gradatim.evaluation import cross_validate, leave_one_out, out_of_fold, repeated_hold_out


def test_scores_are_those_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    result = cross_validate(model, X, y, folds=5, seed=0)
    assert result.scores == pytest.approx(cross_val_score(model, X, y, cv=folds))
    assert np.array_equal(out_of_fold(result, X), cross_val_predict(model, X, y, cv=folds))


def test_leave_one_out_has_a_closed_form_for_least_squares():
    X, y = make_regression(25, 3, noise=5.0, random_state=0)
    design = np.c_[np.ones(25), X]
    hat = design @ np.linalg.solve(design.T @ design, design.T)
    errors = ((y - hat @ y) / (1 - np.diag(hat))) ** 2
    result = leave_one_out(LinearRegression(), X, y)
    assert len(result.scores) == 25
    assert result.mean == pytest.approx(errors.mean())
    assert cross_validate(LinearRegression(), X, y, folds=25).mean == pytest.approx(errors.mean())


def test_mean_of_unequal_folds_is_not_the_mean_over_rows():
    X, y = np.zeros((5, 1)), np.array([0.0, 0.0, 0.0, 0.0, 10.0])
    result = cross_validate(LinearRegression(), X, y, folds=[([0, 1], [4]), ([0, 1], [2, 3])])
    assert result.mean == pytest.approx(50.0)
    assert result.pooled == pytest.approx(100 / 3)


def test_interval_and_standard_error():
    X, y = make_regression(30, 2, noise=9.0, random_state=0)
    result = cross_validate(Ridge(), X, y, folds=3)
    deviation = np.std(result.scores, ddof=1) / np.sqrt(3)
    assert result.standard_error == pytest.approx(deviation)
    low, high = result.interval()
    assert (high - low) / 2 == pytest.approx(
        4.302652729749 * deviation
    )  # t(0.975; 2), a table's value
    assert repr(result).startswith("CrossValidation(mse ")


def test_preprocessing_is_refitted_in_every_fold():
    class Spy(StandardScaler):
        seen: ClassVar[list[int]] = []

        def fit(self, X, y=None, sample_weight=None):
            Spy.seen.append(len(X))
            return super().fit(X, y)

    X, y = load_iris(return_X_y=True)
    for final in (LogisticRegression(max_iter=500), NeuralClassifier((4,), epochs=1)):
        Spy.seen = []
        cross_validate(make_pipeline(Spy(), final), X, y, folds=5)
        assert Spy.seen == [120] * 5


@pytest.mark.parametrize("early_stopping", [False, True])
@pytest.mark.parametrize("in_pipeline", [False, True])
def test_stacked_networks_score_as_separate_ones(early_stopping, in_pipeline):
    X, y = make_classification(103, 6, random_state=0)
    net = NeuralClassifier(
        (8,), epochs=6, dropout=0.2, members=2, early_stopping=early_stopping, batch_size=16
    )
    model = make_pipeline(StandardScaler(), net) if in_pipeline else net
    result = cross_validate(model, X, y, folds=4)
    for fitted, (train, test) in zip(result.models, result.splits, strict=True):
        last = fitted[-1] if in_pipeline else fitted
        inputs = fitted[:-1].transform(X) if in_pipeline else X
        alone = NeuralClassifier(**net.get_params()).fit(inputs[train], y[train])
        np.testing.assert_allclose(
            last.predict_proba(inputs[test]), alone.predict_proba(inputs[test]), atol=1e-4
        )


def test_stacked_regressors_with_own_rates():
    X, y = make_regression(60, 4, random_state=0)
    models = [NeuralRegressor((5,), epochs=4, lr=lr, seed=s) for lr, s in ((1e-2, 0), (1e-3, 7))]
    alone = [NeuralRegressor(**m.get_params()).fit(X, y).predict(X) for m in models]
    NeuralRegressor.fit_replicas(models, [(X, y)] * 2)
    for model, expected in zip(models, alone, strict=True):
        np.testing.assert_allclose(model.predict(X), expected, rtol=1e-3, atol=1e-3)


def test_a_network_that_diverges_says_where():
    X, y = make_regression(60, 4, random_state=0)
    model = NeuralRegressor((5,), epochs=9, lr=1e12, optimizer="sgd")
    with pytest.raises(ArithmeticError, match="Training stopped"):
        cross_validate(model, X, y, folds=3)


def test_repeated_hold_out():
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = repeated_hold_out(
            LogisticRegression(max_iter=999), X, y, repeats=6, test_fraction=0.3
        )
    assert result.sizes == (45,) * 6
    assert result.mean > 0.9


def test_ordered_folds_are_not_repeated():
    X, y = np.arange(30.0)[:, None], np.arange(30) / 7
    once = cross_validate(LinearRegression(), X, y, is_ordered=True)
    assert len(once.scores) == 5
    with pytest.raises(
        InvalidValue, match=r"repeats must be 1 where no shuffle.*got 10 of ordered"
    ):
        cross_validate(LinearRegression(), X, y, is_ordered=True, repeats=10)


SCORED = ["accuracy", "log_loss", "auc", "f1", "macro_f1", "average_precision", "neg_log_loss"]


@pytest.mark.parametrize("score", SCORED)
@pytest.mark.parametrize("is_chain", [False, True])
def test_a_row_of_weight_three_counts_as_three_rows(score, is_chain):
    X, y = make_classification(60, 3, n_informative=2, n_redundant=0, flip_y=0.3, random_state=0)
    weight = np.random.default_rng(0).integers(0, 4, 60)
    model = LogisticRegression(C=1e9, tol=1e-10, max_iter=1000)
    if is_chain:
        model = make_pipeline(FunctionTransformer(), model)
    splits = [(np.arange(40), np.arange(40, 60)), (np.arange(20, 60), np.arange(20))]
    copies = np.repeat(np.arange(60), weight)
    repeated = [tuple(np.flatnonzero(np.isin(copies, rows)) for rows in parts) for parts in splits]
    found = cross_validate(model, X, y, folds=splits, score=score, sample_weight=weight)
    expected = cross_validate(model, X[copies], y[copies], folds=repeated, score=score)
    assert found.scores == pytest.approx(expected.scores, rel=1e-4)
    assert found.pooled == pytest.approx(expected.pooled, rel=1e-4)


def test_networks_weigh_rows_as_they_do_alone():
    X, y = make_classification(60, 3, n_informative=2, n_redundant=0, random_state=0)
    weight = np.random.default_rng(0).uniform(0.1, 2.0, 60)
    splits = [(np.arange(40), np.arange(40, 60)), (np.arange(20, 60), np.arange(20))]
    model = NeuralClassifier((4,), epochs=3)
    found = cross_validate(model, X, y, folds=splits, score="log_loss", sample_weight=weight)
    for score, (train, test) in zip(found.scores, splits, strict=True):
        alone = NeuralClassifier((4,), epochs=3).fit(X[train], y[train], sample_weight=weight[train])  # fmt: skip
        odds = alone.predict_proba(X[test])[np.arange(20), y[test]]
        assert score == pytest.approx(np.average(-np.log(odds), weights=weight[test]), rel=1e-4)


def test_weights_that_cannot_be_used_are_said():
    X, y = load_iris(return_X_y=True)
    for weight, words in (
        (np.ones(3), "one number for each of 150 rows"),
        (-np.ones(150), "must not be negative"),
        (np.r_[np.ones(50), np.zeros(100)], "rows that count in every part of every fold"),
    ):
        with pytest.raises(InvalidValue, match=words):
            cross_validate(LogisticRegression(), X, y, folds=KFold(3), sample_weight=weight)
    with pytest.raises(
        InvalidValue,
        match="cross_validate: sample_weight must be left out for KNeighborsClassifier, whose fit takes none",
    ):
        cross_validate(KNeighborsClassifier(), X, y, sample_weight=np.ones(150))
