"""The plain loss is what a trainer minimizes by default."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.errors import InvalidType
from gradatim.training import Supervised, Trainer


def test_loss_of_all_inputs_and_the_last_entry():
    a, b, y = torch.randn(5, 2), torch.randn(5, 2), torch.randn(5, 2)
    model = nn.Bilinear(2, 2, 2)
    torch.testing.assert_close(Supervised("mse")(model, (a, b, y)), F.mse_loss(model(a, b), y))


def test_naming_it_changes_nothing():
    X, y = torch.randn(40, 3), torch.arange(40) % 2
    weights = []
    for arguments in ({"loss": "cross_entropy"}, {"objective": Supervised("cross_entropy")}):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        history = Trainer(model, epochs=2, batch_size=8, **arguments).fit((X, y))
        assert history.engine.name == "chain"
        weights.append(nn.utils.parameters_to_vector(model.parameters()))
    assert torch.equal(*weights)


def test_refuses_other_batches():
    with pytest.raises(InvalidType, match=r"must be a tuple \(inputs, target\), got dict. Pass objective="):  # fmt: skip
        Supervised()(nn.Identity(), {"x": torch.zeros(1)})
