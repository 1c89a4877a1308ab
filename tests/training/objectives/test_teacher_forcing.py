import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.models import Seq2Seq
from gradatim.training import Checkpoint, TeacherForcing, Trainer, inverse_sigmoid_decay

SOURCE = torch.randint(4, 9, (12, 5), generator=torch.Generator().manual_seed(0))
DATA = (SOURCE, torch.full((12,), 5), SOURCE.flip(1))


class Recorder(torch.nn.Module):
    """Notes the ratios it is asked for."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(9))
        self.ratios = []

    def forward(self, source, lengths, target, teacher_forcing=1.0):
        self.ratios.append(teacher_forcing)
        return self.weight.expand(*target.shape, 9)


def test_the_schedule_counts_training_steps_and_validation_uses_truth():
    model = Recorder()
    forcing = TeacherForcing(lambda i: 1 - i / 10)
    Trainer(model, objective=forcing, epochs=2, batch_size=6, progress=False).fit(DATA, DATA)
    assert model.ratios == [1.0, 0.9, 1.0, 0.8, 0.7, 1.0]
    assert forcing.steps == 4


def test_inverse_sigmoid_decay_halves_where_it_says_and_never_overflows():
    decay = inverse_sigmoid_decay(50)
    assert decay(0) == pytest.approx(50 / 51)
    half = 50 * torch.tensor(50.0).log().item()
    assert decay(half) == pytest.approx(0.5)
    assert decay(10**9) == pytest.approx(0, abs=1e-9)


def test_a_resumed_run_keeps_its_place(tmp_path):
    def trainer(epochs):
        torch.manual_seed(0)
        forcing = TeacherForcing(inverse_sigmoid_decay(2))
        callbacks = [Checkpoint(tmp_path / f"run{epochs}.pt")]
        return Trainer(Seq2Seq(9, 9, hidden_dim=8), objective=forcing, callbacks=callbacks, epochs=epochs, batch_size=4, progress=False)  # fmt: skip

    whole, part, rest = trainer(4), trainer(2), trainer(4)
    whole.fit(DATA)
    part.fit(DATA)
    rest.resume(tmp_path / "run2.pt")
    rest.fit(DATA)
    assert rest.history["train_loss"] == whole.history["train_loss"]


def test_ratios_outside_are_refused():
    with pytest.raises(InvalidValue, match=r"ratio must be from 0 to 1, got 1.5"):
        TeacherForcing(1.5)
    with pytest.raises(InvalidValue, match="steps must be 1 or more, got 0"):
        inverse_sigmoid_decay(0)
