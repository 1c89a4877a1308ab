"""The best path through a trellis, without trying all; the best state of each day may be an impossible path."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.reports import Report
from gradatim.timeseries import HMM

COVERS = ("F2",)
KEYWORDS = "Viterbi algorithm, decoding problem, dynamic programming, most likely path, smoothing"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    models: int = 100
    steps: int = 8
    longest: int = 11
    sequences: int = 2000


QUICK = Settings(models=30, steps=6, longest=9, sequences=500)


def textbook() -> tuple[HMM, Tensor]:
    """Sunny or rainy, guessed from walk, shop, clean, clean."""
    model = HMM.categorical(
        np.array([0.4, 0.6]),
        np.array([[0.6, 0.4], [0.3, 0.7]]),
        np.array([[0.6, 0.3, 0.1], [0.1, 0.4, 0.5]]),
    )
    return model, torch.tensor([0, 1, 2, 2])


def enumerate_paths(model: HMM, y: Tensor) -> tuple[Tensor, Tensor]:
    """Every path ``(K^T, T)``, and its probability with the observations ``(K^T,)``."""
    paths = torch.tensor(list(product(range(len(model.start)), repeat=len(y))))
    emission = model.emission.log_prob(y).exp()  # (T, K)
    chance = model.start[paths[:, 0]] * model.transition[paths[:, :-1], paths[:, 1:]].prod(1)
    return paths, chance * emission[torch.arange(len(y)), paths].prod(1)


def random_model(noise: np.random.Generator, states: int = 3, symbols: int = 4) -> HMM:
    draw = noise.dirichlet
    ones = np.ones(states)
    return HMM.categorical(draw(ones), draw(ones, states), draw(np.ones(symbols), states))


def check_textbook(report: Report) -> None:
    model, y = textbook()
    tables, decoded = model.trellis(y), model.viterbi(y)
    delta = tables.best.exp()
    wanted = [[0.24, 0.06], [0.0432, 0.0384], [0.002592, 0.01344], [0.0004032, 0.004704]]
    paths, chances = enumerate_paths(model, y)
    best = chances.max().item()
    away = (delta - torch.tensor(wanted, dtype=torch.float64)).abs().max().item()
    report.claim("scores of all nodes against those by hand", away, below=1e-12)
    report.claim(
        "best path for walk, shop, clean, clean",
        str(decoded.path.tolist()),
        "sunny, rainy, rainy, rainy",
        holds=decoded.path.tolist() == [0, 1, 1, 1],
    )
    report.claim(
        "best of all 16 paths",
        best,
        "0.004704, the same path",
        holds=abs(best - 0.004704) < 1e-12 and paths[chances.argmax()].tolist() == [0, 1, 1, 1],
    )
    report.figure(
        "trellis",
        trellis_figure(
            delta, tables.previous, decoded.path.tolist(), states=["sunny", "rainy"],
            observations=["walk", "shop", "clean", "clean"],
        ),
        caption="Each node keeps the probability of the best way to it, and where it came from. The best end, "
        "followed back, is the best path.",
    )  # fmt: skip


def check_random_models(report: Report, settings: Settings) -> None:
    noise = np.random.default_rng(settings.seed)
    gap = 0.0
    for _ in range(settings.models):
        model = random_model(noise)
        y = torch.from_numpy(noise.integers(0, 4, settings.steps))
        _, chances = enumerate_paths(model, y)
        found = model.viterbi(y).log_probability.exp()
        gap = max(gap, abs(found.item() / chances.max().item() - 1))
    report.claim(
        f"{settings.models} random models of 3 states, {settings.steps} steps, all {3**settings.steps:,} paths",
        gap,
        below=1e-10,
    )


def cpu_milliseconds(work: Callable[[], object]) -> float:
    """Least processor time of five runs."""
    times = []
    for _ in range(5):
        start = time.process_time()
        work()
        times.append(1e3 * (time.process_time() - start))
    return min(times)


def check_cost(report: Report, settings: Settings) -> None:
    model = random_model(np.random.default_rng(settings.seed))
    lengths = np.arange(5, settings.longest + 1)
    y = torch.zeros(settings.longest, dtype=torch.long)
    brute, viterbi = (
        np.array([cpu_milliseconds(lambda: method(y[:length])) for length in lengths])  # noqa: B023
        for method in (lambda seen: enumerate_paths(model, seen), model.viterbi)
    )
    per_step = (brute[-1] / brute[-3]) ** 0.5
    growth = viterbi[-1] / viterbi[0]
    report.claim(
        "all paths: one more step costs", per_step, "{} times as much, K = 3", above=2, below=5
    )
    report.claim(f"trellis: {settings.longest} steps against 5", growth, "{} times", below=3)
    panel = CurvePanel(
        "Three states", Formula("steps $T$"), "milliseconds of processor time",
        {Formula("all paths, $K^T$"): (lengths, brute), Formula("trellis, $TK^2$"): (lengths, viterbi)}, is_log_y=True,
    )  # fmt: skip
    report.figure("cost", curve_panels([panel], width=6.0), caption="Every step multiplies the paths by three and adds one column to the trellis.")  # fmt: skip


def crossroads() -> HMM:
    """From home one stays at home; from shop and office one goes to the pub. Nothing is seen of it."""
    return HMM.categorical(
        np.array([0.4, 0.3, 0.3, 0.0]),
        np.array([[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1]], dtype=float),
        np.ones((4, 1)),
    )


def check_pointwise(report: Report, settings: Settings) -> None:
    model, y = crossroads(), torch.zeros(2, dtype=torch.long)
    posterior, decoded, tables = model.posterior(y), model.viterbi(y), model.trellis(y)
    path = posterior.argmax(1).tolist()
    paths, chances = enumerate_paths(model, y)
    chance = chances[(paths == torch.tensor(path)).all(1)].item()
    shares = forbidden(settings)
    report.claim(
        "most probable place at each step by itself",
        str([round(p, 3) for p in posterior.max(1).values.tolist()]),
        "home 0.4, then pub 0.6",
        holds=path == [0, 3],
    )
    report.claim("probability of going from home to the pub", chance, "{}: impossible", equals=0)
    report.claim(
        "best path",
        decoded.log_probability.exp().item(),
        "home, home: 0.4",
        holds=decoded.path.tolist() == [0, 0],
    )
    report.claim(
        "machine with forbidden steps: impossible paths, each step by itself",
        shares["impossible"],
        above=0.05,
    )
    report.claim("the same by Viterbi", shares["impossible, best path"], equals=0)
    report.claim(
        "and yet steps right: by itself minus on the best path",
        shares["right"] - shares["right, best path"],
        at_least=0,
    )
    report.figure(
        "impossible",
        trellis_figure(
            tables.best.exp(), tables.previous, decoded.path.tolist(), states=["home", "shop", "office", "pub"],
            observations=["noon", "night"], other=("best of each step", path),
        ),
        caption="At noon home is most probable, at night the pub, but nobody goes from home to the pub.",
    )  # fmt: skip


def forbidden(settings: Settings) -> dict[str, float]:
    """Decode a machine that runs through idle, warm, work and cool in a ring, seen through noise."""
    ring = 0.7 * np.eye(4) + 0.3 * np.eye(4)[[1, 2, 3, 0]]
    model = HMM.categorical(np.full(4, 0.25), ring, 0.4 * np.eye(4) + 0.15)
    generator = torch.Generator().manual_seed(settings.seed)
    states, y = model.sample(30, settings.sequences, generator=generator)
    shares = {}
    for suffix, path in (("", model.posterior(y).argmax(-1)), (", best path", model.viterbi(y).path)):  # fmt: skip
        steps = model.transition[path[:, :-1], path[:, 1:]]
        shares[f"impossible{suffix}"] = (steps == 0).any(1).double().mean().item()
        shares[f"right{suffix}"] = (path == states).double().mean().item()
    return shares


def run(settings: Settings) -> Report:
    report = Report(
        title="Viterbi's trellis",
        summary="The best of exponentially many paths costs one column of additions per step. The most probable "
        "state of each step is another question, and its answers need not fit together.",
    )
    check_textbook(report)
    check_random_models(report, settings)
    check_cost(report, settings)
    check_pointwise(report, settings)
    return report


def trellis_figure(
    best: ArrayLike,
    previous: ArrayLike,
    path: Sequence[int],
    *,
    states: Sequence[str],
    observations: Sequence[str],
    other: tuple[str, Sequence[int]] | None = None,
) -> Figure:
    r"""Draw Viterbi's trellis: the best way into every node, and the best path of all.

    Args:
        best: :math:`\delta_t(j)`, the probability of the best path to each node, shape ``(T, K)``.
        previous: :math:`\psi_t(j)`, the state before on it, shape ``(T, K)``.
        path: The best path, ``T`` states.
        states: Names of the ``K`` states.
        observations: Names of the ``T`` observations.
        other: Another path to show dashed, with its label.

    Example:
        >>> figure = trellis_figure(
        ...     [[0.5, 0.5], [0.4, 0.1]], [[-1, -1], [0, 0]], [0, 0], states="AB", observations="xy"
        ... )
        >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
        ['x', 'y']
    """
    delta, psi = np.asarray(best, dtype=float), np.asarray(previous, dtype=int)
    if delta.shape != (len(observations), len(states)) or psi.shape != delta.shape:
        raise InvalidValue(
            f"trellis_figure: best and previous must have shape ({len(observations)}, {len(states)}), "
            f"got {delta.shape} and {psi.shape}."
        )
    T, K = delta.shape
    figure, panel = new_figure(width=max(1.3 + 1.7 * T, 5.6), height=1.6 + 1.05 * K)
    for t in range(1, T):
        for i, j in np.ndindex(K, K):
            panel.plot([t - 1, t], [i, j], color="#E1E4E9", linewidth=0.9, zorder=1)
        for j in np.flatnonzero(delta[t] > 0):
            panel.plot([t - 1, t], [psi[t, j], j], color=PALETTE[0], linewidth=2.0, zorder=2)
    panel.plot([], [], color=PALETTE[0], linewidth=2.0, label="best way into a node")
    panel.plot(range(T), path, color=PALETTE[1], linewidth=5.0, zorder=3, label="best path")
    if other is not None:
        panel.plot(range(T), other[1], ":", color=INK, linewidth=3.0, zorder=3.5, label=other[0])
    _draw_nodes(panel, delta, set(enumerate(path)))
    panel.set_xticks(range(T), list(observations), color=INK, fontsize=10)
    panel.set_yticks(range(K), list(states), color=INK, fontsize=10)
    panel.set(xlim=(-0.45, T - 0.55), ylim=(K - 0.5, -0.5))
    panel.tick_params(length=0)
    panel.grid(False)
    for side in panel.spines.values():
        side.set_visible(False)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure


def _draw_nodes(panel: Axes, delta: np.ndarray, chosen: set[tuple[int, int]]) -> None:
    for (t, j), value in np.ndenumerate(delta):
        color = PALETTE[1] if (t, j) in chosen else (PALETTE[0] if value > 0 else MUTED)
        panel.text(
            t, j, f"{value:.4g}" if value >= 1e-3 or value == 0 else f"{value:.3g}", ha="center", va="center",
            fontsize=9, color=INK, zorder=4,
            bbox={"boxstyle": "round,pad=0.45", "facecolor": "white", "edgecolor": color, "linewidth": 1.8},
        )  # fmt: skip
