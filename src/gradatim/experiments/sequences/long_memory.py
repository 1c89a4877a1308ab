"""How long recurrent networks remember, on copying and adding, depends on the cell and on how it starts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import log

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.data import adding_task, copy_task
from gradatim.models import LRUStack
from gradatim.nn import MinGRUCell, Recurrent
from gradatim.plots.style import MARKERS, MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("F3", "F5", "F4")
KEYWORDS = "adding problem, copying problem, LSTM, GRU, linear recurrent unit LRU, long-range dependencies, forget gate bias, orthogonal identity start, minGRU"
SYMBOLS = 8
CHANCE = {"copying": 1 / SYMBOLS, "adding": 0.19}
MODELS = ("Elman", "LSTM", "GRU", "LRU", "minGRU", "minGRU, long start")
Scores = dict[str, dict[int, float]]  # accuracy by lag, by model


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    lags: tuple[int, ...] = (5, 10, 20, 50)
    hidden_dim: int = 32
    steps: int = 400
    batch_size: int = 64
    lr: float = 0.01


QUICK = Settings(lags=(4, 25), hidden_dim=24, steps=160, batch_size=32, lr=0.01)


class LastOutput(nn.Module):
    """Recurrent layers that are asked once, at the end."""

    def __init__(self, core: nn.Module, readout: nn.Module) -> None:
        super().__init__()
        self.core, self.readout = core, readout

    def forward(self, x: Tensor) -> Tensor:
        return self.readout(self.core(x)[0][:, -1])


def build(name: str, input_dim: int, out_dim: int, lag: int, hidden_dim: int) -> nn.Module:
    """Build one of the networks; those without a state in their gates get a second layer."""
    if name == "LRU":
        stack = LRUStack(
            input_dim, hidden_dim, out_dim, num_layers=2, r_min=0.9, r_max=0.999, max_phase=0.3
        )
        return LastOutput(stack, nn.Identity())
    cells: dict[str, str | Callable[[int, int], MinGRUCell]] = {
        "Elman": "elman",
        "LSTM": "lstm",
        "GRU": "gru",
        "minGRU": "min_gru",
        "minGRU, long start": partial(MinGRUCell, gate_bias=-log(lag + 2)),
    }
    layers = 2 if name.startswith("min") else 1
    return LastOutput(
        Recurrent(cells[name], input_dim, hidden_dim, layers), nn.Linear(hidden_dim, out_dim)
    )


def accuracy(name: str, task: str, lag: int, settings: Settings) -> float:
    """Train on fresh sequences only; return the share of right answers to new ones (a sum within 0.1)."""
    generator = torch.Generator().manual_seed(settings.seed)
    if task == "copying":
        draw = partial(copy_task, lag=lag, symbols=SYMBOLS, generator=generator)
        loss, out_dim = "cross_entropy", SYMBOLS
    else:
        draw = partial(adding_task, length=max(lag, 2), generator=generator)
        loss, out_dim = "mse", 1
    (x, y), (x_test, y_test) = draw(settings.steps * settings.batch_size), draw(1000)
    with seeded(settings.seed):
        model = build(name, x.shape[-1], out_dim, lag, settings.hidden_dim)
    trainer = Trainer(
        model, loss, lr=settings.lr, epochs=1, batch_size=settings.batch_size, clip_norm=1.0, seed=settings.seed,
        progress=False,
    )  # fmt: skip
    trainer.fit((x, y))
    output = trainer.predict(x_test)
    is_right = output.argmax(1) == y_test if task == "copying" else (output - y_test).abs() < 0.1
    return is_right.float().mean().item()


def check_claims(report: Report, scores: dict[str, Scores], longest: int) -> None:
    copying, adding = scores["copying"], scores["adding"]
    least = min(copying["LRU"].values())
    gain = copying["minGRU, long start"][longest] - copying["minGRU"][longest]
    elman = adding["Elman"][longest]
    gated = max(adding[name][longest] for name in ("GRU", "minGRU", "minGRU, long start"))
    report.claim("copying, LRU at every lag", least, at_least=0.95)
    report.claim(f"copying, minGRU at {longest}: gates that start shut gain", gain, at_least=0.5)
    report.claim(f"adding, Elman at {longest}", elman, "{}: chance is 0.19", at_most=0.25)
    report.claim(
        f"adding, best gated network at {longest}", gated, "{}: twice chance", at_least=0.38
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Long memory",
        summary="The same training for every network: what it can remember is decided by how long its state "
        "lasts before training. No cell is best at everything.",
    )
    scores: dict[str, Scores] = {
        task: {name: {lag: accuracy(name, task, lag, settings) for lag in settings.lags} for name in MODELS}
        for task in CHANCE
    }  # fmt: skip
    check_claims(report, scores, max(settings.lags))
    for task, models in scores.items():
        report.table(
            f"Accuracy, {task}",
            columns=["network", *(f"lag {lag}" for lag in settings.lags)],
            rows=[[name, *by_lag.values()] for name, by_lag in models.items()],
        )
    report.figure(
        "accuracy-against-lag",
        score_against_lag(scores, chance=CHANCE),
        caption=f"Share of right answers after {settings.steps} batches of {settings.batch_size} fresh sequences.",
    )
    return report


def score_against_lag(
    scores: Mapping[str, Mapping[str, Mapping[int, float]]], *, chance: Mapping[str, float]
) -> Figure:
    """Draw how well models remember against how long, one panel a task.

    Args:
        scores: Score by lag, by model, by task.
        chance: What guessing gives, by task.

    Example:
        >>> figure = score_against_lag({"copy": {"gru": {10: 1.0, 100: 0.5}}}, chance={"copy": 0.1})
        >>> figure.axes[0].get_title()
        'copy'
    """
    figure, axes = new_figure(columns=len(scores), width=4.3 * len(scores), height=3.9, sharey=True)
    for panel, (task, models) in zip(np.atleast_1d(axes), scores.items(), strict=True):
        for place, (model, by_lag) in enumerate(models.items()):
            panel.plot(
                list(by_lag), list(by_lag.values()), label=model if panel is figure.axes[0] else None,
                marker=MARKERS[place % len(MARKERS)], markersize=5, color=PALETTE[place % len(PALETTE)],
            )  # fmt: skip
        panel.axhline(chance[task], color=MUTED, linestyle=":", linewidth=1.2)
        panel.annotate(
            "chance", (0.0, chance[task]), xycoords=("axes fraction", "data"), xytext=(3, 3),
            textcoords="offset points", fontsize=8, color=MUTED,
        )  # fmt: skip
        panel.set_xscale("log")
        lags = sorted({lag for by_lag in models.values() for lag in by_lag})
        panel.set_xticks(lags, [str(lag) for lag in lags])
        panel.minorticks_off()
        panel.set(ylim=(-0.03, 1.05), title=task, xlabel="lag (steps to remember over)")
    figure.axes[0].set_ylabel("accuracy")
    figure.legend(loc="outside lower center", ncols=6, frameon=False, fontsize=9)
    return figure
