"""Noise on inputs is ridge, exactly; on images a distortion helps if it is one that new images have."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from gradatim.data import add_noise, cutout, rand_augment, random_affine, random_crop, random_flip
from gradatim.experiments._digits import Pair, on_canvas, scatter, split_digits
from gradatim.linear import fit_least_squares, fit_ridge
from gradatim.models import MLP
from gradatim.plots import comparison_bars
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.latent import image_rows
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.theory import log_log_slope
from gradatim.training import Augmented, MixUp, Trainer

COVERS = ("D6", "D2")
KEYWORDS = "data augmentation, noise injection, Tikhonov, ridge, random flip, rotation, crop, cutout, MixUp, RandAugment, invariance"
Stage = Callable[[Tensor], Tensor]
SHIFT, MIRROR = "shift", "mirror (no law of digits)"
STAGES: dict[str, Stage] = {
    SHIFT: partial(random_crop, padding=2),
    "turn and scale": partial(random_affine, degrees=10.0, shift=0.0, scale=0.1),
    "noise": partial(add_noise, std=0.15),
    "cutout": partial(cutout, size=2),
    "RandAugment": partial(rand_augment, strength=0.15),
    MIRROR: random_flip,
}
TOGETHER = "shift, turn and cutout"
SIDE = 12


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 300
    networks: int = 10
    epochs: int = 200
    copies: tuple[int, ...] = (1, 4, 16, 64, 256)


QUICK = Settings(networks=1, epochs=60, copies=(1, 16, 256))


def check_ridge(report: Report, settings: Settings) -> CurvePanel:
    """N rows, noise of variance σ²: least squares on all noisy copies is ridge with λ = Nσ²."""
    generator = torch.Generator().manual_seed(settings.seed)
    N, d, std = 40, 5, 0.5
    X = torch.randn(N, d, generator=generator, dtype=torch.float64)
    y = X @ torch.randn(d, generator=generator, dtype=torch.float64) + torch.randn(N, generator=generator, dtype=torch.float64)  # fmt: skip
    ridge = torch.linalg.solve(X.T @ X + N * std**2 * torch.eye(d, dtype=X.dtype), X.T @ y)
    named = fit_ridge(X, y, weight_decay=2 * std**2, fit_intercept=False).weight
    report.claim("λ = Nσ² for the sum of squares is γ = 2σ² for their mean", (ridge - named).abs().max(), "largest difference of the weights", below=1e-10)  # fmt: skip
    moves = (
        std * d**0.5 * torch.cat([torch.eye(d), -torch.eye(d)]).double()
    )  # mean 0, covariance σ²
    copies = (X[:, None] + moves).reshape(-1, d)
    exact = fit_least_squares(copies, y.repeat_interleave(2 * d), fit_intercept=False).weight
    report.claim("least squares on copies whose noise has covariance σ² exactly is ridge", (exact - ridge).abs().max(), "largest difference of the weights", below=1e-10)  # fmt: skip
    gaps = []
    for count in settings.copies:
        draws = []
        for _ in range(40):
            noisy = add_noise(X.repeat(count, 1), std=std, generator=generator)
            draws.append((fit_least_squares(noisy, y.repeat(count), fit_intercept=False).weight - ridge).norm())  # fmt: skip
        gaps.append(torch.stack(draws).mean().item())
    report.claim("with drawn noise the distance falls with this power of the number of copies", log_log_slope(settings.copies, gaps), near=(-0.5, 0.1))  # fmt: skip
    slow = [gaps[0] * (settings.copies[0] / c) ** 0.5 for c in settings.copies]
    return CurvePanel("Noise on inputs and ridge", "noisy copies of the rows", "distance of the weights", {"drawn noise": (settings.copies, gaps)}, {"copies^−½": (settings.copies, slow)}, is_log_x=True, is_log_y=True)  # fmt: skip


def test_error(pair: Pair, test: Pair, objective: Augmented | MixUp | None, epochs: int, seed: int) -> float:  # fmt: skip
    """Of a network of dense layers, which knows nothing of images, in per cent."""
    with seeded(seed):
        model = MLP((SIDE**2, 128, 10))
    trainer = Trainer(model, lr=3e-3, schedule="cosine", epochs=epochs, batch_size=50, objective=objective, seed=seed, progress=False)  # fmt: skip
    trainer.fit(pair)
    return 100 * (trainer.predict(test[0]).argmax(1) != test[1]).double().mean().item()


def draw_digits(place: str, settings: Settings, seed: int) -> tuple[Pair, Pair]:
    """Digits in the middle of a canvas, or anywhere on it."""
    (X, y), (X_test, y_test) = split_digits(seed)
    X, y = X[: settings.rows], y[: settings.rows]
    if place == "in the middle":
        return (on_canvas(X, SIDE), y), (on_canvas(X_test, SIDE), y_test)
    generator = torch.Generator().manual_seed(seed)
    return (scatter(X, SIDE, generator), y), (scatter(X_test, SIDE, generator), y_test)


def errors_of(place: str, settings: Settings) -> dict[str, list[float]]:
    """Test errors without distortions, with each alone, and with three together."""
    kinds: dict[str, Augmented | MixUp | None] = {"nothing": None}
    kinds |= {name: Augmented(stage) for name, stage in STAGES.items()}
    kinds["MixUp"] = MixUp(10, alpha=0.3)
    kinds[TOGETHER] = Augmented([STAGES[SHIFT], STAGES["turn and scale"], STAGES["cutout"]])
    found: dict[str, list[float]] = {name: [] for name in kinds}
    for seed in range(100 * settings.seed, 100 * settings.seed + settings.networks):
        pair, test = draw_digits(place, settings, seed)
        for name, objective in kinds.items():
            found[name].append(test_error(pair, test, objective, settings.epochs, seed))
    return found


def draw_images(report: Report, settings: Settings) -> None:
    (X, _), _ = draw_digits("anywhere", settings, settings.seed)
    with seeded(settings.seed):
        rows = {"as they are": X[:8], **{name: stage(X[:8]) for name, stage in STAGES.items()}}
    report.figure("distorted", image_rows({name: images[:, 0].numpy() for name, images in rows.items()}), caption="Eight digits, and what each distortion makes of them.")  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Augmentation",
        summary="Noise of variance σ² on the inputs of N rows is ridge with λ = Nσ². On images a distortion helps if new images "
        "have it: shifts where digits stand anywhere, not where they stand in the middle; mirror images nowhere.",
    )
    panel = check_ridge(report, settings)
    found = {place: errors_of(place, settings) for place in ("anywhere", "in the middle")}
    means = {place: {n: sum(e) / len(e) for n, e in errors.items()} for place, errors in found.items()}  # fmt: skip
    gain = {place: {n: m / mean["nothing"] for n, m in mean.items()} for place, mean in means.items()}  # fmt: skip
    away, middle = gain["anywhere"], gain["in the middle"]
    report.claim(f"{settings.rows} digits that stand anywhere: shifts help", away[SHIFT], "of the test error without", below=0.85)  # fmt: skip
    report.claim("more than any other distortion alone", away[SHIFT] - min(e for n, e in away.items() if n not in (SHIFT, TOGETHER)), "less of it than by the next best", below=0.0)  # fmt: skip
    report.claim("mirror images do not", away[MIRROR], "of it", above=0.93)
    report.claim("digits that stand in the middle: shifts are of no use", middle[SHIFT], "of it", above=1.0)  # fmt: skip
    report.claim("mirror images harm", middle[MIRROR], "of it", above=1.05)
    report.table(f"{settings.rows} digits, {settings.networks} networks each: test error in per cent", columns=["training", *means], rows=[[n, *(mean[n] for mean in means.values())] for n in away])  # fmt: skip
    report.figure("ridge", curve_panels([panel], width=5.6), caption="Every row is copied with fresh noise; least squares on all copies comes to ridge.")  # fmt: skip
    for place, mean in means.items():
        report.figure(place.replace(" ", "-"), comparison_bars(mean, label="test error, %", title=f"Digits {place}"), caption=f"Each distortion alone, and three together; {settings.rows} digits {place} of a canvas.")  # fmt: skip
    draw_images(report, settings)
    return report
