import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots import comparison_bars

VALUES = {"MLP": 1.8, "logistic": 3.42, "forest": 2.0}


def test_bars_start_at_zero_and_the_first_is_on_top():
    axes = comparison_bars(VALUES, label="error %", title="Test").axes[0]
    assert [bar.get_width() for bar in axes.patches] == [1.8, 3.42, 2.0]
    assert {bar.get_x() for bar in axes.patches} == {0.0}
    middles = [bar.get_y() + bar.get_height() / 2 for bar in axes.patches]
    np.testing.assert_allclose(middles, [2, 1, 0])
    assert axes.get_xlabel() == "error %"
    assert [text.get_text() for text in axes.texts] == ["1.8", "3.42", "2"]


def test_intervals_become_whiskers_on_their_own_scale():
    intervals = {"MLP": (0.97, 0.99), "line": (0.94, 0.96)}
    axes = comparison_bars({"MLP": 0.98, "line": 0.95}, intervals=intervals).axes[0]
    np.testing.assert_allclose(axes.lines[0].get_xdata(), [0.97, 0.99])
    np.testing.assert_allclose(axes.lines[3].get_xydata(), [[0.95, 0.0]])
    assert axes.get_xlim()[0] > 0.9


def test_highlight_colours_one_model():
    axes = comparison_bars(VALUES, highlight="forest").axes[0]
    colors = [bar.get_facecolor() for bar in axes.patches]
    assert colors[0] == colors[1] != colors[2]


def test_values_must_exist():
    with pytest.raises(InvalidValue, match=r"values must name at least one model, got none"):
        comparison_bars({})


def test_intervals_must_cover_all():
    with pytest.raises(
        InvalidValue, match=r"intervals must cover every model, got none for 'logistic'"
    ):
        comparison_bars(VALUES, intervals={"MLP": (1.0, 2.0)})


def test_highlight_must_be_a_model():
    with pytest.raises(
        InvalidValue, match=r"highlight must be one of MLP, logistic, forest, got 'x'"
    ):
        comparison_bars(VALUES, highlight="x")
