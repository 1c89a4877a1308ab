"""Digits by class from a diffusion model: a classifier reads what was asked for, beside a VAE and a GAN."""

from dataclasses import dataclass

import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.experiments.generative._digit_rivals import (
    GANSettings,
    draw_dcgan,
    draw_vae,
    train_dcgan,
    train_vae,
)
from gradatim.experiments.generative._digits import (
    DigitSettings,
    Judge,
    even_labels,
    load_digits,
    make_judge,
    train_diffusion,
)
from gradatim.generative import ClassifierFeatures, copying_share, nearest_rows, sample
from gradatim.plots import comparison_bars, image_grid
from gradatim.reports import Report

COVERS = ("K3",)
KEYWORDS = "denoising diffusion, DDPM, conditional generation, U-Net"


@dataclass(frozen=True)
class Settings(DigitSettings):
    """Minutes are of one core, for each generator; the VAE and the GAN have as many as the diffusion model."""

    epochs: int = 18
    judge_epochs: int = 8
    vae_epochs: int = 250
    gan_epochs: int = 36
    gan_lr: float = 2e-4
    gan_width: int = 32
    minutes: float = 30.0
    accuracy: float = 0.993
    agreement: float = 0.95
    guided: float = 0.99


QUICK = Settings(
    data="digits", widths=(128,), epochs=150, batch_size=128, judge_epochs=20, samples=700, lr=4e-3, vae_epochs=30, gan_epochs=20, gan_lr=1e-3, gan_width=16, minutes=1.0,
    accuracy=0.93, agreement=0.85, guided=0.95,
)  # fmt: skip


SHOWN = {
    "diffusion": "Drawn by the diffusion model without guidance: zero to nine in each row.",
    "VAE": "The same from the VAE.",
    "GAN": "The same from the GAN.",
}


def run(settings: Settings) -> Report:
    report = Report(
        title="Digits by class from a diffusion model",
        summary="A network that takes noise away makes digits of noise. A classifier reads them as what was asked for, they are "
        "nearer to test images than those of a VAE and of a GAN, and guidance makes nearly all legible at the price of variety.",
    )
    digits = load_digits(settings)
    judged = make_judge(digits, settings)
    model, own_minutes = train_diffusion(digits, settings)
    label = even_labels(settings.samples)
    drawn = {}
    for name, w in (("diffusion", 0.0), ("diffusion, guidance 2", 2.0)):
        source = torch.Generator().manual_seed(settings.seed)
        drawn[name] = sample(model, settings.samples, steps=50, label=label, guidance=w, generator=source)  # fmt: skip
    minutes = {"diffusion": own_minutes}
    vae, minutes["VAE"] = train_vae(digits, epochs=settings.vae_epochs, seed=settings.seed)
    drawn["VAE"] = draw_vae(vae, label, digits.side, settings.seed)
    players = GANSettings(
        settings.gan_epochs, settings.gan_width, lr=settings.gan_lr, seed=settings.seed
    )
    gan, minutes["GAN"] = train_dcgan(digits, players, ClassifierFeatures(judged.classifier))
    drawn["GAN"] = draw_dcgan(gan, label, settings.seed)
    own = digits.train[0][: settings.samples], digits.train[1][: settings.samples]
    figures = {name: (judged.agreement(x, label), judged.distance(x)) for name, x in drawn.items()}
    figures["training images"] = judged.agreement(*own), judged.distance(own[0])
    claim(report, settings, judged, figures, minutes)
    if settings.data != "mnist":
        report.text("In this version the GAN has convolutions and the diffusion model dense layers: which of them is nearer says nothing about either.")  # fmt: skip
    columns = ["", "agreement", "Fréchet distance to test images", "minutes of one core"]
    report.table(f"{settings.samples:,} images of each", columns=columns, rows=[[name, *pair, minutes.get(name, "")] for name, pair in figures.items()])  # fmt: skip
    held_out = digits.test[0].flatten(1)
    copied = copying_share(drawn["diffusion"][:1000].flatten(1), digits.train[0].flatten(1), held_out, seed=settings.seed)  # fmt: skip
    report.text(f"The share of samples whose nearest image, among as many training as test images, is a training image: {copied.value:.3f} ({copied.low:.3f} to {copied.high:.3f}); honest is 0.5. Distances are in the features of the classifier that was trained here: comparable with each other and with nothing else.")  # fmt: skip
    for name, words in SHOWN.items():
        report.figure(
            name.lower(), image_grid((drawn[name][:40] + 1) / 2, columns=10), caption=words
        )
    report.figure("neighbours", pairs(drawn["diffusion"][:10], digits.train[0]), caption="Drawn digits, and below each the nearest training image.")  # fmt: skip
    distances = {name: pair[1] for name, pair in figures.items()}
    report.figure("distances", comparison_bars(distances, label="Fréchet distance to test images", highlight="diffusion"), caption="Distance to test images.")  # fmt: skip
    return report


def claim(
    report: Report, settings: Settings, judged: Judge, figures: dict[str, tuple[float, float]], minutes: dict[str, float]
) -> None:  # fmt: skip
    report.claim("the classifier can judge", judged.accuracy(), "accuracy on test images", at_least=settings.accuracy)  # fmt: skip
    report.claim("the diffusion model learned in its time", minutes["diffusion"], "minutes of one core", at_most=settings.minutes)  # fmt: skip
    report.claim("samples are what was asked for", figures["diffusion"][0], "agreement", at_least=settings.agreement)  # fmt: skip
    report.claim("with guidance nearly all", figures["diffusion, guidance 2"][0], "agreement with w = 2", at_least=settings.guided)  # fmt: skip
    own, real = (figures[name][1] for name in ("diffusion", "training images"))
    is_full = settings.data == "mnist"
    if is_full:
        report.claim("the VAE and the GAN had as long", min(minutes["VAE"], minutes["GAN"]) / minutes["diffusion"], "minutes of the shorter, as a share of the diffusion model's", at_least=0.9)  # fmt: skip
    for name in ("VAE", "GAN") if is_full else ("VAE",):
        other = figures[name][1]
        report.claim(f"they are nearer to test images than those of the {name}", own / other, f"ratio of distances; of training images {real / other:.2g}", below=1)  # fmt: skip


def pairs(samples: Tensor, train: Tensor) -> Figure:
    near = train[nearest_rows(samples, train)[1][:, 0]]
    return image_grid((torch.cat([samples, near]) + 1) / 2, columns=10)
