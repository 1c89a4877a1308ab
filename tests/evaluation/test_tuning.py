"""Tuning: grids, draws, Optuna, interruption."""

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_iris, make_regression
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline

from gradatim.errors import InvalidValue
from gradatim.estimators import NeuralClassifier
from gradatim.evaluation import Integers, LogUniform, Score, Uniform, tune

X, Y = np.zeros((12, 1)), np.arange(12.0)
BOWL = Score("bowl", False, lambda model, X, y: (model.a - 0.3) ** 2 + (np.log10(model.b) + 2) ** 2)


class Bowl(RegressorMixin, BaseEstimator):
    """Its score has the minimum 0 at a = 0.3, b = 0.01."""

    fits = 0
    limit = 10**9

    def __init__(self, a=0.0, b=1.0, c=None):
        self.a, self.b, self.c = a, b, c

    def fit(self, X, y):
        Bowl.fits += 1
        if Bowl.fits > Bowl.limit:
            raise KeyboardInterrupt
        return self

    def predict(self, X):
        return np.zeros(len(X))


@pytest.fixture(autouse=True)
def _no_limit():
    Bowl.fits, Bowl.limit = 0, 10**9


SPACE = {"a": Uniform(0, 1), "b": LogUniform(1e-4, 1.0), "c": ["x", "y"]}


def search(method, **options):
    return tune(Bowl(), X, Y, SPACE, method=method, folds=2, score=BOWL, **options)


def test_a_grid_tries_everything():
    space = {"a": [0.001, 0.01, 0.1], "b": [0.01, 0.1, 1.0], "c": Integers(2, 4)}
    result = tune(Bowl(), X, Y, space, method="grid", folds=2, score=BOWL)
    assert len(result.trials) == 27
    assert len({tuple(t.parameters.values()) for t in result.trials}) == 27
    assert result.best == {"a": 0.1, "b": 0.01, "c": 2}
    assert result.best_score == pytest.approx(0.04)


def test_random_draws_stay_inside_and_cover_orders_of_magnitude():
    result = search("random", trials=200)
    a = [t.parameters["a"] for t in result.trials]
    b = np.log10([t.parameters["b"] for t in result.trials])
    assert 0 <= min(a) <= max(a) <= 1
    assert -4 <= b.min() <= b.max() <= 0
    assert np.histogram(b, bins=4, range=(-4, 0))[0].min() > 30
    assert {t.parameters["c"] for t in result.trials} == {"x", "y"}
    assert result.best_score == min(t.score for t in result.trials)


def test_bayesian_search_beats_its_own_first_draws():
    result = search("bayesian", trials=40)
    scores = [t.score for t in result.trials]
    assert np.median(scores[20:]) < np.median(scores[:10])
    assert "after 40 trials" in repr(result)


@pytest.mark.parametrize("method", ["random", "bayesian"])
def test_an_interrupted_search_goes_on_to_the_same_result(method, tmp_path):
    whole = search(method, trials=20)
    Bowl.fits, Bowl.limit = 0, 25
    with pytest.raises(KeyboardInterrupt):
        search(method, trials=20, study=tmp_path / "study.log")
    Bowl.fits, Bowl.limit = 0, 10**9
    resumed = search(method, trials=20, study=tmp_path / "study.log")
    assert 0 < Bowl.fits < 40
    assert resumed == whole
    Bowl.fits = 0
    assert search(method, trials=20, study=tmp_path / "study.log") == resumed
    assert Bowl.fits == 0


def test_a_file_of_another_search_is_refused(tmp_path):
    search("random", trials=1, study=tmp_path / "study.log")
    with pytest.raises(InvalidValue, match="study must be a file of the same search"):
        search("bayesian", trials=1, study=tmp_path / "study.log")


@pytest.mark.parametrize("method", ["grid", "random", "bayesian"])
@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("data, folds", {"X": X[:11], "y": Y[:11]}),
        ("data", {"X": X + 1}),
        ("data", {"y": Y + 1}),
        ("data, folds", {"groups": np.arange(12) // 2}),
        ("folds", {"folds": 3}),
        ("model", {"model": Bowl(c="z")}),
        ("model", {"model": make_pipeline(Bowl())}),
        ("space", {"space": {"a": [0.1, 0.3]}}),
        ("score", {"score": "mae"}),
        ("seed", {"seed": 1}),
    ],
)
def test_a_study_of_anything_else_is_refused(what, change, method, tmp_path):
    own = {"model": Bowl(), "X": X, "y": Y, "space": {"a": [0.1, 0.2]}, "folds": 2, "score": BOWL}
    if isinstance(change.get("model"), Pipeline):
        change = {**change, "space": {"bowl__a": [0.1, 0.2]}, "score": "mse"}
        what = "model"
    own |= {"method": method, "trials": 2, "study": tmp_path / "study.log"}
    first = tune(**own)
    assert tune(**own) == first
    with pytest.raises(InvalidValue, match=f"of one with other .*{what}.* Choose another file"):
        tune(**(own | change))
    assert tune(**own) == first


def test_a_model_that_cannot_be_compared_is_refused_only_with_a_study(tmp_path):
    model = Bowl(c=lambda: 0)
    space = {"a": [0.1]}
    assert tune(model, X, Y, space, method="grid", folds=2, score=BOWL).best == {"a": 0.1}
    with pytest.raises(InvalidValue, match="model must have contents that can be compared"):
        tune(model, X, Y, space, method="grid", folds=2, score=BOWL, study=tmp_path / "study.log")


