import math

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.losses import negative_sampling


def test_the_formula():
    generator = torch.Generator().manual_seed(0)
    s = torch.randn(4, 3, dtype=torch.float64, generator=generator)
    truth = torch.tensor([[1, 0, 0]] * 4)
    slow = 0.0
    for row in s.tolist():
        slow -= math.log(1 / (1 + math.exp(-row[0])))
        slow -= sum(math.log(1 / (1 + math.exp(value))) for value in row[1:])
    assert negative_sampling(s, truth).item() == pytest.approx(slow / 4)
    sure = torch.tensor([[50.0, -50.0, -50.0]])
    assert negative_sampling(sure, truth[:1]).item() == pytest.approx(0.0, abs=1e-12)


def test_gradient_and_error():
    s = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    truth = torch.tensor([[1, 0, 0]] * 2)
    assert torch.autograd.gradcheck(lambda x: negative_sampling(x, truth), (s,))
    with pytest.raises(InvalidValue, match=r"scores \(B, 1 \+ K\) of the target's shape"):
        negative_sampling(s[0], truth)
