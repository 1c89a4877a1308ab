"""Objectives with state, players and phases: what they compute, what a checkpoint keeps, what ends a run."""

from itertools import chain, repeat

import pytest
import torch
from torch import nn

from gradatim.errors import GradatimError, InvalidType, InvalidValue
from gradatim.losses import LOSSES
from gradatim.training import (
    Augmented,
    Callback,
    Checkpoint,
    GradientNormPenalty,
    MixUp,
    NonFiniteError,
    Objective,
    Supervised,
    Trainer,
)
from gradatim.training.objectives.objective import as_objective, loss_and_figures
from gradatim.training.totals import Totals


class Number(nn.Module):
    """One parameter."""

    def __init__(self, value):
        super().__init__()
        self.value = nn.Parameter(torch.tensor([value], dtype=torch.float64))


class Game(Objective):
    """min over x, max over y of x y + y (batch mean): the second player moves first, by an optimizer of its own."""

    def __init__(self, lr=0.1, poison_at=None):
        self.player = Number(1.0)
        self.optimizer = torch.optim.Adam(self.player.parameters(), lr=lr)
        self.rounds, self.poison_at = 0, poison_at

    @property
    def optimizers(self):
        return {"second": self.optimizer}

    def __call__(self, model, batch):
        pull = batch[0].mean()
        if model.training:
            gain = model.value.detach() * self.player.value + self.player.value * pull
            self.optimizer.zero_grad()
            (-gain.sum()).backward()
            self.optimizer.step()
            self.rounds += 1
        loss = (model.value * self.player.value.detach()).sum()
        bad = self.rounds == self.poison_at
        return {"loss": loss, "second_loss": -loss.detach() * (float("nan") if bad else 1.0)}

    def state_dict(self):
        return {"player": self.player.state_dict(), "rounds": self.rounds}

    def load_state_dict(self, state):
        self.player.load_state_dict(state["player"])
        self.rounds = state["rounds"]


