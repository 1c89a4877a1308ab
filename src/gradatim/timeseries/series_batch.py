"""Series side by side: checked, zero at padding, gaps filled, quantiles of what is there."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.nn.plain_path import at_least_single
from gradatim.timeseries.inputs import as_lengths


class SeriesBatch(NamedTuple):
    """Series of equal channels.

    Args:
        values: Zero at padding, shape ``(N, T, C)``; one of them has ``T`` steps.
        lengths: Real steps of each, shape ``(N,)``.
    """

    values: Tensor
    lengths: Tensor


def as_batch(
    owner: str, name: str, series: Tensor, lengths: Tensor | None, *, has_gaps: bool = False
) -> SeriesBatch:
    """Return checked series, at least in single precision; NaN is refused, unless gaps are allowed."""
    values = series[..., None] if series.ndim == 2 else series
    if values.ndim != 3 or 0 in values.shape or values.is_complex():
        raise InvalidValue(
            f"{owner}: {name} must be real series of shape (N, T) or (N, T, C) and not empty, "
            f"got {tuple(series.shape)}."
        )
    values = at_least_single(values if values.is_floating_point() else values.double())
    count = as_lengths(owner, lengths, len(values), values.shape[1])
    values = values[:, : int(count.max())]  # what is padding in every series costs nothing
    is_real = torch.arange(values.shape[1]) < count[:, None]  # (N, T)
    values = values.detach().cpu().masked_fill(~is_real[..., None], 0.0)
    bad = torch.isinf(values) if has_gaps else ~torch.isfinite(values)
    rows = bad.flatten(1).any(1)
    if bool(rows.any()):
        got, remedy = ("infinity", "") if has_gaps else ("NaN or infinity", " Try fill_gaps.")
        raise InvalidValue(
            f"{owner}: {name} must be finite, got {got} in number {int(rows.nonzero()[0])}.{remedy}"
        )
    return SeriesBatch(values, count)


@takes_arrays
def fill_gaps(series: Tensor, lengths: Tensor | None = None) -> Tensor:
    """Fill missing values by straight lines between their neighbours, and at the ends by the nearest value.

    Args:
        series: NaN where a value is missing, shape ``(N, T)``, or ``(N, T, C)`` with channels.
        lengths: Real steps of each; all by default.

    Returns:
        Series of the same shape, zero at padding; a channel without any value is zero.

    Example:
        >>> nan = float("nan")
        >>> fill_gaps(torch.tensor([[1.0, nan, nan, 4.0, nan]]))
        tensor([[1., 2., 3., 4., 4.]])
    """
    batch = as_batch("fill_gaps", "series", series, lengths, has_gaps=True)
    missing = series.shape[1] - batch.values.shape[1]
    return torch.nn.functional.pad(interpolate(batch), (0, 0, 0, missing)).view(series.shape)


def interpolate(batch: SeriesBatch) -> Tensor:
    """Return the values of a batch, ``(N, T, C)``, with straight lines in the place of NaN."""
    values, lengths = batch
    T = values.shape[1]
    t = torch.arange(T)[:, None]
    is_real = torch.arange(T) < lengths[:, None]
    is_there = ~values.isnan() & is_real[..., None]
    before = torch.where(is_there, t, -1).cummax(1).values  # (N, T, C)
    after = torch.where(is_there, t, T).flip(1).cummin(1).values.flip(1)
    low = torch.where(before < 0, after, before).clamp(max=T - 1)
    high = torch.where(after >= T, before, after).clamp(min=0)
    known = values.nan_to_num(0.0)
    share = (t - low).double() / (high - low).clamp(min=1)
    filled = torch.lerp(known.gather(1, low), known.gather(1, high), share.to(values.dtype))
    return torch.where(is_there, known, filled).masked_fill(~is_real[..., None], 0.0)


def quantiles(values: Tensor, counts: Tensor, levels: Tensor) -> Tensor:
    """Quantiles of rows that are sorted, by straight lines between entries.

    Args:
        values: Shape ``(R, T)``, of every row the first ``counts`` in order.
        counts: Entries that count, one or more, shape ``(R,)``.
        levels: From 0 to 1, shape ``(R, Q)`` or ``(Q,)``.

    Returns:
        Shape ``(R, Q)``.

    Example:
        >>> quantiles(torch.tensor([[1.0, 2.0, 4.0, 0.0]]), torch.tensor([3]), torch.tensor([0.5, 0.75]))
        tensor([[2., 3.]])
    """
    place = levels.double() * (counts.double()[:, None] - 1)  # (R, Q)
    low, high = (values.gather(1, part.long()) for part in (place.floor(), place.ceil()))
    return torch.lerp(low, high, (place % 1).to(values.dtype))
