import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots.residuals import MAX_POINTS, residuals


def test_points_are_truth_and_difference():
    left, right = residuals([1.0, 2.0], [1.5, 1.0], label="price").axes
    np.testing.assert_array_equal(left.collections[0].get_offsets(), [[1.5, 1.0], [1.0, 2.0]])
    np.testing.assert_array_equal(right.collections[0].get_offsets(), [[1.5, -0.5], [1.0, 1.0]])
    assert left.get_xlabel() == "predicted price"


def test_many_points_are_sampled():
    figure = residuals(np.arange(10_000.0), np.zeros(10_000))
    assert len(figure.axes[0].collections[0].get_offsets()) == MAX_POINTS


def test_lengths_must_agree():
    with pytest.raises(InvalidValue, match="residuals: y and predicted must have the same length"):
        residuals([1.0], [])
