import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.neighbors import KNeighborsRegressor

from gradatim.evaluation.metrics import score
from gradatim.fitting.tables.candidates import fit_simple, simple_models
from gradatim.fitting.tables.networks import NetworkSettings, draw_settings, fit_network
from gradatim.fitting.tables.predictors import Fitted, count_held, hold, predict, softmax
from gradatim.fitting.tables.trees import tree_arrays


def problem(classes, rows=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    f = X @ np.array([1.0, -2.0, 0.5, 0.0]) + 0.3 * rng.normal(size=rows)
    y = np.digitize(f, np.quantile(f, np.linspace(0, 1, classes + 1)[1:-1])) if classes else 5 + f
    return X, y


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_trees_as_arrays_predict_what_scikit_learn_does(classes):
    X, y = problem(classes)
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    model = kind(max_iter=12, min_samples_leaf=5).fit(X, y)
    expected = model.predict_proba(X) if classes else model.predict(X)
    np.testing.assert_allclose(predict(tree_arrays(model, classes), X), expected, rtol=1e-13)


def test_trees_know_a_class_that_a_fold_never_saw():
    X, y = problem(4)
    seen = y != 2
    model = HistGradientBoostingClassifier(max_iter=5).fit(X[seen], y[seen])
    p = predict(tree_arrays(model, 4), X)
    assert p[:, 2].max() < 1e-9
    np.testing.assert_allclose(p[:, [0, 1, 3]], model.predict_proba(X), atol=1e-9)


def test_nearest_agrees_with_scikit_learn():
    X, y = problem(0)
    X = X.astype(np.float32).astype(float)
    fitted = fit_simple("k nearest neighbours", X, y, 0, 0)
    other = KNeighborsRegressor(fitted.settings["neighbours"]).fit(X, y)
    np.testing.assert_allclose(predict(fitted, X[:40] + 0.01), other.predict(X[:40] + 0.01))


def test_nearest_votes_with_one_vote_shared_by_the_prior():
    arrays = {"rows": np.array([[0.0], [1.0], [9.0]]), "target": np.array([0, 0, 1]), "prior": np.array([0.5, 0.5])}  # fmt: skip
    fitted = Fitted("nearest", 2, arrays, {"neighbours": 2})
    np.testing.assert_allclose(predict(fitted, np.array([[0.4]])), [[2.5 / 3, 0.5 / 3]])


def test_discriminant_agrees_with_scikit_learn():
    X, y = problem(3)
    other = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
    found = predict(fit_simple("linear discriminant", X, y, 3, 0), X)
    np.testing.assert_allclose(found, other.predict_proba(X), atol=1e-12)


def test_two_classes_get_two_logits():
    X, y = problem(2)
    other = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
    found = predict(fit_simple("linear discriminant", X, y, 2, 0), X)
    np.testing.assert_allclose(found, other.predict_proba(X), atol=1e-12)


def test_ridge_finds_a_line():
    X, _ = problem(0)
    y = 1e6 + X @ np.array([1.0, 2.0, 3.0, 4.0])
    fitted = fit_simple("ridge regression", X, y, 0, 0)
    np.testing.assert_allclose(predict(fitted, X), y, atol=0.01)


@pytest.mark.parametrize("classes", [0, 3])
def test_every_simple_model_beats_or_equals_the_trivial_one(classes):
    X, y = problem(classes, 400)
    scores = [score(y, predict(fit_simple(n, X, y, classes, 0), X), classes) for n in simple_models(classes)]  # fmt: skip
    assert np.argmax(scores) == 0
    assert max(scores[1:]) < 0.8 * scores[0]


def slow_ladders(arrays, X):
    """How far every bin is filled, number by number."""
    rows = []
    for row in X:
        filled = []
        for feature, edges in zip(arrays["input.feature"], arrays["input.edges"].astype(float), strict=True):  # fmt: skip
            for t in range(1, len(edges)):
                share = (row[feature] - edges[t - 1]) / (edges[t] - edges[t - 1])
                share = share if t == 1 else max(share, 0.0)
                filled.append(share if t == len(edges) - 1 else min(share, 1.0))
        rows.append(filled)
    return np.array(rows)


@pytest.mark.parametrize("classes", [0, 3])
def test_network_forward_is_that_of_the_module(classes):
    import torch

    from gradatim.models import MLP

    X, y = problem(classes)
    chosen = NetworkSettings(hidden=(5, 6), activation="tanh", steps=20, members=2)
    fitted = fit_network(X, y, classes, chosen, 0)
    columns = np.concatenate([X, slow_ladders(fitted.arrays, X)], axis=1)
    outputs = []
    for member in range(2):
        module = MLP((columns.shape[1], 5, 6, classes or 1), activation="tanh").double()
        for k, layer in enumerate(m for m in module if isinstance(m, torch.nn.Linear)):
            layer.weight.data = torch.from_numpy(fitted.arrays[f"{member}.{k}.weight"]).double()
            layer.bias.data = torch.from_numpy(fitted.arrays[f"{member}.{k}.bias"]).double()
        out = module(torch.from_numpy(columns)).detach()
        outputs.append(out.softmax(1) if classes else out * y.std() + y.mean())
    expected = torch.stack(outputs).mean(0).numpy()
    np.testing.assert_allclose(
        predict(fitted, X), expected if classes else expected[:, 0], rtol=1e-12
    )


def test_equal_seeds_train_equal_networks():
    X, y = problem(2)
    a, b, c = (fit_network(X, y, 2, NetworkSettings(steps=10), s) for s in (1, 1, 2))
    assert all(np.array_equal(a.arrays[k], b.arrays[k]) for k in a.arrays)
    assert not np.array_equal(a.arrays["0.0.weight"], c.arrays["0.0.weight"])


def test_random_settings_repeat_and_vary():
    drawn = [draw_settings(k, 5) for k in range(12)]
    assert drawn == [draw_settings(k, 5) for k in range(12)]
    assert drawn[0] == NetworkSettings()
    assert len(set(drawn)) == 12


_MODELS = {}


def models():
    if not _MODELS:
        X, y = problem(3, 300)
        _MODELS.update({n: fit_simple(n, X, y, 3, 0) for n in simple_models(3)})
        _MODELS["network"] = fit_network(X, y, 3, NetworkSettings(steps=10), 0)
        _MODELS["rows"] = np.random.default_rng(1).normal(size=(2500, 4))
        _MODELS["whole"] = {
            n: predict(m, _MODELS["rows"]) for n, m in _MODELS.items() if n != "rows"
        }
    return _MODELS


@given(seed=st.integers(0, 10**6), count=st.integers(1, 1500))
@settings(max_examples=12, deadline=None)
def test_a_row_gets_the_same_bits_in_every_company(seed, count):
    known = models()
    chosen = np.random.default_rng(seed).permutation(2500)[:count]
    for name, whole in known["whole"].items():
        assert np.array_equal(predict(known[name], known["rows"][chosen]), whole[chosen]), name


def test_softmax_is_stable():
    np.testing.assert_allclose(softmax(np.array([[1e4, 1e4 - np.log(3.0)]])), [[0.75, 0.25]])


@pytest.mark.parametrize("name", ["ridge regression", "network"])
def test_lines_and_networks_are_held_within_three_times_the_range(name):
    X, y = problem(0)
    if name == "network":
        fitted = fit_network(X, y, 0, NetworkSettings(steps=60, hidden=(8,)), 0)
    else:
        fitted = fit_simple(name, X, y, 0, 0)
    width = np.ptp(y)
    far = np.array([[1.0, -2.0, 0.5, 0.0], [-1.0, 2.0, -0.5, 0.0]]) * 1e4
    found = predict(fitted, far)  # far out a network may take the wrong end
    ends = np.where(found > y.mean(), y.max() + width, y.min() - width)
    np.testing.assert_allclose(found, ends, rtol=1e-12)
    assert count_held(fitted, predict(fitted, far)) == 2
    free = Fitted("chain", 0, fitted.arrays, {k: v for k, v in fitted.settings.items() if k not in ("low", "high")})  # fmt: skip
    np.testing.assert_array_equal(predict(fitted, X), predict(free, X))  # what is near stays
    assert count_held(fitted, predict(fitted, X)) == count_held(free, predict(free, far)) == 0


def test_a_range_that_is_not_finite_holds_nothing():
    assert hold(np.array([-1.5e308, 1.5e308])) == {}


def skewed(rows: int = 600) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 4))
    return X, np.exp(X @ [1.0, 0.7, 0.4, 0.0] + 0.1 * rng.normal(size=rows))


def test_trees_learn_the_logarithm_where_that_predicts_better():
    X, y = skewed()
    fitted = fit_simple("gradient-boosted trees", X[:400], y[:400], 0, 0)
    plain = fit_simple("gradient-boosted trees", X[:400], y[:400] - y.max(), 0, 0)  # not positive
    assert fitted.settings["is_log"]
    assert "is_log" not in plain.settings
    errors = [
        score(y[400:], out, 0)
        for out in (predict(fitted, X[400:]), predict(plain, X[400:]) + y.max())
    ]
    assert errors[0] < errors[1]
    # the mean of what was learned is that of the targets, not that of their logarithms
    np.testing.assert_allclose(predict(fitted, X[:400]).mean(), y[:400].mean())
    again = fit_simple("gradient-boosted trees", X, y, 0, 0, fitted.settings)
    assert again.settings["is_log"]


def test_a_symmetric_target_is_learned_as_it_is():
    X, y = skewed()
    fitted = fit_simple("gradient-boosted trees", X, 50.0 + np.log(y), 0, 0)
    assert "is_log" not in fitted.settings
