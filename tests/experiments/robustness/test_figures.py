"""Figures that only the experiments of this chapter draw show what they were given."""

import numpy as np
import pytest

from gradatim.experiments.robustness.affine_closed_form import norm_balls


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_balls_touch_the_line(side):
    weight, bias = np.array([1.0, -2.0]), side * 3.0
    for panel in norm_balls(weight, bias, [0.5, 0.5]).axes:
        line, ball, _ = panel.get_lines()
        scores = np.stack(ball.get_data(), 1) @ weight + bias
        start = np.array([0.5, 0.5]) @ weight + bias
        assert np.abs(np.stack(line.get_data(), 1) @ weight + bias).max() < 1e-9
        # on one side everywhere, and at zero somewhere
        assert (scores * np.sign(start)).min() == pytest.approx(0, abs=2e-3)
        arrow = panel.texts[0]
        assert np.array(arrow.xy) @ weight + bias == pytest.approx(0, abs=1e-9)
