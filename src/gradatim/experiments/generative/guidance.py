"""Guidance: samples agree better with the class that was asked for, and resemble each other more."""

from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure

from gradatim.errors import InvalidValue
from gradatim.experiments.generative._digits import (
    DigitSettings,
    even_labels,
    load_digits,
    make_judge,
    train_diffusion,
)
from gradatim.generative import Diffusion, sample
from gradatim.models import TimeMLP
from gradatim.plots import image_grid
from gradatim.plots.style import MARKERS, PALETTE, new_figure
from gradatim.reports import Report

COVERS = ("K3",)
KEYWORDS = "classifier-free guidance, conditional generation, diversity"


@dataclass(frozen=True)
class Settings(DigitSettings):
    epochs: int = 2
    judge_epochs: int = 3
    samples: int = 2_000
    guidances: tuple[float, ...] = (0.0, 0.5, 1.0, 2.0, 4.0)


QUICK = Settings(data="digits", widths=(128,), epochs=70, batch_size=128, judge_epochs=12, samples=500, lr=4e-3, guidances=(0.0, 1.0, 4.0))  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Guidance",
        summary="A network that was trained with and without classes can be pushed beyond what a class asks for, away from what all "
        "share. Agreement rises, diversity falls: a knob, not a gain.",
    )
    digits = load_digits(settings)
    judged = make_judge(digits, settings)
    model, _ = train_diffusion(digits, settings)
    label, rows, shown = even_labels(settings.samples), [], []
    for w in settings.guidances:
        source = torch.Generator().manual_seed(settings.seed)
        samples = sample(model, settings.samples, label=label, guidance=w, generator=source)
        agreement, spread = judged.agreement(samples, label), judged.spread(samples, label)
        rows.append((w, agreement, spread, judged.distance(samples)))
        shown.append(samples[:20])
    real = judged.spread(*digits.test)
    columns = ["guidance", "agreement", "spread within a class", "Fréchet distance"]
    report.table(f"{settings.samples:,} samples by guidance", columns=columns, rows=[list(row) for row in rows])  # fmt: skip
    report.claim("guidance makes samples agree with their class", rows[-1][1] - rows[0][1], f"agreement with w = {rows[-1][0]:g} less that without", above=0)  # fmt: skip
    report.claim("nearly all do", rows[-1][1], "agreement with the most guidance", at_least=0.97)
    report.claim("it makes them alike", rows[-1][2] / rows[0][2], "spread within a class, as a share of that without", below=0.9)  # fmt: skip
    falls = np.diff([row[2] for row in rows])
    report.claim("the more, the more", float(falls.max()), "largest change of the spread from one guidance to the next", below=0)  # fmt: skip
    try:
        sample(Diffusion(TimeMLP(2)), 1, guidance=1.0)
        said = ""
    except InvalidValue as error:
        said = str(error)
    report.claim("a model without classes cannot be guided, and says so", said, "one sentence", holds="without classes" in said)  # fmt: skip
    report.text(f"Test images have a spread of {real:.3g} within a class.")
    report.figure("trade", draw(rows, real), caption="Agreement and spread within a class, by guidance; the dashed line is the spread of test images.")  # fmt: skip
    titles = [f"w = {w:g}" if k == 0 else "" for w in settings.guidances for k in range(20)]
    report.figure("samples", image_grid((torch.cat(shown) + 1) / 2, titles, columns=20, size=0.5), caption="The same noise and the same classes, guided more and more.")  # fmt: skip
    return report


def draw(rows: list[tuple[float, float, float, float]], real: float) -> Figure:
    figure, panels = new_figure(columns=2, width=8.5, height=3.6)
    guidance = [row[0] for row in rows]
    for k, (panel, name) in enumerate(zip(panels, ("agreement", "spread within a class"), strict=True)):  # fmt: skip
        panel.plot(guidance, [row[k + 1] for row in rows], MARKERS[k] + "-", color=PALETTE[k])
        panel.set(xlabel="guidance w", title=name)
    panels[1].axhline(real, color=PALETTE[6], linestyle="--", linewidth=1.2)
    panels[1].set_ylim(bottom=0)
    return figure
