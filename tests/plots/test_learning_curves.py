from types import SimpleNamespace

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots import learning_curves

RECORDS = [
    {"epoch": 1, "train_loss": 2.0, "validation_loss": 2.5, "validation_accuracy": 0.5, "lr": 0.1},
    {"epoch": 2, "train_loss": 1.0, "validation_loss": 1.5, "lr": 0.1},
    {"epoch": 3, "train_loss": 0.5, "validation_loss": 1.0, "validation_accuracy": 0.9, "lr": 0.1},
]


def titles(figure):
    return [axes.get_title() for axes in figure.axes]


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_history_gives_one_panel_for_each_quantity():
    figure = learning_curves({"": SimpleNamespace(records=RECORDS)})
    assert titles(figure) == ["loss", "accuracy"]
    loss = figure.axes[0]
    assert legend(loss) == ["train", "validation"]
    np.testing.assert_array_equal(loss.lines[0].get_xydata(), [[1, 2.0], [2, 1.0], [3, 0.5]])
    np.testing.assert_array_equal(loss.lines[1].get_ydata(), [2.5, 1.5, 1.0])


def test_epochs_without_a_measurement_are_gaps():
    figure = learning_curves({"": SimpleNamespace(records=RECORDS)})
    np.testing.assert_array_equal(figure.axes[1].lines[0].get_ydata(), [0.5, np.nan, 0.9])


def test_runs_differ_by_colour_and_phases_by_dashes():
    run = {"train_loss": [2.0, 1.0], "validation_loss": [2.1, 1.4]}
    (axes,) = learning_curves({"MLP": run, "line": run}, title="Two").axes
    assert legend(axes) == ["MLP, train", "MLP, validation", "line, train", "line, validation"]
    a, b, c, d = axes.lines
    assert a.get_color() == b.get_color() != c.get_color() == d.get_color()
    assert a.get_linestyle() == c.get_linestyle() == "--"
    assert b.get_linestyle() == d.get_linestyle() == "-"


def test_many_curves_are_named_once_below_the_panels():
    both = {"train_loss": [2.0, 1.0], "validation_loss": [2.1, 1.4], "validation_error": [0.3, 0.2]}
    lone = {"validation_error": [0.5, 0.4]}
    figure = learning_curves({"MLP": both, "CNN": both, "line": both, "guess": lone})
    (names,) = figure.legends
    assert [text.get_text() for text in names.get_texts()] == [
        *("MLP, train", "MLP, validation", "CNN, train", "CNN, validation"),
        *("line, train", "line, validation", "guess"),
    ]
    styles = {line.get_label(): line.get_linestyle() for line in names.get_lines()}
    assert styles["CNN, train"] == "--"
    assert styles["CNN, validation"] == "-"
    figure.draw_without_rendering()
    for panel in figure.axes:
        assert panel.get_legend() is None
        assert not names.get_window_extent().overlaps(panel.get_tightbbox())


def test_one_phase_is_named_by_its_run():
    (axes,) = learning_curves({"MLP": {"train_loss": [2.0, 1.0]}}).axes
    assert legend(axes) == ["MLP"]
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), [1, 2])


@pytest.mark.parametrize(
    ("losses", "scale"),
    [([1.0, 0.001], "log"), ([1.0, 0.1], "linear"), ([1.0, 0.0], "linear"), ([np.nan], "linear")],
)
def test_scale_follows_the_decades(losses, scale):
    (axes,) = learning_curves({"": {"train_loss": losses}}).axes
    assert axes.get_yscale() == scale


def test_odd_number_of_panels_leaves_the_last_place_empty():
    run = {"train_loss": [1.0], "train_accuracy": [0.1], "train_error": [0.9]}
    figure = learning_curves({"": run})
    assert titles(figure)[:3] == ["loss", "accuracy", "error"]
    assert not figure.axes[3].axison


def test_nothing_to_draw_is_refused():
    with pytest.raises(
        InvalidValue, match=r"learning_curves: runs must hold a column such as train_loss .*'lr'"
    ):
        learning_curves({"a": {"lr": [0.1]}})
