"""Rounds that end in time, or say why they did not."""

import pytest
import torch
from torch import nn

from gradatim.fitting.rounds import OUT_OF_TIME, Deadline, early_end, train_in_rounds
from gradatim.training import Callback, Checkpoint, History, Trainer

DATA = (torch.randn(40, 3), torch.randn(40, 1))


def trainer(path, *callbacks):
    torch.manual_seed(0)
    return Trainer(
        nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)), "mse", epochs=5, batch_size=10,
        callbacks=[*callbacks, Checkpoint(path)], progress=False,
    )  # fmt: skip


class Interrupt(Callback):
    def on_epoch_end(self, trainer, record):
        if record["epoch"] == 3:
            raise KeyboardInterrupt


def test_ctrl_c_is_no_result_and_the_next_run_goes_on(tmp_path):
    whole = train_in_rounds(trainer(tmp_path / "a"), DATA, DATA, checkpoint=tmp_path / "a")
    with pytest.raises(KeyboardInterrupt):
        train_in_rounds(trainer(tmp_path / "b", Interrupt()), DATA, DATA, checkpoint=tmp_path / "b")
    again = trainer(tmp_path / "b", Callback())
    rest = train_in_rounds(again, DATA, DATA, checkpoint=tmp_path / "b")
    assert rest["validation_loss"] == pytest.approx(whole["validation_loss"])


def test_the_deadline_stops_after_the_batch(tmp_path):
    late = trainer(tmp_path / "a", Deadline(lambda: late.steps >= 6))
    history = train_in_rounds(late, DATA, DATA, checkpoint=tmp_path / "a")
    assert late.steps == 6
    assert history.stopped == OUT_OF_TIME


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
