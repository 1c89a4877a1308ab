import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots.calibration import calibration


def test_a_calibrated_model_lies_on_the_diagonal():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.5, 1.0, 20_000)
    figure = calibration(p, rng.random(20_000) < p)
    line = figure.axes[0].lines[-1]
    np.testing.assert_allclose(line.get_xdata(), line.get_ydata(), atol=0.03)
    assert len(line.get_xdata()) == 10


def test_the_title_is_the_calibration_error():
    # sure of everything, right half the time
    figure = calibration(np.ones(40), np.arange(40) % 2 == 0, bins=1)
    assert figure.axes[0].get_title() == "calibration error 50.0 %"


def test_lengths_must_agree():
    with pytest.raises(
        InvalidValue, match=r"calibration: confidence and is_right must have the same length"
    ):
        calibration([0.5], [True, False])


def test_the_order_of_equals_says_nothing():
    """A model that is always as sure, of right answers first and then of wrong ones, is calibrated."""
    figure = calibration(np.full(100, 0.5), np.arange(100) < 50)
    assert figure.axes[0].get_title() == "calibration error 0.0 %"
    assert set(figure.axes[0].lines[1].get_ydata()) == {0.5}
