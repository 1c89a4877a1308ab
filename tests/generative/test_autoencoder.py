import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.generative import Autoencoder
from gradatim.models import MLP, ImageDecoder, ImageEncoder
from gradatim.randomness import seeded
from gradatim.training import Trainer


@pytest.mark.parametrize(
    ("encoder", "decoder"),
    [
        (lambda: MLP((64, 16, 3)), lambda: MLP((3, 16, 64))),
        (lambda: ImageEncoder(8, 3, widths=(4,)), lambda: ImageDecoder(3, 8, widths=(4,))),
    ],
    ids=["dense", "convolutional"],
)  # fmt: skip
def test_it_learns_to_reconstruct(encoder, decoder):
    with seeded(0):
        a, b = torch.rand(2, 1, 1, 8)
        X = (torch.rand(96, 1, 8, 1) * a + torch.rand(96, 1, 8, 1) * b).clamp(0, 1)
        X = X[:, :, :1] * torch.ones(8, 1)  # two numbers make an image
    model = Autoencoder(encoder(), decoder())
    history = Trainer(model, "mse", lr=0.01, epochs=30, batch_size=16, progress=False).fit((X, X))
    assert history["train_loss"][-1] < 0.2 * float(X.var())
    assert model(X).shape == X.shape
    assert model.encode(X).shape == (96, 3)


def test_noise_comes_in_training_only():
    model = Autoencoder(nn.Identity(), nn.Identity(), noise=0.5)
    x = torch.zeros(4000, 2)
    assert float(model.train()(x).std()) == pytest.approx(0.5, rel=0.05)
    assert torch.equal(model.eval()(x), x)


def test_denoising_learns_the_conditional_mean():
    """Of x ~ N(0, 1) seen through noise of variance s the best guess is x̃ / (1 + s)."""
    x = torch.randn(4096, 1, generator=torch.Generator().manual_seed(0))
    with seeded(0):
        model = Autoencoder(nn.Linear(1, 1), nn.Identity(), noise=0.5)
    Trainer(model, "mse", lr=0.02, epochs=15, batch_size=128, schedule="cosine", progress=False).fit((x, x))  # fmt: skip
    assert model.encoder.weight.item() == pytest.approx(1 / 1.25, abs=0.03)


def test_noise_is_not_negative():
    with pytest.raises(InvalidValue, match="Autoencoder: noise must be at least 0, got -1"):
        Autoencoder(nn.Identity(), nn.Identity(), noise=-1.0)
