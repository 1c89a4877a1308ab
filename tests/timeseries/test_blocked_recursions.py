"""Cutting sequences into blocks changes the speed and nothing else."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.timeseries import HMM, blocked_recursions
from gradatim.timeseries.blocked_recursions import LONG, block_length, sweep


def chain(rng, K, zeros):
    def rows(*shape):
        p = rng.dirichlet(np.ones(shape[-1]), shape[:-1])
        p = np.where(rng.random(p.shape) < 0.3 * zeros, 0.0, p)
        p[..., -1] += p.sum(-1) == 0
        return p / p.sum(-1, keepdims=True)

    return rows(K), rows(K, K)


@settings(deadline=None, max_examples=30)
@given(
    st.integers(1, 4), st.integers(1, 3), st.integers(4, 40), st.booleans(), st.integers(0, 10**6)
)
def test_scaled_recursions(K, B, steps, zeros, seed):
    rng = np.random.default_rng(seed)
    start, transition = chain(rng, K, zeros)
    likelihood = rng.uniform(0.1, 1.0, (steps, B, K))
    plain = sweep(start, transition, likelihood, needs_back=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocked_recursions, "LONG", 4)
        assert block_length(steps, B, K) is not None
        cut = sweep(start, transition, likelihood, needs_back=True)
    reached = (
        plain[0].alpha > 0
    )  # a state that cannot be reached has no backward variable that counts
    for one, other in zip((*plain[0], *plain[1]), (*cut[0], *cut[1]), strict=True):
        np.testing.assert_allclose(other[reached], one[reached], rtol=1e-8, atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 4), st.integers(1, 3), st.integers(4, 40), st.booleans(), st.booleans(),
    st.integers(0, 10**6),
)  # fmt: skip
def test_viterbi(K, B, steps, zeros, ragged, seed):
    rng = np.random.default_rng(seed)
    model = HMM.categorical(*chain(rng, K, zeros), rng.dirichlet(np.ones(3), K))
    _, y = model.sample(steps, B, generator=torch.Generator().manual_seed(seed))
    lengths = torch.from_numpy(rng.integers(1, steps + 1, B)) if ragged else None
    plain = model.viterbi(y, lengths)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocked_recursions, "LONG", 4)
        cut = model.viterbi(y, lengths)
    torch.testing.assert_close(cut.log_probability, plain.log_probability)
    for b in range(B):  # a path equally good may be another one: what counts is its own score
        end = steps if lengths is None else int(lengths[b])
        path = cut.path[b, :end]
        score = (
            model.start[path[0]].log() + model.emission.log_prob(y[b, :end])[range(end), path].sum()
        )
        score += model.transition[path[:-1], path[1:]].log().sum()
        torch.testing.assert_close(score, plain.log_probability[b])
        assert (cut.path[b, end:] == -1).all()


def test_ties_are_broken_consistently():
    """All paths are equally good, and yet the one returned must exist: no state may follow itself."""
    K = 3
    model = HMM.categorical([1 / K] * K, (1 - torch.eye(K)) / (K - 1), torch.full((K, 2), 0.5))
    path = model.viterbi(torch.zeros(2 * LONG, dtype=torch.long)).path
    assert (path[1:] != path[:-1]).all()


def test_few_and_long_sequences_are_cut():
    assert block_length(100_000, 1, 8) == 316
    assert block_length(200, 100, 8) is None
    assert block_length(100_000, 100, 8) is None
    assert block_length(LONG - 1, 1, 2) is None
