"""Weather behind a diary of walks and umbrellas: how probable, which weather, and which tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.plots.attention import numbered_matrices
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.style import INK, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.timeseries import HMM, CategoricalEmission, HMMFit, stationary_distribution

COVERS = ("F2",)
KEYWORDS = "hidden Markov model HMM, forward algorithm, Viterbi algorithm, Baum-Welch, evaluation problem, decoding problem, learning problem, Markov chain property, transition matrix, forward-backward algorithm"
STATES = ("sunny", "rainy", "cloudy")
WALK, UMBRELLA, INDOORS = range(3)


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    sequences: int = 200
    steps: int = 300
    starts: int = 5
    rounds: int = 150


QUICK = Settings(sequences=60, steps=200, starts=3, rounds=100)


def diary() -> HMM:
    """The weather and what it makes one do: walk, take the umbrella, stay indoors."""
    return HMM.categorical(
        np.array([0.6, 0.3, 0.1]),
        np.array([[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.3, 0.3, 0.4]]),
        np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3]]),
    )


def telling_diary() -> HMM:
    """Weather that lasts, and a writer who seldom walks in the rain."""
    return HMM.categorical(
        np.array([0.6, 0.3, 0.1]),
        np.array([[0.88, 0.08, 0.04], [0.10, 0.84, 0.06], [0.08, 0.10, 0.82]]),
        np.array([[0.80, 0.05, 0.15], [0.10, 0.75, 0.15], [0.20, 0.15, 0.65]]),
    )


def emissions(model: HMM) -> Tensor:
    assert isinstance(model.emission, CategoricalEmission)
    return model.emission.table


def joint(model: HMM, path: tuple[int, ...], y: tuple[int, ...]) -> float:
    """Probability of a path and the observations, factor by factor."""
    table = emissions(model)
    total = model.start[path[0]] * table[path[0], y[0]]
    for t in range(1, len(y)):
        total = total * model.transition[path[t - 1], path[t]] * table[path[t], y[t]]
    return total.item()


def near(values: Tensor, expected: object, tolerance: float = 5e-7) -> bool:
    wanted = torch.as_tensor(expected, dtype=torch.float64)
    return bool((values - wanted).abs().max() < tolerance)


def show(values: Tensor) -> str:
    return ", ".join(f"{value:.6g}" for value in values.flatten().tolist())


def check_chain(report: Report) -> None:
    A = torch.tensor([[0.8, 0.1, 0.1], [0.4, 0.5, 0.1], [0.3, 0.3, 0.4]], dtype=torch.float64)
    today = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
    end, days = stationary_distribution(A), today @ torch.linalg.matrix_power(A, 30)
    report.claim(
        "weather tomorrow",
        show(today @ A),
        "0.58, 0.26, 0.16",
        holds=near(today @ A, [0.58, 0.26, 0.16]),
    )
    report.claim(
        "the day after",
        show(today @ A @ A),
        "0.616, 0.236, 0.148",
        holds=near(today @ A @ A, [0.616, 0.236, 0.148]),
    )
    report.claim(
        "in the long run", show(end), "9/14, 3/14, 2/14", holds=near(end, [9 / 14, 3 / 14, 2 / 14])
    )
    report.claim(
        "a month ahead today no longer matters",
        show(days),
        "the same",
        holds=near(days, end.tolist()),
    )


def check_evaluation(report: Report, settings: Settings) -> None:
    model, y = diary(), (WALK, UMBRELLA, INDOORS)
    observed = torch.tensor(y)
    alpha = model.trellis(observed).forward.exp()
    probability = model.log_likelihood(observed).exp().item()
    brute = sum(joint(model, path, y) for path in product(range(3), repeat=3))
    table = [[0.48, 0.06, 0.05], [0.0375, 0.0987, 0.0148], [0.007017, 0.006129, 0.005862]]
    generator = torch.Generator().manual_seed(settings.seed)
    _, long = model.sample(2000, generator=generator)
    score = model.log_likelihood(long)
    report.claim(
        "forward probabilities of walk, umbrella, indoors",
        show(alpha),
        show(torch.tensor(table)),
        holds=near(alpha, table),
    )
    report.claim("probability of the three days", probability, near=(0.019008, 5e-7))
    report.claim("the same as the sum over all 27 paths", brute, near=(probability, 1e-15))
    report.claim("2,000 days: the probability itself", score.exp().item(), equals=0)
    report.claim("2,000 days: its logarithm, per day", score.item() / 2000, above=-1, below=-0.8)


def check_decoding(report: Report, settings: Settings) -> None:
    model, y = diary(), torch.tensor([WALK, UMBRELLA, INDOORS])
    best = model.viterbi(y)
    generator = torch.Generator().manual_seed(settings.seed + 1)
    telling = telling_diary()
    path, seen = telling.sample(settings.steps, settings.sequences, generator=generator)
    pointwise, viterbi = telling.posterior(seen).argmax(-1), telling.viterbi(seen).path
    alone = emissions(telling).argmax(0)[seen]
    share = {
        name: (guess == path).double().mean().item()
        for name, guess in (("each day alone", alone), ("best path", viterbi), ("each day, given all", pointwise))
    }  # fmt: skip
    gap = start_matters(model)
    report.claim(
        "best path for walk, umbrella, indoors",
        ", ".join(STATES[k] for k in best.path),
        equals="sunny, rainy, rainy",
    )
    report.claim("its probability", best.log_probability.exp().item(), near=(0.00336, 1e-9))
    report.claim(
        "days right: each by itself",
        share["each day alone"],
        "fewer than with the neighbours",
        holds=share["each day alone"] + 0.02 < share["best path"],
    )
    report.claim(
        "days right: most probable each, given all",
        share["each day, given all"],
        at_least=share["best path"],
    )
    report.claim("a wrong start after 1 day", gap[0], "{} of probability moved", above=0.05)
    report.claim("a wrong start after 15 days", gap[-1], below=1e-5)
    row, shown = 0, slice(0, 80)
    report.figure(
        "decoding",
        state_probabilities(
            telling.posterior(seen[row])[shown], STATES,
            {"truth": path[row, shown], "best path": viterbi[row, shown], "each day": pointwise[row, shown]},
        ),
        caption="Probability of the weather on each day given the whole diary, over the weather that was, the "
        "best path, and the most probable weather of each day.",
    )  # fmt: skip


def start_matters(model: HMM) -> list[float]:
    """How far the last day's probabilities move when the start is taken to be uniform, by length."""
    uniform = HMM(torch.full((3,), 1 / 3, dtype=torch.float64), model.transition, model.emission)
    y = torch.tensor([WALK, UMBRELLA, INDOORS] * 5)
    moved = []
    for length in range(1, len(y) + 1):
        last = [each.posterior(y[:length])[-1] for each in (model, uniform)]
        moved.append(0.5 * (last[0] - last[1]).abs().sum().item())
    return moved


