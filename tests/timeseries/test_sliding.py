"""Windows of a series: the right steps, as views."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.timeseries import windows


@settings(deadline=None)
@given(st.integers(1, 5), st.integers(0, 4), st.integers(1, 4), st.integers(0, 20))
def test_against_a_loop(length, horizon, stride, extra):
    series = torch.randn(length + horizon + extra, 2)
    past, future = windows(series, length, horizon=horizon, stride=stride)
    starts = range(0, len(series) - length - horizon + 1, stride)
    assert len(past) == len(future) == len(starts)
    for row, start in enumerate(starts):
        assert torch.equal(past[row], series[start : start + length])
        assert torch.equal(future[row], series[start + length : start + length + horizon])


def test_one_variable_keeps_no_axis_and_nothing_is_copied():
    series = torch.arange(10.0)
    past, future = windows(series, 4)
    assert past.shape == (6, 4)
    assert future.shape == (6, 1)
    assert past.data_ptr() == series.data_ptr()
    assert past.untyped_storage().nbytes() == series.untyped_storage().nbytes()


@pytest.mark.parametrize(
    ("series", "arguments", "message"),
    [
        (torch.zeros(4), {"length": 4}, "at least length \\+ horizon = 5 steps, got 4"),
        (torch.zeros(0), {"length": 1}, "got 0"),
        (torch.zeros(9), {"length": 0}, "length and stride must be at least 1"),
        (torch.zeros(9), {"length": 2, "stride": 0}, "length and stride must be at least 1"),
        (torch.zeros(9), {"length": 2, "horizon": -1}, "horizon at least 0"),
        (torch.zeros(2, 2, 2), {"length": 1}, "got shape \\(2, 2, 2\\)"),
        (torch.tensor([0.0, float("nan"), 1.0]), {"length": 1}, "must not hold NaN"),
    ],
)
def test_errors(series, arguments, message):
    with pytest.raises(InvalidValue, match=message):
        windows(series, **arguments)
