"""Figures that only the experiments of this chapter draw show what they were given."""

import re

import numpy as np
import pytest

from gradatim.experiments.attention.minilm_neighbours import similarity_matrices
from gradatim.experiments.attention.positional_encoding import position_pattern


def test_positions_take_curves():
    figure = position_pattern(np.zeros((5, 2)), {"a": [1, 0.5], "b": [1, 0.2]})
    assert list(figure.axes[1].lines[1].get_ydata()) == [1, 0.2]


def test_similarities_show_numbers_and_names():
    table = np.array([[1.0, 0.26], [0.26, -0.01]])
    figure = similarity_matrices({"words": table, "meaning": table.T}, ["one", "two"])
    assert [panel.get_title() for panel in figure.axes] == ["words", "meaning"]
    assert [t.get_text() for t in figure.axes[1].texts] == ["1.0", "0.3", "0.3", "0.0"]
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == ["one", "two"]
    np.testing.assert_array_equal(figure.axes[0].images[0].get_array(), table)
    figure.draw_without_rendering()


def test_similarities_of_others_than_the_labels_are_refused():
    message = "similarity_matrices: 'x' must be of shape (1, 1), as there are labels, got (2, 2)."
    with pytest.raises(ValueError, match=re.escape(message)):
        similarity_matrices({"x": np.eye(2)}, ["one"])
