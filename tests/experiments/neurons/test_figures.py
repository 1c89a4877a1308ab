"""Figures that only the experiments of this chapter draw show what they were given."""

import numpy as np
import pytest

from gradatim.experiments.neurons._hopfield_figures import (
    energy_descent,
    hopfield_capacity_curves,
    memory_comparison,
    recall_rows,
)
from gradatim.experiments.neurons._perceptron_figures import (
    mistakes_against_bound,
    perceptron_path,
    version_space,
)
from gradatim.experiments.neurons.boolean_functions import separability_grid
from gradatim.experiments.neurons.cover_counting import cover_fraction
from gradatim.experiments.neurons.hebbian_failure import hebbian_errors
from gradatim.linear import cover_count, separate
from gradatim.neurons import TRANSITION, Perceptron, bit_error, hebbian_learning

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def test_grid_marks_the_shared_point_of_xor():
    panels = {
        "XOR": ((0, 1, 1, 0), separate(CORNERS, (0, 1, 1, 0))),
        "OR": ((0, 1, 1, 1), separate(CORNERS, (0, 1, 1, 1))),
        "never": ((0, 0, 0, 0), None),
    }
    figure = separability_grid(panels, columns=2)
    xor, either, never, rest = figure.axes
    assert [panel.get_title() for panel in (xor, either, never)] == list(panels)
    cross = xor.lines[-1]
    assert [float(cross.get_xdata()[0]), float(cross.get_ydata()[0])] == [0.5, 0.5]
    assert not either.lines
    assert not rest.axison
    figure.draw_without_rendering()


def test_path_draws_one_line_for_each_update_and_the_widest():
    y = [0, 0, 0, 1]
    path = Perceptron().fit(CORNERS, y).weights_path_
    axes = perceptron_path(CORNERS, y, path, separate(CORNERS, y)).axes[0]
    drawn = sum(bool(np.any(weights[:2])) for weights in path[1:])
    assert len(axes.lines) == drawn + 1
    for x, height in axes.lines[-1].get_xydata():
        assert x + height == pytest.approx(1.5)  # the widest line of AND


def test_no_dot_can_lie_above_the_diagonal_unnoticed():
    axes = mistakes_against_bound([10, 100], [4, 30]).axes[0]
    assert axes.collections[-1].get_offsets().tolist() == [[10, 4], [100, 30]]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_version_space_draws_a_line_for_each_point():
    X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]], [1, -1, 1]
    few, all_ = version_space(X, y, counts=(1, 3)).axes
    assert (len(few.lines), len(all_.lines)) == (1, 3)
    assert few.get_title() == "1 point"


def test_finished_runs_stay_where_they_ended():
    runs = {"and": hebbian_learning(CORNERS, [-1, -1, -1, 1], lr=1.0)}
    errors = runs["and"].errors
    line = hebbian_errors(runs, epochs=30).axes[0].lines[0]
    assert list(line.get_ydata()) == errors + [0] * (30 - len(errors))


def test_cover_curves_meet_at_one_half():
    axes = cover_fraction([2, 5], {2: [(3, 6), (4, 8)]}).axes[0]
    curve, dots = axes.lines[:2]
    assert dict(zip(curve.get_xdata(), curve.get_ydata(), strict=True))[2.0] == 0.5
    assert list(dots.get_ydata()) == [cover_count(3, 2) / 8, cover_count(4, 2) / 16]


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
