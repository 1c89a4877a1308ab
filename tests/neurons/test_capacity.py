"""Cross-talk by its definition, error and capacity against sampled patterns and known values."""

import pytest
import torch
from scipy.stats import norm

from gradatim.errors import InvalidValue
from gradatim.neurons import (
    TRANSITION,
    Hopfield,
    bit_error,
    crosstalk,
    dense_capacity,
    hopfield_capacity,
)


def random_patterns(count, n, seed=0):
    return 2.0 * torch.randint(0, 2, (count, n), generator=torch.Generator().manual_seed(seed)) - 1


def test_crosstalk_by_its_definition():
    x = random_patterns(4, 7)
    found = crosstalk(x)
    for t in range(4):
        for i in range(7):
            total = sum(
                float(x[r, i] * x[r, j] * x[t, j])
                for r in range(4)
                for j in range(7)
                if r != t and j != i
            )
            assert float(found[t, i]) == pytest.approx(total / 7, abs=1e-6)


def test_field_is_signal_plus_crosstalk():
    patterns = random_patterns(20, 50)
    memory = Hopfield(50)
    memory.store(patterns)
    expected = patterns * (1 - 1 / 50) + crosstalk(patterns)
    torch.testing.assert_close(memory.field(patterns), expected)


def test_crosstalk_is_gaussian_with_variance_n_over_d():
    n, d = 100, 500
    noise = crosstalk(random_patterns(n, d)).flatten()
    assert float(noise.mean()) == pytest.approx(0.0, abs=0.01)
    assert float(noise.var()) == pytest.approx(n / d, rel=0.05)


@pytest.mark.parametrize(("n", "d"), [(60, 300), (150, 300), (300, 300)])
def test_bit_error_is_measured(n, d):
    patterns = random_patterns(n, d)
    memory = Hopfield(d)
    memory.store(patterns)
    flipped = float((memory.field(patterns) * patterns < 0).double().mean())
    assert flipped == pytest.approx(bit_error(n, d), abs=0.005)


def test_bit_error_is_a_normal_tail():
    for ratio in (0.05, 0.138, 0.4, 2.0):
        assert bit_error(ratio, 1.0) == pytest.approx(norm.sf(ratio**-0.5), rel=1e-12)
    assert bit_error(TRANSITION, 1) == pytest.approx(0.0036, abs=5e-5)
    assert bit_error(1, 1000) > 0.0  # no cancellation far out in the tail


def test_capacities():
    assert hopfield_capacity(1024) == 1024 / 20
    assert hopfield_capacity(256) == 16.0
    assert dense_capacity(100, 2) == pytest.approx(100 / (2 * 4.605170186))
    assert dense_capacity(100, 3) == pytest.approx(100**2 / (2 * 3 * 4.605170186))  # 3!! = 3
    assert dense_capacity(100, 4) == pytest.approx(100**3 / (2 * 15 * 4.605170186))  # 5!! = 15


def test_patterns_within_capacity_are_stable():
    patterns = random_patterns(int(hopfield_capacity(512)), 512)
    memory = Hopfield(512)
    memory.store(patterns)
    assert memory.is_stable(patterns).double().mean() > 0.9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bit_error(0, 5), "bit_error: n and d must be positive, got n=0, d=5"),
        (lambda: hopfield_capacity(1), "hopfield_capacity: d must be at least 2, got 1"),
        (
            lambda: dense_capacity(10, 1),
            "dense_capacity: d and order must be at least 2, got d=10, order=1",
        ),
        (lambda: crosstalk(torch.zeros(2, 2)), "crosstalk: patterns must hold -1 and 1 only"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
