r"""Random convolution kernels: thousands of fixed convolutions, of each the share of steps above a threshold.

A kernel has nine taps, three of weight 2 and six of weight −1; there are 84 of them. At dilation :math:`d`

.. math::
    c_t = \sum_{i=0}^{8} w_i\,x_{t+d(i-4)} = 3\sum_{i:\,w_i=2} x_{t+d(i-4)} - \sum_{i=0}^{8} x_{t+d(i-4)}, \qquad
    f_b = \frac1n\sum_{t=1}^{n} [c_t > b]

so that all 84 are sums of nine shifted copies. Thresholds :math:`b` are quantiles of :math:`c` over series that were
drawn. A linear model on such features is among the best classifiers of series, and learns in seconds.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Self

import numpy as np
import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_seed, require_whole
from gradatim.timeseries.series_batch import SeriesBatch, as_batch, quantiles

TAPS, KERNELS = 9, 84
MOST_DILATIONS, MOST_CHANNELS = 32, 9
NUMBERS = 1 << 18  # of convolved series at once: what a core's cache holds


@cache
def _members() -> tuple[Tensor, ...]:
    """Of every tap, the kernels whose weight is 2 there."""
    places = list(combinations(range(TAPS), 3))
    return tuple(
        torch.tensor([k for k, three in enumerate(places) if tap in three]) for tap in range(TAPS)
    )


@dataclass(frozen=True, eq=False)
class RandomKernels:
    """Kernels with their dilations, channels and thresholds: a series becomes a row of numbers from 0 to 1.

    Make them with :meth:`learn`; the fields are plain tensors, to be stored as they are.

    Args:
        dilations: Steps between taps, shape ``(K,)``.
        counts: Thresholds of every kernel at each dilation, shape ``(K,)``.
        channels: Channels that a kernel adds up at each dilation, shape ``(K, 84, S)``; the number of channels
            stands for none.
        thresholds: By dilation, kernel and threshold, shape ``(84 * counts.sum(),)``.
        num_channels: Channels of a series.

    Example:
        >>> series = torch.randn(20, 100, generator=torch.Generator().manual_seed(0))
        >>> kernels = RandomKernels.learn(series, num_features=1000)
        >>> kernels.features(series).shape
        torch.Size([20, 924])

    Reference:
        Dempster, Schmidt and Webb, MiniRocket: A Very Fast (Almost) Deterministic Transform for Time Series
        Classification, 2021. Here the draws are PyTorch's, and a series shorter than a kernel is read to its borders.
    """

    dilations: Tensor
    counts: Tensor
    channels: Tensor
    thresholds: Tensor
    num_channels: int

    def __post_init__(self) -> None:
        for name in ("dilations", "counts", "channels", "thresholds"):
            object.__setattr__(self, name, torch.as_tensor(getattr(self, name)))
        sizes = tuple(self.dilations.shape), tuple(self.counts.shape), tuple(self.channels.shape)
        rule = "RandomKernels: dilations, counts and channels must have shapes (K,), (K,) and (K, 84, S)"
        K = len(self.dilations) if self.dilations.ndim == 1 else 0
        fits = sizes[:2] == ((K,), (K,)) and len(sizes[2]) == 3 and sizes[2][:2] == (K, KERNELS)
        require(K and fits, rule, ", ".join(map(str, sizes)))
        low = min(int(self.dilations.min()), int(self.counts.min()))
        require(low >= 1, "RandomKernels: dilations and counts must be 1 or more", low)
        least, most = (int(edge) for edge in torch.aminmax(self.channels))
        require(
            0 <= least <= most <= self.num_channels,
            f"RandomKernels: channels must be from 0 to {self.num_channels}", f"{least} to {most}",
        )  # fmt: skip
        wanted = (KERNELS * int(self.counts.sum()),)
        found = tuple(self.thresholds.shape)
        require(found == wanted, f"RandomKernels: thresholds must have shape {wanted}", found)

    @classmethod
    @takes_arrays
    def learn(
        cls,
        series: Tensor,
        lengths: Tensor | None = None,
        *,
        num_features: int = 10_000,
        seed: int = 0,
    ) -> Self:
        """Choose dilations by the longest series, channels at random, and thresholds from series drawn.

        Args:
            series: Shape ``(N, T)``, or ``(N, T, C)`` with channels.
            lengths: Real steps of each; all by default.
            num_features: Features to make; the multiple of 84 below it, at least one per kernel.
            seed: Fixes the draws.
        """
        require_whole("RandomKernels", num_features=num_features)
        require_seed("RandomKernels", seed)
        batch = as_batch("RandomKernels", "series", series, lengths)
        generator = torch.Generator().manual_seed(seed)
        per_kernel = max(num_features // KERNELS, 1)
        dilations, counts = _choose_dilations(int(batch.lengths.max()), per_kernel)
        C = batch.values.shape[2]
        channels = torch.stack([_draw_channels(C, generator) for _ in dilations])  # (K, 84, S)
        levels = torch.arange(1, KERNELS * per_kernel + 1).double() * ((5**0.5 + 1) / 2) % 1
        found, start = [], 0
        for k, (d, count) in enumerate(zip(dilations, counts, strict=True)):
            drawn = torch.randint(len(batch.values), (KERNELS,), generator=generator)
            wanted = levels[start : start + KERNELS * count].view(KERNELS, count)
            found.append(_thresholds(batch, drawn, channels[k], d, k, wanted))
            start += KERNELS * count
        return cls(torch.tensor(dilations), torch.tensor(counts), channels, torch.cat(found), C)

    @property
    def num_features(self) -> int:
        """Numbers that a series becomes."""
        return len(self.thresholds)

    @takes_arrays
    def features(self, series: Tensor, lengths: Tensor | None = None) -> Tensor:
        """Return the shares of steps above the thresholds; padding and other series change nothing.

        Args:
            series: Shape ``(N, T)``, or ``(N, T, C)`` with channels.
            lengths: Real steps of each; all by default.

        Returns:
            Shape ``(N, num_features)``, from 0 to 1.
        """
        batch = as_batch("RandomKernels", "series", series, lengths)
        require(
            batch.values.shape[2] == self.num_channels,
            f"RandomKernels: series must have {self.num_channels} channels",
            batch.values.shape[2],
        )
        values, (N, T, _) = batch.values.to(self.thresholds.dtype), batch.values.shape
        result = torch.empty(N, self.num_features, dtype=values.dtype)
        rows = max(NUMBERS // (KERNELS * T), 1)
        for start in range(0, N, rows):
            part = slice(start, start + rows)
            self._write(SeriesBatch(values[part], batch.lengths[part]), result[part])
        return result

    def _write(self, batch: SeriesBatch, into: Tensor) -> None:
        """Write the features of some series into ``into``, shape ``(n, num_features)``."""
        start, above = 0, None
        for k, (d, count) in enumerate(
            zip(self.dilations.tolist(), self.counts.tolist(), strict=True)
        ):
            convolved, steps = _convolve(batch, self.channels[k], d, k)  # (n, 84, T), (n, 84)
            above = torch.empty_like(convolved) if above is None else above
            stop = start + KERNELS * count
            limits = self.thresholds[start:stop].view(KERNELS, count)
            shares = into[:, start:stop].view(-1, KERNELS, count)
            for q in range(count):
                torch.gt(convolved, limits[:, q, None], out=above)
                shares[..., q] = above.sum(2) / steps
            start = stop


def _choose_dilations(longest: int, per_kernel: int) -> tuple[list[int], list[int]]:
    """Dilations from 1 to where a kernel spans the series, dense where they are small, and thresholds for each."""
    most = np.log2(max((longest - 1) / (TAPS - 1), 1.0))
    grid = np.logspace(0, most, min(per_kernel, MOST_DILATIONS), base=2)
    dilations, share = np.unique((grid + 1e-9).astype(int), return_counts=True)
    counts = (share * per_kernel / share.sum()).astype(int)
    counts[: per_kernel - counts.sum()] += 1
    return dilations[counts > 0].tolist(), counts[counts > 0].tolist()


def _draw_channels(num_channels: int, generator: torch.Generator) -> Tensor:
    """Channels of every kernel at one dilation, ``(84, S)``: one to nine, few more often than many."""
    most = min(num_channels, MOST_CHANNELS)
    order = torch.rand(KERNELS, num_channels, generator=generator).argsort(1)[:, :most]
    draw = torch.rand(KERNELS, 1, generator=generator)
    count = torch.floor((most + 1) ** draw).clamp(1, most)
    return torch.where(torch.arange(most) < count, order, num_channels)


def _thresholds(
    batch: SeriesBatch, drawn: Tensor, channels: Tensor, d: int, k: int, levels: Tensor
) -> Tensor:
    """Quantiles, by ``levels`` ``(84, count)``, of every kernel over the series drawn for it; flat."""
    own = SeriesBatch(batch.values[drawn], batch.lengths[drawn])
    rows = max(NUMBERS // (KERNELS * own.values.shape[1]), 1)
    parts, counts = [], []
    for start in range(0, KERNELS, rows):  # of series s only kernel s is wanted
        part = slice(start, start + rows)
        convolved, steps = _convolve(SeriesBatch(*(v[part] for v in own)), channels, d, k)
        place = torch.arange(len(convolved))
        parts.append(convolved[place, place + start])
        counts.append(steps[place, place + start])
    values = (
        torch.cat(parts).sort(1, descending=True).values
    )  # (84, T): −∞, which does not count, last
    return quantiles(values, torch.cat(counts), 1 - levels).flatten()


def _convolve(batch: SeriesBatch, channels: Tensor, d: int, k: int) -> tuple[Tensor, Tensor]:
    """Return :math:`c` of every kernel, ``(n, 84, T)``, −∞ where it does not count, and the steps that do, ``(n, 84)``.

    Kernels read beyond the borders, where there is zero, or not, in turn.
    """
    values, lengths = batch
    reach = d * (TAPS // 2)
    padded = torch.nn.functional.pad(values.mT, (reach, reach))  # (n, C, T + 2 reach)
    T = values.shape[1]
    mixed = _mix(padded, channels)  # (n, 1 or 84, T + 2 reach)
    shifts = [mixed[..., i * d : i * d + T] for i in range(TAPS)]
    total = sum(shifts[1:], start=shifts[0])
    result = (-total).expand(-1, KERNELS, -1).contiguous()
    for kernels, shift in zip(_members(), shifts, strict=True):
        own = shift if shift.shape[1] == 1 else shift[:, kernels]
        result.index_add_(1, kernels, own.expand(-1, len(kernels), -1), alpha=3)
    is_inner = (torch.arange(KERNELS) + k) % 2 == 1
    border = torch.where(is_inner & (lengths[:, None] > 2 * reach), reach, 0)  # (n, 84)
    t = torch.arange(T)
    off = (t < border[..., None]) | (t >= (lengths[:, None] - border)[..., None])
    return result.masked_fill_(off, -torch.inf), lengths[:, None] - 2 * border


def _mix(padded: Tensor, channels: Tensor) -> Tensor:
    """Add up the channels of every kernel; a series of one channel is the same for all of them."""
    if padded.shape[1] == 1:
        return padded
    slots = torch.nn.functional.pad(padded, (0, 0, 0, 1))  # a further channel, of zeros
    mixed = slots[:, channels[:, 0]]  # (n, 84, …)
    for s in range(1, channels.shape[1]):
        mixed = mixed + slots[:, channels[:, s]]
    return mixed
