"""Dense associative memories against the energy difference written out, and against Hopfield."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.neurons import DenseMemory, Hopfield

KINDS = [
    {"order": 2},
    {"order": 3},
    {"order": 4},
    {"order": 7},
    {"interaction": "exponential"},
]


def random_patterns(count, n, seed=0):
    return 2.0 * torch.randint(0, 2, (count, n), generator=torch.Generator().manual_seed(seed)) - 1


def memory_of(patterns, **kind):
    memory = DenseMemory(patterns.shape[1], **kind)
    memory.store(patterns)
    return memory


def slow_recall(patterns, state, term):
    """Each neuron takes the value that the sum of pattern terms prefers, +1 in a tie (whole numbers)."""
    state = [int(v) for v in state]
    rows = [[int(v) for v in p] for p in patterns.tolist()]

    def total(s):
        return sum(term(sum(a * b for a, b in zip(p, s, strict=True))) for p in rows)

    for _ in range(100):
        before = list(state)
        for i in range(len(state)):
            high, low = (
                total([*state[:i], 1, *state[i + 1 :]]),
                total([*state[:i], -1, *state[i + 1 :]]),
            )
            state[i] = 1 if high >= low else -1
        if state == before:
            return state
    raise AssertionError("never settled")


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(1, 6), st.integers(2, 6))
def test_polynomial_recall_follows_the_definition(seed, n, count, order):
    patterns, probes = random_patterns(count, n, seed), random_patterns(2, n, seed + 1)
    run = memory_of(patterns, order=order).recall(probes)
    for k in range(2):
        assert run.states[k].tolist() == slow_recall(
            patterns, probes[k].tolist(), lambda m: m**order
        )


def test_exponential_recall_follows_the_definition():
    for seed in range(10):
        patterns, probe = random_patterns(5, 7, seed), random_patterns(1, 7, seed + 100)[0]
        found = memory_of(patterns, interaction="exponential").recall(probe).states.tolist()
        assert found == slow_recall(patterns, probe.tolist(), math.exp)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(KINDS), st.integers(2, 30), st.integers(1, 40))
def test_energy_never_rises(seed, kind, n, count):
    memory = memory_of(random_patterns(count, n, seed), **kind)
    generator = torch.Generator().manual_seed(seed)
    run = memory.recall(random_patterns(6, n, seed + 1), generator=generator)
    scale = run.energies.abs().max()
    assert (run.energies.diff(dim=0) <= 1e-12 * scale).all()
    assert (run.period == 1).all()
    torch.testing.assert_close(run.energies[-1], memory.energy(run.states))


def test_order_two_is_hopfield():
    patterns = random_patterns(9, 40)
    probes = random_patterns(30, 40, seed=1)
    dense, classic = memory_of(patterns, order=2), Hopfield(40)
    classic.store(patterns)
    assert torch.equal(dense.recall(probes).states, classic.recall(probes).states)
    torch.testing.assert_close(dense.energy(probes) + 9 / 2, classic.energy(probes))


def test_energies_by_the_formula():
    patterns, state = random_patterns(5, 12), random_patterns(1, 12, seed=3)[0]
    overlaps = [float(p @ state) for p in patterns]
    cubic = -12 / 3 * sum((m / 12) ** 3 for m in overlaps)
    assert float(memory_of(patterns, order=3).energy(state)) == pytest.approx(cubic)
    exponential = -math.log(sum(math.exp(m) for m in overlaps))
    found = memory_of(patterns, interaction="exponential").energy(state)
    assert float(found) == pytest.approx(exponential)


def test_exponential_energy_never_overflows():
    patterns = random_patterns(10, 2000)
    memory = memory_of(patterns, interaction="exponential")
    assert memory.energy(patterns).isfinite().all()
    assert torch.equal(memory.recall(patterns).states, patterns)


def test_more_patterns_than_neurons():
    patterns = random_patterns(300, 60)
    noisy = patterns.clone()
    noisy[:, :4] *= -1
    for kind in ({"order": 5}, {"interaction": "exponential"}):
        restored = memory_of(patterns, **kind).recall(noisy).states
        assert float((restored == patterns).double().mean()) > 0.99
    classic = memory_of(patterns, order=2).recall(noisy).states
    assert float((classic == patterns).double().mean()) < 0.9


def test_even_orders_hold_the_negatives_and_odd_ones_do_not():
    patterns = random_patterns(3, 50)
    assert torch.equal(memory_of(patterns, order=4).recall(-patterns).states, -patterns)
    assert not torch.equal(memory_of(patterns, order=3).recall(-patterns).states, -patterns)


def test_bad_input_is_refused():
    with pytest.raises(InvalidValue, match="DenseMemory: order must be at least 2, got 1"):
        DenseMemory(4, order=1)
    with pytest.raises(
        InvalidValue, match="DenseMemory: interaction must be one of polynomial, exponential"
    ):
        DenseMemory(4, interaction="polynom")
    with pytest.raises(InvalidValue, match=r"DenseMemory\.store: patterns must hold -1 and 1 only"):
        DenseMemory(4).store(torch.zeros(4))
