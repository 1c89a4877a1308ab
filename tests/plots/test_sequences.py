import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots import alignment_maps, forecast_bands


def test_each_alignment_gets_a_panel_cut_to_its_tokens():
    weights = np.full((5, 7), 0.1)
    figure = alignment_maps([(weights, "abc", "xyzw"), (weights, "ab", "xy"), (weights, "a", "x")])
    assert len(figure.axes) == 3
    shapes = [panel.images[0].get_array().shape for panel in figure.axes]
    assert shapes == [(3, 4), (2, 2), (1, 1)]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["a", "b", "c"]


def test_alignments_that_do_not_fit_are_refused():
    with pytest.raises(InvalidValue, match=r"each of 3 target tokens .* got shape \(2, 2\)"):
        alignment_maps([(np.zeros((2, 2)), "abc", "xy")])
    with pytest.raises(InvalidValue, match="at least one, got none"):
        alignment_maps([])


def test_bands_begin_at_the_last_value():
    figure = forecast_bands(
        [1, 2, 3], {"A": ([4, 5], [3, 3], [5, 7])}, [4, 6], title="t", ylabel="v"
    )
    history, median, came, _ = figure.axes[0].lines
    assert history.get_xdata().tolist() == [-2, -1, 0]
    assert median.get_ydata().tolist() == [3, 4, 5]
    assert came.get_xdata().tolist() == [1, 2]
    assert figure.axes[0].get_title() == "t"


def test_a_forecast_of_nothing_is_refused():
    with pytest.raises(InvalidValue, match=r"got shape \(0,\) and 1"):
        forecast_bands([], {"A": ([4], [3], [5])})
    with pytest.raises(InvalidValue, match=r"got shape \(1,\) and 0"):
        forecast_bands([1], {})
