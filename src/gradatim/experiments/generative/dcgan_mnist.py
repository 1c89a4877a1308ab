"""Digits by class from two networks that play: what samples tell, and what losses do not."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.experiments.generative._digit_rivals import GANSettings, draw_dcgan, train_dcgan
from gradatim.experiments.generative._digits import (
    DigitSettings,
    Judge,
    even_labels,
    load_digits,
    make_judge,
)
from gradatim.generative import ClassifierFeatures, GANTraining, copying_share, precision_recall
from gradatim.plots import image_grid
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report

COVERS = ("K2",)
KEYWORDS = "deep convolutional GAN, spectral normalization, generator, discriminator"
NORMS = {"batch": "batch normalization", "spectral": "spectral normalization"}
MOST = 2_000  # rows whose neighbours are looked at


@dataclass(frozen=True)
class Settings(DigitSettings):
    epochs: int = 12
    width: int = 32
    lr: float = 2e-4
    judge_epochs: int = 4
    accuracy: float = 0.985
    agreement: float = 0.95


QUICK = Settings(data="digits", epochs=65, width=16, lr=1e-3, judge_epochs=20, samples=700, accuracy=0.93, agreement=0.8)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Digits from two networks that play",
        summary="A generator of transposed convolutions and a discriminator of convolutions, both told the class. How good samples "
        "are is measured on samples; the losses of the players say how the game stands between them, and no more.",
    )
    digits = load_digits(settings)
    judged = make_judge(digits, settings)
    see, label = ClassifierFeatures(judged.classifier), even_labels(settings.samples)
    games, drawn, minutes = {}, {}, {}
    for norm, name in NORMS.items():
        players = GANSettings(settings.epochs, settings.width, norm, settings.lr, settings.seed)  # fmt: skip
        games[name], minutes[name] = train_dcgan(digits, players, see)
        drawn[name] = draw_dcgan(games[name], label, settings.seed)
    images = {**drawn, "training images": digits.train[0][: settings.samples]}
    figures = {name: measure(judged, x, label if name in drawn else digits.train[1][: len(x)]) for name, x in images.items()}  # fmt: skip
    claim(report, settings, judged, games, figures)
    columns = ["", "agreement", "Fréchet distance", "precision", "recall", "best epoch", "minutes of one core"]  # fmt: skip
    told = {name: (game.best_epoch, minutes[name]) for name, game in games.items()}
    report.table(f"{settings.samples:,} images of each against test images", columns=columns, rows=[[name, *row, *told.get(name, ("", ""))] for name, row in figures.items()])  # fmt: skip
    for name, game in games.items():
        if game.warnings:
            report.text(f"What was said on the way, with {name}: " + " ".join(game.warnings[:3]))
    best = drawn[NORMS["spectral"]]
    copied = copying_share(best[:1000].flatten(1), digits.train[0].flatten(1), digits.test[0].flatten(1), seed=settings.seed)  # fmt: skip
    report.text(f"The share of samples whose nearest image, among as many training as test images, is a training image: {copied.value:.3f} ({copied.low:.3f} to {copied.high:.3f}); honest is 0.5. Distances are in the features of the classifier that was trained here.")  # fmt: skip
    for norm, name in NORMS.items():
        report.figure(norm, image_grid((drawn[name][:40] + 1) / 2, columns=10), caption=f"Zero to nine in each row, with {name} of the discriminator.")  # fmt: skip
    report.figure("game", draw(games), caption="Left and middle: losses of the players. Right: how far samples are from the data, in the classifier's features.")  # fmt: skip
    return report


def measure(judged: Judge, samples: Tensor, label: Tensor) -> tuple[float, float, float, float]:
    """Agreement, distance, precision and recall against test images."""
    see = ClassifierFeatures(judged.classifier)
    near = precision_recall(see(samples[:MOST]), see(judged.digits.test[0][:MOST]))
    return judged.agreement(samples, label), judged.distance(samples), float(near.precision), float(near.recall)  # fmt: skip


def claim(
    report: Report, settings: Settings, judged: Judge, games: Mapping[str, GANTraining], figures: Mapping[str, tuple[float, float, float, float]]
) -> None:  # fmt: skip
    report.claim("the classifier can judge", judged.accuracy(), "accuracy on test images", at_least=settings.accuracy)  # fmt: skip
    held = NORMS["spectral"]
    report.claim("samples are what was asked for", figures[held][0], f"agreement, with {held}", at_least=settings.agreement)  # fmt: skip
    for name, game in games.items():
        distances = np.array([record["sample_distance"] for record in game.history.records])
        report.claim(f"samples come nearer to the data, with {name}", distances.min() / distances[0], "smallest distance of an epoch, as a share of that of the first", below=0.2)  # fmt: skip
        report.claim(f"the weights of the nearest epoch come back, with {name}", game.best_epoch, equals=1 + int(distances.argmin()))  # fmt: skip
    records = games[held].history.records
    rises = record_of(records, "train_generator_loss")
    report.claim("the generator's loss does not fall while samples become better", rises[-1] / rises[0], "last over first", above=0.8)  # fmt: skip


def record_of(records: list[dict[str, float]], name: str) -> np.ndarray:
    return np.array([record[name] for record in records], dtype=float)


def draw(games: Mapping[str, GANTraining]) -> Figure:
    names = {"train_generator_loss": "loss of the generator", "train_discriminator_loss": "loss of the discriminator", "sample_distance": "distance of samples"}  # fmt: skip
    panels = [
        CurvePanel(title, "epoch", "", {name: (record_of(game.history.records, "epoch"), record_of(game.history.records, key)) for name, game in games.items()}, is_log_y=key == "sample_distance")
        for key, title in names.items()
    ]  # fmt: skip
    return curve_panels(panels, width=3.8, height=3.4)
