"""The smallest perturbation that fools a linear classifier has a closed form in every norm."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from torch import Tensor, nn

from gradatim.experiments._digits import split_digits
from gradatim.linear import fit_softmax
from gradatim.plots.robust import adversarial_triples, perturbation_histogram
from gradatim.plots.style import INK, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.reports import Report
from gradatim.robust import AffinePerturbation, affine_perturbation, deepfool

COVERS = ("L1",)
KEYWORDS = "linear classifier, dual norm, smallest perturbation, DeepFool"
NORMS: dict[str, float] = {"ℓ1": 1.0, "ℓ2": 2.0, "ℓ∞": torch.inf}
OVERSHOOT = 1e-6


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    weight_decay: float = 0.01
    checked: int = 40


QUICK = Settings(checked=5)


def linear_network(X: Tensor, y: Tensor, weight_decay: float) -> nn.Linear:
    """Softmax regression as a module in double precision."""
    fit = fit_softmax(X, y, weight_decay=weight_decay)
    network = nn.Linear(X.shape[1], 10).double()
    network.weight.data, network.bias.data = fit.weight.t().contiguous(), fit.bias
    return network


def program_distance(network: nn.Linear, x: Tensor, p: float) -> float:
    """The same distance as the best of nine linear programs, for ℓ1 and ℓ∞."""
    W, b = network.weight.detach().numpy(), network.bias.detach().numpy()
    scores = W @ x.numpy() + b
    present, d = int(scores.argmax()), len(x)
    best = np.inf
    for k in set(range(len(W))) - {present}:
        normal, gap = W[k] - W[present], scores[present] - scores[k]
        gain = np.concatenate([-normal, normal])  # η = u − v with u, v ≥ 0
        if p == 1.0:
            solved = linprog(np.ones(2 * d), gain[None], [-gap])
        else:  # the least t ≥ u + v in every coordinate
            each = np.hstack([np.eye(d), np.eye(d), -np.ones((d, 1))])
            rows = np.vstack([np.append(gain, 0.0), each])
            cost = np.append(np.zeros(2 * d), 1.0)
            solved = linprog(cost, rows, np.append(-gap, np.zeros(d)))
        best = min(best, np.inf if solved.fun is None else solved.fun)
    return float(best)


@torch.no_grad()
def turned(network: nn.Linear, x: Tensor, found: AffinePerturbation, share: float) -> float:
    """Share of samples whose class changes after part of the perturbation, in per cent."""
    predicted = network(x + share * found.perturbation).argmax(1)
    return 100 * (predicted != found.label).double().mean().item()


def claim_tightness(
    report: Report, network: nn.Linear, x: Tensor, found: dict[str, AffinePerturbation]
) -> None:
    short = {name: turned(network, x, each, 1 - 1e-9) for name, each in found.items()}
    long = {name: turned(network, x, each, 1 + 1e-9) for name, each in found.items()}
    report.claim(
        "every perturbation ends exactly on the boundary",
        expected="one billionth less turns 0 %, one billionth more turns 100 %",
        measured=f"{max(short.values()):g} %, {min(long.values()):g} %",
        holds=max(short.values()) == 0 and min(long.values()) == 100,
    )
    moved = {name: (each.perturbation != 0).sum(1) for name, each in found.items()}
    report.claim(
        "ℓ1 moves one pixel",
        expected="1 pixel of every image",
        measured=int(moved["ℓ1"].max()),
        holds=(moved["ℓ1"] == 1).all(),
    )
    cube = found["ℓ∞"]
    weight = network.weight.detach()
    seen = int((weight != weight[0]).any(0).sum())  # the others are black in every training image
    uneven = (cube.perturbation.abs() - cube.distance[:, None])[cube.perturbation != 0].abs().max()
    report.claim(
        "ℓ∞ moves all pixels equally far",
        expected=f"all {seen} pixels that the classifier looks at, differing by at most 1e-12",
        measured=f"{int(moved['ℓ∞'].min())} pixels, {uneven.item():.1e}",
        holds=moved["ℓ∞"].min() == seen and uneven < 1e-12,
    )


def claim_other_methods(
    report: Report,
    network: nn.Linear,
    x: Tensor,
    found: dict[str, AffinePerturbation],
    checked: int,
) -> None:
    gaps = [
        abs(program_distance(network, x[i], NORMS[name]) / found[name].distance[i].item() - 1)
        for name in ("ℓ1", "ℓ∞")
        for i in range(checked)
    ]
    report.claim("linear programs find the same distances", max(gaps), below=1e-6)
    apart = []
    for name, p in NORMS.items():
        step = deepfool(network, x, norm=p, overshoot=OVERSHOOT, steps=1) - x
        exact = (1 + OVERSHOOT) * found[name].perturbation
        apart.append(((step - exact).norm(dim=1) / exact.norm(dim=1)).max().item())
    report.claim("one step of DeepFool is the closed form", max(apart), below=1e-9)


def run(settings: Settings) -> Report:
    report = Report(
        title="Fooling a linear classifier",
        summary="The distance to the nearest boundary is the gap between two scores, divided by the dual norm of "
        "the difference of their weights. The norm decides whether one pixel moves or all.",
    )
    (X, y), (X_test, y_test) = split_digits(settings.seed)
    network = linear_network(X.flatten(1), y, settings.weight_decay)
    x = X_test.flatten(1).double()
    right = network(x).argmax(1) == y_test
    x, y_test = x[right], y_test[right]
    weight, bias = network.weight.detach(), network.bias.detach()
    found = {name: affine_perturbation(weight, bias, x, norm=p) for name, p in NORMS.items()}
    held = {
        name: affine_perturbation(weight, bias, x, norm=p, bounds=(0.0, 1.0))
        for name, p in NORMS.items()
    }
    claim_tightness(report, network, x, found)
    claim_other_methods(report, network, x, found, settings.checked)
    dearer = min((held[name].distance / found[name].distance).min().item() for name in NORMS)
    report.claim("staying within the range of pixels costs distance", dearer, above=1 - 1e-9)
    report.table(
        f"Median distance of {len(x)} digits to the nearest boundary",
        columns=[
            "norm",
            "free",
            "pixels within [0, 1]",
            "pixels moved, free",
            "pixels moved, within",
        ],
        rows=[
            [
                name,
                found[name].distance.median().item(),
                held[name].distance.median().item(),
                (found[name].perturbation != 0).sum(1).median().item(),
                (held[name].perturbation != 0).sum(1).median().item(),
            ]
            for name in NORMS
        ],
    )
    draw(report, x, found, held)
    return report


def draw(
    report: Report,
    x: Tensor,
    found: dict[str, AffinePerturbation],
    held: dict[str, AffinePerturbation],
) -> None:
    report.figure(
        "norms",
        norm_balls([1.0, 2.0], -4.0, [0.0, 0.0]),
        caption="The largest ball on this side of the line touches it at the nearest point. A diamond touches with "
        "a corner, along the axis of the largest weight; a square with a corner, along a diagonal.",
    )
    label = found["ℓ2"].label
    pairs = [(int((label == digit).nonzero()[0]), name) for digit in (3, 6, 9) for name in NORMS]
    rows = torch.tensor([row for row, _ in pairs])
    steps = torch.stack([held[name].perturbation[row] for row, name in pairs])
    names = [(f"{label[row].item()} ({name})", held[name].other[row].item()) for row, name in pairs]
    report.figure(
        "digits",
        adversarial_triples(x[rows].reshape(-1, 8, 8), (x[rows] + steps).reshape(-1, 8, 8), names),
        caption="Three digits, each perturbed as little as possible in three norms, pixels within [0, 1]: a few "
        "pixels change much, or all a little.",
    )
    report.figure(
        "distances",
        perturbation_histogram(
            {name: each.distance for name, each in found.items() if name != "ℓ1"},
            xlabel="distance to the nearest boundary",
        ),
        caption="The nearest boundary is close: a change of a few per cent of the range in every pixel is enough.",
    )


def norm_balls(weight: ArrayLike, bias: float, point: ArrayLike) -> Figure:
    r"""Draw the largest ball around a point that does not cross a line, in three norms.

    Where ball and line touch is the smallest perturbation :math:`\eta`.

    Args:
        weight: Normal :math:`w` of the line :math:`w^\top x+b=0`, shape ``(2,)``.
        bias: :math:`b`.
        point: :math:`x`, shape ``(2,)``.

    Example:
        >>> [panel.get_title() for panel in norm_balls([1.0, 2.0], -4.0, [0.0, 0.0]).axes]
        ['$\\ell_1$: 2.000', '$\\ell_2$: 1.789', '$\\ell_\\infty$: 1.333']
    """
    w, b, x = (torch.as_tensor(value, dtype=torch.float64) for value in (weight, bias, point))
    figure, axes = new_figure(columns=3, width=9.6, height=3.9, sharey=True)
    norms = {1: "1", 2: "2", math.inf: r"\infty"}
    found = {p: affine_perturbation(w[None], b[None], x[None], norm=p) for p in norms}
    reach = 1.25 * found[1].distance.item()
    for panel, (p, name) in zip(axes, norms.items(), strict=True):
        eta, distance = found[p].perturbation[0].numpy(), found[p].distance.item()
        _draw_line(panel, w.numpy(), x.numpy() + eta, 9 * reach)
        _draw_ball(panel, x.numpy(), distance, p)
        arrow = {"arrowstyle": "-|>", "color": PALETTE[1], "lw": 2, "shrinkA": 0, "shrinkB": 0}
        panel.annotate("", x.numpy() + eta, x.numpy(), arrowprops=arrow)
        panel.plot(*x.numpy(), "o", color=INK, markersize=5)
        panel.set_xlim((x[0].item() - reach, x[0].item() + reach))
        panel.set(ylim=(x[1].item() - reach, x[1].item() + reach), aspect="equal")
        panel.set(title=Formula(rf"$\ell_{name}$: {distance:.3f}"), xlabel=Formula("$x_1$"))
    axes[0].set_ylabel(Formula("$x_2$"))
    return figure


def _draw_line(panel: Axes, normal: np.ndarray, through: np.ndarray, length: float) -> None:
    along = np.array([-normal[1], normal[0]]) / np.linalg.norm(normal)
    panel.plot(*np.stack([through - length * along, through + length * along]).T, color=INK)


def _draw_ball(panel: Axes, centre: np.ndarray, radius: float, p: float) -> None:
    turn = np.linspace(0, 2 * np.pi, 401)
    circle = np.stack([np.cos(turn), np.sin(turn)], 1)
    ball = centre + radius * circle / np.linalg.norm(circle, ord=p, axis=1, keepdims=True)
    panel.fill(*ball.T, color=PALETTE[0], alpha=0.15)
    panel.plot(*ball.T, color=PALETTE[0])
