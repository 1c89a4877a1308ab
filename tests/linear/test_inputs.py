"""What the linear models refuse, by message."""

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidType, InvalidValue
from gradatim.linear import fit_lda, fit_least_squares, fit_logistic

X, y = torch.arange(4.0), torch.arange(4.0)


def test_arrays_tensors_and_vectors_are_the_same_to_a_fit():
    expected = fit_least_squares(X[:, None].double(), y.double())
    for inputs, targets in ((X, y), (X.numpy(), y.numpy()), (X.int(), y.int().numpy())):
        fit = fit_least_squares(inputs, targets)
        torch.testing.assert_close(fit.weight, expected.weight)
        assert fit.weight.dtype == torch.float64


@pytest.mark.parametrize(
    ("inputs", "targets", "message"),
    [
        (
            torch.zeros(2, 2, 2),
            y,
            r"X must be a matrix of samples by features, got shape \(2, 2, 2\)",
        ),
        (torch.zeros(0, 2), y, r"X must be a matrix .* got shape \(0, 2\)"),
        (torch.tensor([1.0, torch.nan]), y, r"X must be finite, got NaN or infinity"),
        (X, y[:3], r"y must have one row per row of X, 4, got shape \(3,\)"),
        (X, torch.full((4,), torch.inf), r"y must be finite"),
    ],
)
def test_bad_regression_inputs(inputs, targets, message):
    with pytest.raises(InvalidValue, match="fit_least_squares: " + message):
        fit_least_squares(inputs, targets)


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        (np.array(["a", "b", "a", "b"]), InvalidType, r"integer labels, got <U1. Try sklearn"),
        (torch.tensor([0.0, 1, 0, 1]), InvalidType, r"integer labels, got torch.float32"),
        (torch.tensor([0, 1]), InvalidValue, r"one label per row of X, 4, got shape \(2,\)"),
        (torch.tensor([3, 3, 3, 3]), InvalidValue, r"two or more classes, got only \[3\]"),
    ],
)
def test_bad_labels(labels, error, message):
    for owner, fit in (("fit_lda", fit_lda), ("fit_logistic", fit_logistic)):
        with pytest.raises(error, match=rf"{owner}: y must h.*{message}"):
            fit(X, labels)
