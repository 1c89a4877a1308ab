"""The blocked pass makes the corrections a loop over the samples makes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.neurons.mistake_driven import correct_mistakes


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 200), st.floats(0.0, 1.0))
def test_equal_to_a_loop(seed, n, noise):
    rng = np.random.default_rng(seed)
    inputs = rng.integers(-3, 4, size=(n, 3)).astype(float)  # whole numbers: no rounding
    targets = np.where(inputs @ [1.0, 2.0, -1.0] + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    weights = np.zeros(3)
    found = list(
        correct_mistakes(weights, inputs, targets, lr=1.0, is_mistake=lambda a, t: t * a <= 0)
    )

    slow, expected = np.zeros(3), []
    for i in range(n):
        if targets[i] * sum(slow * inputs[i]) <= 0:
            slow += targets[i] * inputs[i]
            expected.append(i)
    assert found == expected
    np.testing.assert_array_equal(weights, slow)


def test_corrections_are_visible_as_they_happen():
    weights = np.zeros(1)
    seen = [
        float(weights[0])
        for _ in correct_mistakes(
            weights,
            np.array([[1.0], [-5.0], [1.0]]),
            np.array([1.0, 1.0, 1.0]),
            lr=0.5,
            is_mistake=lambda a, t: t * a <= 0,
        )
    ]
    assert seen == pytest.approx([0.5, -2.0, -1.5])
