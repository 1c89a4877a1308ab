"""Figures of memories show what they were given."""

import numpy as np
import pytest

from gradatim.neurons import TRANSITION, bit_error
from gradatim.plots.memories import (
    energy_descent,
    hopfield_capacity_curves,
    memory_comparison,
    recall_rows,
)


def test_capacity_shows_formula_and_leaves_out_zeros_of_the_log_scale():
    first = {"d = 9": ([0.05, 0.2], [0.0, 0.01])}
    figure = hopfield_capacity_curves(first, {"d = 9": ([0.05, 0.2], [1.0, 0.7])})
    left, right = figure.axes
    formula, dots = left.lines[:2]
    for x, y in formula.get_xydata()[::50]:
        assert y == pytest.approx(bit_error(x, 1.0))
    assert dots.get_xydata().tolist() == [[0.2, 0.01]]
    assert list(right.lines[0].get_ydata()) == [1.0, 0.7]
    assert list(right.lines[1].get_xdata()) == [TRANSITION, TRANSITION]
    figure.draw_without_rendering()


def test_comparison_is_logarithmic_in_the_load():
    axes = memory_comparison({"a": ([0.1, 1], [1, 0.6]), "b": ([0.1, 1], [1, 1])}).axes[0]
    assert axes.get_xscale() == "log"
    assert [line.get_label() for line in axes.lines[:2]] == ["a", "b"]


def test_rising_energies_are_counted():
    traces = {"one": [[0.0, 0.0], [-1.0, -2.0]], "all": [[0.0, 0.0], [1.0, -2.0]]}
    titles = [axes.get_title() for axes in energy_descent(traces).axes]
    assert titles == ["one: 0 of 2 ever rise", "all: 1 of 2 ever rise"]


def test_rows_are_labelled():
    images = np.ones((3, 4, 4))
    figure = recall_rows({"stored": images, "recalled": -images})
    assert [figure.axes[k].get_ylabel() for k in (0, 3)] == ["stored", "recalled"]
    assert figure.axes[3].images[0].get_array().min() == -1
    assert len(recall_rows({"one": images[:1]}).axes) == 1
