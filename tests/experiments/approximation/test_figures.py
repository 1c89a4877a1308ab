"""Figures that only the experiments of this chapter draw show what they were given."""

import numpy as np

from gradatim.experiments.approximation.activations import activation_gallery
from gradatim.nn import ACTIVATIONS


def test_gallery_shows_every_activation_with_its_derivative():
    figure = activation_gallery()
    panels = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title() for axes in panels] == list(ACTIVATIONS)
    value, derivative = panels[list(ACTIVATIONS).index("tanh")].lines
    z = np.asarray(value.get_xdata())
    np.testing.assert_allclose(value.get_ydata(), np.tanh(z))
    np.testing.assert_allclose(derivative.get_ydata(), 1 - np.tanh(z) ** 2, atol=1e-12)
    figure.draw_without_rendering()
