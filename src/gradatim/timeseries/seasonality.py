"""After how many steps a series repeats itself."""

import numpy as np
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue

CLEAR = 0.3  # autocorrelation that a season must have
NEAR = 0.9  # of the highest peak, at which a shorter season is preferred


def find_season(series: ArrayLike, *, longest: int | None = None) -> int:
    r"""Find the period of a series from the autocorrelation of its differences.

    .. math:: r_k=\frac{\sum_t d_td_{t-k}}{\sum_t d_t^2},\qquad d_t=(x_t-x_{t-1})-\overline{\Delta x}

    Differences have no trend to mistake for a season. The period is the shortest lag whose
    :math:`r_k` is a peak, above 0.3 and above 0.9 of the highest peak; multiples of a period peak too.

    Args:
        series: Values in the order of time, shape ``(T,)``, or several series ``(S, T)``, whose
            autocorrelations are averaged.
        longest: Longest period to look for; a third of the length by default.

    Returns:
        The period in steps, 1 where there is none.

    Example:
        >>> find_season(np.sin(2 * np.pi * np.arange(60) / 12) + 0.1 * np.arange(60))
        12
    """
    x = np.atleast_2d(np.asarray(series, dtype=np.float64))
    if x.ndim != 2 or not np.isfinite(x).all():
        raise InvalidValue(
            f"find_season: series must be finite, of shape (T,) or (S, T), got shape {x.shape}."
        )
    steps = x.shape[1] - 1
    limit = min(x.shape[1] // 3 if longest is None else longest, steps - 2)
    if limit < 2:
        return 1
    d = np.diff(x, axis=1)
    d -= d.mean(1, keepdims=True)
    spectrum = np.fft.rfft(
        d, n=2 * steps, axis=1
    )  # padded, so that the end does not meet the start
    products = np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, : limit + 2]
    power = products[:, :1]
    if (power <= 1e-12 * np.square(x).sum(1, keepdims=True)).all():
        return 1
    overlap = steps / (steps - np.arange(products.shape[1]))  # products of lag k are fewer
    r = (products / np.where(power > 0, power, 1.0)).mean(0) * overlap
    lags = np.arange(2, limit + 1)
    is_peak = (r[lags] > r[lags - 1]) & (r[lags] >= r[lags + 1]) & (r[lags] > CLEAR)
    if not is_peak.any():
        return 1
    peaks = lags[is_peak]
    return int(peaks[r[peaks] >= NEAR * r[peaks].max()][0])
