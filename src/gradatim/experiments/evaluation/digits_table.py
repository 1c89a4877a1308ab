"""Digits, offline and in seconds: a network with ridge or dropout against logistic regression and LDA."""

from dataclasses import dataclass
from functools import partial

import torch
from sklearn.model_selection import train_test_split

from gradatim.experiments._digits import digit_images
from gradatim.experiments.evaluation._digits_comparison import (
    Split,
    build_report,
    fit_lda,
    train_network,
)
from gradatim.reports import Report

COVERS = ("D10", "D4", "D2")
KEYWORDS = "ridge, dropout, logistic regression, LDA, baseline, MNIST in small"
HIDDEN = (256, 128)


@dataclass(frozen=True)
class Settings:
    """Shares of the 1,797 images, epochs and penalties."""

    seed: int = 0
    test_fraction: float = 0.3
    validation_share: float = 0.1
    epochs: int = 100
    weight_decay: float = 1e-3
    dropout: float = 0.3


QUICK = Settings(epochs=40)


def load_split(settings: Settings) -> Split:
    """Cut test and validation sets, each with the same share of every digit."""
    images, labels = digit_images()
    rest, test = train_test_split(
        torch.arange(len(labels)),
        test_size=settings.test_fraction,
        random_state=settings.seed,
        stratify=labels,
    )
    train, held_out = train_test_split(
        rest, test_size=settings.validation_share, random_state=settings.seed, stratify=labels[rest]
    )
    return Split(*((images[rows], labels[rows]) for rows in (train, held_out, test)))


def run(settings: Settings) -> Report:
    split = load_split(settings)
    train = partial(
        train_network, split=split, batch_size=32, epochs=settings.epochs, seed=settings.seed
    )
    ridge = train("network, ridge", hidden=HIDDEN, weight_decay=settings.weight_decay)
    dropout = train("network, dropout", hidden=HIDDEN, dropout=settings.dropout)
    logistic = train("logistic", hidden=(), lr=0.01, weight_decay=1e-4)
    results = [dropout, ridge, logistic, fit_lda(split)]

    def claims(report: Report, errors: dict[str, float]) -> None:
        linear = min(errors["logistic"], errors["LDA"])
        network = min(errors["network, ridge"], errors["network, dropout"])
        report.claim(
            "a network beats the linear models",
            expected=f"error < {linear:.2f} %",
            measured=round(network, 2),
            holds=network < linear,
        )
        report.claim(
            "a network reads digits well", round(network, 2), "error <= 4 %", holds=network <= 4.0
        )

    return build_report("Digits: networks against linear models", split, results, {}, claims)
