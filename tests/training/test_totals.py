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


def test_figures_that_are_not_finite_are_named_at_once_or_by_their_age():
    eager = Totals()
    assert eager.add(torch.tensor(1.0), 1, {"a": torch.tensor(2.0), "b": float("nan")}) == 0
    assert eager.bad == "b"
    assert eager.add(torch.tensor(float("inf")), 1, {"b": float("nan")}) == 0
    assert eager.bad == "loss"
    lazy = Totals(is_lazy=True)
    for i in range(WINDOW):
        figures = {"a": torch.tensor(float("nan") if i == 3 else 1.0), "b": 2.0}
        age = lazy.add(torch.tensor(float("nan") if i >= 7 else 1.0), 1, figures)
    assert (age, lazy.bad) == (WINDOW - 1 - 3, "a")


@pytest.mark.parametrize("is_lazy", [False, True])
def test_figures_may_come_now_and_then(is_lazy):
    totals = Totals(is_lazy=is_lazy)
    totals.add(None, 2, {"a": torch.tensor(3.0)})
    totals.add(torch.tensor(4.0), 2, {})
    assert totals.means() == {"train_loss": 2.0, "train_a": 1.5}
    without = Totals(is_lazy=is_lazy)
    without.add(None, 2, {"a": 1.0})
    assert without.means() == {"train_a": 1.0}
