"""A vision Transformer from scratch leans on distorted images more than on any other regularizer."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor

from gradatim.data import rand_augment, random_affine, random_crop
from gradatim.experiments._digits import scatter, split_digits
from gradatim.losses import smoothed_cross_entropy
from gradatim.models import ViT
from gradatim.plots import comparison_bars
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Augmented, MixUp, Trainer

COVERS = ("G5", "D6", "D1")
KEYWORDS = "vision transformer ViT from scratch, ablation, data augmentation, RandAugment, MixUp, stochastic depth, label smoothing, weight decay, inductive bias, data hungry"
SIDE = 10  # of the canvas on which a digit stands anywhere
ALL, NONE = "all of them", "without any"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 1000
    networks: int = 3
    epochs: tuple[int, ...] = (15, 120)
    dim: int = 48
    parts: tuple[str, ...] = ("distortions", "RandAugment", "MixUp", "label smoothing", "stochastic depth", "weight decay")  # fmt: skip


QUICK = Settings(
    rows=300, networks=1, epochs=(12,), dim=24, parts=("distortions", "label smoothing")
)


def test_error(used: set[str], epochs: int, settings: Settings, seed: int) -> float:
    """In per cent, with these regularizers."""
    (X, y), (X_test, y_test) = split_digits(seed)
    generator = torch.Generator().manual_seed(seed)
    X, y = scatter(X[: settings.rows], SIDE, generator), y[: settings.rows]
    stages: list[Callable[[Tensor], Tensor]] = []
    if "distortions" in used:
        stages += [partial(random_crop, padding=2), partial(random_affine, degrees=10.0, shift=0.0)]  # fmt: skip
    if "RandAugment" in used:
        stages.append(partial(rand_augment, strength=0.15))
    mixing = MixUp(10, alpha=0.2).mixing if "MixUp" in used else None
    with seeded(seed):
        model = ViT(SIDE, 2, 10, dim=settings.dim, num_layers=3, last_drop=0.1 if "stochastic depth" in used else 0.0)  # fmt: skip
    trainer = Trainer(
        model, smoothed_cross_entropy(0.1) if "label smoothing" in used else "cross_entropy", "adamw", lr=3e-3,
        weight_decay=0.05 if "weight decay" in used else 0.0, schedule="cosine", epochs=epochs, batch_size=50,
        objective=Augmented(stages, mixing=mixing), clip_norm=1.0, seed=seed, progress=False,
    )  # fmt: skip
    trainer.fit((X, y))
    return (
        100
        * (trainer.predict(scatter(X_test, SIDE, generator)).argmax(1) != y_test)
        .double()
        .mean()
        .item()
    )


def errors_by_choice(epochs: int, settings: Settings) -> dict[str, list[float]]:
    """Test errors with all regularizers, without one of them at a time, and without any."""
    parts = settings.parts
    choices = {ALL: set(parts), **{f"without {one}": set(parts) - {one} for one in parts}, NONE: set()}  # fmt: skip
    seeds = range(100 * settings.seed, 100 * settings.seed + settings.networks)
    return {name: [test_error(used, epochs, settings, seed) for seed in seeds] for name, used in choices.items()}  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="What a vision Transformer from scratch needs",
        summary="Nothing in it knows that a digit remains one when it stands elsewhere, so it must see it elsewhere: in a long "
        "training distorted images are missed most. In a short one every regularizer only slows it down.",
    )
    found = {epochs: errors_by_choice(epochs, settings) for epochs in settings.epochs}
    means = {epochs: {name: float(np.mean(e)) for name, e in errors.items()} for epochs, errors in found.items()}  # fmt: skip
    short, *longer = means
    report.claim(f"{short} passes over the data: all of them together do not help yet", means[short][ALL] / means[short][NONE], "times the test error without any", at_least=0.95)  # fmt: skip
    for epochs in longer:
        mean = means[epochs]
        report.claim(f"{epochs} passes: together they help", mean[ALL] / mean[NONE], "of the test error without any", below=0.8)  # fmt: skip
        singles = {name: e for name, e in mean.items() if name not in (ALL, NONE)}
        report.claim(f"{epochs} passes: the one that is missed most", max(singles, key=singles.__getitem__), equals="without distortions")  # fmt: skip
    for epochs, errors in found.items():
        report.table(
            f"{settings.rows} digits, {epochs} passes, {settings.networks} networks each: test error in per cent",
            columns=["training", "mean", "standard deviation"],
            rows=[[name, means[epochs][name], float(np.std(e))] for name, e in errors.items()],
        )
        report.figure(
            f"removed-{epochs}",
            comparison_bars(means[epochs], label="test error, %", highlight=ALL, title=f"{epochs} passes over {settings.rows} digits"),
            caption="A Transformer of three blocks on digits that stand anywhere on a canvas: all regularizers, one removed at a time, and none.",
        )  # fmt: skip
    return report
