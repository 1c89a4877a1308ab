"""No line computes XOR: a hidden layer does, set by hand, grown by MADALINE or learned."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from gradatim.linear import separate
from gradatim.models import MLP
from gradatim.neurons import Adaline, Madaline, Perceptron, ThresholdNetwork, gate
from gradatim.plots.neurons import decision_regions
from gradatim.reports import Report
from gradatim.theory import xor_network
from gradatim.training import train_replicas

COVERS = ("A1", "A2", "A4", "B3")
KEYWORDS = "MADALINE, multiple ADALINE network, exclusive or, linearly separable, hidden layer"
CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR = np.array([0, 1, 1, 0])
Score = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    widths: tuple[int, ...] = (1, 2, 4, 8, 16)
    seeds: int = 200
    epochs: int = 200
    madaline_seeds: int = 50


QUICK = Settings(seeds=50, epochs=150, madaline_seeds=20)


def run(settings: Settings) -> Report:
    report = Report(
        title="XOR",
        summary="The smallest problem that needs a hidden layer: linear models get at most three of the four "
        "inputs right, two hidden units suffice, and training finds a solution surely only when there are many.",
    )
    panels = {**_linear(report), **_by_hand(report), **_madaline(report, settings)}
    panels[f"learned, {max(settings.widths)} hidden units"] = _learned(report, settings)
    report.figure(
        "regions",
        decision_regions(panels, CORNERS, XOR, pad=0.4),
        caption="Where each model answers 1 (blue). Discs are inputs of class 1, rings of class 0; crosses mark "
        "wrong answers.",
    )
    return report


def _linear(report: Report) -> dict[str, Score]:
    found = separate(CORNERS, XOR)
    report.claim(
        "no line separates XOR, and here is the proof",
        expected="both classes average to (0.5, 0.5)",
        measured=f"{found.shared_point}, residual {found.residual:.1g}",
        holds=found.shared_point is not None and np.allclose(found.shared_point, 0.5),
    )
    perceptron = Perceptron(max_epochs=1000).fit(CORNERS, XOR)
    adaline = Adaline().fit(CORNERS, XOR)
    for name, model in (("perceptron", perceptron), ("ADALINE (least squares)", adaline)):
        accuracy = model.score(CORNERS, XOR)
        report.claim(f"{name} fails", accuracy, "accuracy", at_most=0.75)
    return {"perceptron": perceptron.decision_function}


def _by_hand(report: Report) -> dict[str, Score]:
    panels = {}
    for bias in (True, False):
        model = xor_network(output_bias=-0.5 if bias else 0.0)
        outputs = _score(model)(CORNERS)
        label = f"two ReLUs by hand, {'with' if bias else 'no'} output bias"
        report.claim(
            label,
            expected="f > 0 exactly for (0,1) and (1,0)",
            measured="f = " + ", ".join(f"{value:g}" for value in outputs),
            holds=((outputs > 0) == XOR).all(),
        )
        panels[f"ReLUs, {'with' if bias else 'no'} output bias"] = _score(model)
    units = ThresholdNetwork.from_units([[gate("or"), gate("nand")], [gate("and")]])
    answers = _score(units)(CORNERS)
    report.claim(
        "three threshold units by hand: AND of OR and NAND",
        ", ".join(f"{value:g}" for value in answers),
        equals="0, 1, 1, 0",
    )
    panels["AND of OR and NAND"] = _score(units)
    return panels


def _madaline(report: Report, settings: Settings) -> dict[str, Score]:
    models = [
        Madaline(num_units=2, seed=settings.seed + k).fit(CORNERS, XOR)
        for k in range(settings.madaline_seeds)
    ]
    solved = float(np.mean([model.converged_ for model in models]))
    report.claim("MADALINE Rule I: two ADALINEs under OR, up to five starts", solved, at_least=0.95)
    best = next(model for model in models if model.converged_)
    return {"MADALINE, two units": best.decision_function}


def _learned(report: Report, settings: Settings) -> Score:
    shares, solved = _train(settings)
    rows = [[width, share] for width, share in shares.items()]
    report.table(
        "Learned ReLU networks", columns=["hidden units", "share of seeds solved"], rows=rows
    )
    narrow, wide = min(settings.widths), max(settings.widths)
    report.claim(
        f"{narrow} hidden unit cannot",
        expected="share of seeds solved 0",
        measured=shares[narrow],
        holds=narrow > 1 or shares[narrow] == 0,
    )
    report.claim(
        f"{wide} hidden units learn XOR", shares[wide], "share of seeds solved", at_least=0.9
    )
    report.claim(
        "two units suffice but are found less surely", shares.get(2, 0.0), below=shares[wide]
    )
    report.text(
        "ReLU units that are off for all four inputs get no gradient and stay off. With few units, an unlucky "
        "start leaves too few alive; more units make that unlikely."
    )
    return _score(solved[wide])


def _train(settings: Settings) -> tuple[dict[int, float], dict[int, nn.Module]]:
    """For each width the share of seeds that solve XOR, and a network that does."""
    shares, solved = {}, {}
    inputs, targets = torch.tensor(CORNERS, dtype=torch.float32), torch.tensor(XOR).float()
    for width in settings.widths:
        replicas = train_replicas(
            partial(MLP, (2, width, 1)),
            (inputs, targets),
            loss="bce",
            lr=0.05,
            epochs=settings.epochs,
            batch_size=4,
            seed=range(settings.seed, settings.seed + settings.seeds),
        )
        outputs = replicas.predict(inputs).flatten(1)  # (seeds, 4)
        right = ((outputs > 0) == targets.bool()).all(dim=1).tolist()
        shares[width] = sum(right) / len(right)
        if any(right):
            solved[width] = replicas.models[right.index(True)]
    return shares, solved


def _score(model: nn.Module) -> Score:
    def score(points: NDArray[np.float64]) -> NDArray[np.float64]:
        with torch.inference_mode():
            return model(torch.as_tensor(points, dtype=torch.float32)).flatten().numpy()

    return score
