"""Detectors against other libraries and slow loops, and the laws of scores and blame."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import NearestNeighbors

from gradatim.data.tables.columns import Column
from gradatim.errors import InvalidValue
from gradatim.fitting.anomalies.candidates import NEIGHBOURS, SERIES, TABLES, Shape, fit_simple
from gradatim.fitting.anomalies.detectors import FLOOR, Detector, calibrate, score
from gradatim.fitting.anomalies.isolation import fit_isolation
from gradatim.fitting.anomalies.networks import AutoencoderSettings, fit_network
from gradatim.fitting.anomalies.readers import TableReader
from gradatim.fitting.tables.preprocessing import Encoder, Preprocessing

RNG = np.random.default_rng(0)


def plain(features, last=None):
    places = np.arange(features)
    return Shape(places, np.ones(features, bool), np.zeros(features, bool), places if last is None else last)  # fmt: skip


def joint(rows, seed=0):
    """Two columns that go together, and two that do not."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=rows)
    return np.stack([a, a + 0.05 * rng.normal(size=rows), *rng.normal(size=(2, rows))], 1)


WINDOW = plain(8, last=np.array([6, 7]))
FITS = {
    **{name: lambda X, name=name: fit_simple(name, X, plain(X.shape[1]), 0) for name in TABLES},
    "forecast error": lambda X: fit_simple("forecast error", X, plain(4, last=np.array([3])), 0),
    "network": lambda X: fit_network(X, AutoencoderSettings(), 0, 0, steps=40)[0],
    "recurrent": lambda X: fit_network(X, AutoencoderSettings(form="recurrent", hidden_dim=8), 2, 0, steps=20)[0],
}  # fmt: skip


def test_the_forest_is_that_of_scikit_learn():
    for rows, seed in ((40, 0), (700, 3)):
        X = joint(rows)
        forest = IsolationForest(n_estimators=100, max_samples=min(256, rows), random_state=seed).fit(X)  # fmt: skip
        fitted = fit_isolation(X, seed)
        new = 3 * RNG.normal(size=(200, 4))
        np.testing.assert_allclose(fitted.raw(new), -forest.score_samples(new), rtol=1e-12)


def test_components_are_those_of_scikit_learn():
    X, new = joint(300), joint(50, seed=1)
    fitted = fit_simple("principal components", X, plain(4), 0)
    pca = PCA(n_components=fitted.settings["components"]).fit(X)
    usual, residual = (V - pca.inverse_transform(pca.transform(V)) for V in (X, new))
    expected = (residual**2 / ((usual**2).mean(0) + FLOOR)).mean(1)
    np.testing.assert_allclose(fitted.raw(new), expected, rtol=1e-8)
    wide = RNG.normal(size=(20, 60))
    few = fit_simple("principal components", wide, plain(60), 0)
    assert PCA(n_components=0.9).fit(wide).n_components_ == few.settings["components"]


def test_neighbours_are_those_of_scikit_learn():
    X, new = joint(300).astype(np.float32).astype(float), joint(50, seed=1)
    fitted = fit_simple("nearest neighbours", X, plain(4), 0)
    distances, _ = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(X).kneighbors(new)
    np.testing.assert_allclose(fitted.raw(new), distances.mean(1), rtol=1e-6)


def test_a_forecast_is_a_ridge_regression():
    X = RNG.normal(size=(200, 8))
    X[:, 6:] = X[:, :2] @ np.array([[1.0, 0.5], [0.0, 2.0]]) + 0.1 * RNG.normal(size=(200, 2))
    fitted = fit_simple("forecast error", X, WINDOW, 0)
    A, Y = X[:, :6] - X[:, :6].mean(0), X[:, 6:] - X[:, 6:].mean(0)
    weights = np.linalg.inv(A.T @ A + 0.2 * np.eye(6)) @ A.T @ Y
    residual = Y - A @ weights
    expected = (residual**2 / ((residual**2).mean(0) + FLOOR)).mean(1)
    np.testing.assert_allclose(fitted.raw(X), expected, rtol=1e-8)
    assert (fitted.blame(X)[:, :6] == 0).all()


COLUMNS = [
    Encoder(Column("x", "numeric"), 0.0, 1.0, 0.0, marks_missing=True),
    Encoder(Column("town", "categorical"), levels=["Bern", "Genf"], marks_other=True),
]


def test_rules_know_numbers_missing_cells_and_rare_categories():
    reader = TableReader(Preprocessing(COLUMNS))
    assert reader.shape().cells.tolist() == [0, 0, 1, 1, 1]
    X = np.zeros((100, 5))
    X[:90, 2], X[90:98, 3], X[98:, 4], X[:1, 1] = 1.0, 1.0, 1.0, 1.0
    fitted = fit_simple("single columns", X, reader.shape(), 0)
    rare = lambda share: np.sqrt(-2 * np.log(share))  # noqa: E731
    rows = {
        (0.5, 0, 1, 0, 0): max(0.5, rare(90 / 101)),
        (-4.0, 0, 1, 0, 0): 4.0,
        (0.0, 1, 1, 0, 0): rare(1 / 101),
        (0.0, 0, 0, 1, 0): rare(8 / 101),
        (0.0, 0, 0, 0, 1): rare(2 / 101),
        (0.0, 0, 0, 0, 0): rare(1 / 101),  # a category that nobody has seen
    }
    np.testing.assert_allclose(fitted.raw(np.array(list(rows), float)), list(rows.values()))
    assert reader.reasons(fitted.blame(np.array([[3.0, 0, 0, 1, 0]]))) == ["x 64 %, town 36 %"]


