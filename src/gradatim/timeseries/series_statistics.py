r"""What can be said of a series in numbers: its level and spread, its course, its memory and its spectrum.

Missing values (NaN) are left out of everything that can do without them. The spectrum cannot: it is that of the series
with straight lines across its gaps. How much was missing is a number of its own.
"""

from collections.abc import Sequence
from math import log
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.timeseries.series_batch import SeriesBatch, as_batch, interpolate, quantiles

LEVELS = {"lower decile": 0.1, "lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75, "upper decile": 0.9}  # fmt: skip
LAGS = (1, 2, 3, 5, 8, 13, 21, 34)
EDGES = tuple(2.0**-k for k in range(8, 0, -1))  # of bands, in cycles per step; 1/2 is the fastest


class SeriesStatistics(NamedTuple):
    """A row of numbers for every series.

    Args:
        names: What they are, ``F`` texts: ``"mean"``, or ``"x mean"`` of the channel ``"x"``.
        values: Shape ``(N, F)``, always finite.
    """

    names: tuple[str, ...]
    values: Tensor


@takes_arrays
def describe_series(
    series: Tensor, lengths: Tensor | None = None, *, channels: Sequence[str] | None = None
) -> SeriesStatistics:
    r"""Describe every channel of every series by the same numbers, whatever its length.

    - level and spread: mean, standard deviation, least, largest, first, last, five quantiles, skewness, kurtosis;
    - course: slope of a straight line, mean change, where least and largest stand, peaks, crossings of the mean, the
      longest stretch above it, each as a share of the steps;
    - memory: autocorrelations at lags from 1 to 34, over pairs of steps that are both there;
    - spectrum: shares of the power in eight bands, each of twice the frequency of the one before, the mean and the
      strongest frequency in cycles per step, and the entropy.

    Where a number means nothing, as the slope of one step, it is 0.

    Args:
        series: Shape ``(N, T)``, or ``(N, T, C)`` with channels; NaN where a value is missing.
        lengths: Real steps of each; all by default.
        channels: Names of the channels, for the names of the numbers; by default they are numbered from 1, and a
            channel alone has none.

    Example:
        >>> wave = torch.sin(2 * torch.pi * torch.arange(64.0) / 8)
        >>> names, values = describe_series(torch.stack([wave, wave + 1]))
        >>> [round(values[1, names.index(name)].item(), 3) for name in ("mean", "strongest frequency")]
        [1.0, 0.125]
    """
    batch = as_batch("describe_series", "series", series, lengths, has_gaps=True)
    N, T, C = batch.values.shape
    if channels is None:
        channels = [str(c + 1) for c in range(C)] if C > 1 else [""]
    require(
        len(channels) == C, f"describe_series: channels must be {C} names", f"{len(channels)} names"
    )
    rows = SeriesBatch(batch.values.double().mT.reshape(N * C, T, 1), batch.lengths.repeat_interleave(C))  # fmt: skip
    known = rows.values[..., 0]  # (R, T), R = N * C
    is_there = (torch.arange(T) < rows.lengths[:, None]) & ~known.isnan()
    numbers = {
        **_levels(known, is_there),
        **_course(known, is_there, rows.lengths),
        **_memory(known, is_there),
        **_spectrum(interpolate(rows)[..., 0], rows.lengths),
        "missing": 1 - is_there.sum(1) / rows.lengths,
    }
    values = torch.stack(list(numbers.values()), 1).view(N, -1).nan_to_num(0.0, 0.0, 0.0)
    names = tuple(f"{channel} {name}".strip() for channel in channels for name in numbers)
    steps = batch.lengths.double()[:, None]
    return SeriesStatistics((*names, "steps"), torch.cat([values, steps], 1))


def _mean(x: Tensor, is_there: Tensor) -> Tensor:
    """Mean of what is there in every row, ``(R,)``; NaN where nothing is."""
    return torch.where(is_there, x, 0.0).sum(1) / is_there.sum(1)


def _centred(x: Tensor, is_there: Tensor) -> tuple[Tensor, Tensor]:
    """Values minus their mean, zero where none is there, and their standard deviation."""
    deviation = torch.where(is_there, x - _mean(x, is_there)[:, None], 0.0)
    scale = x.abs().nan_to_num(0.0).amax(1)  # below its rounding a spread is none
    spread = _mean(deviation.square(), is_there).sqrt()
    return deviation, torch.where(spread > 1e-12 * scale, spread, 0.0)


def _levels(x: Tensor, is_there: Tensor) -> dict[str, Tensor]:
    deviation, spread = _centred(x, is_there)
    z = deviation / spread[:, None]
    ordered = torch.where(is_there, x, torch.inf).sort(1).values
    count = is_there.sum(1)
    levels = quantiles(
        ordered, count.clamp(min=1), torch.tensor(list(LEVELS.values()), dtype=x.dtype)
    )
    t = torch.arange(x.shape[1])
    first = torch.where(is_there, t, len(t) - 1).amin(1, keepdim=True)
    last = torch.where(is_there, t, 0).amax(1, keepdim=True)
    return {
        "mean": _mean(x, is_there),
        "standard deviation": spread,
        "least": ordered[:, 0],
        "largest": torch.where(is_there, x, -torch.inf).amax(1),
        "first": x.gather(1, first)[:, 0],
        "last": x.gather(1, last)[:, 0],
        **dict(zip(LEVELS, levels.unbind(1), strict=True)),
        "skewness": _mean(z**3, is_there),
        "kurtosis": _mean(z**4, is_there),
    }


def _course(x: Tensor, is_there: Tensor, lengths: Tensor) -> dict[str, Tensor]:
    T = x.shape[1]
    time = torch.arange(T, dtype=x.dtype) / (lengths[:, None] - 1).clamp(
        min=1
    )  # (R, T), from 0 to 1
    deviation, spread = _centred(x, is_there)
    is_flat = spread == 0
    clock, _ = _centred(time, is_there)
    slope = _mean(clock * deviation, is_there) / _mean(clock.square(), is_there)
    pairs = is_there[:, 1:] & is_there[:, :-1]
    change = x[:, 1:] - x[:, :-1]
    is_above = (deviation > 0) & ~is_flat[:, None]
    both = pairs[:, 1:] & pairs[:, :-1]
    is_peak = (change[:, :-1] > 0) & (change[:, 1:] < 0) & both
    low, high = torch.where(is_there, x, torch.inf), torch.where(is_there, x, -torch.inf)
    return {
        "slope": slope,
        "change": _mean(change.abs(), pairs),
        "place of least": time.gather(1, low.argmin(1, keepdim=True))[:, 0],
        "place of largest": time.gather(1, high.argmax(1, keepdim=True))[:, 0],
        "peaks": is_peak.sum(1) / lengths,
        "crossings": ((is_above[:, 1:] != is_above[:, :-1]) & pairs).sum(1) / lengths,
        "longest above": _longest(is_above & is_there) / lengths,
    }


def _longest(is_on: Tensor) -> Tensor:
    """Length of the longest run of True in every row."""
    t = torch.arange(1, is_on.shape[1] + 1)
    last_off = torch.where(is_on, 0, t).cummax(1).values
    return (t - last_off).amax(1)


def _memory(x: Tensor, is_there: Tensor) -> dict[str, Tensor]:
    deviation, spread = _centred(x, is_there)
    z = torch.where(spread[:, None] > 0, deviation / spread[:, None], 0.0)
    found = {}
    for lag in LAGS:
        pairs = is_there[:, lag:] & is_there[:, :-lag]
        found[f"autocorrelation {lag}"] = _mean(z[:, lag:] * z[:, :-lag], pairs)
    return found


def _spectrum(x: Tensor, lengths: Tensor) -> dict[str, Tensor]:
    """Spectra of series without gaps; those of one length are transformed together."""
    found = torch.zeros(len(x), len(EDGES) + 3, dtype=x.dtype)
    for n in lengths.unique().tolist():
        rows = lengths == n
        found[rows] = _spectral_numbers(x[rows, :n])
    bands = [f"power up to {edge:.3g}" for edge in EDGES]
    names = [*bands, "mean frequency", "strongest frequency", "spectral entropy"]
    return dict(zip(names, found.unbind(1), strict=True))


def _spectral_numbers(x: Tensor) -> Tensor:
    """Shares of power by band, centroid, peak and entropy of the spectra of ``(R, n)``."""
    n = x.shape[1]
    deviation, _ = _centred(x, torch.ones_like(x, dtype=torch.bool))
    power = torch.fft.rfft(deviation)[:, 1:].abs().square()  # (R, n // 2)
    numbers = torch.zeros(len(x), len(EDGES) + 3, dtype=x.dtype)
    total = power.sum(1, keepdim=True)
    is_flat = total[:, 0] <= 1e-20 * n * n * x.square().amax(1)
    if n < 2 or bool(is_flat.all()):
        return numbers
    share = torch.where(is_flat[:, None], 0.0, power / total)
    frequency = torch.arange(1, n // 2 + 1, dtype=x.dtype) / n
    band = torch.bucketize(frequency, torch.tensor(EDGES, dtype=x.dtype))
    numbers.index_add_(1, band.clamp(max=len(EDGES) - 1), share)
    entropy = (0.0 - torch.xlogy(share, share).sum(1)) / max(log(n // 2), 1.0)
    strongest = torch.where(is_flat, 0.0, frequency[share.argmax(1)])
    numbers[:, -3:] = torch.stack([share @ frequency, strongest, entropy], 1)
    return numbers
