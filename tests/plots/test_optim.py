"""What the figures of optimization show: data as given, in the right panels and scales."""

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.instruments import LRRange, schedule_curve
from gradatim.plots.optim import (
    decay_curves,
    decrease_figure,
    lr_range_figure,
    noise_figure,
    power_laws,
    schedule_curves,
    training_curves,
    valley_paths,
)


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


def test_valleys_show_every_path():
    path = torch.tensor([[1.0, 0.5], [0.0, 0.0]])
    box = ((-2.0, 2.0), (-1.0, 1.0))
    figure = valley_paths(
        lambda w: w.square().sum(), box, dict.fromkeys("abc", path), minimum=(0, 0), title="Valley"
    )
    shown = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title() for axes in shown] == ["a", "b", "c"]
    np.testing.assert_allclose(shown[0].lines[0].get_xydata(), path.numpy())
    assert shown[0].get_xlim() == box[0]
    with pytest.raises(InvalidValue, match="valley_paths: paths must hold at least one"):
        valley_paths(lambda w: w.sum(), box, {}, minimum=(0, 0))


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


def test_power_laws_name_their_powers():
    x = [1.0, 10.0, 100.0]
    figure = power_laws(x, {"root": [2, 2 * 10**0.5, 20]}, xlabel="x", ylabel="y")
    assert figure.axes[0].get_legend().get_texts()[0].get_text() == "root: power 0.50"


def test_training_counts_from_one():
    (axes,) = training_curves({"a": [3.0, 2.0, 1.0]}, xlabel="epoch", ylabel="loss").axes
    assert axes.lines[0].get_xdata().tolist() == [1, 2, 3]


def test_decrease_against_guarantee():
    figure = decrease_figure([0.2, 0.1], [0.1, 0.05], [3.0, 4.0])
    left, right = figure.axes[:2]
    np.testing.assert_allclose(left.collections[0].get_offsets(), [[0.1, 0.2], [0.05, 0.1]])
    np.testing.assert_allclose(right.lines[0].get_ydata(), [3, 4])


def test_noise_shows_clouds_and_lines():
    cloud = np.ones((5, 2))
    figure = noise_figure(
        [1, 2, 4], {"a": [4, 2, 1]}, {"1/m": [4, 2, 0]}, clouds={"m = 1": cloud, "m = 2": cloud / 2}
    )
    left, right = figure.axes
    assert len(left.lines) == 3
    assert np.isnan(right.lines[1].get_ydata()[2])
    assert (right.get_xscale(), right.get_yscale()) == ("log", "log")
