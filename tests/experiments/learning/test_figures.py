"""Figures that only the experiments of this chapter draw show what they were given."""

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.experiments.learning._minibatch_figures import noise_figure, training_curves
from gradatim.experiments.learning._ravine_figures import power_laws, valley_paths
from gradatim.experiments.learning.gd_rates import decrease_figure
from gradatim.experiments.learning.initialization_variance import layer_histograms
from gradatim.experiments.learning.input_scaling import convergence_curves
from gradatim.experiments.learning.saturation import gradient_decay


def test_convergence_starts_at_one_on_logarithmic_axes():
    axes = convergence_curves({"raw": torch.tensor([4.0, 1.0])}, ylabel="error").axes[0]
    assert list(axes.lines[0].get_xdata()) == [1, 2]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_layer_histograms_are_a_grid_and_take_dead_layers():
    figure = layer_histograms({"a": [torch.randn(50), torch.zeros(50)], "b": [torch.ones(9)] * 2})
    assert len(figure.axes) == 4
    assert figure.axes[0].patches[0].get_data().values.sum() == 50
    figure.draw_without_rendering()


def test_gradient_decay_is_relative_to_the_last_layer():
    axes = gradient_decay({"sigmoid": [2.0, 0.4, 0.08]}, bound=0.25).axes[0]
    assert list(axes.lines[0].get_ydata()) == pytest.approx([1, 0.2, 0.04])
    assert list(axes.lines[1].get_ydata()) == pytest.approx([1, 0.25, 0.0625])


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
