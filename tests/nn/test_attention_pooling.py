import math

import torch

from gradatim.nn import AttentionPooling


def test_the_equation_and_the_mask():
    torch.manual_seed(0)
    layer = AttentionPooling(3, 5).double()
    x = torch.randn(2, 4, 3, dtype=torch.float64)
    is_real = torch.tensor([[True] * 4, [True, True, False, False]])
    pooled, weights = layer(x, is_real)
    for b, length in enumerate((4, 2)):
        scores = [
            sum(
                layer.score.weight[0, j].item()
                * math.tanh((layer.key.weight[j] @ x[b, t] + layer.key.bias[j]).item())
                for j in range(5)
            )
            for t in range(length)
        ]
        total = sum(map(math.exp, scores))
        expected = torch.tensor([math.exp(s) / total for s in scores], dtype=torch.float64)
        torch.testing.assert_close(weights[b, :length], expected)
        torch.testing.assert_close(pooled[b], expected @ x[b, :length])
    assert not weights[1, 2:].any()
    torch.testing.assert_close(weights.sum(1), torch.ones(2, dtype=torch.float64))


def test_scores_that_are_all_zero_give_the_mean():
    layer = AttentionPooling(3)
    torch.nn.init.zeros_(layer.score.weight)
    x = torch.randn(2, 5, 3)
    torch.testing.assert_close(layer(x)[0], x.mean(1))


def test_the_gradient():
    layer = AttentionPooling(2).double()
    x = torch.randn(2, 3, 2, dtype=torch.float64, requires_grad=True)
    is_real = torch.tensor([[True, True, True], [True, False, False]])
    assert torch.autograd.gradcheck(lambda x: layer(x, is_real)[0], (x,))
