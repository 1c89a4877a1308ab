"""Have the chains met, and how many independent draws are they worth?"""

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri
from scipy.stats import rankdata
from torch import Tensor, as_tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require

Array = NDArray[np.float64]
LEAST_DRAWS = 4  # of a chain; fewer have no halves to compare


@takes_arrays
def r_hat(draws: Tensor) -> Tensor:
    r"""How much wider all chains together are than each of them: 1 where they have met.

    .. math::
        \hat R = \sqrt{\frac{\frac{N-1}NW+\frac1NB}{W}}

    from the variance :math:`W` within and :math:`B` between the halves of the chains, of :math:`N` draws each, whose values
    are replaced by normal scores of their ranks; the larger of that and of the same for distances from the median.

    Args:
        draws: Shape ``(chains, draws, ...)``.

    Returns:
        Shape ``(...)``; NaN for fewer than two chains or four draws, which tell nothing. Below 1.01 is good.

    Example:
        >>> import torch
        >>> apart = torch.randn(4, 500, generator=torch.Generator().manual_seed(0)) + torch.arange(4.0)[:, None]
        >>> bool(r_hat(apart) > 1.3)
        True

    Reference:
        Vehtari et al., Rank-Normalization, Folding, and Localization: An Improved R-hat, 2021.
    """
    values, shape = _flat("r_hat", draws)
    if values.shape[1] < 2 or values.shape[2] < LEAST_DRAWS:
        return as_tensor(np.full(shape, np.nan))
    halves = _split(values)
    center = np.median(halves, axis=(1, 2), keepdims=True)
    found = np.maximum(_ratio(_scores(halves)), _ratio(_scores(np.abs(halves - center))))
    return as_tensor(_unless_nan(found, values).reshape(shape))


@takes_arrays
def ess_bulk(draws: Tensor) -> Tensor:
    r"""How many independent draws would give the centre of the density as well.

    .. math::
        ESS = \frac{CN}{\hat\tau}, \qquad \hat\tau = 1+2\sum_{t\ge1}\hat\rho_t

    with the autocorrelations :math:`\hat\rho_t` of normal scores of the ranks, within and between halves of chains, summed in
    pairs while these are positive and made to fall (Geyer).

    Args:
        draws: Shape ``(chains, draws, ...)``.

    Returns:
        Shape ``(...)``; NaN for fewer than four draws of a chain. Above 400 is good.

    Example:
        >>> import torch
        >>> steps = torch.randn(4, 500, generator=torch.Generator().manual_seed(0))
        >>> bool(ess_bulk(steps) > 1000), bool(ess_bulk(steps.cumsum(1)) < 50)
        (True, True)

    Reference:
        Vehtari et al., Rank-Normalization, Folding, and Localization: An Improved R-hat, 2021.
    """
    values, shape = _flat("ess_bulk", draws)
    if values.shape[2] < LEAST_DRAWS:
        return as_tensor(np.full(shape, np.nan))
    found = _effective_size(_scores(_split(values)))
    return as_tensor(_unless_nan(found, values).reshape(shape))


@takes_arrays
def ess_tail(draws: Tensor) -> Tensor:
    r"""How many independent draws would give the 5 % and 95 % quantiles as well, the smaller of the two.

    Args:
        draws: Shape ``(chains, draws, ...)``.

    Returns:
        Shape ``(...)``; NaN for fewer than four draws of a chain. Above 400 is good.

    Example:
        >>> import torch
        >>> bool(ess_tail(torch.randn(4, 500, generator=torch.Generator().manual_seed(0))) > 1000)
        True

    Reference:
        Vehtari et al., Rank-Normalization, Folding, and Localization: An Improved R-hat, 2021.
    """
    values, shape = _flat("ess_tail", draws)
    if values.shape[2] < LEAST_DRAWS:
        return as_tensor(np.full(shape, np.nan))
    with np.errstate(invalid="ignore"):
        limits = np.quantile(values, (0.05, 0.95), axis=(1, 2), keepdims=True)
    sides = [_effective_size(_split((values <= limit).astype(float))) for limit in limits]
    return as_tensor(_unless_nan(np.minimum(*sides), values).reshape(shape))


def _flat(owner: str, draws: Tensor) -> tuple[Array, tuple[int, ...]]:
    """The draws as ``(parameters, chains, draws)`` in double precision, and the shape of the parameters."""
    got = tuple(draws.shape)
    require(draws.ndim >= 2 and draws.numel() and not draws.is_complex(), f"{owner}: draws must be real numbers of shape (chains, draws, ...)", f"shape {got}")  # fmt: skip
    values = draws.detach().double().cpu().numpy()
    chains, count = values.shape[:2]
    return np.moveaxis(values.reshape(chains, count, -1), -1, 0), values.shape[2:]


def _split(values: Array) -> Array:
    """First and second halves as chains of their own; of an odd number the middle one is left out."""
    half = values.shape[2] // 2
    return np.concatenate([values[:, :, :half], values[:, :, -half:]], axis=1)


def _scores(values: Array) -> Array:
    """Normal scores of the ranks of each parameter (Blom), ties in the middle."""
    ranks = rankdata(values.reshape(len(values), -1), axis=1)
    scores: Array = ndtri((ranks - 3 / 8) / (ranks.shape[1] + 1 / 4)).reshape(values.shape)
    return scores


def _ratio(values: Array) -> Array:
    """R-hat of chains as they are."""
    N = values.shape[2]
    W = values.var(axis=2, ddof=1).mean(axis=1)
    B = N * values.mean(axis=2).var(axis=1, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = np.sqrt((B / W + N - 1) / N)
    return found


def _effective_size(values: Array) -> Array:
    """Draws over their autocorrelation time, of chains as they are."""
    _, C, N = values.shape
    covariances = _autocovariance(values).mean(axis=1)  # (P, N)
    within = covariances[:, :1] * N / (N - 1)
    total = covariances[:, :1] + values.mean(axis=2).var(axis=1, ddof=1)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = 1 - (within - covariances) / total
    rho[:, 0] = 1.0
    pairs = rho[:, 0 : 2 * (N // 2) : 2] + rho[:, 1::2]  # (P, N // 2)
    index = np.arange(pairs.shape[1])
    is_end = (pairs <= 0) | (2 * index + 1 >= N - 3)
    last = is_end.argmax(axis=1)  # the first pair that is not positive, or the last there is
    falling = np.minimum.accumulate(pairs, axis=1)
    body = np.where(index < last[:, None], falling, 0.0).sum(axis=1)
    rows = np.arange(len(rho))
    edge = rho[rows, 2 * last]
    edge = np.where((pairs[rows, last] >= 0) | (edge > 0), edge, 0.0)
    tau = np.maximum(-1 + 2 * body + edge, 1 / np.log10(C * N))
    is_constant = np.ptp(values, axis=(1, 2)) < np.finfo(float).resolution
    return np.where(is_constant, C * N, C * N / tau)


def _autocovariance(values: Array) -> Array:
    """At every lag, along the last axis."""
    N = values.shape[-1]
    size = next_fast_len(2 * N)
    spectrum = rfft(values - values.mean(axis=-1, keepdims=True), n=size)
    found: Array = irfft((spectrum * spectrum.conj()).real, n=size)[..., :N] / N
    return found


def _unless_nan(found: Array, values: Array) -> Array:
    return np.where(np.isnan(values).any(axis=(1, 2)), np.nan, found)
