"""Figures of anomalies: what stands where, and what is refused."""

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots.anomalies import alarm_shares, flagged_series, score_histogram


def test_shares_of_both_kinds_add_up_to_one():
    figure = score_histogram([0.0, 0.1, 0.2, 1.1], [0.5, 500.0, 2.0])
    bars = figure.axes[0].containers
    assert [sum(bar.get_height() for bar in own) for own in bars] == pytest.approx([1.0, 1.0])
    texts = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert texts == ["normal (4), 25 % above", "anomalies (3), 67 % above", "threshold"]


def test_scores_that_are_all_the_same_are_drawn():
    score_histogram([0.0, 0.0], [0.0]).draw_without_rendering()
    score_histogram([1e-9] * 3, [1e12]).draw_without_rendering()


def test_alarms_lie_on_the_line_where_the_promise_holds():
    figure = alarm_shares([0.01, 0.1], [0.0, 0.1], 200, marked=0.01)
    line = figure.axes[0].lines[1]
    assert line.get_xdata().tolist() == [0.01, 0.1]
    assert line.get_ydata()[1] == 0.1
    assert line.get_ydata()[0] > 0  # none is drawn at the foot of the scale
    figure.draw_without_rendering()


def test_alarms_are_marked_and_labels_shaded():
    figure = flagged_series(
        {"a": np.arange(5.0), "b": np.ones(5)}, [np.nan, 0.5, 2.0, 3.0, 0.1], labelled=[False, False, True, True, False]
    )  # fmt: skip
    marked = figure.axes[0].lines[1]
    assert marked.get_xdata().tolist() == [2, 3]
    assert [len(axes.patches) for axes in figure.axes] == [1, 1, 1]
    figure.draw_without_rendering()


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InvalidValue, match="score_histogram: normal and odd must hold finite"):
        score_histogram([], [1.0])
    with pytest.raises(InvalidValue, match="alarm_shares: asked and raised must be as many"):
        alarm_shares([0.1], [0.1, 0.2], 5)
    with pytest.raises(InvalidValue, match="flagged_series: channels must be as long as the score"):
        flagged_series({"a": [1.0]}, [1.0, 2.0])
