"""Figures of recurrent networks show what they were given."""

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.instruments import gradient_through_time
from gradatim.nn import Recurrent
from gradatim.plots.recurrent import (
    error_by_step,
    gates_over_time,
    gradient_against_lag,
    matrix_powers,
    scan_costs,
    score_against_lag,
    score_by_offset,
)


def test_gradients_are_relative_and_only_known_bounds_are_dotted():
    results = {name: gradient_through_time(Recurrent(name, 1, 4), torch.randn(2, 9, 1)) for name in ("elman", "gru")}  # fmt: skip
    figure = gradient_against_lag(results)
    elman, bound, gru, *_ = figure.axes[0].lines
    np.testing.assert_allclose(elman.get_ydata(), np.divide(results["elman"].norms, results["elman"].norms[0]))  # fmt: skip
    assert bound.get_linestyle() == ":"
    assert gru.get_label() == "gru"
    figure.draw_without_rendering()
    with pytest.raises(InvalidValue, match="gradients must hold a result, got none"):
        gradient_against_lag({})


def test_powers_lie_between_bound_and_radius():
    measured, bound, radius, _ = matrix_powers([1.0, 2.0, 1.0], spectral_norm=2.0, spectral_radius=0.5).axes[0].lines  # fmt: skip
    assert list(measured.get_ydata()) == [1.0, 2.0, 1.0]
    assert list(bound.get_ydata()) == [1.0, 2.0, 4.0]
    assert list(radius.get_ydata()) == [1.0, 0.5, 0.25]


def test_scores_against_lag_have_a_panel_for_every_task():
    scores = {"copy": {"gru": {10: 1.0, 100: 0.4}}, "adding": {"gru": {10: 0.9, 100: 0.2}}}
    figure = score_against_lag(scores, chance={"copy": 0.125, "adding": 0.2})
    assert [panel.get_title() for panel in figure.axes] == ["copy", "adding"]
    assert list(figure.axes[1].lines[0].get_ydata()) == [0.9, 0.2]
    figure.draw_without_rendering()


def test_offsets_are_drawn_in_order():
    panel = score_by_offset({"a": {1: 0.5, -1: 1.0}}, chance=0.5, xlabel="offset").axes[0]
    assert list(panel.lines[0].get_xdata()) == [-1, 1]
    assert list(panel.lines[0].get_ydata()) == [1.0, 0.5]


def test_gates_are_rows_of_a_picture():
    figure = gates_over_time({"x": [0, 1, 0]}, {"input": [0, 1, 0], "forget": [1, 0, 1]}, [1])
    np.testing.assert_array_equal(figure.axes[1].images[0].get_array(), [[0, 1, 0], [1, 0, 1]])
    figure.draw_without_rendering()


def test_errors_of_one_family_share_a_colour():
    zero, learned, other = error_by_step({"GRU, zero": [1.0, 0.1], "GRU, learned": [0.2, 0.1], "LSTM, zero": [1.0, 1.0]}).axes[0].lines  # fmt: skip
    assert zero.get_color() == learned.get_color() != other.get_color()
    assert (zero.get_linestyle(), learned.get_linestyle()) == ("--", "-")


def test_costs_are_in_milliseconds():
    line = scan_costs({"loop": {10: 0.1, 100: 1.0}}).axes[0].lines[0]
    assert list(line.get_ydata()) == [100.0, 1000.0]
