"""The vector-Jacobian product of a stage against PyTorch's own and against an explicit Jacobian."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from gradatim.backprop import stage_vjp


def test_equals_the_transposed_jacobian():
    A, x, p = torch.randn(3, 4), torch.randn(4), torch.randn(3)
    output, pullback = stage_vjp(lambda x: torch.tanh(A @ x), (x,), [A.requires_grad_()])
    z = (A @ x).detach()
    slope = 1 - torch.tanh(z) ** 2
    (costate,), (gradient,) = pullback([p])
    torch.testing.assert_close(output, torch.tanh(z))
    torch.testing.assert_close(costate, A.detach().T @ (slope * p))
    torch.testing.assert_close(gradient, torch.outer(slope * p, x))
    assert not output.requires_grad


def test_equals_torch_func_vjp():
    stage, x = nn.GELU(), torch.randn(5)
    expected_output, expected = torch.func.vjp(stage, x)
    output, pullback = stage_vjp(stage, (x,), [])
    torch.testing.assert_close(output, expected_output)
    torch.testing.assert_close(pullback([x])[0][0], expected(x)[0])


def test_unused_parameters_and_integers_have_none():
    other = nn.Parameter(torch.ones(2))
    embedding = nn.Embedding(5, 2)
    _, pullback = stage_vjp(embedding, (torch.tensor([1, 1]),), [other, embedding.weight])
    before, (unused, used) = pullback([torch.ones(2, 2)])
    assert before == [None]
    assert unused is None
    assert used.sum(1).tolist() == [0, 4, 0, 0, 0]


def test_costate_none_counts_as_nothing():
    _, pullback = stage_vjp(torch.sin, (torch.zeros(1),), [])
    assert pullback([None]) == ([None], [])


def test_checkpointed_stage_works():
    layer = nn.Linear(2, 2)
    _, pullback = stage_vjp(
        lambda x: checkpoint(layer, x, use_reentrant=False), (torch.ones(1, 2),), [layer.weight]
    )
    assert pullback([torch.ones(1, 2)])[1][0].tolist() == [[1, 1], [1, 1]]
