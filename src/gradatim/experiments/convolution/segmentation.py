"""Which pixel belongs to which digit: shortcuts of a U-Net bring the borders back."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.ndimage import maximum_filter, minimum_filter
from torch import Tensor

from gradatim.data import scattered_digits
from gradatim.evaluation import count_pixels, measure_overlap
from gradatim.losses import dice_cross_entropy
from gradatim.models import UNet
from gradatim.plots.bars import comparison_bars
from gradatim.plots.masks import mask_rows
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("E3", "E5")
KEYWORDS = "U-Net, upsampling, transposed convolution, skip connections, dense prediction, pixels"
CLASSES = 4
LABELS = ("paper", "0", "1", "2")
WHOLE, CUT, SMOOTH = "U-Net", "without shortcuts", "bilinear growth"
NETWORKS: dict[str, dict[str, Any]] = {
    WHOLE: {},
    CUT: {"has_shortcuts": False},
    SMOOTH: {"upsampling": "bilinear"},
}
SHOWN = 3


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    images: int = 160
    test_images: int = 60
    side: int = 32
    width: int = 12
    epochs: int = 10
    repeats: int = 5


QUICK = Settings(images=90, test_images=40, epochs=7, repeats=3)


def draw(settings: Settings, seed: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Images and masks to train on, and others to test on."""
    X, y = scattered_digits(settings.images + settings.test_images, seed=seed, side=settings.side)
    X = (X - X.mean()) / X.std()
    images, masks = torch.from_numpy(X), torch.from_numpy(y)
    n = settings.images
    return images[:n], masks[:n], images[n:], masks[n:]


def train(name: str, images: Tensor, masks: Tensor, settings: Settings, seed: int) -> UNet:
    """A network after its training."""
    widths = [settings.width * 2**level for level in range(3)]
    with seeded(seed):
        model = UNet(1, CLASSES, widths=widths, is_normalized=True, **NETWORKS[name])
    Trainer(
        model, dice_cross_entropy(0.5), optimizer="adamw", schedule="cosine", lr=8e-3, epochs=settings.epochs,
        batch_size=4, seed=seed, progress=False,
    ).fit((images, masks))  # fmt: skip
    return model.eval()


def at_borders(masks: np.ndarray) -> np.ndarray:
    """Pixels with one of another class beside them.

    >>> at_borders(np.array([[[0, 0, 1, 1, 1]]])).tolist()
    [[[False, True, True, False, False]]]
    """
    size = (1, 3, 3)
    return maximum_filter(masks, size) != minimum_filter(masks, size)


def measure(settings: Settings) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Figures of every network, shape ``(repeats, 4)``: mean IoU, mean Dice, errors at borders and inside; and last masks."""
    found: dict[str, list[list[float]]] = {name: [] for name in NETWORKS}
    shown: dict[str, np.ndarray] = {}
    for seed in range(settings.seed, settings.seed + settings.repeats):
        images, masks, test, truth = draw(settings, seed)
        true = truth.numpy()
        border = at_borders(true)
        for name in NETWORKS:
            model = train(name, images, masks, settings, seed)
            with torch.no_grad():
                said = model(test).argmax(1).numpy()
            overlap = measure_overlap(count_pixels(true, said, CLASSES).sum(0))
            wrong = said != true
            found[name].append([float(overlap.mean_iou), float(overlap.mean_dice), wrong[border].mean(), wrong[~border].mean()])  # fmt: skip
            shown[name] = said[:SHOWN]
    return {name: np.array(rows) for name, rows in found.items()}, shown


def claim_figures(report: Report, figures: dict[str, np.ndarray]) -> None:
    whole, cut, smooth = (figures[name] for name in (WHOLE, CUT, SMOOTH))
    report.claim("shortcuts raise the mean IoU", float((whole - cut)[:, 0].mean()), "by {}", at_least=0.02)  # fmt: skip
    report.claim("the mean Dice too", float((whole - cut)[:, 1].mean()), "by {}", at_least=0.01)
    wins = float((whole[:, 0] > cut[:, 0]).mean())
    report.claim("shortcuts win", 100 * wins, "in {} % of the runs", at_least=80)
    ratio = float(cut[:, 2].mean() / whole[:, 2].mean())
    report.claim("without them more pixels at borders are wrong", ratio, "{} times as many", at_least=1.15)  # fmt: skip
    gap = float((smooth - whole)[:, 0].mean())
    report.claim("bilinear interpolation changes the mean IoU", gap, "by {}", at_least=-0.12, at_most=0.12)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Segmentation",
        summary="A U-Net halves the image to see far, and its shortcuts bring back where things are. Without them the borders of "
        "digits are lost at the bottom; whether it grows by transposed convolutions or by interpolation matters less.",
    )
    figures, shown = measure(settings)
    claim_figures(report, figures)
    report.table(
        f"On {settings.test_images} test images, means of {settings.repeats} runs",
        columns=["network", "mean IoU", "least", "most", "mean Dice", "wrong at borders", "wrong elsewhere"],
        rows=[
            [name, own[:, 0].mean(), own[:, 0].min(), own[:, 0].max(), *own[:, 1:].mean(0)]
            for name, own in figures.items()
        ],
    )  # fmt: skip
    report.figure(
        "iou",
        comparison_bars(
            {name: float(own[:, 0].mean()) for name, own in figures.items()},
            label="mean IoU on test images",
            intervals={name: (float(own[:, 0].min()), float(own[:, 0].max())) for name, own in figures.items()},
            highlight=WHOLE,
        ),
        caption=f"Mean of {settings.repeats} runs, from the least to the most.",
    )  # fmt: skip
    _, _, test, truth = draw(settings, settings.seed + settings.repeats - 1)
    pixels = test[:SHOWN].permute(0, 2, 3, 1).numpy()
    grey = (255 * (pixels - pixels.min()) / (pixels.max() - pixels.min())).astype(np.uint8)
    report.figure(
        "masks",
        mask_rows(grey, {"true": truth[:SHOWN].numpy(), **shown}, LABELS, size=1.6),
        caption="Test images of the last run, their true masks, and what each network says.",
    )
    return report
