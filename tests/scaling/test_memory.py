"""Memory: the figures of the ZeRO paper, a model that trains here, and what a layer keeps."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.scaling import activation_bytes, memory_per_process


def test_the_figure_of_zero():
    """Rajbhandari et al., figure 1: 7.5 billion parameters on 64 processors, 120 GB or 1.9 GB each."""
    assert memory_per_process(7.5e9, 64).total == pytest.approx(120e9, rel=1e-12)
    assert round(memory_per_process(7.5e9, 64, parallel="fsdp").total / 1e9, 1) == 1.9


def test_what_training_with_adam_really_holds():
    model = nn.Sequential(nn.Linear(30, 50), nn.ReLU(), nn.Linear(50, 7))
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.randn(4, 30)).sum().backward()
    optimizer.step()
    found = memory_per_process(sum(p.numel() for p in model.parameters()))
    assert found.weights == sum(p.nbytes for p in model.parameters())
    assert found.gradients == sum(p.grad.nbytes for p in model.parameters())
    moments = [t for state in optimizer.state.values() for t in (state["exp_avg"], state["exp_avg_sq"])]  # fmt: skip
    assert found.optimizer == sum(t.nbytes for t in moments)


@given(st.integers(1, 10**12), st.integers(1, 10**4))
def test_all_shares_together_are_one_whole(parameters, processes):
    shared = memory_per_process(parameters, processes, parallel="fsdp")
    assert shared.total * processes == pytest.approx(16 * parameters, rel=1e-12)
    assert memory_per_process(parameters, processes).total == 16 * parameters


@pytest.mark.parametrize(("precision", "factor"), [("float32", 4), ("bf16", 2), ("fp16", 2)])
def test_activations_are_the_tensors_of_a_layer(precision, factor):
    """Korthikanti et al., section 4.1, counted one by one, in units of tokens times width; masks take a byte."""
    numbers = [
        *(1, 1),  # inputs of the two layer normalizations
        *(1, 1, 1, 1),  # input of Q, K and V together; Q, K; V
        1,  # input of the projection
        *(1, 4, 4),  # input of the first linear layer, of GELU, of the second linear layer
    ]
    masks = 2
    per_unit = factor * sum(numbers) + masks
    assert activation_bytes(100, 3, 8, precision=precision) == per_unit * 100 * 3 * 8


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: memory_per_process(0), "parameters must be a whole number from 1, got 0"),
        (lambda: memory_per_process(1.5), "parameters must be a whole number from 1, got 1.5"),
        (lambda: memory_per_process(5, 0), "processes must be a whole number from 1, got 0"),
        (lambda: memory_per_process(5, 2, parallel="none"), "processes must be 1 with parallel='none', got 2"),
        (lambda: memory_per_process(5, 2, parallel="zero"), "parallel must be one of"),
        (lambda: memory_per_process(5, activations=-1.0), "activations must be finite and at least 0"),
        (lambda: activation_bytes(0, 1, 1), "tokens must be finite and above 0, got 0"),
        (lambda: activation_bytes(1, 1, 1, precision="int8"), "precision must be one of"),
    ],
)  # fmt: skip
def test_messages(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
