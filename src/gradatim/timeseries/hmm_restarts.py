"""A hidden Markov model from nothing but sequences: random models, each learned from, the best kept."""

import torch
from torch import Tensor

from gradatim.errors import require, require_whole
from gradatim.timeseries.emissions import CategoricalEmission
from gradatim.timeseries.hmm import HMM, HMMFit
from gradatim.timeseries.inputs import Array, as_lengths


def fit_hmm(
    y: Array,
    num_states: int,
    lengths: Array | None = None,
    *,
    vocab_size: int | None = None,
    is_diagonal: bool = False,
    floor: float = 1e-6,
    restarts: int = 10,
    max_steps: int = 100,
    tol: float = 1e-4,
    generator: torch.Generator | None = None,
) -> HMMFit:
    """Learn a hidden Markov model by Baum-Welch from several random models, and keep the likeliest.

    Rows of probabilities are drawn evenly from all there are. A state of a Gaussian model begins at an
    observation, far from those of the states before it with greater chance, with the covariance of all.

    Args:
        y: Integer symbols ``(T,)`` or ``(B, T)``, -1 where missing, or vectors ``(T, D)`` or ``(B, T, D)``,
            NaN where missing.
        num_states: How many hidden states.
        lengths: Length of each sequence of a padded batch, shape ``(B,)``.
        vocab_size: Symbols there are; the largest seen and those below it by default.
        is_diagonal: Whether covariances are diagonal.
        floor: Least variance, as in :meth:`HMM.gaussian`.
        restarts: How many random models.
        max_steps: Most rounds for each.
        tol: As in :meth:`HMM.learn`.
        generator: Source of randomness.

    Returns:
        The best model and its course.

    Example:
        >>> truth = HMM.categorical([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [[0.9, 0.1], [0.1, 0.9]])
        >>> _, y = truth.sample(100, 20, generator=torch.Generator().manual_seed(0))
        >>> found = fit_hmm(y, 2, restarts=3, generator=torch.Generator().manual_seed(0))
        >>> bool(found.log_likelihoods[-1] > truth.log_likelihood(y).sum())
        True

    Reference:
        Rabiner, A tutorial on hidden Markov models, 1989, section V.C; Arthur and Vassilvitskii, k-means++:
        the advantages of careful seeding, 2007.
    """
    require_whole("fit_hmm", num_states=num_states, restarts=restarts, max_steps=max_steps)
    rows = _real_rows(torch.as_tensor(y), lengths)
    best: HMMFit | None = None
    for _ in range(restarts):
        if rows.ndim == 1:
            model = _draw_categorical(rows, num_states, vocab_size, generator)
        else:
            model = _draw_gaussian(rows, num_states, is_diagonal, floor, generator)
        found = model.learn(y, lengths, max_steps=max_steps, tol=tol)
        if best is None or found.log_likelihoods[-1] > best.log_likelihoods[-1]:
            best = found
    assert best is not None
    return best


def _real_rows(y: Tensor, lengths: Array | None) -> Tensor:
    """All observations that are there, symbols ``(N,)`` or vectors ``(N, D)``."""
    is_symbols = not y.is_floating_point()
    batch = y[None] if y.ndim == (1 if is_symbols else 2) else y
    require(
        batch.ndim == (2 if is_symbols else 3) and batch.numel(),
        "fit_hmm: y must be symbols (T,) or (B, T), or vectors (T, D) or (B, T, D)",
        f"{y.dtype} of shape {tuple(y.shape)}",
    )
    ends = as_lengths("fit_hmm", lengths, *batch.shape[:2])
    rows = batch[torch.arange(batch.shape[1]) < ends[:, None]]
    there = rows >= 0 if is_symbols else ~torch.isnan(rows).any(-1)
    require(
        there.any(),
        "fit_hmm: y must hold observations without gaps to begin from",
        "none",
    )
    return rows[there]


def _draw_rows(shape: tuple[int, ...], generator: torch.Generator | None) -> Tensor:
    """Rows of probabilities, uniform over all there are."""
    draws = torch.rand(shape, generator=generator, dtype=torch.float64)
    rows = -(
        draws + torch.finfo(torch.float64).tiny
    ).log()  # exponential variables, divided by their sum
    return rows / rows.sum(-1, keepdim=True)


def _draw_chain(K: int, generator: torch.Generator | None) -> tuple[Tensor, Tensor]:
    return _draw_rows((K,), generator), _draw_rows((K, K), generator)


def _draw_categorical(
    rows: Tensor, K: int, vocab_size: int | None, generator: torch.Generator | None
) -> HMM:
    size = int(rows.max()) + 1 if vocab_size is None else vocab_size
    chain = _draw_chain(K, generator)
    return HMM(*chain, CategoricalEmission(_draw_rows((K, size), generator)))


def _draw_gaussian(
    rows: Tensor, K: int, is_diagonal: bool, floor: float, generator: torch.Generator | None
) -> HMM:
    values = rows.double()
    spread = torch.cov(values.T, correction=0).reshape(values.shape[1], -1)
    scale = spread.diagonal().clamp(min=floor)
    chosen = [int(torch.randint(len(values), (1,), generator=generator))]
    for _ in range(K - 1):
        away = values[:, None] - values[chosen]  # (N, chosen, D)
        distance = (away.square() / scale).sum(-1).amin(1) + torch.finfo(torch.float64).tiny
        chosen.append(int(torch.multinomial(distance, 1, generator=generator)))
    # no direction begins below the floor
    full = (spread + floor * torch.eye(len(spread)).double()).expand(K, -1, -1)
    covariances = full.diagonal(dim1=1, dim2=2) if is_diagonal else full
    chain = _draw_chain(K, generator)
    return HMM.gaussian(*chain, values[chosen], covariances, floor=floor)