X = torch.randn(40, 1, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
DATA = (X, X)


class StopAt(Callback):
    """As good as a kill: nothing after it runs."""

    def __init__(self, steps=None):
        self.steps = steps

    def on_batch_end(self, trainer, loss):
        if trainer.steps == self.steps:
            raise ConnectionError


def play(path, game, *, stop=None, resume=False, epochs=4):
    callbacks = [Checkpoint(path, every_steps=1), StopAt(stop)]
    trainer = Trainer(
        Number(2.0), optimizer="adam", lr=0.05, objective=game, epochs=epochs, batch_size=8,
        callbacks=callbacks,
    )  # fmt: skip
    if resume:
        trainer.resume(path)
    if stop is None:
        trainer.fit(DATA, DATA)
    else:
        with pytest.raises(ConnectionError):
            trainer.fit(DATA, DATA)
    return trainer


def test_a_game_by_hand():
    """Gradient steps of both players in turn, worked out without autograd."""
    game = Game()
    game.optimizer = torch.optim.SGD(game.player.parameters(), lr=0.1)
    trainer = Trainer(Number(2.0), optimizer="sgd", lr=0.2, objective=game, epochs=3, batch_size=40)
    history = trainer.fit(DATA)
    x, y, losses = 2.0, 1.0, []
    for _ in range(3):
        y += 0.1 * (x + X.mean().item())
        losses.append(x * y)
        x -= 0.2 * y
    assert trainer.model.value.item() == pytest.approx(x)
    assert game.player.value.item() == pytest.approx(y)
    assert history["train_loss"] == pytest.approx(losses)
    assert history["train_second_loss"] == pytest.approx([-loss for loss in losses])


@pytest.mark.parametrize("stop", [2, 7, 11, 13])
def test_both_players_of_a_killed_game_resume_to_the_same_weights_and_moments(tmp_path, stop):
    whole = play(tmp_path / "whole", Game())
    play(tmp_path / "run", Game(), stop=stop)
    rest = play(tmp_path / "run", Game(lr=9.0), resume=True)
    ours, expected = rest.objective, whole.objective
    assert torch.equal(rest.model.value, whole.model.value)
    assert torch.equal(ours.player.value, expected.player.value)
    assert ours.rounds == expected.rounds == 20
    for mine, other in ((rest.optimizer, whole.optimizer), (ours.optimizer, expected.optimizer)):
        state, twin = mine.state_dict(), other.state_dict()
        assert state["param_groups"][0]["lr"] == twin["param_groups"][0]["lr"]
        for name, value in twin["state"][0].items():
            assert torch.equal(state["state"][0][name], value), name
    for column in ("train_loss", "train_second_loss", "validation_loss"):
        assert rest.history[column] == whole.history[column]


@pytest.mark.parametrize("poison_at", [1, 8])
def test_a_second_loss_that_is_not_a_number_ends_the_run(poison_at):
    with pytest.raises(NonFiniteError, match="second_loss is not finite at epoch") as caught:
        Trainer(Number(2.0), objective=Game(poison_at=poison_at), epochs=4, batch_size=8).fit(DATA)
    assert caught.value.layer == "second_loss"
    assert (caught.value.epoch - 1) * 5 + caught.value.batch == poison_at


def test_figures_that_are_read_late_are_looked_at_before_the_epoch_ends():
    class Lazy(Trainer):
        def new_totals(self):
            return Totals(is_lazy=True)

    for game, name in ((Game(poison_at=4), "second_loss"), (Game(poison_at=40), None)):
        trainer = Lazy(Number(2.0), objective=game, epochs=1, batch_size=8)
        if name is None:
            trainer.fit(DATA)
            continue
        with pytest.raises(NonFiniteError, match="train_second_loss is not finite at epoch 1") as caught:  # fmt: skip
            trainer.fit(DATA)
        assert caught.value.layer == name


def test_a_game_without_a_main_loss_is_watched_too():
    values = chain([1.0], repeat(float("inf")))
    trainer = Trainer(Number(1.0), objective=lambda model, batch: {"game": next(values)}, epochs=2)
    with pytest.raises(NonFiniteError, match="game is not finite at epoch 2, batch 1"):
        trainer.fit(DATA)
    assert list(trainer.history.records[0])[:2] == ["epoch", "train_game"]  # and no loss of 0


def test_another_objective_is_refused(tmp_path):
    play(tmp_path / "run", Game(), epochs=1)

    class Two(Game):
        @property
        def optimizers(self):
            return {"second": self.optimizer, "third": self.optimizer}

    for other in (None, Two(), lambda model, batch: model.value.sum()):
        trainer = Trainer(
            Number(2.0), optimizer="adam", objective=other, callbacks=[Checkpoint("x"), StopAt()]
        )
        with pytest.raises(GradatimError, match="objective must be that of the saved run"):
            trainer.resume(tmp_path / "run")
        assert trainer.model.value.item() == 2.0


class Critic(nn.Module):
    """A module as an objective: the critic of a tiny GAN on numbers."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Dropout(0.1), nn.Linear(8, 1))
        self.optimizers = {"critic": torch.optim.Adam(self.parameters(), lr=1e-2)}
        self.modes = []

    def forward(self, model, batch):
        self.modes.append((model.training, self.training))
        real = batch[0]
        fake = model(torch.randn_like(real))
        error = nn.functional.softplus
        loss = error(-self.net(real)).mean() + error(self.net(fake.detach())).mean()
        if model.training:
            self.optimizers["critic"].zero_grad()
            loss.backward()
            self.optimizers["critic"].step()
        return {"loss": error(-self.net(fake)).mean(), "critic_loss": loss.detach()}


def test_a_module_that_holds_a_second_player_needs_no_more(tmp_path):
    data = (torch.randn(60, 1, generator=torch.Generator().manual_seed(1)) + 3, torch.zeros(60))

    def train(path, *, stop=None, resume=False):
        torch.manual_seed(0)
        critic = Critic()
        callbacks = [Checkpoint(path, every_steps=1), StopAt(stop)]
        trainer = Trainer(
            nn.Linear(1, 1), objective=critic, lr=1e-2, epochs=3, batch_size=20, callbacks=callbacks
        )
        if resume:
            trainer.resume(path)
        if stop is None:
            trainer.fit(data, data)
        else:
            with pytest.raises(ConnectionError):
                trainer.fit(data, data)
        return trainer.model, critic

    whole = train(tmp_path / "whole")
    train(tmp_path / "run", stop=4)
    rest = train(tmp_path / "run", resume=True)
    for ours, expected in zip(rest, whole, strict=True):
        for p, q in zip(ours.parameters(), expected.parameters(), strict=True):
            assert torch.equal(p, q)
    moments = [net.optimizers["critic"].state_dict()["state"] for _, net in (rest, whole)]
    assert all(
        torch.equal(moments[0][k][name], value)
        for k, state in moments[1].items()
        for name, value in state.items()
    )
    assert whole[1].modes == ([(True, True)] * 3 + [(False, False)]) * 3


def test_phases_are_told_before_their_batches():
    told = []

    class Phases(Supervised):
        def start(self, phase, epoch):
            told.append((phase, epoch))

        def __call__(self, model, batch):
            told.append("batch")
            return super().__call__(model, batch)

    trainer = Trainer(nn.Linear(1, 1), objective=Phases("mse"), epochs=2, batch_size=20)
    trainer.fit((X.float(), X.float()), (X.float(), X.float()))
    assert told == [
        ("train", 0), "batch", "batch", ("evaluate", 0), ("train", 1), "batch", "batch", ("evaluate", 1),
    ]  # fmt: skip


@pytest.mark.parametrize("build", [Supervised, lambda loss=None: Augmented((), loss), lambda loss=None: MixUp(loss=loss), lambda loss=None: GradientNormPenalty(0.0, loss)])  # fmt: skip
def test_a_loss_left_open_is_the_trainers_and_one_given_is_kept(build):
    for given, trainers, expected in (
        (None, "mae", "mae"),
        ("mse", None, "mse"),
        ("mse", "mse", "mse"),
    ):
        objective = build(given)
        Trainer(nn.Linear(1, 1), trainers, objective=objective)
        assert objective.loss is LOSSES[expected]
    with pytest.raises(InvalidValue, match="loss must be left out beside an objective"):
        Trainer(nn.Linear(1, 1), "mae", objective=build("mse"))
    Trainer(nn.Linear(1, 1), "huber", objective=(again := build()))
    Trainer(nn.Linear(1, 1), "mse", objective=again)  # the last trainer that takes it
    assert again.loss is LOSSES["mse"]
    assert build().loss is LOSSES["cross_entropy"]


def test_targets_get_the_type_of_the_objectives_loss():
    X, y = torch.randn(12, 2), torch.arange(12) % 2
    for objective in (Augmented(lambda x: x, "mse"), MixUp(loss="mse")):
        Trainer(nn.Linear(2, 1), objective=objective, epochs=1).fit((X, y))  # whole numbers


def test_metrics_and_loss_of_a_loss_objective_come_from_one_forward_pass():
    calls = []
    model = nn.Linear(1, 1)
    model.register_forward_hook(lambda *_: calls.append(1))
    data = (X.float(), X.float())
    trainer = Trainer(model, "mse", objective=Augmented(lambda x: x + 5), metrics=["mae"])
    figures = trainer.evaluate(data)
    assert len(calls) == 1
    with torch.no_grad():
        gap = model(data[0]) - data[0]
    assert figures["loss"] == pytest.approx(gap.square().mean().item())
    assert figures["mae"] == pytest.approx(gap.abs().mean().item())


def test_functions_return_losses_or_figures():
    model = nn.Identity()
    loss = torch.tensor(2.0)
    assert loss_and_figures(lambda m, b: loss, model, ()) == (loss, {})
    assert loss_and_figures(lambda m, b: {"loss": loss, "a": 1.0}, model, ()) == (loss, {"a": 1.0})
    with pytest.raises(InvalidType, match="must return a loss or a mapping of figures, got float"):
        loss_and_figures(lambda m, b: 1.0, model, ())
    with pytest.raises(InvalidType, match=r"objective must be a function .* got int"):
        Trainer(nn.Linear(1, 1), objective=3)
    game = Game()
    assert as_objective(game) is game
    with pytest.raises(TypeError, match=r"abstract method '?__call__"):
        Objective()
