"""What a recurrent layer keeps of gradients: powers of its recurrent weights."""

import pytest
import torch
from torch import nn

from gradatim.doctor.recurring import recall


@pytest.mark.parametrize("factor", [0.5, 1.0, 1.5])
def test_the_ratio_is_a_power_of_the_recurrent_weight(factor):
    cell = nn.RNN(1, 1, nonlinearity="relu", bias=False)
    with torch.no_grad():
        cell.weight_ih_l0.fill_(1.0)
        cell.weight_hh_l0.fill_(factor)
    found = recall(cell, (torch.ones(12, 3, 1),), {})  # positive, so ReLU lets all through
    assert found.steps == 12
    assert found.ratio == pytest.approx(factor**11, rel=1e-4)


def test_a_cell_in_a_loop_is_followed_from_its_first_call_to_its_last():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.RNNCell(1, 1, nonlinearity="relu", bias=False)
            nn.init.ones_(self.cell.weight_ih)
            nn.init.constant_(self.cell.weight_hh, 2.0)

        def forward(self, x):
            h = torch.zeros(len(x), 1)
            for t in range(x.shape[1]):
                h = self.cell(x[:, t], h)
            return h

    found = recall(Net(), (torch.ones(2, 15, 1),), {})
    assert found.ratio == pytest.approx(2.0**14, rel=1e-4)


def test_short_sequences_and_plain_networks_have_nothing_to_recall():
    assert recall(nn.RNN(1, 4), (torch.ones(5, 2, 1),), {}) is None
    assert recall(nn.Linear(3, 2), (torch.ones(5, 3),), {}) is None
