"""Figures that only the experiments of this chapter draw show what they were given."""

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.experiments.sequences._pattern_figures import (
    pattern_diagrams,
    reach_maps,
    readout_weights,
)
from gradatim.experiments.sequences.bidirectional import score_by_offset
from gradatim.experiments.sequences.char_rnn import token_surprise
from gradatim.experiments.sequences.connected_digits import label_probabilities
from gradatim.experiments.sequences.learned_initial_state import error_by_step
from gradatim.experiments.sequences.long_memory import score_against_lag
from gradatim.experiments.sequences.lstm_gates import gates_over_time
from gradatim.experiments.sequences.prefix_scan import scan_costs
from gradatim.experiments.sequences.vanishing_in_time import matrix_powers


def test_powers_lie_between_bound_and_radius():
    measured, bound, radius, _ = matrix_powers([1.0, 2.0, 1.0], spectral_norm=2.0, spectral_radius=0.5).axes[0].lines  # fmt: skip
    assert list(measured.get_ydata()) == [1.0, 2.0, 1.0]
    assert list(bound.get_ydata()) == [1.0, 2.0, 4.0]
    assert list(radius.get_ydata()) == [1.0, 0.5, 0.25]


def test_scores_against_lag_have_a_panel_for_every_task():
    scores = {"copy": {"gru": {10: 1.0, 100: 0.4}}, "adding": {"gru": {10: 0.9, 100: 0.2}}}
    figure = score_against_lag(scores, chance={"copy": 0.125, "adding": 0.2})
    assert [panel.get_title() for panel in figure.axes] == [
        "copy, chance 0.12",
        "adding, chance 0.20",
    ]
    assert figure.axes[1].images[0].get_array().tolist() == [[0.9, 0.2]]
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


def test_only_labels_that_were_heard_are_drawn():
    table = np.array([[0.1, 0.9, 0.0], [0.95, 0.03, 0.02], [0.2, 0.7, 0.1]])
    figure = label_probabilities([("one", table), ("two", table)], ["a", "b"])
    assert [len(panel.lines) for panel in figure.axes] == [2, 2]
    assert [text.get_text() for text in figure.axes[0].texts] == ["a", "a", "dotted: blank"]
    with pytest.raises(InvalidValue, match="panels must have 2 columns"):
        label_probabilities([("one", table)], ["a"])


def test_letters_stand_in_lines_on_their_surprise():
    figure = token_surprise("ab\ncdefg", np.arange(8.0), columns=4)
    grid = figure.axes[0].images[0].get_array()
    assert grid.shape == (3, 4)
    assert grid[0, :3].tolist() == [0, 1, 2]
    assert grid[1].tolist() == [3, 4, 5, 6]
    assert grid[2, 0] == 7
    assert [text.get_text() for text in figure.axes[0].texts] == [*"ab↵cdefg"]
    with pytest.raises(InvalidValue, match=r"each of 3 letters, at least one, got shape \(2,\)"):
        token_surprise("abc", [1, 2])


def test_unrolled_networks_have_a_box_for_each_input_state_and_answer():
    figure = pattern_diagrams({"many to one": ((0, 1, 2), (2,), 1), "aligned": ((0, 1), (0, 1), 2)})
    one, two = ([text.get_text() for text in axes.texts if text.get_text()] for axes in figure.axes)
    assert sorted(one) == ["h1", "h2", "h3", "x1", "x2", "x3", "y"]
    assert len(two) == 4 + 2 + 2
    arrows = [len(axes.texts) - len(words) for axes, words in zip(figure.axes, (one, two), strict=True)]  # fmt: skip
    assert arrows == [3 + 2 + 1, 2 + 2 + 2 + 2]  # up, along (in each layer), between layers, out


def test_reach_and_readouts_show_every_entry():
    figure = reach_maps({"aligned": np.tri(3, dtype=bool), "last": np.ones((1, 3), bool)})
    assert [int((panel.collections[0].get_array() > 0).sum()) for panel in figure.axes] == [6, 3]
    above, below = readout_weights(np.arange(8.0).reshape(2, 4), ["a", "b"]).axes
    assert above.images[0].get_array().shape == (2, 4)
    assert [list(line.get_ydata()) for line in below.lines[:2]] == [[0, 1, 2, 3], [4, 5, 6, 7]]
