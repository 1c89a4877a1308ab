"""Panels of curves show the numbers they are given."""

import pytest

from gradatim.errors import InvalidValue
from gradatim.plots import CurvePanel, curve_panels


def test_curves_and_guides_are_the_data():
    curves = {"a": ([1, 2, 3], [3.0, 2.0, 1.0]), "b": ([1, 2, 3], [1.0, 1.0, 2.0])}
    panel = CurvePanel("Title", "x", "y", curves, {"bound": ([1, 3], [4.0, 4.0])})
    other = panel._replace(title="Other", curves={"a": curves["a"]}, guides=None)
    left, right = curve_panels([panel, other]).axes
    drawn = {line.get_label(): line.get_ydata().tolist() for line in left.get_lines()}
    assert drawn == {"a": [3, 2, 1], "b": [1, 1, 2], "bound": [4, 4]}
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["a", "b", "bound"]
    assert right.get_legend() is None
    assert (left.get_title(), right.get_title(), left.get_xlabel()) == ("Title", "Other", "x")


def test_whole_numbers_get_whole_ticks():
    panel = CurvePanel("", "", "", {"a": ([0, 1, 2], [0.0, 1.0, 2.0])})
    axis = curve_panels([panel]).axes[0]
    assert all(tick == round(tick) for tick in axis.get_xticks())


def test_few_decades_get_plain_numbers_and_many_get_powers():
    few = CurvePanel("", "", "", {"a": ([1, 50], [1.0, 1e6])}, is_log_x=True, is_log_y=True)
    figure = curve_panels([few])
    figure.draw_without_rendering()
    axis = figure.axes[0]
    labels = {text.get_text() for text in axis.get_xticklabels()}
    assert {"1", "10"} <= labels
    assert any("mathdefault" in text.get_text() for text in axis.get_yticklabels())


def test_nothing_to_draw_is_refused():
    with pytest.raises(InvalidValue, match="curve_panels: panels must hold at least one, got none"):
        curve_panels([])