@pytest.mark.parametrize("name", FITS)
def test_scores_depend_on_no_mates_and_come_back_from_a_folder(name):
    X = joint(200)
    fitted = FITS[name](X)
    calibrate(fitted, joint(100, seed=1), 0.1)
    new = joint(30, seed=2)
    whole = score(fitted, new)
    np.testing.assert_array_equal(np.concatenate([score(fitted, new[:7]), score(fitted, new[7:])]), whole)  # fmt: skip
    again = type(fitted).restore(*fitted.store())
    np.testing.assert_array_equal(score(again, new), whole)
    blame = fitted.blame(new)
    assert blame.shape == new.shape
    assert (blame >= 0).all()


@pytest.mark.parametrize(
    "name", ["single columns", "nearest neighbours", "forecast error", "network", "recurrent"]
)
def test_a_cell_far_off_raises_an_alarm_and_is_blamed(name):
    fitted = FITS[name](joint(400))
    calibrate(fitted, joint(200, seed=1), 0.05)
    new = joint(20, seed=2)
    new[:, 3] = 9.0
    assert (score(fitted, new) > 1).mean() > 0.9
    assert (fitted.blame(new).argmax(1) == 3).mean() > 0.9


def test_a_forest_sees_rows_at_the_edge_and_components_what_they_do_not_explain():
    new, edge = joint(20, seed=2), joint(20, seed=3)
    new[:, 1] += 1.0
    edge[:, 2:] = 4.0
    found = {}
    for name in ("isolation forest", "principal components"):
        fitted = FITS[name](joint(400))
        calibrate(fitted, joint(200, seed=1), 0.05)
        found[name] = [float((score(fitted, rows) > 1).mean()) for rows in (new, edge)]
        blamed = fitted.blame(edge if name == "isolation forest" else new).argmax(1)
        assert (blamed >= 2).mean() > 0.8 if name == "isolation forest" else (blamed < 2).all()
    assert found["isolation forest"][1] > 0.9 > found["isolation forest"][0]
    assert found["principal components"][0] > 0.9 > found["principal components"][1]


def test_only_what_looks_at_columns_together_sees_a_broken_pair():
    X, held, new = joint(600), joint(300, seed=1), joint(200, seed=2)
    new[:, :2] = np.random.default_rng(3).uniform(-1.5, 1.5, (200, 2))
    found = {}
    for name in ("single columns", "principal components", "network"):
        fitted = fit_network(X, AutoencoderSettings(code=0.75), 0, 0, steps=600)[0] if name == "network" else FITS[name](X)  # fmt: skip
        calibrate(fitted, held, 0.02)
        found[name] = float((score(fitted, new) > 1).mean())
    assert found["single columns"] < 0.1
    assert found["principal components"] > 0.8
    assert found["network"] > 0.6


def test_rows_that_are_all_alike_raise_no_alarm():
    X = np.ones((30, 3))
    for name in TABLES:
        fitted = FITS[name](X) if name != "principal components" else fit_simple(name, X, plain(3), 0)  # fmt: skip
        calibrate(fitted, X, 0.1)
        assert not (score(fitted, X) > 1).any()
        assert np.isfinite(score(fitted, X)).all()


def test_the_share_of_alarms_holds_for_every_detector():
    """By simulation: the mean share over draws is at most what was asked for."""
    shares = {name: [] for name in ("single columns", "principal components", "nearest neighbours")}
    for seed in range(40):
        X, held, new = (np.random.default_rng([seed, k]).standard_t(3, size=(n, 3)) for k, n in enumerate((60, 39, 400)))  # fmt: skip
        for name, own in shares.items():
            fitted = fit_simple(name, X, plain(3), 0)
            calibrate(fitted, held, 0.1)
            own.append(float((score(fitted, new) > 1).mean()))
    for name, own in shares.items():
        assert np.mean(own) <= 0.1 + 3 * np.std(own) / np.sqrt(len(own)), name
        assert np.mean(own) >= 0.1 - 3 * np.std(own) / np.sqrt(len(own)), name


def test_names_are_in_order_of_complexity():
    assert [name for name in SERIES if name != "forecast error"] == list(TABLES)


@pytest.mark.parametrize("threshold", [0.0, -1.0, float("inf"), float("nan"), "1", None])
def test_a_threshold_that_is_none_is_refused(threshold):
    facts = {"kind": "constant", "settings": {"threshold": threshold}}
    with pytest.raises(InvalidValue, match="load_model: threshold must be a positive number"):
        Detector.restore(facts, {})