def learn(true: HMM, y: Tensor, settings: Settings) -> list[HMMFit]:
    """Baum-Welch from several random tables."""
    noise = np.random.default_rng(settings.seed)
    fits = []
    for _ in range(settings.starts):
        tables = (noise.dirichlet(np.full(3, 5.0), 3) for _ in range(2))
        fits.append(HMM.categorical(np.full(3, 1 / 3), *tables).learn(y, max_steps=settings.rounds))
    return fits


def relabel(model: HMM, true: HMM) -> HMM:
    """Name the states so that the tables come as near to the true ones as they can."""

    def tables(order: tuple[int, ...]) -> HMM:
        k = list(order)
        return HMM(model.start[k], model.transition[k][:, k], CategoricalEmission(emissions(model)[k]))  # fmt: skip

    return min(map(tables, permutations(range(3))), key=lambda named: table_gap(named, true))


def table_gap(model: HMM, true: HMM) -> float:
    """Largest difference between entries of two models' tables."""
    return max(
        (model.transition - true.transition).abs().max().item(),
        (emissions(model) - emissions(true)).abs().max().item(),
    )


def check_learning(report: Report, settings: Settings) -> None:
    true, generator = telling_diary(), torch.Generator().manual_seed(settings.seed + 2)
    _, y = true.sample(settings.steps, settings.sequences, generator=generator)
    fits = learn(true, y, settings)
    falls = max((a - b) / abs(a) for fit in fits for a, b in zip(fit.log_likelihoods, fit.log_likelihoods[1:], strict=False))  # fmt: skip
    best = max(fits, key=lambda fit: fit.log_likelihoods[-1])
    named = relabel(best.model, true)
    gained = best.log_likelihoods[-1] - true.log_likelihood(y).sum().item()
    gap = table_gap(named, true)
    report.claim("likelihood never falls in a round, of all starts", falls, at_most=1e-12)
    report.claim("learned tables against the true ones", gap, below=0.08)
    report.claim(
        "log-likelihood of the learned above the true model", gained, at_least=0, at_most=20
    )
    check_identifiability(report, settings)
    draw_learning(report, fits, named, true, y.numel())