def test_groups_stay_together():
    seen, groups = [], np.arange(12) // 3

    def watch(model, X, y):
        seen.append(set(groups[y.astype(int)]))
        return 0.0

    for method in ("grid", "random", "bayesian"):
        seen.clear()
        options = {"method": method, "trials": 1, "folds": 2, "score": watch, "groups": groups}
        tune(Bowl(), X, Y, {"a": [0.1]}, **options)
        assert [len(part) for part in seen] == [2, 2]
        assert not set.intersection(*seen)


@pytest.mark.parametrize("method", ["grid", "random", "bayesian"])
def test_a_row_of_weight_three_counts_as_three_rows(method):
    rows, y = make_regression(60, 8, noise=60.0, random_state=0)
    weight = np.random.default_rng(0).integers(0, 4, 60)
    copies, groups = np.repeat(np.arange(60), weight), np.arange(60) % 4
    space = {"alpha": [1e-3, 3.0, 30.0, 300.0] if method == "grid" else LogUniform(1e-3, 1e3)}
    job = {"method": method, "trials": 5, "folds": LeaveOneGroupOut()}
    found = tune(Ridge(), rows, y, space, groups=groups, sample_weight=weight, **job)
    expected = tune(Ridge(), rows[copies], y[copies], space, groups=groups[copies], **job)
    assert [t.score for t in found.trials] == pytest.approx([t.score for t in expected.trials])
    assert found.best == pytest.approx(expected.best)
    plain = tune(Ridge(), rows, y, space, groups=groups, **job)
    assert found.best_score != pytest.approx(plain.best_score, rel=1e-3)


def test_a_study_knows_its_weights_and_weights_must_be_of_use(tmp_path):
    rows, y = make_regression(30, 3, random_state=0)
    job = {"space": {"alpha": [1.0]}, "method": "grid", "study": tmp_path / "s"}
    tune(Ridge(), rows, y, sample_weight=np.ones(30), **job)
    with pytest.raises(InvalidValue, match="of one with other data"):
        tune(Ridge(), rows, y, sample_weight=np.arange(1.0, 31.0), **job)
    with pytest.raises(InvalidValue, match="tune: sample_weight must be left out for Bowl"):
        tune(Bowl(), X, Y, {"a": [0.1]}, sample_weight=np.ones(12))
    with pytest.raises(InvalidValue, match="tune: sample_weight must leave rows that count"):
        tune(Ridge(), rows, y, {"alpha": [1.0]}, folds=3, groups=np.repeat([0, 1, 2], 10), sample_weight=np.repeat([1, 1, 0], 10))  # fmt: skip


@pytest.mark.parametrize("method", ["random", "bayesian"])
def test_distributions_of_scipy(method, tmp_path):
    space = {"a": stats.norm(0.3, 0.1), "b": stats.loguniform(1e-4, 1.0), "c": stats.randint(2, 5)}
    options = {
        "method": method,
        "trials": 60 if method == "random" else 8,
        "folds": 2,
        "score": BOWL,
    }
    result = tune(Bowl(), X, Y, space, **options, study=tmp_path / "study.log")
    assert tune(Bowl(), X, Y, space, **options, study=tmp_path / "study.log") == result
    assert tune(Bowl(), X, Y, space, **options) == result
    a, b, c = zip(*(t.parameters.values() for t in result.trials), strict=True)
    assert set(c) <= {2, 3, 4}
    assert all(type(value) is int for value in c)
    if method == "random":
        assert stats.kstest(a, space["a"].cdf).pvalue > 0.01
        assert stats.kstest(b, space["b"].cdf).pvalue > 0.01
        assert set(c) == {2, 3, 4}


def test_bad_choices_are_pruned():
    result = search("bayesian", trials=30, is_pruned=True)
    assert any(t.is_pruned for t in result.trials)
    assert Bowl.fits < 60
    assert not any(t.is_pruned for t in result.trials if t.parameters == result.best)


def test_accuracy_is_maximized():
    data = load_iris(return_X_y=True)
    result = tune(KNeighborsClassifier(), *data, {"n_neighbors": [99, 5]}, method="grid")
    assert result.best == {"n_neighbors": 5}


def test_diverging_choices_are_no_choice():
    X, y = load_iris(return_X_y=True)
    model = NeuralClassifier((4,), epochs=2, optimizer="sgd", standardize=False)
    for method in ("grid", "bayesian"):
        result = tune(model, X * 1e3, y, {"lr": [1e30, 1e-6]}, method=method, folds=2, trials=6)
        assert result.best == {"lr": 1e-6}
    with pytest.raises(InvalidValue, match="all diverged"):
        tune(model, X * 1e3, y, {"lr": [1e30]}, method="grid", folds=2)


@pytest.mark.parametrize(
    ("space", "options", "message"),
    [
        ({}, {}, "space must name at least one"),
        ({"a": Uniform(2, 1)}, {}, "a must have low <= high"),
        ({"a": LogUniform(0, 1)}, {}, "a must have 0 < low <= high"),
        ({"a": "xy"}, {}, "a must be a list of values"),
        ({"a": Uniform(0, 1)}, {"method": "grid"}, "must be a list of values for a grid"),
        ({"a": stats.norm()}, {"method": "grid"}, r"for a grid, got norm\(\)"),
        ({"a": stats.norm}, {"method": "grid"}, "for a grid"),
        ({"a": stats.multivariate_normal([0.0])}, {}, "or a distribution with ppf"),
        (SPACE, {"method": "gird"}, "method must be one of grid"),
        (SPACE, {"trials": 0}, "trials must be at least 1"),
        (SPACE, {"is_pruned": True}, "is_pruned must go with method='bayesian'"),
    ],
)
def test_messages(space, options, message):
    with pytest.raises(InvalidValue, match=message):
        tune(Bowl(), X, Y, space, score=BOWL, **options)
