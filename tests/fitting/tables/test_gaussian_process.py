import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process import kernels as sk
from sklearn.linear_model import LogisticRegression, Ridge

from gradatim.evaluation.criteria import find_criterion
from gradatim.fitting.goals import Goal
from gradatim.fitting.tables import gaussian_process
from gradatim.fitting.tables.candidates import PROCESS, effort, fit_simple
from gradatim.fitting.tables.gaussian_process import fit_process, process_effort
from gradatim.fitting.tables.predictors import predict


def data(count=150, width=2, seed=0, noise=0.1):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(count, width))
    return X, 7 + np.sin(2 * X[:, 0]) + X[:, 1] + noise * draw.normal(size=count)


def test_it_learns_no_less_than_scikit_learn():
    X, y = data()
    fitted = fit_simple(PROCESS, X, y, 0, 0)
    kernel = sk.DotProduct(1.0) + sk.ConstantKernel() * sk.Matern(1.0, nu=1.5) + sk.WhiteKernel()
    theirs = Theirs(kernel, normalize_y=True, random_state=0)
    with np.errstate(all="ignore"):
        theirs.fit(X, y)
    new, truth = data(400, seed=1, noise=0.0)
    errors = [np.sqrt(np.mean((said - truth) ** 2)) for said in (predict(fitted, new), theirs.predict(new))]  # fmt: skip
    assert errors[0] < 1.1 * errors[1]
    assert errors[0] < 0.15


def test_one_length_serves_unless_many_pay():
    X, y = data(200, 6)
    (own,) = fit_simple(PROCESS, X, y, 0, 0).settings["parameters"]
    X, y = data(40, 6, noise=0.5)
    (few,) = fit_simple(PROCESS, X, y, 0, 0).settings["parameters"]
    assert (len(own), len(few)) == (6 + 4, 1 + 4)
    assert min(own[4:8]) > 3 * own[2]  # columns that tell nothing have long lengths


def test_a_plane_is_ridge_regression():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(100, 5))
    y = X @ np.arange(5.0) + draw.normal(size=100)
    new = draw.normal(size=(50, 5))
    expected = Ridge(1.0).fit(X, y).predict(new)
    assert np.abs(predict(fit_simple(PROCESS, X, y, 0, 0), new) - expected).max() < 0.5


def test_classes_on_two_sides_of_a_circle():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(300, 2))
    y = np.digitize((X**2).sum(1), [0.7, 2.0])
    fitted = fit_simple(PROCESS, X[:200], y[:200], 3, 0)
    said = predict(fitted, X[200:])
    np.testing.assert_allclose(said.sum(1), 1.0)
    assert np.mean(said.argmax(1) == y[200:]) > 0.85
    linear = LogisticRegression().fit(X[:200], y[:200]).score(X[200:], y[200:])
    assert linear < 0.6


def test_a_class_with_one_row_is_learned_too():
    X, _ = data(500)
    y = np.zeros(500, int)
    y[7], y[9] = 1, 1
    said = predict(fit_simple(PROCESS, X, y, 3, 0), X)  # and a class that has none
    assert said.shape == (500, 3)
    assert np.isfinite(said).all()
    assert (said > 0).all()


@pytest.mark.parametrize("level", [0.1, 0.9])
def test_a_quantile_leaves_its_share_of_new_rows_below(level):
    X, y = data(400, noise=1.0)
    goal = Goal(find_criterion("fit", f"quantile:{level}", 0))
    said = predict(fit_process(X, y, 0, 0, {}, goal), data(4000, seed=1)[0])
    assert np.mean(data(4000, seed=1, noise=1.0)[1] < said) == pytest.approx(level, abs=0.05)


def test_settings_stay_where_they_fit():
    X, y = data(120, 6)
    elder = fit_simple(PROCESS, X[:80], y[:80], 0, 0)
    again = fit_simple(PROCESS, X, y, 0, 0, elder.settings)
    assert again.settings["parameters"] == [pytest.approx(elder.settings["parameters"][0])]
    assert len(again.arrays["rows"]) == 120
    wider = np.column_stack([X, X[:, 0]])  # a level that only the test rows have
    assert predict(fit_simple(PROCESS, wider, y, 0, 0, elder.settings), wider).shape == (120,)
    classes = np.digitize(y, [6.5, 7.5])
    elder = fit_simple(PROCESS, X[:80], classes[:80], 3, 0)
    again = fit_simple(PROCESS, X, classes, 3, 0, elder.settings)
    for own, before in zip(again.settings["parameters"], elder.settings["parameters"], strict=True):
        assert own == pytest.approx(before)


def test_a_constant_target_and_repeated_rows_are_learned():
    X, y = data(40)
    assert predict(fit_simple(PROCESS, X, np.full(40, 3.0), 0, 0), X) == pytest.approx(np.full(40, 3.0))  # fmt: skip
    X[1:20] = X[0]
    assert np.isfinite(predict(fit_simple(PROCESS, X, y, 0, 0), X)).all()


def test_the_search_sees_some_rows_only(monkeypatch):
    seen = []

    def learn(start, X, y):
        seen.append(len(y))
        return start

    monkeypatch.setattr(gaussian_process, "_learn", learn)
    fitted = fit_simple(PROCESS, *data(900), 0, 0)
    assert seen == [gaussian_process.SEARCHING_ROWS]
    assert len(fitted.arrays["rows"]) == 900


def test_work_grows_as_the_cube_in_the_end():
    assert effort(PROCESS, 800, 5, 0.1) == process_effort(800, 0)
    assert process_effort(16_000, 0) / process_effort(8_000, 0) == pytest.approx(8, rel=0.1)
    assert process_effort(200, 0) / process_effort(100, 0) == pytest.approx(4 * 500 / 400, rel=1e-6)
