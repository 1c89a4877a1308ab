"""An ensemble for tables learns bends and categories that its parts are there for."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.losses import cross_entropy, over_members
from gradatim.models import TabMLP
from gradatim.nn import quantile_edges
from gradatim.randomness import seeded
from gradatim.training import Trainer


def test_learns_a_comb_and_the_effect_of_categories():
    with seeded(0):
        x = torch.rand(600, 1)
        code = torch.randint(0, 6, (600, 1)).float()
        y = (10 * x).floor().remainder(2) + 0.5 * (code % 2)  # ten teeth
        model = TabMLP(1, 1, hidden=(32,), num_members=4, edges=quantile_edges(x, 20).tolist(), levels=(6,), dropout=0.0)  # fmt: skip
        Trainer(model, over_members("mse"), "adamw", lr=0.02, epochs=40, batch_size=64, seed=0, progress=False).fit((torch.cat([x, code], 1), y))  # fmt: skip
        outputs = model.eval()(torch.cat([x, code], 1))
    mean = model.predict(torch.cat([x, code], 1), is_classification=False)
    torch.testing.assert_close(mean, outputs.mean(1))
    gap = ((mean - y) ** 2).mean()
    assert gap < 0.1 * y.var()
    assert gap <= ((outputs - y[:, None]) ** 2).mean()  # the mean is no worse than its members


def test_loss_of_members_is_the_mean_of_their_losses():
    output, target = torch.randn(7, 3, 4), torch.randint(0, 4, (7,))
    expected = sum(cross_entropy(output[:, k], target) for k in range(3)) / 3
    torch.testing.assert_close(over_members("cross_entropy")(output, target), expected)
    with pytest.raises(InvalidValue, match=r"outputs must have shape \(N, members, \.\.\.\)"):
        over_members("mse")(output[:, 0], output[:, 0])


def test_members_are_apart():
    with seeded(0):
        model = TabMLP(3, 2, num_members=4)
    a, b = model(torch.randn(5, 3))[:, :2].unbind(1)
    assert not torch.allclose(a, b)


def test_refusals():
    with pytest.raises(InvalidValue, match="edges must have a row for each number, got 1"):
        TabMLP(3, 2, edges=[[0.0, 1.0]])
    with pytest.raises(InvalidValue, match=r"dropout must be in \[0, 1\), got 1"):
        TabMLP(3, 2, dropout=1.0)
    with pytest.raises(InvalidValue, match="hidden must name a layer"):
        TabMLP(3, 2, hidden=())
    with pytest.raises(InvalidValue, match=r"x must have shape \(N, 4\), got \(2, 3\)"):
        TabMLP(3, 2, levels=(5,))(torch.zeros(2, 3))
