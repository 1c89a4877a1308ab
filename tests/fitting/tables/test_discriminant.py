import time

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from gradatim.fitting.tables.candidates import fit_simple
from gradatim.fitting.tables.discriminant import wide_discriminant
from gradatim.fitting.tables.predictors import predict


@pytest.mark.parametrize(("rows", "columns", "classes"), [(30, 80, 2), (40, 50, 3), (60, 300, 4)])
def test_agrees_with_the_covariance_of_all_columns(rows, columns, classes):
    rng = np.random.default_rng(rows)
    y = rng.integers(0, classes, rows)
    X = rng.normal(size=(rows, columns)) * rng.uniform(0.1, 5, columns)
    X += rng.normal(size=(classes, columns))[y]
    X[:, 0], X[:, 1] = 1.0, y == 0  # one value, and one value in each class
    peer = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
    weights, constants, present = wide_discriminant(X, y)
    np.testing.assert_allclose(weights, peer.coef_, atol=1e-9 * np.abs(peer.coef_).max())
    np.testing.assert_allclose(constants, peer.intercept_, atol=1e-8)
    assert present.tolist() == list(range(classes))


def test_repeated_rows_and_a_class_of_one_row_do_no_harm():
    X = np.repeat(np.eye(3, 9), 2, axis=0)[:5]
    output = predict(fit_simple("linear discriminant", X, np.array([0, 0, 1, 1, 2]), 3, 0), X)
    assert np.isfinite(output).all()
    assert output.argmax(1).tolist() == [0, 0, 1, 1, 2]


def test_ten_thousand_columns_take_no_time():
    rng = np.random.default_rng(0)
    started = time.process_time()
    wide_discriminant(rng.normal(size=(30, 10_000)), np.arange(30) % 2)
    assert time.process_time() - started < 5.0  # a matrix of columns by columns takes minutes
