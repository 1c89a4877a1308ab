r"""Lower bounds of dynamic time warping, in one pass over the steps: they tell which pairs need no warping."""

import torch
from torch import Tensor

from gradatim.timeseries.dtw import band_widths
from gradatim.timeseries.series_batch import SeriesBatch

NUMBERS = 1 << 17  # differences held at once: what a core's cache holds


def lb_kim(x: SeriesBatch, y: SeriesBatch) -> Tensor:
    r"""Return what the first and the last steps, which every path pairs, contribute to the distance.

    .. math:: \sqrt{\lVert x_1 - y_1\rVert^2 + \lVert x_n - y_m\rVert^2} \le d(x, y)

    Args:
        x: :math:`N` series.
        y: :math:`M` series.

    Returns:
        Bounds, shape ``(N, M)``.

    Reference:
        Kim, Park and Chu, An Index-Based Approach for Similarity Search Supporting Time Warping, 2001, of whose four
        features these are the two that stay valid without further conditions.
    """
    ends = [
        torch.cdist(_step(x, first), _step(y, first), compute_mode="donot_use_mm_for_euclid_dist")
        for first in (True, False)
    ]
    is_single = (x.lengths[:, None] == 1) & (y.lengths == 1)  # one cell, which counts once
    return torch.hypot(ends[0], ends[1].masked_fill(is_single, 0.0))


def _step(batch: SeriesBatch, first: bool) -> Tensor:
    place = torch.zeros_like(batch.lengths) if first else batch.lengths - 1
    return batch.values[torch.arange(len(place)), place].double()  # (N, C)


def lb_keogh(x: SeriesBatch, y: SeriesBatch, band: float) -> Tensor:
    r"""Return how far each query leaves the envelope of each reference.

    .. math::
        \sqrt{\sum_i \max(x_i - U_i,\ L_i - x_i,\ 0)^2} \le d(x, y), \qquad
        U_i = \max_{|j-i|\le w} y_j, \quad L_i = \min_{|j-i|\le w} y_j

    Every step of the query meets a step of the reference within the band. Where lengths differ from pair to pair the
    widest band of all is used, which keeps the bound valid.

    Args:
        x: :math:`N` series.
        y: :math:`M` series.
        band: As in :func:`dtw_distances`.

    Returns:
        Bounds, shape ``(N, M)``.

    Reference:
        Keogh and Ratanamahatana, Exact Indexing of Dynamic Time Warping, 2005; Vlachos et al., Indexing
        Multidimensional Time-Series, 2006, for several channels.
    """
    T, (M, S, C) = x.values.shape[1], y.values.shape
    w = int(band_widths(x.lengths[:, None], y.lengths, band).max())
    is_real = (torch.arange(S) < y.lengths[:, None])[..., None]
    upper = _widest(y.values.masked_fill(~is_real, -torch.inf), w, T)  # (M, T, C)
    lower = -_widest((-y.values).masked_fill(~is_real, -torch.inf), w, T)
    is_there = (torch.arange(T) < x.lengths[:, None])[:, None, :, None]  # (N, 1, T, 1)
    bounds = torch.empty(len(x.values), M, dtype=torch.float64)
    columns = max(min(NUMBERS // (T * C), M), 1)
    rows = max(NUMBERS // (columns * T * C), 1)
    for j in range(0, M, columns):
        high, low = upper[j : j + columns], lower[j : j + columns]
        for i in range(0, len(bounds), rows):
            steps = x.values[i : i + rows, None]  # (n, 1, T, C)
            out = torch.maximum(steps - high, low - steps).clamp_(min=0)  # (n, m, T, C)
            out.masked_fill_(~is_there[i : i + rows], 0.0)
            bounds[i : i + rows, j : j + columns] = out.square_().sum((2, 3))
    return bounds.sqrt()


def _widest(values: Tensor, w: int, steps: int) -> Tensor:
    """Largest value within ``w`` steps of every time from 0 to ``steps``; ``(M, S, C)`` to ``(M, steps, C)``."""
    short = max(0, steps - values.shape[1])
    padded = torch.nn.functional.pad(values.mT, (w, w + short), value=-torch.inf)  # (M, C, …)
    widest = torch.nn.functional.max_pool1d(padded, 2 * w + 1, stride=1)
    return widest[..., :steps].mT
