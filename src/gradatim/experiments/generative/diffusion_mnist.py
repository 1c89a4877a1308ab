"""Digits by class from a diffusion model: a classifier reads what was asked for, and a VAE stands beside it."""

from dataclasses import dataclass

import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.experiments.generative._digits import (
    CLASSES,
    Digits,
    DigitSettings,
    Judge,
    Work,
    even_labels,
    load_digits,
    make_judge,
    train_diffusion,
)
from gradatim.generative import VAE, BoundObjective, copying_share, nearest_rows, sample
from gradatim.models import MLP
from gradatim.optim.schedules import warm_up
from gradatim.plots import comparison_bars, image_grid
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("K3",)
KEYWORDS = "denoising diffusion, DDPM, conditional generation, U-Net"


@dataclass(frozen=True)
class Settings(DigitSettings):
    """Minutes are of one processor, for each generator; the VAE stops where more epochs change nothing."""

    epochs: int = 12
    judge_epochs: int = 8
    vae_epochs: int = 60
    minutes: float = 30.0
    accuracy: float = 0.993
    agreement: float = 0.95
    guided: float = 0.99


QUICK = Settings(
    data="digits", widths=(128,), epochs=90, batch_size=128, judge_epochs=12, samples=700, lr=4e-3, vae_epochs=30, minutes=1.0,
    accuracy=0.95, agreement=0.85, guided=0.95,
)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Digits by class from a diffusion model",
        summary="A network that takes noise away makes digits of noise. A classifier reads them as what was asked for, they are "
        "nearer to test images than those of a VAE, and guidance makes nearly all legible at the price of variety.",
    )
    digits = load_digits(settings)
    judged = make_judge(digits, settings)
    model, minutes = train_diffusion(digits, settings)
    label = even_labels(settings.samples)
    drawn = {}
    for name, w in (("diffusion", 0.0), ("diffusion, guidance 2", 2.0)):
        source = torch.Generator().manual_seed(settings.seed)
        drawn[name] = sample(model, settings.samples, steps=50, label=label, guidance=w, generator=source)  # fmt: skip
    drawn["VAE"], vae_minutes = train_vae(digits, settings, label)
    own = digits.train[0][: settings.samples], digits.train[1][: settings.samples]
    figures = {name: (judged.agreement(x, label), judged.distance(x)) for name, x in drawn.items()}
    figures["training images"] = judged.agreement(*own), judged.distance(own[0])
    claim(report, settings, judged, figures, (minutes, vae_minutes))
    columns = ["", "agreement", "Fréchet distance to test images"]
    report.table(f"{settings.samples:,} images of each", columns=columns, rows=[[name, *pair] for name, pair in figures.items()])  # fmt: skip
    held_out = digits.test[0].flatten(1)
    copied = copying_share(drawn["diffusion"][:1000].flatten(1), digits.train[0].flatten(1), held_out, seed=settings.seed)  # fmt: skip
    report.text(f"The share of samples whose nearest image, among as many training as test images, is a training image: {copied.value:.3f} ({copied.low:.3f} to {copied.high:.3f}); honest is 0.5. Distances are in the features of the classifier that was trained here: comparable with each other and with nothing else.")  # fmt: skip
    rows = [drawn[name][:40] for name in ("diffusion", "VAE")]
    report.figure("digits", image_grid((rows[0] + 1) / 2, columns=10), caption="Drawn without guidance: zero to nine in each row.")  # fmt: skip
    report.figure(
        "vae", image_grid((rows[1] + 1) / 2, columns=10), caption="The same from the VAE."
    )
    report.figure("neighbours", pairs(drawn["diffusion"][:10], digits.train[0]), caption="Drawn digits, and below each the nearest training image.")  # fmt: skip
    distances = {name: pair[1] for name, pair in figures.items()}
    report.figure("distances", comparison_bars(distances, label="Fréchet distance to test images", highlight="diffusion"), caption="Distance to test images.")  # fmt: skip
    return report


def claim(
    report: Report, settings: Settings, judged: Judge, figures: dict[str, tuple[float, float]], minutes: tuple[float, float]
) -> None:  # fmt: skip
    report.claim("the classifier can judge", judged.accuracy(), "accuracy on test images", at_least=settings.accuracy)  # fmt: skip
    report.claim("the diffusion model learned in its time", minutes[0], "processor minutes", at_most=settings.minutes)  # fmt: skip
    report.claim("and so did the VAE", minutes[1], "processor minutes", at_most=settings.minutes)
    report.claim("samples are what was asked for", figures["diffusion"][0], "agreement", at_least=settings.agreement)  # fmt: skip
    report.claim("with guidance nearly all", figures["diffusion, guidance 2"][0], "agreement with w = 2", at_least=settings.guided)  # fmt: skip
    report.claim("they are nearer to test images than those of the VAE", figures["diffusion"][1] / figures["VAE"][1], f"ratio of distances; of training images {figures['training images'][1] / figures['VAE'][1]:.2g}", below=1)  # fmt: skip


def train_vae(digits: Digits, settings: Settings, label: Tensor) -> tuple[Tensor, float]:
    """Means of a VAE by class, from -1 to 1, and the minutes that it learned."""
    X, y = digits.train
    pixels, hidden, code = digits.side**2, 400, 16
    with seeded(settings.seed):
        encoder = MLP((pixels, hidden, hidden, 2 * code), activation="silu")
        decoder = MLP((code + CLASSES, hidden, hidden, pixels), activation="silu")
        vae = VAE(encoder, decoder, code, num_classes=CLASSES)
    work = Work()
    trainer = Trainer(
        vae, objective=BoundObjective(augment=torch.bernoulli), lr=2e-3, schedule=warm_up(epochs=1), epochs=settings.vae_epochs,
        batch_size=128, callbacks=[work], seed=settings.seed, progress=False,
    )  # fmt: skip
    trainer.fit(((X.flatten(1) + 1) / 2, y))
    source = torch.Generator().manual_seed(settings.seed)
    means = vae.sample(len(label), label=label, is_mean=True, generator=source)
    return (2 * means - 1).reshape(-1, 1, digits.side, digits.side), work.minutes


def pairs(samples: Tensor, train: Tensor) -> Figure:
    near = train[nearest_rows(samples, train)[1][:, 0]]
    return image_grid((torch.cat([samples, near]) + 1) / 2, columns=10)
