"""Closures for optimizers that evaluate the loss themselves, and clipping."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.models import MLP
from gradatim.randomness import seeded
from gradatim.training import Callback, Trainer


def problem():
    generator = torch.Generator().manual_seed(0)
    X = torch.randn(60, 3, generator=generator, dtype=torch.float64)
    with seeded(0):
        model = MLP((3, 5, 1), activation="tanh").double()
    return model, X, X.sum(1, keepdim=True).sin()


class Counter(Callback):
    needs_autograd = True

    def on_fit_start(self, trainer):
        self.gradients = self.batches = 0

    def on_gradients(self, trainer, loss):
        self.gradients += 1

    def on_batch_end(self, trainer, loss):
        self.batches += 1


@pytest.mark.parametrize("name", ["extragradient", "entropy_sgd", "nesterov_extrapolation"])
def test_equals_a_loop_written_by_hand(name):
    from gradatim.optim import build_optimizer

    model, X, y = problem()
    with seeded(4):
        twin, *_ = problem()
        optimizer = build_optimizer(name, twin, lr=0.05)
        losses = []
        for _ in range(5):

            def closure():
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(twin(X), y)
                loss.backward()
                return loss

            losses.append(optimizer.step(closure).item())
    counter = Counter()
    trainer = Trainer(
        model, "mse", name, lr=0.05, epochs=5, batch_size=60, seed=4, callbacks=[counter]
    )
    history = trainer.fit((X, y))
    # shuffled rows change the order of sums only
    assert history["train_loss"] == pytest.approx(losses, rel=1e-9)
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(p, q)
    assert (counter.gradients, counter.batches) == (5, 5)


def test_pytorchs_lbfgs_trains_through_the_closure():
    model, X, y = problem()
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=10)
    history = Trainer(model, "mse", optimizer, epochs=10, batch_size=60).fit((X, y))
    assert history["train_loss"][-1] < 0.1 * history["train_loss"][0]


def test_gradients_inside_the_closure_are_clipped():
    model, X, y = problem()
    start = nn.utils.parameters_to_vector(model.parameters()).detach().clone()
    trainer = Trainer(
        model, "mse", "extragradient", lr=1.0, epochs=1, batch_size=60, clip_norm=1e-3
    )
    trainer.fit((X, y))
    moved = nn.utils.parameters_to_vector(model.parameters()).detach() - start
    assert moved.norm().item() == pytest.approx(1e-3, rel=1e-2)


def test_a_step_that_updates_by_itself_cannot_serve_a_closure():
    model, X, y = problem()
    trainer = Trainer(model, optimizer="extragradient", objective=lambda m, b: {"figure": 1.0})
    with pytest.raises(InvalidType, match="objective must return a loss for Extragradient, which"):
        trainer.fit((X, y))


def test_clip_value_bounds_every_entry():
    model, X, y = problem()
    start = nn.utils.parameters_to_vector(model.parameters()).detach().clone()
    trainer = Trainer(
        model, "mse", "sgd", lr=1.0, epochs=1, batch_size=60, clip_value=1e-4, callbacks=[Counter()]
    )
    trainer.fit((X, y))
    moved = (nn.utils.parameters_to_vector(model.parameters()).detach() - start).abs()
    assert moved.max().item() == pytest.approx(1e-4)
    assert (moved > 0.99e-4).double().mean() > 0.5


@pytest.mark.parametrize("name", ["clip_norm", "clip_value"])
@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan")])
def test_clipping_refuses(name, limit):
    with pytest.raises(InvalidValue, match=f"Trainer: {name} must be more than 0, got"):
        Trainer(nn.Linear(1, 1), **{name: limit})
