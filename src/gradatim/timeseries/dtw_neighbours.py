"""The nearest series by dynamic time warping, without warping what cannot be nearest."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.timeseries.dtw import band_widths, check_pair, warp_pairs
from gradatim.timeseries.dtw_bounds import lb_keogh, lb_kim
from gradatim.timeseries.series_batch import SeriesBatch, as_batch

PAIRS = 1 << 22  # of queries and references, held at once
SLACK = 1e-3  # share by which a bound may exceed a distance through rounding
WIDE = 0.25  # share of the steps from which a band leaves an envelope nothing to say


class NearestSeries(NamedTuple):
    """The nearest references of every query.

    Args:
        indices: Which they are, nearest first, shape ``(N, num_neighbours)``.
        distances: How far, of the same shape.
        warped: Share of all pairs that had to be warped; lower bounds spared the others.
    """

    indices: Tensor
    distances: Tensor
    warped: float


@takes_arrays
def nearest_by_dtw(
    queries: Tensor,
    references: Tensor,
    *,
    num_neighbours: int = 1,
    band: float = 0.1,
    query_lengths: Tensor | None = None,
    reference_lengths: Tensor | None = None,
) -> NearestSeries:
    r"""Find the references that are nearest to every query under dynamic time warping.

    References are tried in the order of their lower bounds, few at first; as soon as the bound of the next exceeds the
    distance of the worst neighbour kept, no other can be nearer. The result is that of
    :func:`dtw_distances` sorted.

    Args:
        queries: Series, shape ``(N, T)``, or ``(N, T, C)`` with channels.
        references: Series, shape ``(M, S)`` or ``(M, S, C)``.
        num_neighbours: How many to find, at most :math:`M`.
        band: Share of the longer series by which the clocks may differ, from 0 to 1.
        query_lengths: Real steps of each query; all by default.
        reference_lengths: Real steps of each reference; all by default.

    Example:
        >>> shapes = torch.stack([torch.linspace(0, 6, 40).sin(), torch.linspace(0, 6, 40).cos()])
        >>> late = torch.linspace(-0.4, 5.6, 40)[None]
        >>> nearest_by_dtw(torch.cat([late.cos(), late.sin()]), shapes).indices.flatten()
        tensor([1, 0])

    Reference:
        Rakthanmanon et al., Searching and Mining Trillions of Time Series Subsequences under Dynamic Time Warping,
        2012.
    """
    owner = "nearest_by_dtw"
    x = as_batch(owner, "queries", queries, query_lengths)
    y = as_batch(owner, "references", references, reference_lengths)
    check_pair(owner, x, y, band)
    M, k = len(y.values), num_neighbours
    require(1 <= k <= M, f"{owner}: num_neighbours must be from 1 to the {M} references", k)
    rows = max(PAIRS // M, 1)
    blocks = [SeriesBatch(*(part[start : start + rows] for part in x)) for start in range(0, len(x.values), rows)]  # fmt: skip
    parts = [_search(block, y, k, band) for block in blocks]
    dtype = torch.promote_types(x.values.dtype, y.values.dtype)
    return NearestSeries(
        torch.cat([part.indices for part in parts]),
        torch.cat([part.distances for part in parts]).to(dtype),
        sum(part.warped * len(part.indices) for part in parts) / len(x.values),
    )


def _search(x: SeriesBatch, y: SeriesBatch, k: int, band: float) -> NearestSeries:
    """The ``k`` nearest of some queries, in rounds of ever more references."""
    N, M = len(x.values), len(y.values)
    bounds = _bounds(x, y, band) * (1 - SLACK)  # (N, M)
    ordered, order = bounds.sort(dim=1, stable=True)
    distances = torch.full((N, M), torch.inf, dtype=torch.float64)
    start, width, count = 0, k, 0
    while start < M:
        worst = distances.kthvalue(k, dim=1, keepdim=True).values  # (N, 1)
        is_open = ordered[:, start : start + width] <= worst
        count += _warp_open(x, y, order[:, start : start + width], is_open, band, distances)
        if not is_open[:, -1].any():  # the bounds of those behind are larger still
            break
        start, width = start + width, min(max(2 * width, 4), 256)
    best = distances.argsort(dim=1, stable=True)[:, :k]  # of equal ones the first
    return NearestSeries(best, distances.gather(1, best), count / (N * M))


def _bounds(x: SeriesBatch, y: SeriesBatch, band: float) -> Tensor:
    """Lower bounds ``(N, M)``: of the ends, and of envelopes where the band is narrow enough that they pay."""
    ends = lb_kim(x, y)
    widest = int(band_widths(x.lengths[:, None], y.lengths, band).max())
    if widest >= WIDE * y.values.shape[1]:
        return ends
    return torch.maximum(ends, lb_keogh(x, y, band))


def _warp_open(
    x: SeriesBatch, y: SeriesBatch, columns: Tensor, is_open: Tensor, band: float, into: Tensor
) -> int:
    """Write the distances of the pairs that are open into the table, and return how many they are."""
    rows, places = is_open.nonzero(as_tuple=True)
    references = columns[rows, places]
    into[rows, references] = warp_pairs(x, y, rows, references, band).double()
    return len(rows)
