"""When a diffusion model copies: from few images it learns the images, from many what digits look like."""

from dataclasses import dataclass

import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.experiments.generative._digits import (
    DigitSettings,
    even_labels,
    load_digits,
    train_diffusion,
)
from gradatim.generative import copying_share, nearest_rows, sample
from gradatim.plots import image_grid
from gradatim.plots.style import MARKERS, MUTED, PALETTE, new_figure
from gradatim.reports import Report

COVERS = ("K3",)
KEYWORDS = "copying training data, generalization of generative models, privacy"


@dataclass(frozen=True)
class Settings(DigitSettings):
    sizes: tuple[int, ...] = (100, 1_000, 10_000)
    updates: int = 4_000
    samples: int = 500


QUICK = Settings(data="digits", widths=(128,), lr=4e-3, sizes=(30, 700), updates=800, samples=300)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="When copying begins",
        summary="The best denoiser of a finite training set knows its images and nothing else, so a network with room enough that "
        "learns long enough returns them. The loss does not tell; the share of samples nearest to a training image does.",
    )
    digits = load_digits(settings)
    held_out, shown, shares, rows = digits.test[0].flatten(1), [], [], []
    for size in settings.sizes:
        steps = -(-size // settings.batch_size)
        model, _ = train_diffusion(digits, settings, rows=size, epochs=-(-settings.updates // steps))  # fmt: skip
        source = torch.Generator().manual_seed(settings.seed)
        samples = sample(model, settings.samples, label=even_labels(settings.samples), generator=source)  # fmt: skip
        train = digits.train[0][:size].flatten(1)
        share = copying_share(samples.flatten(1), train, held_out[: max(size, 30)], seed=settings.seed)  # fmt: skip
        ratio = relative_distance(samples, train)
        rows.append([size, share.value, share.low, share.high, ratio])
        shares.append(share)
        shown += [samples[:10], neighbours(samples[:10], digits.train[0][:size])]
    columns = ["training images", "copying", "from", "to", "nearest over second nearest"]
    report.table("Copying by the number of training images", columns=columns, rows=rows)
    few, many = shares[0], shares[-1]
    report.claim(f"with {settings.sizes[0]} images samples are copies", few.low, "copying share, lower end; honest is 0.5", above=0.8)  # fmt: skip
    report.claim(f"with {settings.sizes[-1]:,} much less", many.value - few.value, "copying share less that of the fewest", below=-0.1)  # fmt: skip
    report.claim("a copy is far nearer to its original than to any other image", rows[0][4], f"median distance to the nearest over the second nearest, with {settings.sizes[0]}", below=0.75)  # fmt: skip
    report.claim("an honest sample is about as near to the second", rows[-1][4] - rows[0][4], f"the same with {settings.sizes[-1]:,}, less that", above=0.1)  # fmt: skip
    report.figure("pairs", draw_pairs(shown, settings.sizes), caption="Samples, and below each the nearest training image, for each number of training images.")  # fmt: skip
    report.figure("share", draw_share(rows), caption="Share of samples whose nearest image, among as many training as held-out ones, is a training image, with its interval.")  # fmt: skip
    return report


def relative_distance(samples: Tensor, train: Tensor) -> float:
    """Median over samples of the distance to the nearest training image over that to the second nearest."""
    near = torch.cdist(samples.flatten(1), train).topk(2, largest=False).values
    return float((near[:, 0] / near[:, 1]).median())


def neighbours(samples: Tensor, train: Tensor) -> Tensor:
    return train[nearest_rows(samples, train)[1][:, 0]]


def draw_pairs(shown: list[Tensor], sizes: tuple[int, ...]) -> Figure:
    words = [word for size in sizes for word in (f"{size:,} images", "nearest")]
    titles = [word if k == 0 else "" for word in words for k in range(10)]
    return image_grid((torch.cat(shown) + 1) / 2, titles, columns=10)


def draw_share(rows: list[list[float]]) -> Figure:
    figure, panel = new_figure(width=5.4, height=3.6)
    sizes, values = [row[0] for row in rows], [row[1] for row in rows]
    errors = [[row[1] - row[2] for row in rows], [row[3] - row[1] for row in rows]]
    panel.errorbar(sizes, values, errors, marker=MARKERS[0], color=PALETTE[0], capsize=4)
    panel.axhline(0.5, color=MUTED, linestyle="--", linewidth=1.2)
    panel.set_xscale("log")
    panel.set_xticks(sizes, [f"{size:,}" for size in sizes])
    panel.minorticks_off()
    panel.set(xlabel="training images", ylabel="copying share", ylim=(0.4, 1.02))
    return figure
