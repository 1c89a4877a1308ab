r"""Dynamic time warping: how far two series are apart when time may run faster or slower in one of them.

.. math::
    d(x, y) = \sqrt{D(n, m)}, \qquad
    D(i, j) = \lVert x_i - y_j\rVert^2 + \min\{D(i-1, j),\ D(i, j-1),\ D(i-1, j-1)\}

A Sakoe-Chiba band keeps the two clocks together, :math:`|i - j| \le w` with
:math:`w = \max(\lceil\beta\max(n, m)\rceil, |n - m|)`. Cells of one anti-diagonal do not wait for each other, so a whole
diagonal of many pairs is computed at once.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.timeseries.series_batch import SeriesBatch, as_batch

CELLS = 1 << 15  # numbers of a diagonal at once: what a core's cache holds


@takes_arrays
def dtw_distances(
    queries: Tensor,
    references: Tensor,
    *,
    band: float = 1.0,
    query_lengths: Tensor | None = None,
    reference_lengths: Tensor | None = None,
) -> Tensor:
    r"""Warp every query onto every reference and return how far they remain apart.

    .. math::
        d(x, y) = \sqrt{D(n, m)}, \qquad
        D(i, j) = \lVert x_i - y_j\rVert^2 + \min\{D(i-1, j),\ D(i, j-1),\ D(i-1, j-1)\}, \qquad |i - j| \le w

    All channels warp together. A series of another length can always be reached: the band is at least as wide as the
    lengths differ.

    Args:
        queries: Series :math:`x`, shape ``(N, T)``, or ``(N, T, C)`` with channels.
        references: Series :math:`y`, shape ``(M, S)`` or ``(M, S, C)``.
        band: Share :math:`\beta` of the longer series by which the clocks may differ, from 0 (none) to 1 (at will).
        query_lengths: Real steps of each query; all by default.
        reference_lengths: Real steps of each reference; all by default.

    Returns:
        Distances, shape ``(N, M)``.

    Example:
        >>> x = torch.tensor([[0.0, 1.0, 2.0, 0.0]])
        >>> late = torch.tensor([[0.0, 0.0, 1.0, 2.0], [5.0, 5.0, 5.0, 5.0]])
        >>> dtw_distances(x, late)
        tensor([[2.0000, 8.6603]])

    Reference:
        Sakoe and Chiba, Dynamic Programming Algorithm Optimization for Spoken Word Recognition, 1978.
    """
    x = as_batch("dtw_distances", "queries", queries, query_lengths)
    y = as_batch("dtw_distances", "references", references, reference_lengths)
    check_pair("dtw_distances", x, y, band)
    rows = torch.arange(len(x.values)).repeat_interleave(len(y.values))
    columns = torch.arange(len(y.values)).repeat(len(x.values))
    return warp_pairs(x, y, rows, columns, band).view(len(x.values), len(y.values))


def check_pair(owner: str, x: SeriesBatch, y: SeriesBatch, band: float) -> None:
    """Raise unless two batches have equal channels and the band is a share."""
    require(0.0 <= band <= 1.0, f"{owner}: band must be a share from 0 to 1", band, "Try 0.1.")
    channels = (x.values.shape[2], y.values.shape[2])
    require(
        channels[0] == channels[1],
        f"{owner}: queries and references must have equal channels",
        f"{channels[0]} and {channels[1]}",
    )


def band_widths(n: Tensor, m: Tensor, band: float) -> Tensor:
    """Return how far the clocks of series with ``n`` and ``m`` steps may differ, :math:`w`."""
    longer = torch.ceil(band * torch.maximum(n, m) - 1e-9).long()
    return torch.maximum(longer, (n - m).abs())


def warp_pairs(
    x: SeriesBatch, y: SeriesBatch, rows: Tensor, columns: Tensor, band: float
) -> Tensor:
    """Return the distances ``(P,)`` of pairs: query ``rows[p]`` and reference ``columns[p]``.

    Pairs of alike bands and lengths are computed together, as many as fit into a core's cache.
    """
    dtype = torch.promote_types(x.values.dtype, y.values.dtype)
    distances = torch.empty(len(rows), dtype=dtype)
    n, m = x.lengths[rows], y.lengths[columns]
    widths = band_widths(n, m, band)
    for part in _chunks(torch.maximum(n, m), widths):
        i, j = rows[part], columns[part]
        N, M = int(n[part].max()), int(m[part].max())
        # Time, channel, pair: what lies on a diagonal of many pairs lies together in memory.
        a = x.values[i, :N].to(dtype).permute(1, 2, 0).contiguous()  # (N, C, P)
        b = y.values[j, :M].to(dtype).flip(1).permute(1, 2, 0).contiguous()  # (M, C, P)
        distances[part] = _warp(a, b, n[part], m[part], widths[part])
    return distances.sqrt()


def _chunks(steps: Tensor, widths: Tensor) -> Iterator[Tensor]:
    """Cut pairs into parts of alike steps and bands, so that a diagonal of each part has :data:`CELLS` numbers."""
    cells = torch.minimum(widths + 1, steps)
    order = torch.argsort(steps, stable=True)
    order = order[torch.argsort(cells[order], stable=True)]  # by bands, then by steps
    start = 0
    while start < len(order):
        part = order[start : start + max(CELLS // int(cells[order[start]]), 1)]
        part = part[: max(CELLS // int(cells[part].max()), 1)]
        yield part
        start += len(part)


def _warp(a: Tensor, b: Tensor, n: Tensor, m: Tensor, widths: Tensor) -> Tensor:
    """Return :math:`D(n, m)` of pairs; ``b`` runs backwards in time."""
    N, M, P = len(a), len(b), a.shape[2]
    w = int(widths.max())
    is_even = bool((widths == w).all())
    ends: dict[int, list[int]] = {}
    for pair, end in enumerate((n + m - 2).tolist()):
        ends.setdefault(end, []).append(pair)
    found = torch.empty(P, dtype=a.dtype)
    # Row i + 1 is cell (i, k - i) of diagonal k; what surrounds the cells within the band is infinite.
    before, last, now = (torch.full((N + 2, P), torch.inf, dtype=a.dtype) for _ in range(3))
    before[0] = 0.0  # the start, from which the first cell is reached
    for k in range(max(ends) + 1):
        low, high = max(0, k - M + 1, (k - w + 1) // 2), min(N - 1, k, (k + w) // 2)
        if low <= high:
            cells = now[low + 1 : high + 2]  # (W, P)
            torch.minimum(last[low + 1 : high + 2], last[low : high + 1], out=cells)
            torch.minimum(cells, before[low : high + 1], out=cells)
            shift = M - 1 - k
            for c in range(a.shape[1]):
                gap = a[low : high + 1, c] - b[low + shift : high + 1 + shift, c]
                cells.addcmul_(gap, gap)
            if not is_even:
                off = (2 * torch.arange(low, high + 1) - k).abs()[:, None] > widths  # (W, P)
                cells.masked_fill_(off, torch.inf)
        now[low], now[high + 2] = torch.inf, torch.inf
        if k in ends:
            pairs = torch.tensor(ends[k])
            found[pairs] = now[n[pairs], pairs]
        before, last, now = last, now, before
    return found
