"""Early stopping by every rule, and the TensorBoard log."""

import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.models import MLP
from gradatim.training import EarlyStopping, TensorBoard, Trainer

LOSSES = {
    10: 0.40,
    11: 0.38,
    12: 0.37,
    13: 0.375,
    14: 0.373,
    15: 0.376,
    16: 0.379,
    17: 0.382,
    18: 0.385,
    19: 0.39,
}


class FakeTrainer:
    """Plays back a validation curve; its one weight is the epoch."""

    def __init__(self):
        self.epoch = self.position = 0
        self.model = torch.nn.Linear(1, 1, bias=False)
        self.stopped_at = None

    def stop(self, reason):
        self.stopped_at = self.epoch

    def play(self, callback, curve):
        callback.on_fit_start(self)
        for self.epoch, loss in curve.items():
            torch.nn.init.constant_(self.model.weight, self.epoch)
            callback.on_epoch_end(self, {"epoch": self.epoch, "validation_loss": loss})
            if self.stopped_at:
                break
        callback.on_fit_end(self)
        return self


@pytest.mark.parametrize(
    ("reference", "is_strict", "patience", "expected"),
    [
        ("previous", False, 2, 17),
        ("previous", False, 4, 19),
        ("previous", True, 2, 16),
        ("previous", True, 4, 18),
        ("best", False, 2, 15),
        ("best", False, 4, 17),
        ("best", True, 2, 14),
        ("best", True, 4, 16),
    ],
)
def test_worked_example(reference, is_strict, patience, expected):
    """The stopping epochs follow from the rules by hand; the best weights are those of epoch 12 in every case."""
    callback = EarlyStopping(patience=patience, reference=reference, is_strict=is_strict)
    trainer = FakeTrainer().play(callback, LOSSES)
    assert trainer.stopped_at == expected
    assert trainer.model.weight.item() == callback.best_epoch == 12


def test_direction_delta_and_zero_patience():
    rising = {1: 0.5, 2: 0.6, 3: 0.7, 4: 0.65}
    callback = EarlyStopping(monitor="validation_loss", patience=0, higher_is_better=True)
    assert FakeTrainer().play(callback, rising).stopped_at == 4
    assert callback.best_epoch == 3
    assert EarlyStopping(monitor="validation_accuracy").higher_is_better
    assert EarlyStopping(monitor="validation_r2").higher_is_better
    slow = {1: 1.0, 2: 0.999, 3: 0.998, 4: 0.9}
    assert FakeTrainer().play(EarlyStopping(patience=2, min_delta=0.01), slow).stopped_at == 3


def test_weights_are_kept_when_not_restored():
    callback = EarlyStopping(patience=2, restore_best=False)
    assert FakeTrainer().play(callback, LOSSES).model.weight.item() == 14


def test_a_callback_can_serve_two_runs():
    callback = EarlyStopping(patience=2)
    FakeTrainer().play(callback, LOSSES)
    assert FakeTrainer().play(callback, {1: 9.0, 2: 8.0}).model.weight.item() == 2


def test_errors():
    with pytest.raises(GradatimError, match="Try 'best'"):
        EarlyStopping(reference="bst")
    with pytest.raises(GradatimError, match="patience must be at least 0"):
        EarlyStopping(patience=-1)


def test_tensorboard_log_holds_every_column(tmp_path):
    pytest.importorskip("tensorboard")
    X, y = torch.randn(50, 2), torch.randint(2, (50,))
    trainer = Trainer(MLP((2, 2)), epochs=3, callbacks=[TensorBoard(tmp_path)])
    history = trainer.fit((X, y), (X, y))
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = EventAccumulator(str(tmp_path)).Reload()
    assert set(log.Tags()["scalars"]) == set(history.records[0]) - {"epoch"}
    logged = [event.value for event in log.Scalars("validation_loss")]
    assert logged == pytest.approx(history["validation_loss"])
