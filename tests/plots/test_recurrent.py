"""Figures of recurrent networks show what they were given."""

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.instruments import gradient_through_time
from gradatim.nn import Recurrent
from gradatim.plots.recurrent import gradient_against_lag


def test_gradients_are_relative_and_only_known_bounds_are_dotted():
    results = {name: gradient_through_time(Recurrent(name, 1, 4), torch.randn(2, 9, 1)) for name in ("elman", "gru")}  # fmt: skip
    figure = gradient_against_lag(results)
    elman, bound, gru, *_ = figure.axes[0].lines
    np.testing.assert_allclose(elman.get_ydata(), np.divide(results["elman"].norms, results["elman"].norms[0]))  # fmt: skip
    assert bound.get_linestyle() == ":"
    assert gru.get_label() == "gru"
    figure.draw_without_rendering()
    with pytest.raises(InvalidValue, match="gradients must hold a result, got none"):
        gradient_against_lag({})
