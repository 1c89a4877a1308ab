"""The progress bar shows what it should on a terminal and nothing elsewhere."""

import pytest
import torch
from rich.console import Console

from gradatim.events import Figure, Stage
from gradatim.models import MLP
from gradatim.training import Trainer, progress

_SEEDED = torch.Generator().manual_seed(0)
X = torch.randn(64, 3, generator=_SEEDED)
Y = torch.randint(2, (64,), generator=_SEEDED)


@pytest.fixture
def terminal(monkeypatch, tmp_path):
    file = (tmp_path / "screen").open("w+", encoding="utf-8")
    monkeypatch.setattr(
        progress, "Console", lambda stderr: Console(file=file, force_terminal=True, width=140)
    )
    monkeypatch.setattr(progress, "_REFRESH", 0.0)
    yield file
    file.close()


def shown(file):
    file.seek(0)
    return file.read()


def test_bar_has_epoch_loss_metric_rate_and_time_left(terminal):
    torch.manual_seed(0)
    Trainer(MLP((3, 2)), epochs=3, batch_size=8, metrics=["accuracy"]).fit((X, Y), (X, Y))
    screen = shown(terminal)
    for part in ("epoch 3/3", "loss 0.", "validation accuracy 0.", "rows/s", "0:00:0"):
        assert part in screen


def test_unknown_length_is_fine(terminal):
    class Endless:
        def __iter__(self):
            return iter([(X, Y)] * 3)

    Trainer(MLP((3, 2)), epochs=2).fit(Endless())
    assert "epoch 2/2" in shown(terminal)


def test_quiet_when_asked(terminal):
    Trainer(MLP((3, 2)), epochs=2, progress=False).fit((X, Y))
    assert shown(terminal) == ""


def test_quiet_off_a_terminal(capsys):
    Trainer(MLP((3, 2)), epochs=2).fit((X, Y))
    assert capsys.readouterr() == ("", "")


def test_events_in_the_place_of_a_bar(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_REFRESH", 0.0)
    told = []
    trainer = Trainer(MLP((3, 2)), epochs=2, batch_size=32, progress=told.append)
    history = trainer.fit((X, Y), (X, Y))
    assert told == [
        Stage("epoch 1 of 2", 0.25), Stage("epoch 1 of 2", 0.5),
        Figure("validation_loss", history["validation_loss"][0], 1),
        Stage("epoch 2 of 2", 0.75), Stage("epoch 2 of 2", 1.0),
        Figure("validation_loss", history["validation_loss"][1], 2),
    ]  # fmt: skip
    assert capsys.readouterr() == ("", "")
