"""Channels last: the same numbers, and the order the convolutions want."""

from functools import partial

import pytest
import torch
from torch import nn

from gradatim.models import VGG
from gradatim.training import Callback, Checkpoint, Trainer
from gradatim.training.engines.channels_last import (
    channels_last,
    reading_channels_last,
    training_channels_last,
    wants_channels_last,
)

CPU = torch.device("cpu")


@pytest.mark.parametrize("channels", [1, 3])
def test_values_stay_and_channels_lie_side_by_side(channels):
    x = torch.randn(2, channels, 4, 5)
    y = channels_last(x)
    assert torch.equal(x, y)
    assert y.stride() == (20 * channels, 1, 5 * channels, channels)
    assert channels_last(y).data_ptr() == y.data_ptr()


def test_gradients_pass():
    for channels in (1, 2):
        x = torch.randn(1, channels, 2, 2, dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(channels_last, x)


class Order(nn.Module):
    """Notes the order in which its input lies in memory."""

    def __init__(self):
        super().__init__()
        self.conv, self.seen = nn.Conv2d(3, 4, 3), []

    def forward(self, x):
        self.seen.append(x.is_contiguous(memory_format=torch.channels_last))
        return self.conv(x).mean((2, 3))


DATA = (torch.randn(8, 3, 5, 5), torch.arange(8) % 4)


@pytest.mark.parametrize(
    ("memory_format", "expected"), [("auto", False), ("channels_last", True), ("contiguous", False)]
)
def test_the_model_reads_what_was_asked_for(memory_format, expected):
    model = Order()
    trainer = Trainer(model, epochs=1, batch_size=4, memory_format=memory_format)
    trainer.fit(DATA, DATA)
    trainer.evaluate(DATA)
    trainer.predict(DATA[0])
    assert set(model.seen) == {expected}
    assert not model._forward_pre_hooks


def test_a_custom_step_reaches_the_model_through_the_same_door():
    model = Order()

    def step(model, batch):
        return model(batch[0].flip(3)).square().mean()

    Trainer(model, epochs=1, objective=step, memory_format="channels_last").fit(DATA)
    assert model.seen == [True]


def test_weights_keep_their_order_and_numbers_agree():
    histories, weights = [], []
    for memory_format in ("contiguous", "channels_last"):
        torch.manual_seed(0)
        model = VGG(((4,), (6,)), 4).double()
        trainer = Trainer(model, epochs=2, batch_size=4, memory_format=memory_format)
        histories.append(trainer.fit((DATA[0].double(), DATA[1]))["train_loss"])
        weights.append(torch.cat([p.detach().view(-1) for p in model.parameters()]))
        assert all(p.is_contiguous() for p in model.parameters())
    torch.testing.assert_close(weights[0], weights[1], rtol=1e-6, atol=1e-8)
    assert histories[0] == pytest.approx(histories[1], rel=1e-9)


class Strides(Checkpoint):
    """Notes, after every batch, in which order kernels and moments lie."""

    any_layout = True

    def __init__(self, path):
        super().__init__(path, every_steps=1, every_epochs=None)
        self.seen = []

    def on_batch_end(self, trainer, loss):
        super().on_batch_end(trainer, loss)
        kernel = next(p for p in trainer.model.parameters() if p.ndim == 4)
        tensors = [kernel, kernel.grad, *trainer.optimizer.state[kernel].values()]
        self.seen += [t.is_contiguous(memory_format=CL) for t in tensors if t.ndim == 4]
        if trainer.steps == 3:
            raise KeyboardInterrupt


CL = torch.channels_last
OPTIMIZERS = ("adam", "adamw", "momentum", "rmsprop", "sgd")


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_kernels_and_moments_move_together_and_back(optimizer, tmp_path):
    trainer, watcher = convolutional(optimizer), Strides(tmp_path / "run.safetensors")
    trainer.callbacks = [watcher]
    with pytest.raises(KeyboardInterrupt):
        trainer.fit(DATA)
    assert trainer.steps == 3
    assert set(watcher.seen) == {True}
    for kernel in trainer.model.parameters():
        for value in (kernel, kernel.grad, *trainer.optimizer.state[kernel].values()):
            assert value is None or value.is_contiguous()


def convolutional(optimizer="adam", memory_format="channels_last", callbacks=(), objective=None):
    torch.manual_seed(0)
    model = VGG(((4,), (6,)), 4).double()
    return Trainer(
        model, None, optimizer, lr=0.01, epochs=3, batch_size=4,
        memory_format=memory_format, callbacks=callbacks, objective=objective,
    )  # fmt: skip


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_run_goes_on_from_any_batch_to_the_same_weights(optimizer, tmp_path):
    path, data = tmp_path / "run.safetensors", (DATA[0].double(), DATA[1])
    whole = convolutional(optimizer, "contiguous", [Checkpoint(path, every_steps=100)])
    whole.fit(data)
    stopped = convolutional(optimizer, callbacks=[Strides(path)])
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(data)
    assert stopped.steps == 3
    resumed = convolutional(optimizer, callbacks=[Checkpoint(path)])
    resumed.resume(path)
    resumed.fit(data)
    for expected, found in zip(whole.model.parameters(), resumed.model.parameters(), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)


class Viewer(Callback):
    """As many write it: the gradient as one vector."""

    def on_gradients(self, trainer, loss):
        torch.cat([p.grad.view(-1) for p in trainer.model.parameters()])


def test_a_callback_of_ones_own_finds_the_usual_order():
    trainer = convolutional(callbacks=[Viewer()])
    assert trainer.fit((DATA[0].double(), DATA[1])).stopped is None


class Squares:
    def __call__(self, model, batch):
        torch.cat([p.view(-1) for p in model.parameters()])
        return model(batch[0]).square().mean()


@pytest.mark.parametrize("objective", [partial(Squares()), Squares(), Squares().__call__])
def test_an_objective_of_ones_own_finds_the_usual_order_in_whatever_form(objective):
    trainer = convolutional(objective=objective)
    assert trainer.fit((DATA[0].double(), DATA[1])).stopped is None


def test_an_optimizer_that_flattens_keeps_the_usual_order():
    conv = nn.Conv2d(3, 4, 5)
    with training_channels_last(conv, torch.optim.LBFGS(conv.parameters()), True):
        assert conv.weight.is_contiguous()


@pytest.mark.parametrize(
    ("model", "device", "expected"),
    [
        (nn.Conv2d(1, 1, 1), "cpu", True),
        (nn.Sequential(nn.ConvTranspose2d(1, 1, 1)), "cpu", True),
        (nn.Linear(1, 1), "cpu", False),
        (nn.Conv1d(1, 1, 1), "cpu", False),
        (nn.Conv2d(1, 1, 1), "cuda", False),
    ],
)
def test_auto(model, device, expected):
    assert wants_channels_last("auto", model, torch.device(device)) is expected


def test_other_inputs_are_left_alone():
    model = nn.Identity()
    with reading_channels_last(model, True):
        for x in (torch.zeros(2, 3), torch.zeros(2, 3, 4, 5, dtype=torch.long)):
            assert model(x) is x


def test_refuses_by_message():
    with pytest.raises(
        ValueError, match=r"Trainer: memory_format must be one of .*Try 'channels_last'"
    ):
        Trainer(nn.Linear(1, 1), memory_format="channel_last")


class Tutorial(nn.Module):
    """As many write it: the features are viewed, not flattened."""

    def __init__(self):
        super().__init__()
        self.conv, self.readout = nn.Conv2d(1, 2, 3), nn.Linear(72, 3)

    def forward(self, x):
        return self.readout(self.conv(x).view(len(x), -1))


def test_a_forward_of_ones_own_gets_images_as_they_are():
    X, y = torch.randn(12, 1, 8, 8), torch.arange(12) % 3
    trainer = Trainer(Tutorial(), epochs=1, batch_size=4, progress=False)
    trainer.fit((X, y), validation=(X, y))
    assert not trainer.is_channels_last
    assert trainer.predict(X).shape == (12, 3)
