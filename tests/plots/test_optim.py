"""What the figures of optimization show: data as given, in the right panels and scales."""

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.instruments import LRRange, schedule_curve
from gradatim.plots.optim import decay_curves, lr_range_figure, schedule_curves


def test_schedules_have_a_panel_each_and_spare_ones_are_hidden():
    names = ("constant", "cosine", "step", "linear")
    figure = schedule_curves({name: schedule_curve(name, epochs=10) for name in names})
    shown = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title() for axes in shown] == list(names)
    assert len(figure.axes) == 6
    np.testing.assert_allclose(shown[3].lines[0].get_ydata()[[0, -1]], [1, 0])
    assert shown[3].get_xlabel() == shown[1].get_xlabel() == "epoch"
    with pytest.raises(InvalidValue, match="schedule_curves: curves must hold at least one"):
        schedule_curves({})


def test_range_test_marks_suggestion_and_lowest():
    record = LRRange([0.1, 1.0, 10.0], [3.0, 1.0, 9.0], [3.0, 1.5, 9.0], 0.1, 1.0, True)
    (axes,) = lr_range_figure(record).axes
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["batch loss", "smoothed", "suggestion 0.1", "lowest 1"]
    marks = {line.get_label(): line for line in axes.lines}
    assert marks["lowest 1"].get_ydata()[0] == pytest.approx(1.5)
    assert axes.get_xscale() == "log"


def test_decay_ends_at_zeros_and_bounds_are_dashed():
    figure = decay_curves(
        {"GD": [1.0, 0.5, 0.0]}, bounds={"bound": [1.0, 0.9, 0.8]}, title="t", ylabel="gap"
    )
    (axes,) = figure.axes
    curve, bound = axes.lines
    assert np.isnan(curve.get_ydata()[2])
    assert bound.get_linestyle() == "--"
    assert curve.get_color() == bound.get_color()
    assert axes.get_yscale() == "log"
