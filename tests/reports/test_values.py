import json
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidType
from gradatim.reports.values import (
    format_column,
    format_value,
    is_number,
    json_value,
    plain_value,
)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "0.5"),
        (1.0, "1"),
        (0.0, "0"),
        (-0.98765, "-0.9877"),
        (99.994, "99.99"),
        (99.996, "100"),
        (9999.96, "10,000"),
        (1234567.8, "1,234,568"),
        (12345678.9, "1.235e+07"),
        (0.00012345, "0.0001234"),
        (3.217e-05, "3.217e-05"),
        (float("inf"), "∞"),
        (float("-inf"), "-∞"),
        (float("nan"), "nan"),
        (1797, "1,797"),
        (True, "yes"),
        (False, "no"),
        (None, "–"),
        ("10 of 10", "10 of 10"),
    ],
)
def test_values_read_well(value, shown):
    assert format_value(value) == shown


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12))
@settings(max_examples=200, deadline=None)
def test_shown_value_is_within_half_a_unit_of_the_fourth_digit(value):
    shown = float(format_value(value).replace(",", ""))
    assert math.isclose(shown, value, rel_tol=5.01e-4, abs_tol=0.0)


@given(st.floats(min_value=1e-4, max_value=9.9e6), st.integers(0, 8))
@settings(max_examples=100, deadline=None)
def test_kept_decimals_never_pretend_more_than_four_digits(value, decimals):
    shown = format_value(value, decimals=decimals).replace(",", "")
    fraction = shown.partition(".")[2]
    significant = shown.replace(".", "").lstrip("0")
    assert len(significant) <= 4 or not fraction


def test_column_shares_its_decimals():
    assert format_column([1.8, 2.0, 3.42]) == ["1.80", "2.00", "3.42"]
    assert format_column([0.9812, 0.95, 1.0, 12.34]) == ["0.9812", "0.9500", "1.000", "12.34"]
    assert format_column(["a", None, 2.5, 7, 0.0]) == ["a", "–", "2.5", "7", "0"]


@pytest.mark.parametrize("number", [np.float32(0.5), np.array(0.5), torch.tensor(0.5), 0.5])
def test_numbers_of_other_libraries_become_python_floats(number):
    value = plain_value("Report", "measured", number)
    assert type(value) is float
    assert value == 0.5


def test_numpy_truth_and_integers_keep_their_kind():
    assert plain_value("Report", "rows", np.True_) is True
    assert type(plain_value("Report", "rows", np.int64(3))) is int


def test_lists_are_refused_as_values():
    with pytest.raises(
        InvalidType,
        match=r"Report: measured must be a string or a number, got list. Format it as a string first.",
    ):
        plain_value("Report", "measured", [1, 2])


def test_json_has_no_bare_nan():
    tree = {"a": [math.nan, (1, math.inf)], 2: -math.inf, "path": complex(1, 2)}
    text = json.dumps(json_value(tree), allow_nan=False)
    assert json.loads(text) == {"a": ["nan", [1, "inf"]], "2": "-inf", "path": "(1+2j)"}


def test_truth_values_are_not_numbers():
    assert is_number(3)
    assert is_number(0.1)
    assert not is_number(True)
    assert not is_number("3")
