"""Gradients fade or grow through time by at most a factor γ a step, and eigenvalues alone do not decide."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor, nn

from gradatim.instruments import TimeGradients, gradient_through_time
from gradatim.nn import ElmanCell, LSTMCell, Recurrent
from gradatim.plots.recurrent import gradient_against_lag
from gradatim.plots.style import MUTED, new_figure
from gradatim.plots.words import Formula
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("F4",)
KEYWORDS = "vanishing gradient problem, exploding gradient problem, backpropagation through time BPTT, gradient clipping by norm and by value, cliff, spectral radius, eigenvalues, truncated BPTT"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    width: int = 64
    length: int = 100
    batch: int = 32


QUICK = Settings(length=75, batch=16)


def elman(
    activation: str, scale: float, settings: Settings, generator: torch.Generator
) -> Recurrent:
    """An Elman network with a recurrent matrix of ``scale`` times an orthogonal one."""
    rnn = Recurrent(partial(ElmanCell, activation=activation), 4, settings.width).double()
    U = rnn.get_parameter("cells.0.recurrent.weight").detach()
    nn.init.orthogonal_(U, gain=scale, generator=generator)
    return rnn


def measure(settings: Settings) -> dict[str, TimeGradients]:
    generator = torch.Generator().manual_seed(settings.seed)
    x = torch.randn(settings.batch, settings.length, 4, generator=generator, dtype=torch.float64)
    networks = {
        "tanh, ‖U‖ = 0.9": elman("tanh", 0.9, settings, generator),
        "tanh, ‖U‖ = 1.2": elman("tanh", 1.2, settings, generator),
        "sigmoid, ‖U‖ = 3.9": elman("sigmoid", 3.9, settings, generator),
        "linear, ‖U‖ = 1": elman("identity", 1.0, settings, generator),
        "linear, ‖U‖ = 1.1": elman("identity", 1.1, settings, generator),
        "LSTM, forget bias 3": Recurrent(
            partial(LSTMCell, forget_bias=3.0), 4, settings.width
        ).double(),
    }
    return {label: gradient_through_time(rnn, x) for label, rnn in networks.items()}


def share(result: TimeGradients) -> float:
    """What is left of the gradient at the largest lag."""
    return result.norms[-1] / result.norms[0]


def check_bound(report: Report, settings: Settings) -> None:
    results = measure(settings)
    slack = max(
        norm / bound
        for result in results.values()
        if result.bound is not None
        for norm, bound in zip(result.norms, result.bound, strict=True)
    )
    lag = settings.length - 1
    report.claim("every gradient obeys its bound", slack, "norm / bound", at_most=1 + 1e-9)
    check_shares(report, results, lag)
    report.table(
        "Recurrent matrices",
        columns=["network", "γ", "‖U‖₂", "radius", f"left after {lag} steps"],
        rows=[
            [label, r.gamma or "–", r.spectral_norm or "–", r.spectral_radius or "–", share(r)]
            for label, r in results.items()
        ],
    )
    report.figure(
        "gradient-against-lag",
        gradient_against_lag(results),
        caption="Share of a gradient left after going back through time; dotted, the bound γ to the lag. "
        "With tanh and γ = 1.2 the bound grows and the gradient fades: saturated units pass little.",
    )


def check_shares(report: Report, results: dict[str, TimeGradients], lag: int) -> None:
    tanh, saturated, sigmoid, kept, grown, lstm = (share(result) for result in results.values())
    report.claim(
        "sigmoid: ten steps pass at most",
        0.25**10,
        "0.25^10 = 9.54e-07 of ‖U‖^10",
        holds=round(0.25**10, 9) == 9.54e-7,
    )
    report.claim(
        f"tanh with ‖U‖ = 0.9 after {lag} steps", tanh, f"{{}} = 0.9^{lag}", at_most=0.9**lag
    )
    report.claim("sigmoid with ‖U‖ = 3.9 < 4 vanishes", sigmoid, below=1e-10)
    report.claim(
        "tanh with γ = 1.2 does not explode", saturated, "{}: γ > 1 is not enough", below=1
    )
    report.claim("an orthogonal linear network keeps it", kept, near=(1, 1e-9))
    report.claim(
        f"one with ‖U‖ = 1.1 explodes in {lag} steps", grown, near=(1.1**lag, 1e-6 * 1.1**lag)
    )
    report.claim(
        "an LSTM that starts by remembering", lstm / tanh, "{} times tanh's share", at_least=1e3
    )


def powers(U: Tensor, count: int) -> list[float]:
    """Return the spectral norms of the powers of ``U``, the 0th first."""
    power, norms = torch.eye(len(U), dtype=U.dtype), []
    for _ in range(count + 1):
        norms.append(torch.linalg.matrix_norm(power, 2).item())
        power = U @ power
    return norms


def check_non_normal(report: Report) -> None:
    U = torch.tensor([[0.5, 10.0], [0.0, 0.5]], dtype=torch.float64)
    rnn = Recurrent(partial(ElmanCell, activation="identity"), 1, 2).double()
    rnn.get_parameter("cells.0.recurrent.weight").data.copy_(U)
    result = gradient_through_time(
        rnn, torch.ones(1, 51, 1, dtype=torch.float64), lambda y: y[:, 0].sum()
    )
    norms = powers(U, 50)
    assert result.spectral_radius is not None
    report.claim("eigenvalues of [[½, 10], [0, ½]]", result.spectral_radius, near=(0.5, 1e-6))
    report.claim("and yet its norm", norms[1], near=(10.025, 5e-4))
    report.claim("three steps still amplify", norms[3], near=(7.50, 5e-3))
    report.claim("ten steps do not", norms[10], near=(0.195, 5e-4))
    report.claim("fifty steps: vanished, although γ > 10", norms[50], near=(8.9e-13, 8.9e-15))
    report.claim(
        "a network with this matrix amplifies first", max(result.norms) / result.norms[0], above=5
    )
    report.figure(
        "non-normal",
        matrix_powers(
            norms, spectral_norm=norms[1], spectral_radius=0.5, title="U = [[½, 10], [0, ½]]"
        ),
        caption="Both eigenvalues are ½, so gradients vanish in the long run; before that they grow tenfold. "
        "The norm alone predicts explosion, the radius alone no growth at all: both are wrong.",
    )


class Cliff(nn.Module):
    r"""A recurrent network of two numbers, :math:`h_t = w h_{t-1} + b`, from :math:`h_0 = 0`."""

    def __init__(self) -> None:
        super().__init__()
        self.w, self.b = (nn.Parameter(torch.tensor(v, dtype=torch.float64)) for v in (1.3, 0.5))

    def forward(self, x: Tensor) -> Tensor:
        h = torch.zeros_like(x)
        for _ in range(25):
            h = self.w * h + self.b
        return h


def walk(steps: int, *, clip_norm: float | None = None, clip_value: float | None = None) -> tuple[Cliff, float]:  # fmt: skip
    """Descend from the cliff, and give the last loss."""
    model, x, y = Cliff(), torch.zeros(1, 1, dtype=torch.float64), torch.full((1, 1), 2.0, dtype=torch.float64)  # fmt: skip
    trainer = Trainer(model, "mse", "sgd", lr=0.01, schedule="cosine", epochs=steps, batch_size=1, clip_norm=clip_norm, clip_value=clip_value, progress=False)  # fmt: skip
    trainer.fit((x, y))
    with torch.no_grad():
        return model, float((model(x) - y).square())


def check_clipping(report: Report) -> None:
    """Where 25 steps multiply, the slope is a cliff; a bound on the step is enough to come down."""
    thrown, _ = walk(1)
    report.claim("at a cliff one plain step throws the weight out of reach", float(thrown.w.detach().abs()), "|w| after it, from 1.3", above=1e4)  # fmt: skip
    for words, kind in (("length", {"clip_norm": 1.0}), ("entries", {"clip_value": 1.0})):
        _, loss = walk(400, **kind)
        report.claim(f"with the gradient's {words} held to 1 it arrives", loss, "squared error", at_most=0.01)  # fmt: skip
    model = Cliff()
    (model(torch.zeros(1, 1, dtype=torch.float64)) - 2.0).square().sum().backward()
    g = torch.stack([p.grad for p in model.parameters() if p.grad is not None])
    angle = {name: torch.rad2deg(torch.arccos((g @ d / g.norm() / d.norm()).clamp(max=1))).item() for name, d in (("length", g / g.norm()), ("entries", g.clamp(-1, 1)))}  # fmt: skip
    report.claim("a bound on the length keeps the direction", angle["length"], "degrees off", at_most=1e-4)  # fmt: skip
    report.claim("bounds on the entries turn it", angle["entries"], "degrees off", at_least=30)


def run(settings: Settings) -> Report:
    report = Report(
        title="Vanishing and exploding gradients in time",
        summary="A step passes at most γ = max|φ′|·‖U‖ of a gradient. γ < 1 makes it vanish; γ > 1 does not "
        "make it explode, and eigenvalues below 1 do not prevent growth.",
    )
    check_bound(report, settings)
    check_non_normal(report)
    check_clipping(report)
    return report


def matrix_powers(
    norms: ArrayLike, *, spectral_norm: float, spectral_radius: float, title: str = ""
) -> Figure:
    r"""Draw :math:`\|U^k\|_2` between what its norm allows and what its radius promises.

    Args:
        norms: :math:`\|U^k\|_2` for :math:`k = 0, 1, \dots`.
        spectral_norm: :math:`\|U\|_2`.
        spectral_radius: Largest :math:`|\lambda|` of :math:`U`.
        title: Title of the figure.

    Example:
        >>> len(matrix_powers([1.0, 0.5, 0.25], spectral_norm=0.5, spectral_radius=0.5).axes[0].lines)
        4
    """
    values = np.asarray(norms, dtype=float)
    k = np.arange(len(values))
    figure, panel = new_figure(width=6.5, height=3.9)
    panel.plot(k, values, marker="o", markersize=3, label=Formula(r"$\|U^k\|_2$, measured"))
    panel.plot(
        k, spectral_norm ** k.astype(float), ":", label=Formula(r"$\|U\|_2^{\,k}$, the bound")
    )
    panel.plot(
        k,
        spectral_radius ** k.astype(float),
        "--",
        label=Formula(r"$\rho(U)^k$, what eigenvalues suggest"),
    )
    panel.axhline(1.0, color=MUTED, linewidth=0.8, zorder=0)
    panel.set(yscale="log", ylim=(min(values.min(), 1.0) / 10, values.max() * 100))
    panel.set(xlabel=Formula("steps $k$"), ylabel="largest growth of a gradient", title=title)
    panel.legend()
    return figure
