import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from gradatim.errors import InvalidValue
from gradatim.generative.telling_apart import as_features, auc, two_sample_test, weighted_auc


def test_the_area_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    real, made = rng.integers(0, 9, 40).astype(float), rng.integers(2, 12, 30).astype(float)
    y = np.repeat([0, 1], [40, 30])
    scores = np.concatenate([real, made])
    assert auc(real, made) == pytest.approx(roc_auc_score(y, scores))
    v, w = rng.random((3, 40)), rng.random((3, 30))
    found = weighted_auc(real, made, v, w)
    for k in range(3):
        expected = roc_auc_score(y, scores, sample_weight=np.concatenate([v[k], w[k]]))
        assert found[k] == pytest.approx(expected)


def test_rows_of_the_same_distribution_cannot_be_told_apart():
    rng = np.random.default_rng(0)

    def draw():
        return pd.DataFrame({"x": rng.normal(size=500), "c": rng.choice(["a", "b"], 500)})

    found = two_sample_test(draw(), draw(), repeats=2)
    assert found.auc.low < 0.5 < found.auc.high
    assert len(found.fold_aucs) == 10
    assert np.mean(found.fold_aucs) == pytest.approx(found.auc.value)


def test_a_dependence_that_is_missing_is_found():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 600))
    real = pd.DataFrame({"x": x[0], "c": np.where(x[0] > 0, "a", "b")})
    made = pd.DataFrame({"x": x[1], "c": rng.choice(["a", "b"], 600)})
    expected = 0.75  # half of the rows are impossible, half are like real ones
    assert two_sample_test(real, made).auc.value == pytest.approx(expected, abs=0.05)


def test_missing_cells_and_categories_become_features():
    first = pd.DataFrame({"x": [1.0, np.nan], "c": ["u", None]})
    second = pd.DataFrame({"x": [2.0], "c": ["w"]})
    X, is_category = as_features([first, second])
    assert is_category.tolist() == [False, True]
    assert np.isnan(X[1]).all()
    assert X[2].tolist() == [1.0, 1.0]  # half of 2, and the second category


def test_few_rows_are_refused():
    table = pd.DataFrame({"x": range(9)})
    with pytest.raises(InvalidValue, match="both tables must have at least 10 rows, got 9"):
        two_sample_test(table, table)
