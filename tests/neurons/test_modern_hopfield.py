"""One step of the modern Hopfield network is attention; its energy never rises."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from gradatim.errors import InvalidValue
from gradatim.neurons import ModernHopfield


def memory_of(patterns, beta=None):
    memory = ModernHopfield(patterns.shape[1], beta=beta)
    memory.store(patterns)
    return memory


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 20), st.floats(0.05, 5.0))
def test_one_step_is_attention(seed, n, count, beta):
    generator = torch.Generator().manual_seed(seed)
    patterns = torch.randn(count, n, generator=generator)
    queries = torch.randn(4, n, generator=generator)
    expected = scaled_dot_product_attention(
        queries[None], patterns[None], patterns[None], scale=beta
    )
    torch.testing.assert_close(memory_of(patterns, beta).step(queries), expected[0])
    default = scaled_dot_product_attention(queries[None], patterns[None], patterns[None])
    torch.testing.assert_close(memory_of(patterns).step(queries), default[0])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(1, 20), st.floats(0.05, 20.0))
def test_energy_never_rises_and_is_bounded(seed, n, count, beta):
    generator = torch.Generator().manual_seed(seed)
    memory = memory_of(torch.randn(count, n, generator=generator).double(), beta).double()
    run = memory.recall(torch.randn(5, n, generator=generator).double(), max_steps=20)
    assert (run.energies.diff(dim=0) <= 1e-5).all()
    assert (run.energies >= -1e-5).all()  # Ramsauer et al.: 0 <= E


def test_energy_by_the_formula():
    patterns = torch.tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]])
    query, beta = torch.tensor([0.3, -0.7]), 1.7
    sums = math.log(sum(math.exp(beta * float(p @ query)) for p in patterns)) / beta
    expected = -sums + (0.3**2 + 0.7**2) / 2 + math.log(3) / beta + 9.0 / 2
    assert float(memory_of(patterns, beta).energy(query)) == pytest.approx(expected, rel=1e-6)


def test_step_is_a_gradient_step_of_the_energy():
    patterns = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
    memory = memory_of(patterns, beta=2.0)
    query = torch.randn(4, generator=torch.Generator().manual_seed(1), requires_grad=True)
    (slope,) = torch.autograd.grad(memory.energy(query), query)
    torch.testing.assert_close(query - slope, memory.step(query))


def test_sharp_memories_retrieve_and_soft_ones_average():
    patterns = torch.randn(50, 32, generator=torch.Generator().manual_seed(0))
    noisy = patterns + 0.3 * torch.randn(50, 32, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(
        memory_of(patterns, beta=8.0).step(noisy), patterns, atol=1e-2, rtol=0
    )
    centre = memory_of(patterns, beta=1e-6).step(noisy)
    torch.testing.assert_close(centre, patterns.mean(dim=0).expand(50, 32), atol=1e-3, rtol=0)


def test_recall_stops_where_a_step_no_longer_moves():
    patterns = torch.eye(3)
    run = memory_of(patterns, beta=10.0).recall(torch.tensor([0.6, 0.4, 0.0]))
    assert run.states.shape == (3,)
    assert int(run.period) == 1
    assert len(run.energies) == int(run.sweeps) + 2  # the start, and the step that found rest
    capped = memory_of(patterns, beta=10.0).recall(torch.tensor([0.6, 0.4, 0.0]), max_steps=1)
    assert int(capped.period) == 0


def test_bad_temperature_is_refused():
    with pytest.raises(InvalidValue, match="ModernHopfield: beta must be positive, got 0"):
        ModernHopfield(4, beta=0.0)
