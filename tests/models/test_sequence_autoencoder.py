"""The sequence autoencoder: its equation, its bottleneck, and what it learns."""

import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.models import SequenceAutoencoder
from gradatim.randomness import seeded
from gradatim.training import Trainer


def waves(count, period, seed=0):
    generator = torch.Generator().manual_seed(seed)
    phase = 6.28 * torch.rand(count, 1, generator=generator)
    t = torch.arange(12.0)
    return torch.sin(6.28 * t / period + phase)[..., None]


@torch.no_grad()
def test_the_equation():
    with seeded(0):
        model = SequenceAutoencoder(2, 3, hidden_dim=4).double()
    x = torch.randn(5, 6, 2, dtype=torch.float64)
    h = model.encoder.rnn(x)[0][:, -1]
    z = torch.tanh(h @ model.compress.weight.T + model.compress.bias)
    torch.testing.assert_close(model.encode(x), z)
    g = model.decoder(torch.stack([z] * 6, 1))[0]
    torch.testing.assert_close(model(x), g @ model.readout.weight.T + model.readout.bias)


@torch.no_grad()
def test_nothing_passes_but_the_code():
    with seeded(0):
        model = SequenceAutoencoder(2, 3, num_layers=2)
    x, y = torch.randn(2, 1, 6, 2)
    model.compress.weight.zero_()
    torch.testing.assert_close(model(x), model(y))


def test_it_says_again_what_it_has_learned_and_nothing_else():
    with seeded(0):
        model = SequenceAutoencoder(1, 3, hidden_dim=16)
    x = waves(256, period=12.0)
    Trainer(model, loss="mse", lr=1e-2, epochs=40, batch_size=32, seed=0, progress=False).fit((x, x))  # fmt: skip
    with torch.no_grad():
        usual, other = ((model(v) - v).square().mean().item() for v in (waves(64, 12.0, 1), waves(64, 4.0, 1)))  # fmt: skip
    assert usual < 0.1 < other


def test_a_code_of_nothing_is_refused():
    with pytest.raises(GradatimError, match="SequenceAutoencoder: code_dim must be"):
        SequenceAutoencoder(2, 0)
