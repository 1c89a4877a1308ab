"""Nested cross-validation by a slow loop."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_regression
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, LeaveOneGroupOut
from sklearn.neighbors import KNeighborsClassifier

from gradatim.errors import InvalidValue
from gradatim.estimators import NeuralClassifier
from gradatim.evaluation import make_splits, nested_cross_validate
from gradatim.evaluation.nested import score_choices
from gradatim.evaluation.samples import Samples
from gradatim.evaluation.scoring import SCORES

ALPHAS = [0.01, 1.0, 100.0]


def inner_choice(X, y):
    errors = []
    for alpha in ALPHAS:
        own = []
        for train, test in KFold(3, shuffle=True, random_state=0).split(X):
            own.append(
                np.mean(
                    (Ridge(alpha=alpha).fit(X[train], y[train]).predict(X[test]) - y[test]) ** 2
                )
            )
        errors.append(np.mean(own))
    return ALPHAS[int(np.argmin(errors))], min(errors)


def test_against_a_slow_loop():
    X, y = make_regression(60, 10, noise=60.0, random_state=0)
    result = nested_cross_validate(Ridge(), X, y, {"alpha": ALPHAS})
    scores = []
    for k, (train, test) in enumerate(KFold(5, shuffle=True, random_state=0).split(X)):
        alpha, selected = inner_choice(X[train], y[train])
        scores.append(
            np.mean((Ridge(alpha=alpha).fit(X[train], y[train]).predict(X[test]) - y[test]) ** 2)
        )
        assert result.choices[k] == {"alpha": alpha}
        assert result.selected[k] == pytest.approx(selected)
    assert result.scores == pytest.approx(scores)
    assert result.mean == pytest.approx(np.mean(scores))
    assert result.final_choice == {"alpha": inner_choice(X, y)[0]}
    assert result.optimism == pytest.approx(np.mean(result.selected) - np.mean(scores))


@pytest.mark.parametrize(
    ("folds", "inner", "choices", "trainings"), [(5, 3, 10, 185), (2, 2, 1, 8), (3, 4, 2, 35)]
)
def test_number_of_trainings(folds, inner, choices, trainings):
    X, y = load_iris(return_X_y=True)
    calls = []

    class Counted(KNeighborsClassifier):
        def fit(self, X, y):
            calls.append(1)
            return super().fit(X, y)

    grid = [{"n_neighbors": k} for k in range(1, choices + 1)]
    result = nested_cross_validate(Counted(), X, y, grid, folds=folds, inner_folds=inner)
    assert result.trainings == trainings
    assert len(calls) == trainings  # the final choice, on all rows, among them
    assert f"{trainings} trainings" in repr(result)


def test_accuracy_is_maximized_and_groups_stay_together():
    X, y = load_iris(return_X_y=True)
    groups = np.arange(150) // 5
    result = nested_cross_validate(
        KNeighborsClassifier(), X, y, {"n_neighbors": [60, 5]}, folds=3, groups=groups
    )
    assert result.final_choice == {"n_neighbors": 5}
    assert result.mean > 0.9


def test_a_choice_that_diverges_scores_nothing_and_the_others_stay():
    X, y = load_iris(return_X_y=True)
    X = X * np.array([1, 1, 1, 1e3])
    model = NeuralClassifier((4,), epochs=3, optimizer="sgd", standardize=False)
    choices = [{"lr": 1e-3}, {"lr": 1e30}]
    scores = score_choices(model, Samples(X, y), choices, make_splits(y, 3), SCORES["accuracy"])
    assert np.isfinite(scores[0]).all()
    assert np.isnan(scores[1]).all()
    assert SCORES["accuracy"].best(scores.mean(1).tolist()) == 0


@pytest.mark.parametrize("score", ["mse", "mae", "r2"])
def test_a_row_of_weight_three_counts_as_three_rows_in_both_loops(score):
    X, y = make_regression(60, 8, noise=60.0, random_state=0)
    weight = np.random.default_rng(0).integers(0, 4, 60)
    copies, groups = np.repeat(np.arange(60), weight), np.arange(60) % 4
    job = {"folds": LeaveOneGroupOut(), "inner_folds": LeaveOneGroupOut(), "score": score}
    grid = {"alpha": [1e-3, 3.0, 30.0, 300.0]}
    found = nested_cross_validate(Ridge(), X, y, grid, groups=groups, sample_weight=weight, **job)
    expected = nested_cross_validate(Ridge(), X[copies], y[copies], grid, groups=groups[copies], **job)  # fmt: skip
    assert found.scores == pytest.approx(expected.scores)
    assert found.selected == pytest.approx(expected.selected)
    assert found.choices == expected.choices
    assert found.final_choice == expected.final_choice
    assert found.trainings == (4 * 3 + 4) * 4 + 4
    plain = nested_cross_validate(Ridge(), X, y, grid, groups=groups, **job)
    assert found.scores != pytest.approx(plain.scores, rel=1e-3)


def test_weights_that_leave_nothing_to_learn_from_are_refused():
    X, y = np.arange(12.0)[:, None], np.arange(12.0)
    weight = np.r_[np.ones(8), np.zeros(4)]
    with pytest.raises(InvalidValue, match="nested_cross_validate: sample_weight must leave rows that count"):  # fmt: skip
        nested_cross_validate(Ridge(), X, y, {"alpha": [1.0]}, folds=KFold(3), sample_weight=weight)
    with pytest.raises(InvalidValue, match="nested_cross_validate: sample_weight must be left out for KNeighborsClassifier"):  # fmt: skip
        nested_cross_validate(KNeighborsClassifier(), X, y > 5, {"n_neighbors": [1]}, sample_weight=weight)  # fmt: skip


def test_message():
    with pytest.raises(InvalidValue, match="grid must hold at least one choice"):
        nested_cross_validate(Ridge(), [[0.0]], [0.0], [])
