"""Hebb's rule with targets 0 and 1 never unlearns; with targets ±1 it learns every separable gate."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import cycle, product

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from gradatim.neurons import HebbianRun, hebbian_learning
from gradatim.plots.neurons import decision_regions
from gradatim.plots.style import new_figure
from gradatim.reports import Report

COVERS = ("A4",)
KEYWORDS = "Hebbian learning rule, weight update, fire together wire together, AND OR gates"
CORNERS = np.array(list(product([0, 1], repeat=2)))
GATES = {"OR": (0, 1, 1, 1), "AND": (0, 0, 0, 1), "NAND": (1, 1, 1, 0), "NOR": (1, 0, 0, 0)}
Learn = Callable[..., HebbianRun]


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    lr: float = 0.1
    epochs: int = 100


QUICK = Settings()


def run(settings: Settings) -> Report:
    report = Report(
        title="Where Hebb's rule fails",
        summary="A target of 0 multiplies every update by 0, so a neuron that fires wrongly never learns not "
        "to; targets of ±1 repair the rule, and the error-gated form is then the perceptron.",
    )
    learn = partial(hebbian_learning, CORNERS, lr=settings.lr, max_epochs=settings.epochs)
    _without_bias(report, learn, settings.lr)
    stuck = {name: learn(GATES[name]) for name in ("OR", "AND")}
    for name, wrong in (("OR", 1), ("AND", 3)):
        report.claim(
            f"{name} with a bias, targets 0 and 1: stuck",
            expected=f"{wrong} wrong in every epoch",
            measured=stuck[name].errors[-1],
            holds=set(stuck[name].errors) == {wrong},
        )
    pure = learn(GATES["AND"], gated=False)
    report.claim(
        "pure Hebb on AND, targets 0 and 1: weights only grow",
        expected="3 wrong, bias > 0",
        measured=f"{pure.errors[-1]} wrong, bias {pure.bias:.3g}",
        holds=pure.errors[-1] == 3 and pure.bias > 0,
    )
    repaired = _both_conventions(report, learn)
    _pictures(report, stuck, repaired)
    return report


def _without_bias(report: Report, learn: Learn, lr: float) -> None:
    no_bias = learn(GATES["OR"], fit_intercept=False)
    report.claim(
        "OR without a bias, targets 0 and 1: two updates suffice",
        expected=f"weights ({lr:g}, {lr:g}), 0 wrong",
        measured=f"weights {_numbers(no_bias.weights)}, {no_bias.errors[-1]} wrong",
        holds=no_bias.solved and np.allclose(no_bias.weights, lr),
    )
    loose = learn(GATES["OR"], fit_intercept=False, strict=False)
    report.claim(
        "a neuron that fires at activation 0 cannot even learn that",
        expected="weights (0, 0) for ever, 1 wrong",
        measured=f"weights {_numbers(loose.weights)}, {loose.errors[-1]} wrong",
        holds=not loose.weights.any() and loose.errors[-1] == 1,
    )


def _both_conventions(report: Report, learn: Learn) -> dict[str, HebbianRun]:
    rows, repaired = [], {}
    for name, values in GATES.items():
        binary, signed = learn(values), learn(2 * np.array(values) - 1)
        rows.append([name, binary.errors[-1], signed.errors[-1], len(signed.errors)])
        repaired[name] = signed
    report.claim(
        "targets ±1 solve OR, AND, NAND and NOR",
        expected="0 wrong each",
        measured=", ".join(str(run.errors[-1]) for run in repaired.values()),
        holds=all(run.solved for run in repaired.values()),
    )
    report.table(
        "Error-gated rule with a bias",
        columns=["gate", "wrong, targets 0/1", "wrong, targets ±1", "epochs, targets ±1"],
        rows=rows,
    )
    return repaired


def _pictures(
    report: Report, stuck: dict[str, HebbianRun], repaired: dict[str, HebbianRun]
) -> None:
    runs = {
        "AND, targets 0/1": stuck["AND"],
        "AND, targets ±1": repaired["AND"],
        "OR, targets 0/1": stuck["OR"],
    }
    report.figure(
        "errors",
        hebbian_errors(runs, epochs=12),
        caption="Samples wrong after each epoch. Only the run with targets ±1 ends.",
    )
    panels = {
        "AND, targets 0/1: fires always": _activation(stuck["AND"]),
        "AND, targets ±1: solved": _activation(repaired["AND"]),
    }
    report.figure(
        "regions",
        decision_regions(panels, CORNERS, GATES["AND"]),
        caption="Where the neuron fires (blue) after learning AND; crosses mark wrong answers.",
    )


def _activation(run: HebbianRun) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    return lambda points: points @ run.weights + run.bias


def _numbers(values: NDArray[np.float64]) -> str:
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"


def hebbian_errors(runs: Mapping[str, HebbianRun], *, epochs: int) -> Figure:
    """Draw how many samples each run of Hebb's rule gets wrong after each epoch.

    Args:
        runs: By label; a run that ended early stays at its last value.
        epochs: How far to draw.

    Example:
        >>> from gradatim.neurons import hebbian_learning
        >>> figure = hebbian_errors({"or": hebbian_learning([[0], [1]], [0, 1])}, epochs=5)
    """
    figure, axes = new_figure(width=6.5, height=3.6)
    for (label, run), marker in zip(runs.items(), cycle("os^D"), strict=False):
        errors = [*run.errors, *[run.errors[-1]] * epochs][:epochs]
        axes.plot(range(1, epochs + 1), errors, marker=marker, markersize=5, label=label)
    axes.set(xlabel="epoch", ylabel="samples wrong", ylim=(-0.2, None))
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.legend()
    return figure
