"""The Hopfield network against its definition, one neuron at a time in float64."""

from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.neurons import Hopfield


def random_patterns(count, n, seed=0):
    return 2.0 * torch.randint(0, 2, (count, n), generator=torch.Generator().manual_seed(seed)) - 1


def memory_of(patterns, bias=None):
    memory = Hopfield(patterns.shape[1], bias=bias)
    memory.store(patterns)
    return memory


def slow_energy(patterns, bias, state):
    """The energy times 2n, in whole numbers, so that ties are exact; ``bias`` holds n times the biases."""
    n = len(state)
    pairs = sum(
        p[i] * p[j] * state[i] * state[j]
        for p in patterns
        for i in range(n)
        for j in range(n)
        if i != j
    )
    return -pairs + 2 * sum(bias[i] * state[i] for i in range(n))


def slow_recall(patterns, bias, state):
    """Each neuron takes the value of lower energy, +1 in a tie; all energies along the way."""
    state, levels = list(state), [slow_energy(patterns, bias, state)]
    for _ in range(100):
        before = list(state)
        for i in range(len(state)):
            high = slow_energy(patterns, bias, [*state[:i], 1, *state[i + 1 :]])
            low = slow_energy(patterns, bias, [*state[:i], -1, *state[i + 1 :]])
            state[i] = 1 if high <= low else -1
            levels.append(min(high, low))
        if state == before:
            return state, levels
    raise AssertionError("never settled")


def test_weights_are_hebbs():
    patterns = random_patterns(3, 5)
    weight = memory_of(patterns).weight
    for i in range(5):
        for j in range(5):
            expected = 0.0 if i == j else sum(float(p[i] * p[j]) for p in patterns) / 5
            assert float(weight[i, j]) == pytest.approx(expected)


def test_storing_adds():
    patterns = random_patterns(4, 6)
    memory = Hopfield(6)
    memory.store(patterns[0])
    memory.store(patterns[1:])
    assert torch.equal(memory.weight, memory_of(patterns).weight)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(1, 4), st.booleans())
def test_recall_follows_the_definition(seed, n, count, with_bias):
    generator = torch.Generator().manual_seed(seed)
    bias = torch.randint(-2, 3, (n,), generator=generator) * int(with_bias)
    patterns, probes = random_patterns(count, n, seed), random_patterns(2, n, seed + 1)
    run = memory_of(patterns, bias / n).recall(probes)
    for k, probe in enumerate(probes.int().tolist()):
        state, levels = slow_recall(patterns.int().tolist(), bias.tolist(), probe)
        assert run.states[k].tolist() == state
        assert float(run.energies[0, k]) == pytest.approx(levels[0] / (2 * n), abs=1e-6)
        assert float(run.energies[-1, k]) == pytest.approx(levels[-1] / (2 * n), abs=1e-6)
        assert all(after <= before for before, after in pairwise(levels))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 90), st.integers(1, 20), st.booleans())
def test_energy_never_rises_in_asynchronous_recall(seed, n, count, shuffled):
    generator = torch.Generator().manual_seed(seed)
    memory = Hopfield(n, bias=torch.randn(n, generator=generator) / 5)
    coupling = torch.randn(n, n, generator=generator)
    memory.coupling.copy_((coupling + coupling.T).fill_diagonal_(0.0))  # any symmetric weights
    probes = random_patterns(count, n, seed)
    run = memory.recall(probes, generator=generator if shuffled else None)
    assert (run.energies.diff(dim=0) <= 1e-6).all()
    assert (run.period == 1).all()
    torch.testing.assert_close(run.energies[-1], memory.energy(run.states), atol=1e-4, rtol=1e-4)
    assert (run.energies[0] == memory.energy(probes)).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 12))
def test_synchronous_recall_ends_in_a_fixed_point_or_a_pair(seed, n, count):
    memory = memory_of(random_patterns(count, n, seed))
    run = memory.recall(random_patterns(8, n, seed + 1), mode="synchronous", max_sweeps=500)
    assert set(run.period.tolist()) <= {1, 2}
    once = torch.where(run.states @ memory.coupling >= 0, 1.0, -1.0)
    twice = torch.where(once @ memory.coupling >= 0, 1.0, -1.0)
    assert torch.equal(twice, run.states)
    assert ((once == run.states).all(dim=1) == (run.period == 1)).all()


