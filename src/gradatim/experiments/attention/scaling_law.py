"""The loss of a GPT falls as a power of its parameters, its text and its compute, over two decades."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from gradatim.data import TokenWindows
from gradatim.experiments._characters import Text, TextSettings, made_up_entropy, read_text
from gradatim.experiments.attention._power_laws import PowerLaw, fit_power, fit_with_floor
from gradatim.losses import token_cross_entropy
from gradatim.models import GPT
from gradatim.optim.schedules import warm_up
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("G6", "G3")
KEYWORDS = "scaling laws, Kaplan, Chinchilla, compute-optimal, power law, exponents, model size, data size, GPT, irreducible loss"
KAPLAN = {"parameters": 0.076, "characters": 0.095, "compute": 0.050}  # Kaplan et al., 2020
HOFFMANN = {"parameters": 0.34, "characters": 0.28}  # above a floor: Hoffmann et al., 2022
ALLOCATION = {"Kaplan et al., 2020": 0.73, "Hoffmann et al., 2022": 0.50}


@dataclass(frozen=True)
class Settings(TextSettings):
    repeats: int = 1
    context: int = 96
    batch_size: int = 32
    num_layers: int = 2
    widths: tuple[int, ...] = (8, 12, 16, 24, 32, 48, 64, 96)
    steps: int = 480
    rounds: int = 16
    reader: int = 64
    readings: tuple[int, ...] = (10_000, 30_000, 100_000, 300_000, 1_000_000)


QUICK = Settings(
    source="made-up", characters=60_000, context=32, batch_size=16, widths=(4, 8, 16, 32), steps=120, rounds=6,
    reader=24, readings=(300, 900, 2700, 8100),
)  # fmt: skip


class Run(NamedTuple):
    """A training, and the held-out loss on its way.

    Args:
        parameters: Weights of its blocks; embeddings are not counted.
        characters: Characters of text there were to learn from.
        seen: Characters read, repetitions counted, at each look.
        losses: Nats a character on the unread tenth at each look.
    """

    parameters: int
    characters: int
    seen: np.ndarray
    losses: np.ndarray

    @property
    def compute(self) -> np.ndarray:
        """Additions and multiplications, six for every weight and character."""
        return 6.0 * self.parameters * self.seen


def train(text: Text, width: int, characters: int, seed: int, settings: Settings) -> Run:
    """Train one model on the first ``characters`` of the text, at a constant rate, and look at it now and then."""
    with seeded(seed):
        model = GPT(
            len(text.letters), settings.context, width, settings.num_layers, max(1, width // 16), positions="rotary"
        )  # fmt: skip
    each = settings.steps // settings.rounds
    windows = TokenWindows(text.train[:characters], settings.context, batch_size=settings.batch_size, num_batches=each, seed=seed)  # fmt: skip
    held_out = TokenWindows(text.test, settings.context, batch_size=64, num_batches=5, seed=None)
    trainer = Trainer(
        model, token_cross_entropy, "adamw", lr=0.045 / math.sqrt(width), weight_decay=0.1,
        schedule=warm_up(epochs=1.0), epochs=settings.rounds, clip_norm=1.0, seed=seed, progress=False,
    )  # fmt: skip
    history = trainer.fit(windows, validation=held_out)
    step = each * settings.batch_size * settings.context
    seen = step * np.arange(1, settings.rounds + 1)
    count = sum(p.numel() for p in model.blocks.parameters())
    return Run(count, min(characters, len(text.train)), seen, np.array(history["validation_loss"]))


class Sweep(NamedTuple):
    """All trainings: over widths with the whole text, and of one width over pieces of it."""

    sizes: list[Run]
    readers: list[Run]


def sweep(text: Text, settings: Settings) -> Sweep:
    seeds = range(settings.seed, settings.seed + settings.repeats)
    whole = len(text.train)
    sizes = [train(text, width, whole, seed, settings) for seed in seeds for width in settings.widths]  # fmt: skip
    readers = [train(text, settings.reader, n, seed, settings) for seed in seeds for n in settings.readings]  # fmt: skip
    return Sweep(sizes, readers)


class Frontier(NamedTuple):
    """The best that each amount of compute bought.

    Args:
        compute: Amounts.
        losses: Least loss of any run that spent so much.
        parameters: Size of the run that had it.
    """

    compute: np.ndarray
    losses: np.ndarray
    parameters: np.ndarray


def frontier(runs: list[Run], count: int = 12) -> Frontier:
    """The least loss of any run at amounts of compute from the first look at the smallest to the last at the largest."""
    low, high = min(run.compute[0] for run in runs), max(run.compute[-1] for run in runs)
    compute = np.geomspace(low, high, count)
    ways = [np.interp(np.log(compute), np.log(run.compute), run.losses, left=np.inf, right=np.inf) for run in runs]  # fmt: skip
    table = np.stack(ways)  # (runs, count)
    sizes = np.array([run.parameters for run in runs], float)
    return Frontier(compute, table.min(0), sizes[table.argmin(0)])


def points(found: Sweep) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Sizes and losses behind each law; of a model that overfits, the best look counts, as it would be stopped there."""
    edge = frontier(found.sizes)
    return {
        "parameters": (np.array([r.parameters for r in found.sizes]), np.array([r.losses.min() for r in found.sizes])),
        "characters": (np.array([r.characters for r in found.readers]), np.array([r.losses.min() for r in found.readers])),
        "compute": (edge.compute, edge.losses),
    }  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Scaling laws",
        summary="Loss falls along straight lines on logarithmic scales, in parameters, text and compute. Two decades measure "
        "the slope; whether it ends in a floor they cannot tell.",
    )
    text = read_text(settings)
    found = sweep(text, settings)
    data = points(found)
    lines = {name: fit_power(*values) for name, values in data.items()}
    bent = {name: fit_with_floor(*values) for name, values in data.items()}
    check(report, data, lines, bent, settings)
    check_prediction(report, found, settings)
    edge = frontier(found.sizes)
    split = fit_power(edge.compute, edge.parameters)
    tell(report, lines, bent, split)
    report.figure("laws", draw_laws(found, data, lines, bent), caption="Each point a network, each thin line its way while it learns; the lowest loss at each amount of compute is what can be bought with it. Dashed: a power law; dotted: one with a free floor. Both fit.")  # fmt: skip
    report.figure("exponents", draw_exponents(lines, bent), caption="95 % intervals. With a free floor the same points allow far more slopes: the floor lies outside of what was measured.")  # fmt: skip
    return report


