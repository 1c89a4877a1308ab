"""MNIST in nats: a VAE of dense layers, its likelihood by a thousand importance samples, and what its codes are."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.data import load
from gradatim.experiments._fastest_step import FastestStep
from gradatim.generative import (
    VAE,
    Autoencoder,
    BoundObjective,
    ClassifierFeatures,
    elbo,
    frechet_distance,
    importance_weighted_bound,
    interpolate,
    latent_plane,
)
from gradatim.models import MLP
from gradatim.optim.schedules import cosine, linear, warm_up
from gradatim.plots import comparison_bars, image_rows, image_sheet, latent_map
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Callback, Trainer

COVERS = ("K1",)
KEYWORDS = "variational autoencoder, evidence lower bound ELBO, reparameterization trick, importance sampling"
GOAL = -87.5  # nats of a test image, in forty minutes of one core
PUBLISHED = {
    "pythae's benchmark, VAE": -89.8,
    "Burda et al., VAE, 3,280 epochs": -86.8,
    "Burda et al., 50 samples in training": -84.8,
}
PIXELS = 784


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    train_rows: int = 60_000
    test_rows: int = 10_000
    latent_dim: int = 50
    hidden: tuple[int, ...] = (400, 400)
    epochs: int = 60
    weighted_epochs: int = 30
    weighted_samples: int = 5
    samples: int = 1000
    plane_epochs: int = 15
    judged_rows: int = 5_000


QUICK = Settings(
    train_rows=6_000, test_rows=500, hidden=(200,), epochs=12, weighted_epochs=2, samples=100, plane_epochs=5, judged_rows=500,
)  # fmt: skip


@dataclass(frozen=True)
class Images:
    """Rows of grey values, test images drawn once as zeros and ones, and labels."""

    train: Tensor
    test: Tensor
    grey: Tensor
    train_labels: Tensor
    labels: Tensor


def load_images(settings: Settings) -> Images:
    """The published parts of MNIST; test images are drawn with seed 0, whatever the seed of the run."""
    data = load("mnist")
    (X, y), (X_test, y_test) = (
        tuple(torch.as_tensor(p) for p in part) for part in (data.train, data.test)
    )
    grey = X_test.reshape(-1, PIXELS)
    test = torch.bernoulli(grey, generator=torch.Generator().manual_seed(0))
    rows, most = settings.train_rows, settings.test_rows
    return Images(X[:rows].reshape(-1, PIXELS), test[:most], grey[:most], y[:rows], y_test[:most])


def decoder_of(train: Tensor, sizes: Sequence[int]) -> MLP:
    """A dense decoder that begins with the mean image, whatever the code."""
    decoder = MLP(sizes, activation="silu")
    with torch.no_grad():
        decoder[-1].bias.copy_(train.mean(0).clamp(1e-3, 1 - 1e-3).logit())
    return decoder


def build(train: Tensor, latent_dim: int, settings: Settings) -> VAE:
    """A VAE of zeros and ones, with the same hidden layers on both sides."""
    with seeded(settings.seed):
        encoder = MLP((PIXELS, *settings.hidden, 2 * latent_dim), activation="silu")
        decoder = decoder_of(train, (latent_dim, *settings.hidden[::-1], PIXELS))
    return VAE(encoder, decoder, latent_dim)


def train_vae(
    vae: VAE, train: Tensor, settings: Settings, *, callbacks: Sequence[Callback] = ()
) -> float:
    """Train by the ELBO at a high rate, then by the importance-weighted bound at a falling one.

    Returns:
        Minutes of one core, of steps as fast as the fastest.
    """
    minutes = 0.0
    stages = (
        (1, settings.epochs, warm_up(epochs=0.5, then=linear(floor=0.5))),
        (settings.weighted_samples, settings.weighted_epochs, cosine()),
    )
    for stage, (samples, epochs, schedule) in enumerate(stages):
        fastest = FastestStep()
        trainer = Trainer(
            vae,
            objective=BoundObjective(samples, augment=torch.bernoulli),
            lr=2e-3 / (1 + stage),
            schedule=schedule,
            epochs=epochs,
            batch_size=100,
            callbacks=[fastest, *callbacks],
            seed=settings.seed + 1000 * stage,
        )
        trainer.fit((train, train))
        minutes += fastest.minutes
    return minutes


def train_plane(images: Images, settings: Settings) -> VAE:
    """A VAE whose codes can be drawn: two numbers each."""
    vae = build(images.train, 2, settings)
    objective = BoundObjective(augment=torch.bernoulli)
    trainer = Trainer(vae, objective=objective, lr=2e-3, schedule="cosine", epochs=settings.plane_epochs, batch_size=100, seed=settings.seed)  # fmt: skip
    trainer.fit((images.train, images.train))
    return vae.eval()


def train_autoencoder(images: Images, settings: Settings) -> Autoencoder:
    """The same networks and pixels without a drawn code and its divergence."""
    with seeded(settings.seed):
        encoder = MLP((PIXELS, *settings.hidden, settings.latent_dim), activation="silu")
        decoder = decoder_of(images.train, (settings.latent_dim, *settings.hidden[::-1], PIXELS))
    model = Autoencoder(encoder, decoder)
    trainer = Trainer(model, "bce", lr=2e-3, schedule="cosine", epochs=settings.plane_epochs, batch_size=100, seed=settings.seed)  # fmt: skip
    trainer.fit((images.train, images.train))
    return model.eval()


def train_judge(images: Images, settings: Settings) -> nn.Module:
    """A classifier in whose features samples are compared with test images."""
    with seeded(settings.seed):
        classifier = MLP((PIXELS, 256, 64, 10), dropout=0.2)
    Trainer(classifier, epochs=settings.plane_epochs // 3, seed=settings.seed).fit((images.train, images.train_labels))  # fmt: skip
    return classifier.eval()


@torch.no_grad()
def draw_samples(
    vae: VAE, autoencoder: Autoencoder, images: Images, settings: Settings
) -> dict[str, Tensor]:
    """Grey values from each model, where codes are drawn from the prior and, of the autoencoder, also from a Gaussian of its codes."""
    count = min(settings.judged_rows, len(images.test))
    g = torch.Generator().manual_seed(settings.seed)
    codes = autoencoder.encode(images.train)
    root = torch.linalg.cholesky(codes.T.cov() + 1e-6 * torch.eye(codes.shape[1]))
    noise = torch.randn(count, settings.latent_dim, generator=g)
    return {
        "VAE": vae.sample(count, is_mean=True, generator=g),
        "autoencoder, Gaussian of its codes": autoencoder.decode(codes.mean(0) + noise @ root.T).sigmoid(),
        "autoencoder, standard Gaussian": autoencoder.decode(noise).sigmoid(),
        "training images": images.train[:count],
    }  # fmt: skip


def claim_likelihood(
    report: Report, vae: VAE, images: Images, minutes: float, settings: Settings
) -> None:
    """Bounds of test images beside published ones."""
    g = torch.Generator().manual_seed(settings.seed)
    is_full = settings.train_rows >= 60_000 and settings.test_rows >= 10_000
    with torch.no_grad():
        parts = elbo(vae, images.test, samples=10, generator=g)
        middle = importance_weighted_bound(vae, images.test, 50, generator=g)
        best = importance_weighted_bound(vae, images.test, settings.samples, generator=g)
        drawn = torch.bernoulli(images.train[: settings.test_rows], generator=g)
        learned = importance_weighted_bound(vae, drawn, 50, generator=g)
    means = [float(part.mean()) for part in (parts.bound, middle, best)]
    error = float(best.std()) / len(best) ** 0.5
    average = images.train.mean(0).clamp(1e-3, 1 - 1e-3)
    alone = float((images.test * average.log() + (1 - images.test) * (1 - average).log()).sum(1).mean())  # fmt: skip
    if is_full:
        report.claim("nats of a test image, by 1,000 importance samples", means[2], "log-likelihood", above=GOAL)  # fmt: skip
        report.claim("minutes of one core in training", minutes, at_most=40.0)
    else:
        report.claim("a code is worth tens of nats", means[2] - alone, "nats more than independent pixels have", above=60.0)  # fmt: skip
    report.claim(
        "the bound rises with the samples",
        ", ".join(f"{mean:.2f}" for mean in means), f"of the ELBO, 50 and {settings.samples:,} samples",
        holds=means == sorted(means),
    )  # fmt: skip
    report.text(f"A test image has {means[2]:.2f} nats, give or take {error:.2f} for the choice of test images; a training image, by 50 samples, {float(learned.mean()):.2f} (test: {means[1]:.2f}).")  # fmt: skip
    rows = {"independent pixels": alone, "this run": means[2], **PUBLISHED}
    report.table(
        "Log-likelihood of a test image, at least",
        columns=["model", "nats"],
        rows=[[name, value] for name, value in rows.items()],
    )
    report.table(
        "The ELBO in parts",
        columns=["part", "nats"],
        rows=[["ELBO", means[0]], ["log-likelihood given the code", float(parts.log_likelihood.mean())], ["divergence from the prior", float(parts.kl.sum(1).mean())], ["entries of the code in use", int((parts.kl.mean(0) > 0.05).sum())]],
    )  # fmt: skip


def claim_samples(report: Report, vae: VAE, images: Images, settings: Settings) -> None:
    """Samples of a VAE against those of an autoencoder, in the features of a classifier."""
    samples = draw_samples(vae, train_autoencoder(images, settings), images, settings)
    judge = ClassifierFeatures(train_judge(images, settings))
    count = len(samples["VAE"])
    wanted = judge(images.grey[:count])
    distances = {
        name: float(frechet_distance(judge(rows), wanted)) for name, rows in samples.items()
    }
    claimed = distances["VAE"] / distances["autoencoder, standard Gaussian"]
    report.claim(
        "codes drawn from the prior become digits in a VAE, and not in an autoencoder",
        claimed, "Fréchet distance over the autoencoder's", below=0.75,
    )  # fmt: skip
    report.figure("distances", comparison_bars(distances, label="Fréchet distance to test images, in features of a classifier trained here", highlight="VAE"), caption="Training images are what a perfect generator would have. The figure cannot be compared with distances in features of an Inception network.")  # fmt: skip
    shown = {name.replace("autoencoder, ", "autoencoder,\n"): rows[:14].reshape(-1, 1, 28, 28) for name, rows in samples.items()}  # fmt: skip
    report.figure(
        "samples", image_rows(shown), caption="Grey values are probabilities; nothing was selected."
    )


@torch.no_grad()
def show(report: Report, vae: VAE, plane: VAE, images: Images) -> None:
    """Reconstructions, the way between two digits, and a plane of codes."""
    first, second = images.test[:14], images.test[14:28]
    pair = vae.encode(first[:4]).mean, vae.encode(second[:4]).mean
    ways = vae.decode(interpolate(*pair, 14)).sigmoid()  # (14, 4, 784)
    pictures = {"test image": first, "its reconstruction": vae(first)}
    report.figure("reconstructions", image_rows(_images(pictures)), caption="Zeros and ones that the model has not seen, and the probabilities that it makes of their codes.")  # fmt: skip
    rows = {
        f"{int(images.labels[k])} to {int(images.labels[14 + k])}": ways[:, k] for k in range(4)
    }
    report.figure("interpolation", image_rows(_images(rows)), caption="Straight lines between the codes of two test images.")  # fmt: skip
    sheet = plane.decode(latent_plane(20)).sigmoid().reshape(-1, 1, 28, 28)
    report.figure("plane", image_sheet(sheet, 20), caption="A second VAE has codes of two numbers. Each picture stands for one four-hundredth of the prior.")  # fmt: skip
    codes = plane.encode(images.test[:3000]).mean
    report.figure("map", latent_map(codes, images.labels[:3000]), caption="Test images by their code, coloured by the digit, which the model was never told.")  # fmt: skip


def run(settings: Settings) -> Report:
    images = load_images(settings)
    vae = build(images.train, settings.latent_dim, settings)
    minutes = train_vae(vae, images.train, settings)
    vae.eval()
    report = Report(
        title="A VAE of MNIST",
        summary="Codes from a standard Gaussian explain digits, and new codes become new digits.",
    )
    claim_likelihood(report, vae, images, minutes, settings)
    claim_samples(report, vae, images, settings)
    show(report, vae, train_plane(images, settings), images)
    return report


def _images(rows: dict[str, Tensor]) -> dict[str, np.ndarray]:
    return {name: np.asarray(part.reshape(-1, 1, 28, 28)) for name, part in rows.items()}
