"""One training for every kind: the same numbers from a seed, none from half a run, and one that goes on."""

import numpy as np
import pytest
import torch
from torch import nn

from gradatim.events import Cancelled, CancelToken
from gradatim.fitting.learning import read_target, train_network
from gradatim.training import Callback, NonFiniteError

DATA = (torch.randn(40, 3, generator=torch.Generator().manual_seed(0)), torch.randn(40, 1))


class Interrupt(Callback):
    def on_epoch_end(self, trainer, record):
        if record["epoch"] == 3:
            raise KeyboardInterrupt


def build():
    return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 1))


def train(**arguments):
    return train_network(build, DATA, DATA, **{"loss": "mse", "epochs": 5, "batch_size": 10, "seed": 1, **arguments})  # fmt: skip


def equal(a, b):
    return all(x.equal(y) for x, y in zip(a.parameters(), b.parameters(), strict=True))


def test_a_seed_fixes_everything_and_touches_nobody_elses_draws():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    network, history = train()
    assert torch.rand(1).equal(expected)
    again, _ = train()
    assert equal(network, again)
    assert not equal(network, train(seed=2)[0])
    assert len(history) == 5
    assert history["lr"][-1] < history["lr"][0]  # along a cosine


def test_ctrl_c_is_no_result_and_the_next_run_goes_on(tmp_path):
    whole, history = train(checkpoint=tmp_path / "a", callbacks=[Callback()])
    with pytest.raises(KeyboardInterrupt) as caught:
        train(checkpoint=tmp_path / "b", callbacks=[Interrupt()])
    assert isinstance(caught.value, Cancelled)
    network, rest = train(checkpoint=tmp_path / "b", callbacks=[Callback()])
    assert rest["validation_loss"] == pytest.approx(history["validation_loss"])
    assert equal(network, whole)


def test_without_a_file_ctrl_c_is_no_result_either():
    with pytest.raises(Cancelled):
        train(callbacks=[Interrupt()])


def test_a_token_ends_the_training():
    token = CancelToken()

    class Press(Callback):
        def on_batch_end(self, trainer, loss):
            token.cancel()

    with pytest.raises(Cancelled):
        train(callbacks=[Press()], cancel=token)


def test_what_the_trainer_does_not_know_is_refused():
    with pytest.raises(TypeError, match="learning_rate"):
        train(learning_rate=0.1)
    with pytest.raises(NonFiniteError):
        train(lr=1e30, optimizer="sgd")


def test_values_are_scaled_and_classes_are_not():
    y = np.array([10.0, 20.0, 60.0])
    target = read_target(y, 0)
    z = target.encode(y)
    assert (z.shape, z.dtype, target.loss) == ((3, 1), np.float32, "mse")
    np.testing.assert_allclose(z[:, 0], (y - 30.0) / np.sqrt(1400 / 3), rtol=1e-6)
    assert read_target(np.full(3, 7.0), 0).encode(np.array([8.0])).tolist() == [[1.0]]
    codes = np.array([0, 2, 1])
    assert read_target(codes, 3).encode(codes) is codes
    assert read_target(codes, 3).loss == "cross_entropy"