def check(
    report: Report, data: dict[str, tuple[np.ndarray, np.ndarray]], lines: dict[str, PowerLaw], bent: dict[str, PowerLaw],
    settings: Settings,
) -> None:  # fmt: skip
    is_short = settings.source == "made-up"
    for name, (x, losses) in data.items():
        decades = math.log10(x.max() / x.min())
        if is_short and name == "characters":  # too few points for an interval
            report.claim("more text, lower loss", float(np.diff(losses).max()), "least fall", below=0)  # fmt: skip
        else:
            report.claim(f"loss falls with {name}, over {decades:.1f} decades", lines[name].low, "exponent's lower end {}", above=0)  # fmt: skip
        report.claim(f"a straight line fits, {name}", lines[name].error, "mean relative error of the loss", at_most=0.25 if is_short else 0.05)  # fmt: skip
    wider = width(bent["parameters"]) / width(lines["parameters"])
    report.claim("a free floor widens the interval of the exponent", wider, "{} times", at_least=1.5)  # fmt: skip
    if settings.source == "made-up":
        least = min(losses.min() for _, losses in data.values()) / math.log(2)
        report.claim("no loss falls below the entropy of the source", least, "bits", at_least=0.97 * made_up_entropy())  # fmt: skip


def width(law: PowerLaw) -> float:
    return law.high - law.low


def check_prediction(report: Report, found: Sweep, settings: Settings) -> None:
    """The largest network's loss from those of the smaller ones."""
    largest = max(run.parameters for run in found.sizes)
    small = [run for run in found.sizes if run.parameters < largest]
    law = fit_power([run.parameters for run in small], [run.losses.min() for run in small])
    truth = float(np.mean([run.losses.min() for run in found.sizes if run.parameters == largest]))
    second = max(run.parameters for run in small)
    error = abs(float(law(largest)) / truth - 1)
    report.claim(f"smaller networks foretell one {largest / second:.1f} times as large", error, "relative error of its loss", at_most=0.4 if settings.source == "made-up" else 0.1)  # fmt: skip


