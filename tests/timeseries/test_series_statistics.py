import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gradatim.errors import InvalidValue
from gradatim.timeseries import describe_series
from gradatim.timeseries.series_statistics import EDGES, LAGS


def by_hand(x):
    """Every number of one series without gaps, one at a time, with NumPy and SciPy."""
    n, t = len(x), np.linspace(0, 1, len(x))
    d = x - x.mean()
    runs, run = [0], 0
    for value in d:
        run = run + 1 if value > 0 else 0
        runs.append(run)
    power = np.abs(np.fft.rfft(d)[1:]) ** 2
    frequency = np.fft.rfftfreq(n)[1:]
    share = power / power.sum()
    edges = (0, *EDGES)
    bands = [share[(frequency > a) & (frequency <= b)].sum() for a, b in zip(edges, EDGES, strict=False)]  # fmt: skip
    levels = np.quantile(x, [0.1, 0.25, 0.5, 0.75, 0.9])
    memory = [np.mean(d[lag:] * d[:-lag]) / d.var() if lag < n else 0.0 for lag in LAGS]
    return [
        x.mean(), x.std(), x.min(), x.max(), x[0], x[-1], *levels,
        stats.skew(x), stats.kurtosis(x, fisher=False),
        np.polyfit(t, x, 1)[0], np.abs(np.diff(x)).mean(), t[x.argmin()], t[x.argmax()],
        sum(x[i - 1] < x[i] > x[i + 1] for i in range(1, n - 1)) / n,
        sum((d[i] > 0) != (d[i + 1] > 0) for i in range(n - 1)) / n, max(runs) / n, *memory,
        *bands, (share * frequency).sum(), frequency[share.argmax()],
        -(share * np.log(share)).sum() / max(np.log(n // 2), 1), 0.0,
    ]  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.lists(st.integers(5, 60), min_size=1, max_size=3))
def test_every_number_is_what_its_name_says(seed, lengths):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(len(lengths), 60, 2, generator=generator).double().cumsum(1)
    found = describe_series(x, torch.tensor(lengths))
    for row, series, n in zip(found.values.numpy(), x.numpy(), lengths, strict=True):
        expected = [*by_hand(series[:n, 0]), *by_hand(series[:n, 1]), n]
        np.testing.assert_allclose(row, expected, rtol=1e-7, atol=1e-7)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=4))
def test_padding_and_other_series_change_nothing(lengths):
    n = torch.tensor(lengths)
    x = torch.randn(len(n), 30, 2, generator=torch.Generator().manual_seed(0)).double()
    x[torch.rand(x.shape, generator=torch.Generator().manual_seed(1)) < 0.1] = torch.nan
    together = describe_series(x, n).values
    assert together.isfinite().all()
    for i, length in enumerate(lengths):
        alone = describe_series(x[i : i + 1, :length]).values[0]
        torch.testing.assert_close(alone, together[i], rtol=1e-9, atol=1e-9)


def test_gaps_are_left_out_and_said():
    nan = torch.nan
    x = torch.tensor([[nan, 1.0, nan, 3.0, 5.0, nan, 2.0, nan]])
    names, values = describe_series(x)
    number = dict(zip(names, values[0].tolist(), strict=True))
    assert number["missing"] == 0.5
    assert number["steps"] == 8
    assert number["mean"] == 2.75
    assert number["median"] == 2.5
    assert (number["first"], number["last"]) == (1, 2)
    assert number["change"] == 2  # of the one pair of neighbours
    assert number["autocorrelation 2"] == pytest.approx((-1.75 * 0.25 - 0.75 * 2.25) / 2 / 2.1875)


def test_what_means_nothing_is_zero():
    flat = describe_series(torch.full((1, 20), 0.1))
    number = dict(zip(flat.names, flat.values[0].tolist(), strict=True))
    assert {number[name] for name in number if "power" in name or "auto" in name} == {0.0}
    assert (number["skewness"], number["slope"], number["crossings"]) == (0, 0, 0)
    one = describe_series(torch.tensor([[7.0]]))
    assert one.values.isfinite().all()
    empty = describe_series(torch.full((2, 5), torch.nan))
    assert empty.values[0, :-2].abs().sum() == 0
    assert empty.values[0, -2] == 1  # all is missing


def test_names_of_channels():
    x = torch.randn(2, 9, 2)
    assert describe_series(x).names[0] == "1 mean"
    assert describe_series(x, channels=["gyro x", "y"]).names[0] == "gyro x mean"
    assert describe_series(x[..., 0]).names[0] == "mean"
    with pytest.raises(InvalidValue, match="channels must be 2 names, got 1 names"):
        describe_series(x, channels=["x"])
