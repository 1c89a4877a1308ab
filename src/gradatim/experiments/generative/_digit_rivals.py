"""Other generators of digits by class, beside which a diffusion model stands: a VAE and an adversarial network."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.experiments._fastest_step import FastestStep
from gradatim.experiments.generative._digits import CLASSES, Digits
from gradatim.generative import VAE, BoundObjective, GANTraining, train_gan
from gradatim.generative.judging import Features
from gradatim.models import MLP, DCGANDiscriminator, DCGANGenerator
from gradatim.optim.schedules import warm_up
from gradatim.randomness import seeded
from gradatim.training import Trainer

CODE, HIDDEN = 16, 400  # of the VAE
NOISE = 64  # entries of the generator's


def train_vae(digits: Digits, *, epochs: int, seed: int) -> tuple[VAE, float]:
    """A VAE of dense layers that learned zeros and ones by class, and its minutes of one core."""
    X, y = digits.train
    pixels = digits.side**2
    with seeded(seed):
        encoder = MLP((pixels, HIDDEN, HIDDEN, 2 * CODE), activation="silu")
        decoder = MLP((CODE + CLASSES, HIDDEN, HIDDEN, pixels), activation="silu")
        vae = VAE(encoder, decoder, CODE, num_classes=CLASSES)
    fastest = FastestStep()
    trainer = Trainer(
        vae, objective=BoundObjective(augment=torch.bernoulli), lr=2e-3, schedule=warm_up(epochs=1), epochs=epochs,
        batch_size=128, callbacks=[fastest], seed=seed, progress=False,
    )  # fmt: skip
    trainer.fit(((X.flatten(1) + 1) / 2, y))
    return vae, fastest.minutes


def draw_vae(vae: VAE, label: Tensor, side: int, seed: int) -> Tensor:
    """Means of digits of the classes asked for, from -1 to 1."""
    source = torch.Generator().manual_seed(seed)
    means = vae.sample(len(label), label=label, is_mean=True, generator=source)
    return (2 * means - 1).reshape(-1, 1, side, side)


class GANSettings(NamedTuple):
    """How an adversarial network of convolutions learns."""

    epochs: int
    width: int = 32
    norm: str = "spectral"
    lr: float = 2e-4
    seed: int = 0


def train_dcgan(
    digits: Digits, settings: GANSettings, see: Features | None = None
) -> tuple[GANTraining, float]:
    """Convolutional players by class, and their minutes of one core; ``see`` gives features in which the best epoch is found."""
    X, y = digits.train
    with seeded(settings.seed):
        generator = DCGANGenerator(NOISE, digits.side, width=settings.width, num_classes=CLASSES)
        discriminator = DCGANDiscriminator(digits.side, width=settings.width, norm=settings.norm, num_classes=CLASSES)  # fmt: skip
    fastest = FastestStep()
    trained = train_gan(
        generator, discriminator, ((X + 1) / 2, y), latent_dim=NOISE, epochs=settings.epochs, lr=settings.lr, seed=settings.seed,
        features=None if see is None else lambda rows: see(2 * rows - 1), callbacks=[fastest], progress=False,
    )  # fmt: skip
    return trained, fastest.minutes


def draw_dcgan(trained: GANTraining, label: Tensor, seed: int) -> Tensor:
    """Digits of the classes asked for, from -1 to 1."""
    source = torch.Generator().manual_seed(seed)
    return 2 * trained.gan.sample(len(label), label=label, generator=source) - 1
