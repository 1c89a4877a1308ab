"""The kernel of a finite space is a matrix: it is in detailed balance, and it is what the sampler does."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gradatim.bayes import metropolis, metropolis_matrix, stationary_distribution
from gradatim.errors import InvalidValue

WEIGHTS = torch.tensor([4.0, 1.0, 2.0, 0.5]).double()
PROPOSAL = torch.tensor([[0.1, 0.5, 0.2, 0.2], [0.3, 0.0, 0.4, 0.3], [0.2, 0.2, 0.5, 0.1], [0.6, 0.1, 0.3, 0.0]]).double()  # fmt: skip


@given(
    hnp.arrays(float, (5, 5), elements=st.floats(0.05, 1)),
    hnp.arrays(float, 5, elements=st.floats(-3, 3)),
)
def test_detailed_balance(proposal, log_density):
    Q = torch.from_numpy(proposal / proposal.sum(1, keepdims=True))
    log_p = torch.from_numpy(log_density)
    kernel = metropolis_matrix(Q, log_p)
    flow = log_p.softmax(0)[:, None] * kernel
    torch.testing.assert_close(flow, flow.T, rtol=0, atol=1e-14)
    assert (kernel >= -1e-15).all()
    torch.testing.assert_close(kernel.sum(1), torch.ones(5).double())
    torch.testing.assert_close(stationary_distribution(kernel), log_p.softmax(0), rtol=0, atol=1e-10)  # fmt: skip
    later = torch.linalg.matrix_power(kernel, 1000)  # from wherever it starts
    torch.testing.assert_close(later, log_p.softmax(0).expand(5, 5), rtol=0, atol=1e-6)


def test_moves_that_are_never_proposed_are_never_made():
    ring = torch.tensor([[0.0, 0.5, 0.5, 0.0], [0.5, 0.0, 0.0, 0.5], [0.5, 0.0, 0.0, 0.5], [0.0, 0.5, 0.5, 0.0]]).double()  # fmt: skip
    kernel = metropolis_matrix(ring, WEIGHTS.log())
    assert not kernel[(ring == 0) & ~torch.eye(4, dtype=torch.bool)].any()
    torch.testing.assert_close(stationary_distribution(kernel), WEIGHTS / WEIGHTS.sum())


def test_single_precision_will_do():
    kernel = metropolis_matrix(PROPOSAL.float(), WEIGHTS.float().log())
    expected = (WEIGHTS / WEIGHTS.sum()).float()
    torch.testing.assert_close(stationary_distribution(kernel), expected, rtol=0, atol=1e-6)


def test_one_way_streets_are_closed():
    """0 → 1 → 2 → 0 cannot go back, so Hastings' ratio is 0 and nothing ever moves."""
    circle = torch.eye(3).roll(1, 1).double()
    assert torch.equal(metropolis_matrix(circle, torch.zeros(3).double()), torch.eye(3).double())


def test_the_identity_keeps_every_distribution():
    """Detailed balance alone does not make the stationary distribution unique."""
    with pytest.raises(InvalidValue, match="must join all states, got one that keeps 3 distributions"):  # fmt: skip
        stationary_distribution(torch.eye(3))


def jump(position, generator):
    """Propose by the rows of PROPOSAL."""
    where = torch.multinomial(PROPOSAL[position], 1, generator=generator)[:, 0]
    return metropolis.Proposal(where, PROPOSAL[where, position].log() - PROPOSAL[position, where].log())  # fmt: skip


def test_the_sampler_moves_by_the_matrix():
    g = torch.Generator().manual_seed(0)
    kernel, count = metropolis_matrix(PROPOSAL, WEIGHTS.log()), 40_000

    def log_density(position):
        return WEIGHTS.log()[position]

    for start in range(4):
        state = metropolis.init(log_density, torch.full((count,), start))
        state, _ = metropolis.step(log_density, state, propose=jump, generator=g)
        seen = torch.bincount(state.position, minlength=4) / count
        spread = (kernel[start] * (1 - kernel[start]) / count).sqrt()
        assert ((seen - kernel[start]).abs() <= 4 * spread + 1e-12).all()
        torch.testing.assert_close(state.log_density, log_density(state.position))


def test_a_random_walk_goes_as_far_as_its_step():
    g = torch.Generator().manual_seed(0)
    spread = torch.tensor([[2.0, 0.6], [0.6, 0.5]]).double()
    walk = metropolis.random_walk(step_size=0.5, inverse_mass=spread)
    moved = walk(torch.zeros(100_000, 2).double(), g)
    torch.testing.assert_close(torch.cov(moved.position.T), 0.25 * spread, rtol=0, atol=0.01)
    assert moved.log_ratio == 0


def test_draws_of_the_density_stay_draws_of_it():
    g = torch.Generator().manual_seed(0)
    x = -torch.rand(40_000, 1, generator=g).log()  # of the exponential density

    def log_density(x):
        return torch.where(x[:, 0] > 0, -x[:, 0], -torch.inf)

    state = metropolis.init(log_density, x)
    for _ in range(3):
        state, info = metropolis.step(log_density, state, propose=metropolis.random_walk(step_size=1.5), generator=g)  # fmt: skip
    assert float(state.position.mean()) == pytest.approx(1, abs=4 / 200)
    assert float(state.position.square().mean()) == pytest.approx(2, abs=4 * 20**0.5 / 200)
    assert float(info.acceptance.mean()) == pytest.approx(float(info.is_accepted.float().mean()), abs=0.01)  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metropolis.random_walk(step_size=0), "random_walk: step_size must be more than 0, got 0"),
        (lambda: metropolis.init(lambda x: x[:, 0].log(), torch.zeros(2, 1)), "got -inf in chain 1 of 2"),
        (lambda: metropolis_matrix(torch.ones(2, 3), torch.zeros(2)), r"proposal must be a square matrix of probabilities, got torch.float32 of shape \(2, 3\)"),
        (lambda: metropolis_matrix(torch.ones(2, 2), torch.zeros(2)), r"rows of proposal must be probabilities that sum to 1, got sums \[2.0, 2.0\]"),
        (lambda: metropolis_matrix(torch.eye(2), torch.zeros(3)), "log_density must be 2 finite numbers"),
    ],
)  # fmt: skip
def test_what_is_refused(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
