"""Samples of a schedule, and blocks whose height follows the values."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.instruments import schedule_curve, sparkline
from gradatim.optim import schedules


def test_samples_both_ends_at_equal_distances():
    curve = schedule_curve("linear", epochs=8, lr=0.4, points=5)
    assert curve.epochs == [0, 2, 4, 6, 8]
    assert curve.lrs == pytest.approx([0.4, 0.3, 0.2, 0.1, 0.0])


def test_printed():
    text = str(schedule_curve(schedules.warm_up(epochs=5), epochs=10, lr=0.1))
    line, _, words = text.partition("  ")
    assert len(line) == 60
    assert line[0] == line[-1] == "▁"
    assert line[30] == "█"
    assert words == "0 → 0, between 0 and 0.1"


def test_constant_is_a_full_line():
    assert sparkline([2.0, 2.0, 2.0]) == "███"
    assert sparkline([0.0, 0.0]) == "▁▁"
    assert sparkline([0.0, 5e-324]) == "▁█"


def test_negative_values_hang_below():
    assert sparkline([-1.0, 0.0, 1.0]) in ("▁▄█", "▁▅█")


@settings(max_examples=50, deadline=None)
@given(values=st.lists(st.floats(0, 100), min_size=1, max_size=200), width=st.integers(1, 80))
def test_width_and_order(values, width):
    line = sparkline(values, width=width)
    assert len(line) == min(width, len(values))
    if len(values) <= width:
        for (a, x), (b, y) in zip(
            zip(line, values, strict=True), zip(line[1:], values[1:], strict=True), strict=False
        ):
            assert (a <= b) if x <= y else (a >= b)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: schedule_curve("cosine", epochs=0), "epochs must be more than 0, got 0"),
        (lambda: schedule_curve("cosine", epochs=1, points=1), "points must be at least 2, got 1"),
        (lambda: schedule_curve("cos", epochs=1), "schedule must be one of cosine"),
        (lambda: sparkline([]), "values and width must be at least one, got 0 and 60"),
        (lambda: sparkline([1.0], width=0), "values and width must be at least one"),
        (lambda: sparkline([1.0, float("nan")]), "values must be finite"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