def test_synchronous_updates_can_raise_the_energy_and_alternate():
    memory = Hopfield(2)
    memory.store(torch.tensor([1.0, 1.0]))
    run = memory.recall(torch.tensor([1.0, -1.0]), mode="synchronous")
    assert int(run.period) == 2
    anti = Hopfield(2)
    anti.store(torch.tensor([1.0, -1.0]))  # the neurons repel: (1, 1) flips to (-1, -1) and back
    assert int(anti.recall(torch.tensor([1.0, 1.0]), mode="synchronous").period) == 2
    many = memory_of(random_patterns(40, 100, seed=3))
    energies = many.recall(random_patterns(20, 100, seed=4), mode="synchronous").energies
    assert (energies.diff(dim=0) > 0).any()


def test_few_patterns_are_recalled_from_noise_and_so_are_their_negatives():
    patterns = random_patterns(10, 200)
    memory = memory_of(patterns)
    noisy = patterns.clone()
    flips = torch.rand(10, 200, generator=torch.Generator().manual_seed(1)) < 0.15
    noisy[flips] *= -1
    for mode in ("asynchronous", "synchronous"):
        assert torch.equal(memory.recall(noisy, mode=mode).states, patterns)
        assert torch.equal(memory.recall(-noisy, mode=mode).states, -patterns)
    assert torch.equal(memory(noisy), patterns)


def test_stability_means_the_field_agrees():
    patterns = random_patterns(30, 100)
    memory = memory_of(patterns)
    expected = ((memory.field(patterns) * patterns) > -1e-6).all(dim=1)
    assert torch.equal(memory.is_stable(patterns), expected)
    assert 0 < int(expected.sum()) < 30
    assert memory.is_stable(memory.recall(patterns).states).all()


def test_single_probe_equals_its_place_in_a_batch():
    memory = memory_of(random_patterns(20, 60))
    probes = random_patterns(5, 60, seed=9)
    batch = memory.recall(probes)
    for k in range(5):
        one = memory.recall(probes[k])
        assert one.states.shape == (60,)
        assert torch.equal(one.states, batch.states[k])
        assert int(one.sweeps) == int(batch.sweeps[k])
        assert float(memory.energy(probes[k])) == float(batch.energies[0, k])


def test_probes_are_left_alone_and_integers_are_accepted():
    memory = memory_of(random_patterns(2, 30).long())
    probe = random_patterns(1, 30, seed=5)
    kept = probe.clone()
    memory.recall(probe)
    memory.recall(probe[0])
    assert torch.equal(probe, kept)


def test_random_order_follows_the_generator():
    memory = memory_of(random_patterns(40, 100))
    probes = random_patterns(10, 100, seed=2)
    first, again = (
        memory.recall(probes, generator=torch.Generator().manual_seed(7)).states for _ in range(2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, memory.recall(probes).states)


def test_large_batches_in_one_go():
    patterns = random_patterns(40, 400)
    probes = patterns.repeat(10, 1)
    flips = torch.rand(probes.shape, generator=torch.Generator().manual_seed(0)) < 0.05
    probes[flips] *= -1
    run = memory_of(patterns).recall(probes)
    assert float((run.states * patterns.repeat(10, 1)).mean()) > 0.98


def test_saved_weights_recall_alike():
    memory = memory_of(random_patterns(5, 40))
    other = Hopfield(40)
    other.load_state_dict(memory.state_dict())
    probes = random_patterns(6, 40, seed=1)
    assert torch.equal(other(probes), memory(probes))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Hopfield(1), "Hopfield: n must be at least 2 neurons, got 1"),
        (
            lambda: Hopfield(3, bias=torch.zeros(2)),
            r"Hopfield: bias must have shape \(3,\), got \(2,\)",
        ),
        (
            lambda: Hopfield(3).store(torch.zeros(3)),
            "Hopfield.store: patterns must hold -1 and 1 only",
        ),
        (
            lambda: Hopfield(3).energy(torch.ones(4)),
            r"Hopfield.energy: states must have shape \(3,\)",
        ),
        (
            lambda: Hopfield(3).recall(torch.ones(3), mode="sync"),
            "Hopfield.recall: mode must be one of synchronous, asynchronous, got 'sync'",
        ),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
