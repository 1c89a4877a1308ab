"""Rounds that end in time, or say why they did not."""

import pytest
import torch
from torch import nn

from gradatim.fitting.learning import train_network
from gradatim.fitting.rounds import OUT_OF_TIME, Deadline, Plan, Size, early_end, largest_plan
from gradatim.training import Callback, History

DATA = (torch.randn(40, 3), torch.randn(40, 1))


class Keep(Callback):
    """Keeps the trainer."""

    def on_fit_start(self, trainer):
        self.trainer = trainer


def test_the_deadline_stops_after_the_batch(tmp_path):
    kept = Keep()
    _, history = train_network(
        lambda: nn.Linear(3, 1), DATA, DATA, loss="mse", epochs=5, batch_size=10, seed=0,
        callbacks=[kept, Deadline(lambda: kept.trainer.steps >= 6)], checkpoint=tmp_path / "a",
    )  # fmt: skip
    assert kept.trainer.steps == 6
    assert history.stopped == OUT_OF_TIME


@pytest.mark.parametrize(("seconds", "dim", "steps"), [(0, 10, 0), (100, 10, 10), (399, 20, 19), (400, 40, 10)])  # fmt: skip
def test_the_largest_plan_that_takes_enough_steps(seconds, dim, steps):
    plans = [Plan(Size(dim, 1, 1), seed=7) for dim in (10, 20, 40)]
    chosen = largest_plan(plans, lambda plan: seconds // plan.size.dim, lambda plan: plan.steps >= 10)  # fmt: skip
    assert (chosen.size.dim, chosen.steps, chosen.rounds, chosen.seed) == (dim, steps, 1, 7)


def test_larger_plans_are_not_measured_once_one_is_too_large():
    measured = []

    def count(plan):
        measured.append(plan.size.dim)
        return 1

    largest_plan((Plan(Size(d, 1, 1)) for d in (10, 20, 40, 80)), count, lambda plan: plan.size.dim < 40)  # fmt: skip
    assert measured == [10, 20, 40]


@pytest.mark.parametrize(
    ("stopped", "done", "expected"),
    [
        (None, 5, []),
        (OUT_OF_TIME, 5, []),
        (OUT_OF_TIME, 2, ["The machine was slower than measured: training ended after 2 of 5 rounds."]),
        ("no improvement", 3, ["Learning came to an end early: training ended after 3 of 5 rounds, no improvement. A longer text would help more than time."]),
    ],
)  # fmt: skip
def test_an_early_end_is_told(stopped, done, expected):
    history = History([{"epoch": k} for k in range(done)], stopped)
    assert [str(found) for found in early_end(history, 5, "A longer text")] == expected
