"""Figures that only the experiments of this chapter draw show what they were given."""

import numpy as np

from gradatim.experiments.convolution.convolution_is_toeplitz import matrix_panels
from gradatim.experiments.convolution.equivariance import score_table
from gradatim.experiments.convolution.filters import filtered_images

RNG = np.random.default_rng(0)


def shown(axes):
    return np.asarray(axes.images[0].get_array())


def test_matrices_have_white_zeros():
    matrix = np.array([[0.0, 3.0], [1.0, 0.0], [0.0, 2.0]])
    (axes,) = matrix_panels({"one": matrix}).axes
    np.testing.assert_array_equal(shown(axes), matrix)
    assert axes.images[0].get_clim() == (-3.0, 3.0)


def test_filters_stand_in_the_corner_of_their_answers():
    kernel, answer = np.eye(3), RNG.normal(size=(8, 12))
    figure = filtered_images(np.zeros((8, 12)), {"diagonal": (kernel, answer)})
    panel = figure.axes[1]
    np.testing.assert_allclose(shown(panel), answer)
    np.testing.assert_allclose(shown(panel.child_axes[0]), kernel)


def test_scores_are_written_and_vanishing_ones_are_zero():
    axes = score_table({"a": {"x": 1e-9, "y": 0.25}, "b": {"x": 1.414, "y": 0.0}}).axes[0]
    assert [text.get_text() for text in axes.texts] == ["0", "0.25", "1.41", "0"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]
