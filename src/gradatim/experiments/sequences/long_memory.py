"""How long recurrent networks remember, on copying and adding, depends on the cell and on how it starts."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import log

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.data import adding_task, copy_task
from gradatim.models import LRUStack, TransformerEncoder
from gradatim.nn import AntisymmetricCell, LipschitzCell, MinGRUCell, Recurrent, S6Cell
from gradatim.nn.cells.named import CellFactory
from gradatim.plots.style import INK, SEQUENTIAL, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("F3", "F5", "F4")
KEYWORDS = "adding problem, copying problem, LSTM, GRU, linear recurrent unit LRU, long-range dependencies, forget gate bias, orthogonal identity start, IRNN, minGRU, deep transition, antisymmetric RNN, Lipschitz RNN, state-space model, Mamba, S6, Transformer"
SYMBOLS = 8
CHANCE = {"copying": 1 / SYMBOLS, "adding": 0.19}
MODELS = (
    "Elman", "deep transition", "ReLU from identity", "antisymmetric", "Lipschitz", "LSTM", "GRU", "minGRU",
    "minGRU with long start", "LRU", "S6", "Transformer",
)  # fmt: skip
Scores = dict[str, dict[int, float]]  # accuracy by lag, by model


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    lags: tuple[int, ...] = (5, 10, 20, 50)
    models: tuple[str, ...] = MODELS
    hidden_dim: int = 32
    steps: int = 400
    batch_size: int = 64
    lr: float = 0.01


QUICK = Settings(
    lags=(20,), models=("Elman", "ReLU from identity", "antisymmetric", "GRU", "minGRU", "minGRU with long start", "LRU", "S6", "Transformer"),
    hidden_dim=24, steps=160, batch_size=32,
)  # fmt: skip


class LastOutput(nn.Module):
    """Recurrent layers that are asked once, at the end."""

    def __init__(self, core: nn.Module, readout: nn.Module) -> None:
        super().__init__()
        self.core, self.readout = core, readout

    def forward(self, x: Tensor) -> Tensor:
        return self.readout(self.core(x)[0][:, -1])


class Attending(nn.Module):
    """A causal Transformer over positions that are embedded linearly."""

    def __init__(self, input_dim: int, dim: int) -> None:
        super().__init__()
        self.embed = nn.Linear(input_dim, dim)
        self.blocks = TransformerEncoder(dim, 2, 2, is_causal=True, is_rotary=True)

    def forward(self, x: Tensor) -> tuple[Tensor]:
        return (self.blocks(self.embed(x)),)


def start_from_identity(rnn: Recurrent) -> Recurrent:
    """Le, Jaitly and Hinton's start of ReLU units: what is there stays, what comes in is small."""
    nn.init.eye_(rnn.get_parameter("cells.0.recurrent.weight"))
    nn.init.normal_(rnn.get_parameter("cells.0.input.weight"), std=0.1)
    return rnn


def build(name: str, input_dim: int, out_dim: int, lag: int, hidden_dim: int) -> nn.Module:
    """Build one of the networks; those without a state in their gates get a second layer."""
    readout = nn.Linear(hidden_dim, out_dim)
    if name == "LRU":
        stack = LRUStack(
            input_dim, hidden_dim, out_dim, num_layers=2, r_min=0.9, r_max=0.999, max_phase=0.3
        )
        return LastOutput(stack, nn.Identity())
    if name == "Transformer":
        return LastOutput(Attending(input_dim, hidden_dim), readout)
    cells: dict[str, str | CellFactory] = {
        "Elman": "elman",
        "deep transition": "deep_transition",
        "ReLU from identity": "elman_relu",
        "antisymmetric": partial(AntisymmetricCell, step_size=0.3),
        "Lipschitz": partial(LipschitzCell, step_size=0.3),
        "LSTM": "lstm",
        "GRU": "gru",
        "minGRU": "min_gru",
        "minGRU with long start": partial(MinGRUCell, gate_bias=-log(lag + 2)),
        "S6": partial(S6Cell, step_min=0.3 / (lag + 2), step_max=3 / (lag + 2)),
    }
    layers = 2 if name.startswith("min") or name == "S6" else 1
    core = Recurrent(cells[name], input_dim, hidden_dim, layers)
    return LastOutput(start_from_identity(core) if name.startswith("ReLU") else core, readout)


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
    gain = copying["minGRU with long start"][longest] - copying["minGRU"][longest]
    elman = adding["Elman"][longest]
    gated = max(adding[name][longest] for name in ("GRU", "minGRU", "minGRU with long start"))
    report.claim("copying, LRU at every lag", least, at_least=0.95)
    report.claim(f"copying, minGRU at {longest}: gates that start shut gain", gain, at_least=0.5)
    report.claim(f"adding, Elman at {longest}", elman, "{}: chance is 0.19", at_most=0.25)
    report.claim(
        f"adding, best gated network at {longest}", gated, "{}: twice chance", at_least=0.38
    )
    gain = adding["S6"][longest] - adding["LRU"][longest]
    report.claim(f"adding, a clock that the input sets, at {longest}", gain, "S6 gains over LRU", at_least=0.2)  # fmt: skip
    report.claim("copying, a Transformer at every lag", min(copying["Transformer"].values()), at_least=0.95)  # fmt: skip
    report.claim(f"adding, a Transformer at {longest}", adding["Transformer"][longest], "{}: twice chance", at_least=0.38)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Long memory",
        summary="The same training for every network: what it can remember is decided by how long its state "
        "lasts before training. No cell is best at everything.",
    )
    scores: dict[str, Scores] = {
        task: {name: {lag: accuracy(name, task, lag, settings) for lag in settings.lags} for name in settings.models}
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
    """Draw how well models remember against how long: a panel a task, a row a model, a column a lag.

    Args:
        scores: Score by lag, by model, by task.
        chance: What guessing gives, by task, where the colours begin.

    Example:
        >>> figure = score_against_lag({"copy": {"gru": {10: 1.0, 100: 0.5}}}, chance={"copy": 0.1})
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['1.00', '0.50']
    """
    rows = max(map(len, scores.values()))
    figure, axes = new_figure(columns=len(scores), width=4.3 * len(scores), height=1.1 + 0.33 * rows, sharey=True)  # fmt: skip
    for panel, (task, models) in zip(np.atleast_1d(axes), scores.items(), strict=True):
        lags = sorted({lag for by_lag in models.values() for lag in by_lag})
        table = np.array([[by_lag[lag] for lag in lags] for by_lag in models.values()])
        panel.imshow(table, cmap=SEQUENTIAL, vmin=chance[task], vmax=1.0, aspect="auto")
        panel.grid(False)
        for (row, column), value in np.ndenumerate(table):
            dark = value > (1 + chance[task]) / 2
            panel.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=9, color="white" if dark else INK)  # fmt: skip
        panel.set_xticks(range(len(lags)), [str(lag) for lag in lags])
        panel.set_yticks(range(len(models)), list(models))
        panel.set(title=f"{task}, chance {chance[task]:.2f}", xlabel="lag (steps to remember over)")  # fmt: skip
    return figure
