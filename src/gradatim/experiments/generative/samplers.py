"""Fewer looks at the same network: noise at every step, the flow in first order and in second order."""

from dataclasses import dataclass

import torch
from matplotlib.figure import Figure

from gradatim.experiments.generative._digits import (
    DigitSettings,
    even_labels,
    load_digits,
    make_judge,
    train_diffusion,
)
from gradatim.generative import sample
from gradatim.plots import image_grid
from gradatim.plots.style import MARKERS, MUTED, PALETTE, new_figure
from gradatim.reports import Report

COVERS = ("K3",)
KEYWORDS = "DDIM, ancestral sampling, ODE solver, number of steps"
NAMES = {"ancestral": "ancestral", "ddim": "DDIM", "dpm": "second order"}
SHORT = {"ancestral": "ancestral", "ddim": "DDIM", "dpm": "2nd order"}
PUBLISHED = "DDIM on CIFAR-10 with 10, 20, 50 steps: 13.4, 6.8, 4.7 of Inception features, against 4.0 with 1,000"


@dataclass(frozen=True)
class Settings(DigitSettings):
    epochs: int = 2
    judge_epochs: int = 3
    samples: int = 2_000
    steps: tuple[int, ...] = (5, 10, 20, 50)
    ancestral: int = 250


QUICK = Settings(data="digits", widths=(128,), epochs=90, batch_size=128, judge_epochs=12, samples=700, steps=(5, 10, 20), lr=4e-3)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Samplers by their number of looks",
        summary="All samplers ask the same network. The second-order solver needs a tenth of the looks that drawing step by step "
        f"needs; in first order the flow needs more. Published: {PUBLISHED}.",
    )
    digits = load_digits(settings)
    judged = make_judge(digits, settings)
    model, minutes = train_diffusion(digits, settings)
    label = even_labels(settings.samples)
    found: dict[str, dict[int, float]] = {name: {} for name in NAMES}
    shown = {}
    for name in NAMES:
        counts = (*settings.steps, settings.ancestral) if name == "ancestral" else settings.steps
        for steps in counts:
            source = torch.Generator().manual_seed(settings.seed)
            samples = sample(model, settings.samples, sampler=name, steps=steps, label=label, generator=source)  # fmt: skip
            found[name][steps], shown[name, steps] = judged.distance(samples), samples[:10]
    best = found["ancestral"][settings.ancestral]
    twenty = found["dpm"][20]
    report.claim(f"20 looks in second order are as good as {settings.ancestral} by chance", twenty / best, "ratio of distances", at_most=1.1)  # fmt: skip
    report.claim("with 5 looks second order is better than chance", found["dpm"][5] / found["ancestral"][5], "ratio of distances", below=1)  # fmt: skip
    report.claim("and better than first order", found["dpm"][5] / found["ddim"][5], "ratio of distances", below=1)  # fmt: skip
    report.claim("chance needs many looks", found["ancestral"][5] / best, f"distance with 5 looks as a multiple of that with {settings.ancestral}", above=1)  # fmt: skip
    own = judged.distance(digits.train[0][: settings.samples])
    columns = ["looks", *NAMES.values()]
    rows = [[steps, *(found[name].get(steps, "") for name in NAMES)] for steps in (*settings.steps, settings.ancestral)]  # fmt: skip
    report.table(f"Fréchet distance of {settings.samples:,} samples to test images", columns=columns, rows=rows)  # fmt: skip
    report.text(f"Training images are {own:.3g} from test images. The network learned for {minutes:.1f} processor minutes; distances are in the features of a classifier trained here, which are comparable with no others.")  # fmt: skip
    report.figure("looks", draw(found, own), caption="Distance to test images by the number of looks at the network; the dashed line is that of training images.")  # fmt: skip
    images = torch.cat([shown[name, steps] for name in NAMES for steps in (5, 20)])
    titles = [f"{SHORT[name]} {steps}" if k == 0 else "" for name in NAMES for steps in (5, 20) for k in range(10)]  # fmt: skip
    report.figure("samples", image_grid((images + 1) / 2, titles, columns=10), caption="The same noise and the same classes, with 5 and with 20 looks.")  # fmt: skip
    return report


def draw(found: dict[str, dict[int, float]], own: float) -> Figure:
    figure, panel = new_figure(width=6.0, height=4.0)
    for k, (name, values) in enumerate(found.items()):
        panel.semilogx(list(values), list(values.values()), MARKERS[k] + "-", color=PALETTE[k], label=NAMES[name])  # fmt: skip
    panel.axhline(own, color=MUTED, linestyle="--", linewidth=1.2, label="training images")
    ticks = sorted({steps for values in found.values() for steps in values})
    panel.set_xticks(ticks, [str(tick) for tick in ticks])
    panel.minorticks_off()
    panel.set(xlabel="looks at the network", ylabel="Fréchet distance")
    panel.set_ylim(bottom=0)
    panel.legend()
    return figure
