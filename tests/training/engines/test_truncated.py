"""Truncated backpropagation through time against loops written by hand."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.models import LRUStack
from gradatim.nn import Recurrent
from gradatim.robust import Adversarial
from gradatim.training import Callback, Checkpoint, Trainer, TruncatedBPTT


class Model(nn.Module):
    def __init__(self, cell="lstm"):
        super().__init__()
        self.rnn, self.readout = Recurrent(cell, 2, 4), nn.Linear(4, 1)

    def forward(self, x, state=None):
        outputs, state = self.rnn(x, state=state)
        return self.readout(outputs), state


def problem(T=11, cell="lstm"):
    torch.manual_seed(0)
    x = torch.randn(3, T, 2, dtype=torch.float64)
    return Model(cell).double(), x, x.cumsum(1)[..., :1].sin()


def by_hand(model, x, y, chunk, epochs, lr=0.1):
    """One step of gradient descent per chunk; the state is carried on, its history is not."""
    losses = []
    for _ in range(epochs):
        state, total = None, 0.0
        for start in range(0, x.shape[1], chunk):
            part = slice(start, start + chunk)
            output, state = model(x[:, part], state=state)
            state = tuple(s.detach() for s in state)
            loss = (output - y[:, part]).square().mean()
            model.zero_grad()
            loss.backward()
            with torch.no_grad():
                for p in model.parameters():
                    p -= lr * p.grad
            total += loss.item() * x[:, part].shape[1]
        losses.append(total / x.shape[1])
    return losses


@pytest.mark.parametrize("chunk", [1, 4, 11, 50])
def test_equals_a_loop_written_by_hand(chunk):
    """The loss of an epoch weighs every step alike, also those of a last chunk that is shorter."""
    model, x, y = problem()
    twin, *_ = problem()
    trainer = Trainer(
        model, "mse", "sgd", lr=0.1, epochs=3, batch_size=3, objective=TruncatedBPTT(chunk)
    )
    history = trainer.fit((x, y))
    assert history["train_loss"] == pytest.approx(by_hand(twin, x, y, chunk, 3), rel=1e-9)
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(p, q)


def test_from_the_length_on_it_is_the_whole_gradient():
    model, x, y = problem()
    output, _ = model(x)
    whole = torch.autograd.grad((output - y).square().mean(), list(model.parameters()))
    seen = []

    class Watch(Callback):
        def on_gradients(self, trainer, loss):
            seen.append([p.grad.clone() for p in trainer.model.parameters()])

    Trainer(model, "mse", "sgd", epochs=1, objective=TruncatedBPTT(11), callbacks=[Watch()]).fit(
        (x, y)
    )
    torch.testing.assert_close(seen, [list(whole)])


def test_the_state_is_carried_across_chunks_and_starts_anew_with_every_batch():
    seen = []

    class Spy(Model):
        def forward(self, x, state=None):
            seen.append(None if state is None else state[0].clone())
            assert state is None or not state[0].requires_grad
            output, after = super().forward(x, state)
            self.last = after[0].detach()
            return output, after

    torch.manual_seed(0)
    x = torch.randn(4, 6, 2)
    model = Spy()
    Trainer(model, "mse", epochs=1, batch_size=2, objective=TruncatedBPTT(2)).fit((x, x[..., :1]))
    assert [state is None for state in seen] == [True, False, False] * 2
    assert seen[1].abs().max() > 0
    assert not torch.equal(seen[1], seen[2])


def test_validation_and_prediction_run_over_whole_sequences():
    model, x, y = problem()
    trainer = Trainer(model, "mse", epochs=1, objective=TruncatedBPTT(4), metrics=["mse"])
    history = trainer.fit((x, y), (x, y))
    with torch.no_grad():
        output, _ = model(x)
    torch.testing.assert_close(trainer.predict(x), output)
    expected = (output - y).square().mean().item()
    assert history["validation_loss"][-1] == pytest.approx(expected)
    assert trainer.evaluate((x, y))["mse"] == pytest.approx(expected)


def test_resumes_to_the_same_numbers(tmp_path):
    def build(epochs, path=None):
        model, x, y = problem()
        callbacks = [Checkpoint(tmp_path / "run.ckpt")]
        trainer = Trainer(
            model,
            "mse",
            epochs=epochs,
            batch_size=2,
            objective=TruncatedBPTT(3),
            callbacks=callbacks,
        )
        if path:
            trainer.resume(path)
        return trainer.fit((x, y)), model

    build(2)
    resumed, model = build(4, tmp_path / "run.ckpt")
    whole, twin = build(4)
    assert resumed["train_loss"] == whole["train_loss"]
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(p, q)


def test_complex_states_and_other_models():
    x = torch.randn(2, 9, 3)
    history = Trainer(
        LRUStack(3, 8, 1, num_layers=2), "mse", epochs=2, objective=TruncatedBPTT(4)
    ).fit((x, x[..., :1]))
    assert history["train_loss"][1] < history["train_loss"][0]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: TruncatedBPTT(0), "TruncatedBPTT: length must be a whole number from 1, got 0"),
        (lambda: TruncatedBPTT(2.5), r"TruncatedBPTT: length must be a whole number from 1, got 2\.5"),
        (lambda: Adversarial(lambda model, x, y: x, TruncatedBPTT(3)), "must see whole batches, got TruncatedBPTT"),
    ],
)  # fmt: skip
def test_bad_arguments(build, message):
    with pytest.raises(InvalidValue, match=message):
        build()


@pytest.mark.parametrize(
    ("engine", "objective", "message"),
    [
        ("truncated", lambda model, batch: None, "got 'truncated', but the objective is not TruncatedBPTT"),
        ("truncated", None, "got 'truncated', but the objective is not TruncatedBPTT"),
        ("general", TruncatedBPTT(3), "got 'general', but the objective cuts sequences into chunks"),
        ("chain", TruncatedBPTT(3), "got 'chain', but the objective is more than a loss"),
    ],
)  # fmt: skip
def test_other_objectives_and_engines_are_refused(engine, objective, message):
    _, x, y = problem()
    loss = "mse" if objective is None or isinstance(objective, TruncatedBPTT) else None
    with pytest.raises(InvalidValue, match=f"Trainer: engine must fit the run, {message}"):
        Trainer(Model().double(), loss, objective=objective, engine=engine).fit((x, y))


def test_bad_data_and_models():
    trainer = Trainer(Model(), "mse", epochs=1, objective=TruncatedBPTT(3))
    with pytest.raises(InvalidValue, match=r"must all be of shape \(batch, time, ...\), got \(4, 6, 2\), \(4,\)"):  # fmt: skip
        trainer.fit((torch.zeros(4, 6, 2), torch.zeros(4)))
    with pytest.raises(InvalidValue, match=r"got \(4, 6, 2\), \(4, 5, 1\)"):
        trainer.fit((torch.zeros(4, 6, 2), torch.zeros(4, 5, 1)))

    class Plain(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 1)

        def forward(self, x, state=None):
            return self.linear(x)

    with pytest.raises(InvalidType, match=r"a model must return \(output, state\) and take state="):
        Trainer(Plain(), "mse", epochs=1, objective=TruncatedBPTT(3)).fit(
            (torch.zeros(4, 6, 2), torch.zeros(4, 6, 1))
        )
