"""Figures of measurement show the numbers they are given."""

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots.evaluation import (
    error_parts,
    fitted_functions,
    score_curves,
    search_points,
    spreads,
)


def test_spreads_write_mean_and_deviation():
    figure = spreads(
        {"a": [1.0, 3.0], "b": [2.0]}, label="error", reference=2.0, reference_label="truth"
    )
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == ["2 ± 1.4", "2 ± 0"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["a", "b"]
    with pytest.raises(InvalidValue, match="samples must name at least one way"):
        spreads({}, label="error")


def test_score_curves_draw_the_mean_of_runs_and_the_marks():
    runs = np.array([[1.0, 3.0], [2.0, 6.0]])
    figure = score_curves(
        [1, 10],
        {"test": runs},
        xlabel="x",
        ylabel="y",
        marks={"best": 1},
        is_log_x=True,
        is_log_y=True,
    )
    (axes,) = figure.axes
    assert axes.lines[0].get_ydata().tolist() == [2.0, 4.0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["test", "best"]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_error_parts_stack_up_to_the_sum():
    figure = error_parts(
        [1, 2], [1.0, 0.5], [0.1, 0.4], 0.2, error=[1.3, 1.1], xlabel="w", is_log_x=True
    )
    tops = [area.get_datalim(figure.axes[0].transData).y1 for area in figure.axes[0].collections]
    assert tops == pytest.approx([0.2, 1.2, 1.3])


def test_fitted_functions_draw_every_fit_and_their_mean():
    figure = fitted_functions(
        {"one": [[0, 1]], "two": [[0, 1], [2, 3]]},
        grid=[0, 1],
        truth=[1, 1],
        data=([0], [0]),
        ylim=(0, 3),
    )
    one, two = figure.axes
    assert (len(one.lines), len(two.lines)) == (3, 5)
    assert list(two.lines[2].get_ydata()) == [1, 2]


def test_search_points_ring_the_best():
    figure = search_points(
        {"grid": ([1, 2, 3], [4, 5, 6], [0.3, np.nan, 0.1])},
        xlabel="a",
        ylabel="b",
        score_label="e",
    )
    ring = figure.axes[0].lines[0]
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (3, 6)
