"""Models from nothing but sequences: better than one start, equal for equal generators, clear about bad input."""

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.timeseries import HMM, fit_hmm

TRUTH = HMM.categorical(
    [0.5, 0.3, 0.2],
    [[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.1, 0.0, 0.9]],
    [[0.8, 0.1, 0.1, 0.0], [0.1, 0.8, 0.0, 0.1], [0.0, 0.1, 0.1, 0.8]],
)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_more_restarts_never_lose_and_reach_the_truth():
    _, y = TRUTH.sample(80, 12, generator=seeded())
    few, many = (fit_hmm(y, 3, restarts=n, generator=seeded(1)) for n in (1, 8))
    assert many.log_likelihoods[-1] >= few.log_likelihoods[-1]
    assert many.log_likelihoods[-1] > TRUTH.log_likelihood(y).sum().item()


@pytest.mark.parametrize("is_diagonal", [False, True])
def test_clusters_in_time_are_found(is_diagonal):
    means = torch.tensor([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]]).double()
    truth = HMM.gaussian([1 / 3] * 3, TRUTH.transition, means, torch.ones(3, 2))
    _, y = truth.sample(100, 4, generator=seeded(2))
    y[0, 5], y[1, 3, 0] = torch.nan, torch.nan
    lengths = torch.tensor([100, 50, 100, 80])
    y[3, 80:] = 1e6  # beyond the end, never looked at
    found = fit_hmm(y, 3, lengths, is_diagonal=is_diagonal, restarts=4, generator=seeded(3)).model
    order = (found.emission.means[None] - means[:, None]).norm(dim=-1).argmin(1)
    assert sorted(order.tolist()) == [0, 1, 2]
    np.testing.assert_allclose(found.emission.means[order], means, atol=0.5)
    assert found.emission.covariances.ndim == (2 if is_diagonal else 3)


def test_equal_generators_give_equal_models():
    _, y = TRUTH.sample(30, 3, generator=seeded(4))
    a, b = (fit_hmm(y, 2, restarts=2, max_steps=5, generator=seeded(5)).model for _ in range(2))
    assert torch.equal(a.emission.table, b.emission.table)


def test_symbols_that_never_came():
    y = torch.tensor([0, 1, -1, 1])
    assert fit_hmm(y, 2, restarts=1, generator=seeded()).model.emission.table.shape == (2, 2)
    assert fit_hmm(y, 2, vocab_size=5, restarts=1).model.emission.table.shape == (2, 5)


def test_data_without_spread_are_learned_too():
    found = fit_hmm(torch.ones(9, 1), 2, restarts=2, generator=seeded())
    assert torch.isfinite(found.model.log_likelihood(torch.ones(9, 1)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_hmm(torch.zeros(3), 2), r"y must be symbols .*, got torch.float32 of shape \(3,\)"),
        (lambda: fit_hmm(torch.full((3,), -1), 2), "observations without gaps to begin from, got none"),
        (lambda: fit_hmm(torch.zeros(3, dtype=torch.long), 0), "num_states must be a whole number from 1"),
        (lambda: fit_hmm(torch.zeros(3, dtype=torch.long), 2, restarts=0), "restarts must be"),
        (lambda: fit_hmm(torch.tensor([0, 7]), 2, vocab_size=3), "symbols from 0 to 2, .*got 7"),
    ],
)  # fmt: skip
def test_errors(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
