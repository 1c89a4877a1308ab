"""The loop: what it computes, in which order, from which data, and how it ends."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from gradatim.errors import GradatimError, InvalidType, InvalidValue
from gradatim.events import Cancelled, CancelToken
from gradatim.models import MLP
from gradatim.training import Callback, Checkpoint, EarlyStopping, NonFiniteError, Trainer


def blobs(n=200, features=4, classes=3, seed=0):
    generator = torch.Generator().manual_seed(seed)
    y = torch.randint(classes, (n,), generator=generator)
    centres = torch.randn(classes, features, generator=generator) * 3
    return centres[y] + torch.randn(n, features, generator=generator), y


def net(*sizes, seed=0, **arguments):
    torch.manual_seed(seed)
    return MLP(sizes, **arguments)


def weights(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def test_full_batch_sgd_is_gradient_descent():
    """One row per batch position does not matter when the batch is the whole set: w <- w - lr * grad."""
    X, y = torch.randn(30, 3, dtype=torch.float64), torch.randn(30, dtype=torch.float64)
    model = nn.Linear(3, 1).double()
    w, b = model.weight.detach().clone(), model.bias.detach().clone()
    Trainer(model, "mse", "sgd", lr=0.1, epochs=5, batch_size=30).fit((X, y))
    for _ in range(5):
        gap = X @ w.T + b - y[:, None]
        w, b = w - 0.1 * 2 * (gap.T @ X) / 30, b - 0.1 * 2 * gap.mean()
    torch.testing.assert_close(model.weight.detach(), w)
    torch.testing.assert_close(model.bias.detach(), b)


@pytest.mark.parametrize("optimizer", ["adam", "momentum", "rmsprop"])
def test_equals_a_plain_pytorch_loop(optimizer):
    X, y = blobs()
    model, twin = net(4, 8, 3), net(4, 8, 3)
    trainer = Trainer(model, optimizer=optimizer, lr=0.01, epochs=2, batch_size=64, seed=7)
    order = []

    def remember(module, batch):
        order.append(batch)
        return nn.functional.cross_entropy(module(batch[0]), batch[1])

    Trainer(
        net(4, 8, 3), optimizer=optimizer, epochs=2, batch_size=64, seed=7, objective=remember
    ).fit((X, y))
    trainer.fit((X, y))
    plain = {"adam": torch.optim.Adam, "rmsprop": torch.optim.RMSprop}.get(optimizer)
    other = (
        plain(twin.parameters(), lr=0.01)
        if plain
        else torch.optim.SGD(twin.parameters(), lr=0.01, momentum=0.9)
    )
    for xb, yb in order:
        other.zero_grad()
        nn.functional.cross_entropy(twin(xb), yb).backward()
        other.step()
    torch.testing.assert_close(weights(model), weights(twin))


def test_every_row_once_per_epoch_and_a_new_order_each_time():
    seen = []
    X = torch.arange(10.0)[:, None]

    def step(model, batch):
        seen.append(batch[0].flatten().tolist())
        return model(batch[0]).mean()

    Trainer(nn.Linear(1, 1), objective=step, epochs=2, batch_size=4, lr=0.0).fit((X, X))
    first = [x for batch in seen[:3] for x in batch]
    second = [x for batch in seen[3:] for x in batch]
    assert [len(b) for b in seen] == [4, 4, 2] * 2
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second


def test_same_seed_same_numbers_also_with_dropout_and_untouched_global_state():
    X, y = blobs()
    runs = []
    for global_seed, seed in ((1, 0), (2, 0), (1, 5)):
        model = net(4, 16, 3, dropout=0.5)
        torch.manual_seed(global_seed)
        before = torch.get_rng_state()
        history = Trainer(model, epochs=2, batch_size=32, seed=seed).fit((X, y))
        assert torch.equal(before, torch.get_rng_state())
        runs.append((weights(model), history["train_loss"]))
    assert torch.equal(runs[0][0], runs[1][0])
    assert runs[0][1] == runs[1][1]
    assert not torch.equal(runs[0][0], runs[2][0])


def test_arrays_frames_datasets_loaders_and_lists_of_batches_all_train():
    pd = pytest.importorskip("pandas")
    X, y = blobs()
    sources = {
        "tensors": (X, y),
        "numpy": (X.double().numpy(), y.numpy().astype(np.int32)),
        "whole floats as classes": (X.numpy(), y.numpy().astype(float)),
        "pandas": (pd.DataFrame(X.numpy()), pd.Series(y.numpy())),
        "dataset": TensorDataset(X, y),
        "loader": DataLoader(TensorDataset(X, y), batch_size=50),
        "list": [(X[:100], y[:100]), (X[100:].numpy(), y[100:].numpy())],
    }
    for name, source in sources.items():
        trainer = Trainer(net(4, 8, 3), lr=0.02, epochs=15, batch_size=32, metrics=["accuracy"])
        trainer.fit(source, validation=(X, y))
        assert trainer.evaluate((X, y))["accuracy"] > 0.9, name


def test_read_only_arrays_are_fine():
    X, y = (a.numpy() for a in blobs())
    X.setflags(write=False)
    Trainer(net(4, 3), epochs=1).fit((X, y))


def test_a_column_target_never_broadcasts():
    X = torch.randn(64, 2)
    y = X @ torch.tensor([1.0, -2.0])
    for target in (y, y[:, None]):
        model = net(2, 1)
        Trainer(model, "mse", "sgd", lr=0.1, epochs=60, batch_size=16).fit((X, target))
        torch.testing.assert_close(model(X)[:, 0], y, atol=1e-3, rtol=1e-3)


def test_training_loss_is_the_mean_over_rows():
    X, y = blobs(n=10)
    model = net(4, 3)
    expected = nn.functional.cross_entropy(model(X), y).item()
    history = Trainer(model, "cross_entropy", "sgd", lr=0.0, epochs=1, batch_size=4).fit((X, y))
    assert history["train_loss"] == pytest.approx([expected], rel=1e-6)


def test_custom_step_records_figures_and_validates():
    X, y = blobs()

    def step(model, batch):
        output = model(batch[0])
        loss = nn.functional.cross_entropy(output, batch[1])
        return {"loss": loss, "confidence": output.softmax(1).amax(1).mean()}

    history = Trainer(net(4, 3), objective=step, epochs=2).fit((X, y), (X, y))
    assert {"train_confidence", "validation_loss", "validation_confidence"} <= set(
        history.records[0]
    )


def test_metrics_are_measured_beside_a_custom_step_and_its_target_is_left_alone():
    X = torch.randn(40, 2)
    y = X @ torch.tensor([1.0, -2.0])

    def step(model, batch):
        return (model(batch[0])[:, 0] - batch[1]).abs().mean()

    history = Trainer(net(2, 1), objective=step, epochs=1, metrics=["mae"]).fit((X, y), (X, y))
    assert history["validation_mae"] == pytest.approx(history["validation_loss"], rel=1e-5)


def test_a_step_may_update_the_model_itself():
    X, y = blobs()
    model = net(4, 3)
    own = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(model, batch):
        loss = nn.functional.cross_entropy(model(batch[0]), batch[1])
        own.zero_grad()
        loss.backward()
        own.step()
        return {"game": loss.item()}

    history = Trainer(model, objective=step, epochs=5, batch_size=32).fit((X, y))
    assert history["train_game"][-1] < history["train_game"][0]


def test_several_inputs():
    class Sum(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 1)

        def forward(self, a, b):
            return self.layer(torch.cat([a, b], 1))

    a, b = torch.randn(100, 1), torch.randn(100, 1)
    trainer = Trainer(Sum(), "mse", lr=0.05, epochs=60, batch_size=20, metrics=["r2"])
    trainer.fit((a, b, a - b))
    assert trainer.evaluate((a, b, a - b))["r2"] > 0.99


def test_schedule_by_name_function_and_pytorch_object():
    X, y = blobs(n=64)
    rates = []

    class Watch(Callback):
        def on_gradients(self, trainer, loss):
            rates.append(trainer.optimizer.param_groups[0]["lr"])

    Trainer(net(4, 3), lr=0.1, schedule="cosine", epochs=2, batch_size=32, callbacks=[Watch()]).fit(
        (X, y)
    )
    assert rates == pytest.approx(
        [0.1 * 0.5 * (1 + np.cos(np.pi * t / 2)) for t in (0, 0.5, 1, 1.5)]
    )
    model = net(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.1)
    history = Trainer(model, optimizer=optimizer, schedule=schedule, epochs=3).fit((X, y))
    assert history["lr"] == pytest.approx([1.0, 0.1, 0.01])


def test_clip_norm_bounds_the_step():
    X, y = blobs()
    model = net(4, 3)
    before = weights(model)
    Trainer(model, "cross_entropy", "sgd", lr=1.0, clip_norm=1e-3, epochs=1, batch_size=200).fit(
        (X, y)
    )
    assert (weights(model) - before).norm() == pytest.approx(1e-3, rel=1e-3)


def test_weight_decay_leaves_biases_alone():
    model = net(4, 8, 3)
    with torch.no_grad():
        model[0].bias.fill_(1.0)
    X = torch.zeros(10, 4)
    still = lambda model, batch: 0.0 * model(batch[0]).sum()  # noqa: E731
    trainer = Trainer(model, optimizer="sgd", objective=still, lr=0.1, weight_decay=1.0, epochs=1)
    with pytest.warns(
        UserWarning, match=r"no gradient has reached the model in its first batches \(1\)"
    ):
        trainer.fit((X, X))
    assert torch.equal(model[0].bias.detach(), torch.ones(8))
    assert model[0].weight.norm().item() == pytest.approx(
        0.9 * net(4, 8, 3)[0].weight.norm().item()
    )


def test_batch_norm_survives_a_last_batch_of_one_row():
    X, y = blobs(n=65)
    for source in ((X, y), TensorDataset(X, y)):
        history = Trainer(net(4, 8, 3, norm="batch"), epochs=1, batch_size=32).fit(source)
        assert np.isfinite(history["train_loss"]).all()


def test_predict_ignores_dropout_and_batch_mates():
    X, _ = blobs(n=50)
    trainer = Trainer(net(4, 8, 3, dropout=0.5), batch_size=7)
    torch.testing.assert_close(trainer.predict(X), torch.cat([trainer.predict(x[None]) for x in X]))


def test_a_second_fit_starts_a_new_history():
    X, y = blobs()
    trainer = Trainer(net(4, 3), epochs=2)
    assert len(trainer.fit((X, y))) == len(trainer.fit((X, y))) == 2


def test_ctrl_c_ends_the_run_and_keeps_the_history_so_far():
    X, y = blobs()

    class Interrupt(Callback):
        def on_gradients(self, trainer, loss):
            if trainer.epoch == 2:
                raise KeyboardInterrupt

    for needs_autograd in (False, True):
        Interrupt.needs_autograd = needs_autograd
        trainer = Trainer(net(4, 8, 3), epochs=9, callbacks=[Interrupt()])
        with pytest.raises(Cancelled):
            trainer.fit((X, y))
        assert len(trainer.history) == 2
        assert trainer.history.stopped == "interrupted"
        assert not trainer.model.training
        assert trainer.train_batches is None


class CancelAt(Callback):
    def __init__(self, token, steps):
        self.token, self.steps, self.ended = token, steps, False

    def on_batch_end(self, trainer, loss):
        if trainer.steps == self.steps:
            self.token.cancel()

    def on_fit_end(self, trainer):
        self.ended = True


@pytest.mark.parametrize("engine", ["chain", "general"])
def test_a_token_ends_the_run_after_the_current_batch(engine, tmp_path):
    X, y = blobs()
    token = CancelToken()
    watch = CancelAt(token, 27)  # of 20 batches per epoch

    def build(callback, epochs=9):
        callbacks = [callback, Checkpoint(tmp_path / "run", every_steps=1)]
        return Trainer(net(4, 8, 3), epochs=epochs, batch_size=10, engine=engine, callbacks=callbacks)  # fmt: skip

    trainer = build(watch)
    with pytest.raises(Cancelled):
        trainer.fit((X, y), (X, y), cancel=token)
    assert (trainer.steps, len(trainer.history), trainer.history.stopped) == (27, 1, "cancelled")
    assert watch.ended
    assert not trainer.model.training
    rest = build(CancelAt(CancelToken(), 0), epochs=2)
    rest.resume(tmp_path / "run")
    whole = build(CancelAt(CancelToken(), 0), epochs=2)
    rest.fit((X, y))
    whole.fit((X, y))
    assert torch.equal(weights(rest.model), weights(whole.model))


def test_a_token_that_was_cancelled_before_lets_nothing_happen():
    X, y = blobs()
    token = CancelToken()
    token.cancel()
    trainer = Trainer(net(4, 3), epochs=2)
    before = weights(trainer.model)
    with pytest.raises(Cancelled):
        trainer.fit((X, y), cancel=token)
    assert trainer.history.stopped == "cancelled"
    assert (trainer.steps, len(trainer.history)) == (0, 0)
    assert torch.equal(weights(trainer.model), before)
    assert trainer.fit((X, y), cancel=CancelToken()).stopped is None


def test_a_callback_may_stop_within_an_epoch():
    X, y = blobs()

    class Stop(Callback):
        def on_batch_end(self, trainer, loss):
            if trainer.steps == 3:
                trainer.stop("enough")

    trainer = Trainer(net(4, 3), epochs=9, batch_size=10, callbacks=[Stop()])
    assert trainer.fit((X, y)).stopped == "enough"
    assert trainer.steps == 3


class Root(nn.Module):
    """Its value at zero is finite, its derivative is not."""

    def forward(self, x):
        return x.abs().sqrt()


@pytest.mark.parametrize("epochs", [1, 3])
def test_a_bad_gradient_names_its_layer(epochs):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 4), Root(), nn.Linear(4, 1))
    nn.init.zeros_(model[0].weight)
    nn.init.zeros_(model[0].bias)
    X = torch.randn(8, 2)
    with pytest.raises(NonFiniteError, match=r"layer '0' \(Linear\)") as caught:
        Trainer(model, "mse", "sgd", epochs=epochs, batch_size=8).fit((X, X[:, 0]))
    assert caught.value.layer == "0"


@pytest.mark.parametrize("layers", [(nn.ReLU(),), (nn.ReLU(), nn.Identity())])
def test_divergence_names_epoch_batch_and_layer_on_both_paths(layers):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), *layers, nn.Linear(8, 1))
    X, y = torch.randn(64, 4), torch.randn(64)
    with pytest.raises(NonFiniteError, match="Lower the learning rate") as caught:
        Trainer(model, "mse", "sgd", lr=1e36, epochs=5, batch_size=8).fit((X, y))
    assert caught.value.epoch == 1
    assert 1 <= caught.value.batch <= 8
    assert "layer '" in str(caught.value)


def test_outputs_too_large_for_the_loss():
    X = torch.full((8, 1), 1e30)
    with pytest.raises(
        NonFiniteError, match="all outputs are finite, but the loss is not"
    ) as caught:
        Trainer(nn.Linear(1, 1), "mse", epochs=1).fit((X, X))
    assert caught.value.layer == "loss"


def test_nan_input_is_blamed_on_the_input():
    X, y = blobs()
    X[3, 1] = float("nan")
    with pytest.raises(NonFiniteError, match="the input has NaN or infinity") as caught:
        Trainer(net(4, 3), epochs=1).fit((X, y))
    assert caught.value.layer == "input"


def test_a_bad_output_is_blamed_on_the_layer_that_made_it():
    class Log(nn.Module):
        def forward(self, x):
            return (x - x).log() * 0

    model = nn.Sequential(nn.Linear(4, 4), Log(), nn.Linear(4, 3))
    with pytest.raises(NonFiniteError, match=r"that of layer '1' \(Log\)"):
        Trainer(model, epochs=1).fit(blobs())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"loss": "crossentropy"}, "Try 'cross_entropy'"),
        ({"optimizer": "adem"}, "Try 'adam'"),
        ({"schedule": "cosin"}, "Try 'cosine'"),
        ({"metrics": ["acuracy"]}, "Try 'accuracy'"),
        ({"epochs": 0}, "epochs must be a whole number from 1, got 0"),
        ({"batch_size": 2.5}, "batch_size must be a whole number from 1, got 2.5"),
        ({"clip_norm": 0.0}, "clip_norm must be more than 0"),
        ({"lr": float("nan")}, "lr must be at least 0"),
        ({"weight_decay": -1.0}, "weight_decay must be at least 0"),
        ({"device": "gpu"}, "device must be 'auto'"),
        ({"loss": 3}, "loss must be a name or a function"),
        ({"optimizer": 3}, "optimizer must be a name"),
        ({"schedule": 3}, "schedule must be a name"),
        ({"metrics": [3]}, "metric must be a name"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(GradatimError, match=message):
        Trainer(net(4, 3), **arguments)


def test_bad_data():
    X, y = blobs()
    trainer = Trainer(net(4, 3), epochs=1)
    with pytest.raises(InvalidValue, match=r"same number of rows, at least one, got \[200, 100\]"):
        trainer.fit((X, y[:100]))
    with pytest.raises(InvalidValue, match="at least one"):
        trainer.fit((X[:0], y[:0]))
    with pytest.raises(InvalidType, match="data must be a pair"):
        trainer.fit(X)
    with pytest.raises(InvalidType, match="must be numeric"):
        trainer.fit((np.array([["a"], ["b"]], dtype=object), y[:2]))
    with pytest.raises(InvalidValue, match="fractions"):
        trainer.fit((X, y + 0.5))
    with pytest.raises(InvalidValue, match=r"model, loss and data must fit together.*\(128, 2\)"):
        trainer.fit((X[:, :2], y))
    with pytest.raises(InvalidValue, match=r"must fit together.*classes"):
        trainer.fit((X, y + 1))
    with pytest.raises(InvalidType, match="a batch must be a tuple"):
        trainer.fit([X])
    with pytest.raises(InvalidValue, match="as many values as the output"):
        Trainer(net(4, 3), "mse", epochs=1).fit((X, y))
    with pytest.raises(InvalidValue, match="got none in epoch 2"):
        Trainer(net(4, 3), epochs=2).fit(b for b in [(X, y)])
    with pytest.raises(InvalidValue, match="trainable parameter"):
        Trainer(nn.ReLU())
    with pytest.raises(InvalidValue, match="validation_los"):
        Trainer(net(4, 3), epochs=1, callbacks=[EarlyStopping()]).fit((X, y))


def test_meta_device_builds_the_trainer():
    """Construction touches no memory of the device, so it works where no arithmetic does."""
    trainer = Trainer(MLP((4, 3)), device="meta")
    assert next(trainer.model.parameters()).device.type == "meta"