def tell(report: Report, lines: dict[str, PowerLaw], bent: dict[str, PowerLaw], split: PowerLaw) -> None:  # fmt: skip
    report.table(
        "Exponents, with 95 % intervals",
        columns=["law", "measured", "low", "high", "Kaplan", "with a free floor", "low ", "high ", "floor, nats", "Hoffmann"],
        rows=[
            [name, lines[name].exponent, lines[name].low, lines[name].high, KAPLAN[name], law.exponent, law.low, law.high, law.floor, HOFFMANN.get(name, "–")]
            for name, law in bent.items()
        ],
    )  # fmt: skip
    published = ", ".join(f"{value:.2f} ({who})" for who, value in ALLOCATION.items())
    report.text(
        f"The best size grows as compute to the power {-split.exponent:.2f} (95 % interval {-split.high:.2f} to {-split.low:.2f}); published: {published}."
    )  # fmt: skip
    report.text(
        "What so small scales can say: that the lines are straight enough to foretell the next size, and how much a tenfold size "
        "is worth on this text. What they cannot: the published exponents, which are of word pieces of the web, networks a "
        "thousand times larger and rates tuned at every size; here characters of one author are read several times. Nor whether "
        "a floor lies below: it shows only near to it."
    )


def draw_laws(
    found: Sweep, data: dict[str, tuple[np.ndarray, np.ndarray]], lines: dict[str, PowerLaw], bent: dict[str, PowerLaw]
) -> Figure:  # fmt: skip
    figure, panels = new_figure(columns=3, width=11.0, height=4.0, sharey=True)
    labels = {"parameters": "weights of the blocks", "characters": "characters of text", "compute": "operations of training"}  # fmt: skip
    for panel, (name, (x, losses)) in zip(panels, data.items(), strict=True):
        if name == "compute":
            for run in found.sizes:
                panel.plot(run.compute, run.losses, color=PALETTE[5], linewidth=0.9, alpha=0.7)
        panel.plot(x, losses, "o", markersize=5, color=PALETTE[0], label="measured")
        grid = np.geomspace(x.min(), x.max(), 50)
        law = lines[name]
        panel.plot(grid, law(grid), "--", color=PALETTE[1], label=f"exponent {law.exponent:.3f}")
        panel.plot(grid, bent[name](grid), ":", color=MUTED, label=f"with a floor: {bent[name].exponent:.2f}")  # fmt: skip
        panel.set(xscale="log", yscale="log", xlabel=labels[name], title=name.capitalize())
        panel.legend()
    low, high = (f(v.min() if f is min else v.max() for _, v in data.values()) for f in (min, max))
    ticks = [t for t in (0.3, 0.4, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8) if low * 0.8 < t < high * 1.3]
    for panel in panels:
        panel.set_yticks(ticks, [f"{t:g}" for t in ticks])
        panel.minorticks_off()
    panels[0].set(ylabel="nats a character, unread text", ylim=(0.95 * low, 1.15 * high))
    return figure


def draw_exponents(lines: dict[str, PowerLaw], bent: dict[str, PowerLaw]) -> Figure:
    figure, panel = new_figure(width=7.0, height=3.2)
    place, names = 0.0, []
    for name, law in lines.items():
        for label, fit, published in ((name, law, KAPLAN.get(name)), (f"{name}, free floor", bent[name], HOFFMANN.get(name))):  # fmt: skip
            color = PALETTE[0] if label == name else PALETTE[4]
            panel.plot([fit.low, fit.high], [place, place], color=color, linewidth=2.4)
            panel.plot(fit.exponent, place, "o", color=color, markersize=7)
            if published is not None:
                panel.plot(published, place, "D", color=PALETTE[1], markersize=6, zorder=5)
            names.append(label)
            place -= 1.0
    panel.plot([], [], "o-", color=PALETTE[0], label="measured")
    panel.plot([], [], "D", color=PALETTE[1], label="published, at large scale")
    panel.set_yticks(-np.arange(len(names), dtype=float), names)
    panel.set(xlabel="exponent", xlim=(0, None))
    panel.legend(loc="lower right")
    return figure
