import numpy as np
import pytest
import torch
from torch import nn

from gradatim.models import MLP
from gradatim.theory import enclosing_domain


def test_contains_all_crossings_with_room_to_spare():
    model = MLP((2, 7, 1)).double()
    nn.init.normal_(model[0].bias)
    W, b = model[0].weight.detach().numpy(), model[0].bias.detach().numpy()
    pairs = [[i, j] for i in range(7) for j in range(i)]
    farthest = max(np.linalg.norm(np.linalg.solve(W[p], -b[p])) for p in pairs)
    ((low, high), second) = enclosing_domain(model)
    assert (low, high) == second
    assert high == -low == pytest.approx(2 * farthest)


def test_parallel_lines_and_constants_do_no_harm():
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    with torch.no_grad():
        model[0].weight.copy_(torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]))
        model[0].bias.copy_(torch.tensor([3.0, 1.0, 5.0]))
    assert enclosing_domain(model) == ((-6.0, 6.0), (-6.0, 6.0))


def test_lines_through_the_origin_get_a_unit_box():
    model = nn.Sequential(nn.Linear(2, 3, bias=False), nn.ReLU())
    assert enclosing_domain(model) == ((-1.0, 1.0), (-1.0, 1.0))


def test_refuses_three_inputs():
    with pytest.raises(ValueError, match="enclosing_domain: input_dim must be 1 or 2, got 3"):
        enclosing_domain(MLP((3, 2, 1)), input_dim=3)
