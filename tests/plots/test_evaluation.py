"""Figures of measurement show the numbers they are given."""

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots.evaluation import fitted_functions, score_curves, spreads


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
