import numpy as np
import pytest

from gradatim.theory import log_log_slope


@pytest.mark.parametrize("power", [-2.0, -0.5, 0.0, 1.0])
def test_recovers_a_power_law(power):
    sizes = np.array([1, 3, 10, 40])
    assert log_log_slope(sizes, 7.0 * sizes**power) == pytest.approx(power, abs=1e-12)


@pytest.mark.parametrize(("sizes", "errors"), [([1], [1.0]), ([1, 2], [1.0, 0.0]), ([1, 2], [1.0])])
def test_refuses(sizes, errors):
    with pytest.raises(ValueError, match="log_log_slope: sizes and errors must be equally many"):
        log_log_slope(sizes, errors)
