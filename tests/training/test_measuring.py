"""Figures and outputs of data that are not learned from, against numbers worked by hand."""

import pytest
import torch
from torch import nn

from gradatim.training.batches import InMemory, Stream
from gradatim.training.measuring import measure, outputs
from gradatim.training.objectives.objective import as_objective
from gradatim.training.objectives.supervised import Supervised
from gradatim.training.totals import Totals

CPU = torch.device("cpu")


def test_loss_and_metrics_of_a_pair():
    pair = torch.tensor([1.0, 3.0, 5.0]), torch.tensor([1.0, 1.0, 1.0])
    data = InMemory(pair, 2, seed=None, device=CPU)
    figures = measure(nn.Identity(), Supervised("mse"), data, ["mae"], Totals())
    assert figures == pytest.approx({"loss": 20 / 3, "mae": 2.0})  # 0, 4, 16 and 0, 2, 4
    assert list(figures) == ["loss", "mae"]


@pytest.mark.parametrize("is_lazy", [False, True])
def test_figures_of_an_objective_are_weighed_by_rows(is_lazy):
    parts = [torch.tensor([[1.0]]), torch.tensor([[2.0], [3.0], [7.0]])]
    objective = as_objective(lambda model, x: {"loss": model(x).mean(), "rows": float(len(x))})
    data = Stream(parts, lambda batch: batch)
    figures = measure(nn.Identity(), objective, data, [], Totals(is_lazy=is_lazy))
    assert figures == pytest.approx({"loss": 13 / 4, "rows": (1 + 3 * 3) / 4})


def test_an_objective_may_take_gradients_while_it_is_measured():
    def slope(model, x):
        with torch.enable_grad():
            x = x.clone().requires_grad_()
            return torch.autograd.grad(model(x).square().sum(), x)[0].mean()

    data = Stream([torch.tensor([[1.0], [2.0]])], lambda batch: batch)
    assert measure(nn.Identity(), as_objective(slope), data, [], Totals()) == {"loss": 3.0}


def test_outputs_are_joined_in_order_and_free_of_graphs():
    model = nn.Linear(2, 3)
    x = torch.randn(5, 2)
    found = outputs(model, Supervised("mse"), x.split(2), CPU)
    assert not found.requires_grad
    torch.testing.assert_close(found, x @ model.weight.detach().T + model.bias.detach())
