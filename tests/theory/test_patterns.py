import numpy as np
import pytest
import torch

from gradatim.models import MLP
from gradatim.theory import activation_patterns
from gradatim.theory.patterns import sample_patterns
from gradatim.theory.relu_chain import read_chain


def test_equals_the_signs_seen_by_hooks():
    model, seen = MLP((4, 6, 5, 2)).double(), []
    for module in model:
        if isinstance(module, torch.nn.ReLU):
            module.register_forward_hook(lambda _m, inputs, _o: seen.append(inputs[0] > 0))
    x = torch.randn(100, 4, dtype=torch.float64)
    model(x)
    expected = torch.cat(seen, dim=1).numpy()
    assert (activation_patterns(model, x.numpy()) == expected).all()


def test_sampled_patterns_are_distinct_and_met():
    model = MLP((3, 5, 4, 1))
    box = ((-2.0, 2.0),) * 3
    found = sample_patterns(read_chain("test", model, 3), box, num_samples=20_000, seed=1)
    assert found.shape[1] == 9
    assert len(np.unique(found, axis=0)) == len(found) > 10
    x = np.random.default_rng(1).uniform(-2, 2, size=(5_000, 3))
    assert {tuple(row) for row in activation_patterns(model, x)} <= {tuple(row) for row in found}


def test_refuses_points_without_a_second_dimension():
    with pytest.raises(ValueError, match=r"activation_patterns: x must have shape \(N, inputs\)"):
        activation_patterns(MLP((2, 3, 1)), np.zeros(2))
