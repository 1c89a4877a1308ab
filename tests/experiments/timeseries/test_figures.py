"""Figures that only the experiments of this chapter draw show what they were given."""

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.experiments.timeseries.ar_unit_root import root_circle
from gradatim.experiments.timeseries.hmm_weather import state_probabilities
from gradatim.experiments.timeseries.kalman_tuning import filter_traces
from gradatim.experiments.timeseries.tdnn_beats_ar import return_map
from gradatim.experiments.timeseries.viterbi_trellis import trellis_figure


def test_roots_lie_where_they_are():
    figure = root_circle({"walk": np.array([1.0 + 0j]), "wild": np.array([0.5j, -2.0])})
    panel = figure.axes[0]
    *_, walk, wild = panel.lines
    assert (walk.get_xdata().tolist(), walk.get_ydata().tolist()) == ([1.0], [0.0])
    assert wild.get_ydata().tolist() == [0.5, 0.0]
    assert panel.get_xlim()[0] < -2
    assert panel.patches[0].get_radius() == 1.0
    figure.draw_without_rendering()


def test_only_the_truth_of_a_return_map_is_dashed():
    curve = ([0.0, 1.0], [1.0, 0.0])
    lines = return_map([0, 1], [1, 0], {"AR": curve, "TDNN": curve, "rule": curve}).axes[0].lines
    assert [line.get_linestyle() for line in lines[1:]] == ["-", "-", "--"]


def test_a_band_is_two_deviations():
    figure = filter_traces([0, 1], [0, 1], {"a": ([1.0, 2.0], [0.5, 0.25]), "b": ([0, 0], [1, 1])})
    band = figure.axes[0].collections[0].get_paths()[0].vertices
    assert sorted({tuple(point) for point in band.tolist()}) == [(0, 0), (0, 2), (1, 1.5), (1, 2.5)]
    assert [panel.get_title() for panel in figure.axes] == ["a", "b"]
    figure.draw_without_rendering()
    with pytest.raises(InvalidValue, match="estimates must hold a filter, got none"):
        filter_traces([0], [0], {})


def test_probabilities_stack_to_one_over_the_paths():
    figure = state_probabilities(
        [[0.9, 0.1], [0.2, 0.8]], ["dry", "wet"], {"truth": [0, 1], "best path": [0, 0]}
    )
    upper, lower = figure.axes
    assert upper.patches[-1].get_data().values.tolist() == [1.0, 1.0]
    assert upper.patches[-1].get_data().baseline.tolist() == [0.9, 0.2]
    colors = {bar.get_facecolor() for bar in lower.patches if bar.get_y() > 0.5}
    assert len(colors) == 1  # the path of the second row never leaves one state
    figure.draw_without_rendering()
    with pytest.raises(InvalidValue, match=r"must have 1 columns, one per state, got shape \(1, 2\)"):  # fmt: skip
        state_probabilities([[0.5, 0.5]], ["dry"], {})


def test_the_trellis_shows_scores_and_survivors():
    figure = trellis_figure(
        [[0.5, 0.5], [0.4, 0.0]], [[-1, -1], [1, 0]], [1, 0], states="AB", observations="xy",
        other=("other", [0, 0]),
    )  # fmt: skip
    panel = figure.axes[0]
    assert [text.get_text() for text in panel.texts] == ["0.5", "0.5", "0.4", "0"]
    best = next(line for line in panel.lines if line.get_label() == "best path")
    assert best.get_ydata().tolist() == [1, 0]
    survivors = [line for line in panel.lines if line.get_linewidth() == 2.0 and len(line.get_xdata())]  # fmt: skip
    assert [list(line.get_ydata()) for line in survivors] == [
        [1, 0]
    ]  # none into what is impossible
    figure.draw_without_rendering()
    with pytest.raises(InvalidValue, match=r"must have shape \(1, 2\), got \(2, 2\) and \(2, 2\)"):
        trellis_figure(np.ones((2, 2)), np.ones((2, 2)), [0], states="AB", observations="x")
