"""Figures of activations and layers show what they were given."""

import numpy as np
import pytest
import torch
from torch import nn

from gradatim.instruments import variance_profile
from gradatim.nn import ACTIVATIONS
from gradatim.plots.activations import (
    activation_gallery,
    gradient_decay,
    layer_histograms,
    variance_profiles,
)


def test_gallery_shows_every_activation_with_its_derivative():
    figure = activation_gallery()
    panels = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title() for axes in panels] == list(ACTIVATIONS)
    value, derivative = panels[list(ACTIVATIONS).index("tanh")].lines
    z = np.asarray(value.get_xdata())
    np.testing.assert_allclose(value.get_ydata(), np.tanh(z))
    np.testing.assert_allclose(derivative.get_ydata(), 1 - np.tanh(z) ** 2, atol=1e-12)
    figure.draw_without_rendering()


def test_variance_profiles_draw_the_chosen_layers():
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))
    profile = variance_profile(model, torch.randn(8, 3))
    forward, backward = variance_profiles({"net": profile}).axes
    assert list(forward.lines[0].get_ydata()) == [
        profile[0].activation_variance,
        profile[2].activation_variance,
    ]
    assert list(backward.lines[0].get_ydata()) == [
        profile[0].gradient_variance,
        profile[2].gradient_variance,
    ]
    assert forward.get_yscale() == "log"


def test_layer_histograms_are_a_grid_and_take_dead_layers():
    figure = layer_histograms({"a": [torch.randn(50), torch.zeros(50)], "b": [torch.ones(9)] * 2})
    assert len(figure.axes) == 4
    assert figure.axes[0].patches[0].get_data().values.sum() == 50
    figure.draw_without_rendering()


def test_gradient_decay_is_relative_to_the_last_layer():
    axes = gradient_decay({"sigmoid": [2.0, 0.4, 0.08]}, bound=0.25).axes[0]
    assert list(axes.lines[0].get_ydata()) == pytest.approx([1, 0.2, 0.04])
    assert list(axes.lines[1].get_ydata()) == pytest.approx([1, 0.25, 0.0625])
