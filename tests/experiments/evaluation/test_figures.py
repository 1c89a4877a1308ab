"""Figures that only the experiments of this chapter draw show what they were given."""

import numpy as np

from gradatim.experiments.evaluation.random_versus_grid import search_points


def test_search_points_ring_the_best():
    figure = search_points(
        {"grid": ([1, 2, 3], [4, 5, 6], [0.3, np.nan, 0.1])},
        xlabel="a",
        ylabel="b",
        score_label="e",
    )
    ring = figure.axes[0].lines[0]
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (3, 6)
