"""Sums over an epoch, read at once or in windows."""

import pytest
import torch

from gradatim.training.totals import WINDOW, Totals


@pytest.mark.parametrize("is_lazy", [False, True])
def test_means_are_weighted_by_rows(is_lazy):
    totals = Totals(is_lazy=is_lazy)
    for loss, rows in ((1.0, 3), (5.0, 1)):
        assert totals.add(torch.tensor(loss), rows, {"a": torch.tensor(loss), "b": 2.0}) is None
    assert totals.means() == {"train_loss": 2.0, "train_a": 2.0, "train_b": 2.0}


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_bad_loss_is_reported_at_once_or_by_its_age(bad):
    assert Totals().add(torch.tensor(bad), 1, {}) == 0
    lazy = Totals(is_lazy=True)
    ages = [lazy.add(torch.tensor(bad if i >= 5 else 1.0), 1, {}) for i in range(WINDOW)]
    assert ages == [None] * (WINDOW - 1) + [WINDOW - 1 - 5]


@pytest.mark.parametrize("is_lazy", [False, True])
def test_state_comes_back(is_lazy):
    totals, again = Totals(is_lazy=is_lazy), Totals(is_lazy=is_lazy)
    totals.add(torch.tensor(1.5), 2, {"a": 3.0})
    again.load_state_dict(totals.state_dict())
    for t in (totals, again):
        t.add(torch.tensor(0.5), 2, {"a": 1.0})
    assert again.means() == totals.means() == {"train_loss": 1.0, "train_a": 2.0}


def test_a_step_without_a_loss_records_figures_only():
    totals = Totals()
    assert totals.add(None, 4, {"game": 1.0}) is None
    assert totals.means()["train_game"] == 1.0
