"""Which engine runs, what it says of itself, and what declarations decide."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.models import MLP
from gradatim.training import (
    Augmented,
    Callback,
    Checkpoint,
    EngineChoice,
    Objective,
    Trainer,
    TruncatedBPTT,
    train_replicas,
)
from gradatim.training.engines.chain import Chain
from gradatim.training.engines.choosing import works_in_any_layout
from gradatim.training.objectives.objective import as_objective

X, Y = torch.randn(24, 4), torch.arange(24) % 3


class NeedsAutograd(Callback):
    needs_autograd = True


@pytest.mark.parametrize(
    ("arguments", "data", "name", "reason"),
    [
        ({}, (X, Y), "chain", "need no autograd"),
        ({"objective": lambda m, b: m(b[0]).mean()}, (X, Y), "general", "more than a loss"),
        ({"objective": Augmented(())}, (X, Y), "general", "more than a loss"),
        ({}, [(X, Y)], "general", "the data are a stream"),
        ({"optimizer": "rmsprop"}, (X, Y), "general", "no plain SGD, Adam or AdamW"),
        ({"callbacks": [NeedsAutograd()]}, (X, Y), "general", "a callback asks for autograd"),
        ({"loss": "mae", "model": MLP((4, 1))}, (X, X[:, 0]), "general", "under a known loss"),
        ({"model": MLP((4, 3), norm="batch")}, (X, Y), "chain", "need no autograd"),
        ({"model": MLP((4, 5, 3), norm="batch")}, (X, Y), "general", "not dense layers"),
        ({}, (X, torch.rand(24, 3).softmax(1)), "general", "the targets are no class indices"),
        ({"engine": "general"}, (X, Y), "general", "it was asked for"),
        ({"engine": "chain"}, (X, Y), "chain", "it was asked for"),
    ],
)
def test_the_history_says_which_engine_ran_and_why(arguments, data, name, reason):
    arguments = dict(arguments)
    model = arguments.pop("model", None) or MLP((4, 5, 3))
    choice = Trainer(model, epochs=1, **arguments).fit(data).engine
    assert choice.name == name
    assert reason in choice.reason


def test_a_forced_engine_really_runs_and_gives_the_same_numbers(monkeypatch):
    calls = []
    forward = Chain.forward
    monkeypatch.setattr(Chain, "forward", lambda *a: calls.append(1) or forward(*a))
    weights = []
    for engine in ("chain", "general"):
        torch.manual_seed(0)
        model = MLP((4, 6, 3), dropout=0.2)
        Trainer(model, engine=engine, epochs=3, batch_size=8).fit((X, Y))
        weights.append(nn.utils.parameters_to_vector(model.parameters()))
    assert len(calls) == 9
    torch.testing.assert_close(*weights)


def test_engines_that_do_not_fit_are_refused_in_a_sentence():
    trainer = Trainer(MLP((4, 3)), optimizer="rmsprop", engine="chain")
    with pytest.raises(InvalidValue, match=r"^Trainer: engine must fit the run, got 'chain', but the optimizer is no plain SGD, Adam or AdamW\. Try 'auto'\.$"):  # fmt: skip
        trainer.fit((X, Y))
    with pytest.raises(InvalidValue, match="but the objective is not TruncatedBPTT"):
        Trainer(MLP((4, 3)), engine="truncated").fit((X, Y))
    with pytest.raises(InvalidValue, match=r"engine must be one of .*Try 'chain'"):
        Trainer(MLP((4, 3)), engine="chian")


def test_the_choice_is_kept_in_checkpoints(tmp_path):
    def build():
        return Trainer(MLP((4, 3)), epochs=2, callbacks=[Checkpoint(tmp_path / "run")])

    build().fit((X, Y))
    resumed = build()
    resumed.resume(tmp_path / "run")
    assert resumed.history.engine == EngineChoice("chain", resumed.history.engine.reason)
    assert "name='chain'" in repr(resumed.history.engine)


def test_images_channels_last_are_mentioned():
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(8, 3))
    history = Trainer(model, epochs=1).fit((torch.randn(6, 1, 4, 4), Y[:6]))
    assert history.engine.name == "general"
    assert history.engine.reason.endswith("; images lie channels last")


def test_stacked_trainings_say_so_too():
    def engines(build):
        replicas = train_replicas(build, (X, Y), epochs=1, seed=[0, 1])
        return {history.engine.name for history in replicas.histories}

    assert engines(lambda: MLP((4, 5, 3))) == {"stacked_chain"}
    assert engines(lambda: MLP((4, 5, 3), activation="gelu")) == {"stacked_module"}


class Declared(Callback):
    any_layout = True

    def on_batch_end(self, trainer, loss):
        pass


class Changed(Declared):
    def on_batch_end(self, trainer, loss):
        pass


class Kept(Declared):
    def on_epoch_end(self, trainer, record):
        pass


class Undeclared(Callback):
    def on_gradients(self, trainer, loss):
        pass


class Outside(Callback):
    def on_epoch_end(self, trainer, record):
        pass


class Own(Objective):
    def __call__(self, model, batch):
        return model(batch[0]).mean()


class OwnDeclared(Own):
    any_layout = True  # but it does not define what is called

    def start(self, phase, epoch):
        pass


class Players(Augmented):
    optimizers = {"second": None}  # noqa: RUF012


@pytest.mark.parametrize(
    ("objective", "callbacks", "expected"),
    [
        (Augmented(()), [], True),
        (TruncatedBPTT(3), [Checkpoint("x"), Declared(), Kept(), Outside()], True),
        (Augmented(()), [Changed()], False),
        (Augmented(()), [Undeclared()], False),
        (Own(), [], False),
        (OwnDeclared(), [], False),
        (as_objective(lambda model, batch: None), [], False),
        (Players(()), [], False),  # whose moments would stay behind
    ],
)
def test_layouts_change_only_under_code_that_was_declared(objective, callbacks, expected):
    assert works_in_any_layout(objective, callbacks) is expected