def check_identifiability(report: Report, settings: Settings) -> None:
    """Of the first diary, very different tables explain what one sees equally well.

    Starts that end in a lower maximum of the likelihood explain it less well, and do not count.
    """
    true, generator = diary(), torch.Generator().manual_seed(settings.seed + 3)
    _, y = true.sample(settings.steps, settings.sequences, generator=generator)
    _, fresh = true.sample(settings.steps, settings.sequences, generator=generator)
    fits = learn(true, y, settings)
    highest = max(fit.log_likelihoods[-1] for fit in fits)
    fits = [fit for fit in fits if highest - fit.log_likelihoods[-1] < 1e-3 * y.numel()]
    gap = max(table_gap(relabel(fit.model, true), true) for fit in fits)
    loss = max((true.log_likelihood(fresh) - fit.model.log_likelihood(fresh)).sum().item() for fit in fits)  # fmt: skip
    loss /= fresh.numel()
    report.claim(
        "first diary: entries of learned tables that are off by more than", gap, above=0.15
    )
    report.claim("and what they lose per new day in log-likelihood", loss, below=3e-3)


def draw_learning(report: Report, fits: list[HMMFit], named: HMM, true: HMM, days: int) -> None:
    curves = {
        f"start {k}": (np.arange(len(fit.log_likelihoods)), np.array(fit.log_likelihoods) / days)
        for k, fit in enumerate(fits, start=1)
    }
    panel = CurvePanel("Baum-Welch from random tables", "round", "log-likelihood per day", curves)
    report.figure("learning", curve_panels([panel], width=6.5), caption="The likelihood never falls. Where it ends depends on the start, so several are tried.")  # fmt: skip
    report.figure(
        "tables",
        numbered_matrices(
            {"transitions": true.transition, "learned": named.transition, "emissions": emissions(true), "learned ": emissions(named)},
        ),
        caption="True and learned tables, rows in the order sunny, rainy, cloudy.",
    )  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Weather behind a diary",
        summary="Three questions to a hidden Markov model: how probable is what was seen, which states were behind "
        "it, and which tables made it. The last one is the hard one.",
    )
    check_chain(report)
    check_evaluation(report, settings)
    check_decoding(report, settings)
    check_learning(report, settings)
    return report


def state_probabilities(
    posterior: ArrayLike, states: Sequence[str], paths: Mapping[str, ArrayLike]
) -> Figure:
    """Draw the probability of each hidden state against time, over strips of the states that were named.

    Args:
        posterior: Probabilities, shape ``(T, K)``.
        states: Names of the ``K`` states.
        paths: States ``(T,)`` by label: the truth, what was decoded.

    Example:
        >>> figure = state_probabilities([[0.9, 0.1], [0.2, 0.8]], ["dry", "wet"], {"truth": [0, 1]})
        >>> [label.get_text() for label in figure.axes[1].get_yticklabels()]
        ['truth']
    """
    table = np.asarray(posterior, dtype=float)
    if table.ndim != 2 or table.shape[1] != len(states):
        raise InvalidValue(
            f"state_probabilities: posterior must have {len(states)} columns, one per state, got shape {table.shape}."
        )
    figure, (upper, lower) = new_figure(2, 1, 8.0, 3.6 + 0.3 * len(paths), sharex=True)
    colors = [_state_color(k) for k in range(len(states))]
    edges = np.arange(len(table) + 1) - 0.5
    height = np.zeros(len(table))
    for k, name in enumerate(states):
        upper.stairs(height + table[:, k], edges, baseline=height, fill=True, color=colors[k], label=name)  # fmt: skip
        height = height + table[:, k]
    upper.set(ylim=(0, 1), ylabel="probability")
    upper.grid(False)
    for row, path in enumerate(paths.values()):
        for k in range(len(states)):
            at = np.flatnonzero(np.asarray(path) == k)
            lower.bar(at, 0.8, width=1.0, bottom=row - 0.4, color=colors[k])
    lower.set_yticks(range(len(paths)), list(paths), color=INK)
    lower.invert_yaxis()
    lower.grid(False)
    lower.set(xlim=(edges[0], edges[-1]), xlabel="time step")
    figure.legend(*upper.get_legend_handles_labels(), loc="outside upper center", ncols=len(states), frameon=False, fontsize=9)  # fmt: skip
    return figure


def _state_color(k: int) -> str:
    """Sun is orange, rain is blue, clouds are grey, in this order."""
    order = (4, 0, 6, 2, 3, 1, 5, 7)
    return PALETTE[order[k % len(order)]]
