"""Figures in the cells of a report."""

import math

import pytest

from gradatim.fitting.generative.figures import percent_with_ends, with_ends
from gradatim.generative import Estimate


@pytest.mark.parametrize(
    ("figure", "cell"),
    [
        (Estimate(0.789, 0.7012, 0.8719), "0.79 (0.70 to 0.87)"),
        (Estimate(0.98, 0.9321, 0.9994), "0.980 (0.932 to 0.999)"),
        (Estimate(0.00978, 0.000897, 0.0325), "0.010 (0.001 to 0.033)"),
        (Estimate(1234.5, 1100.0, 1400.0), "1,234 (1,100 to 1,400)"),
        (Estimate(0.0, 0.0, 0.0), "0.000 (0.000 to 0.000)"),
        (Estimate(math.nan, math.nan, math.nan), None),
        (None, None),
    ],
)
def test_a_figure_has_as_many_digits_as_its_interval_allows(figure, cell):
    assert with_ends(figure) == cell


def test_shares_are_said_in_percent():
    assert percent_with_ends(Estimate(0.5, 0.323, 0.656)) == "50 % (32 to 66)"
    assert percent_with_ends(None) is None
