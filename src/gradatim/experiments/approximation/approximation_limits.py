"""Where more units do not help: polynomial activations, and layers no wider than the input."""

from dataclasses import dataclass
from math import comb, pi

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import linprog
from torch import Tensor

from gradatim.plots.convolution import picture_panels
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report
from gradatim.theory import Approximation, approximate, log_log_slope

COVERS = ("B3",)
KEYWORDS = "universal approximation theorem, polynomial activation function, Leshno, Weierstrass, Bernstein polynomials, minimum width, narrow network, bump function"
Array = NDArray[np.float64]
BEST_LINE = 0.6824  # the least sup-error of a line for sin on [−π, π]; no square makes it less
POWERS = {"x²": 2, "x³": 3}


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    widths: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    degrees: tuple[int, ...] = (4, 8, 16, 32, 64, 128, 256)
    depths: tuple[int, ...] = (1, 2, 3, 4, 6)
    restarts: int = 12
    steps: int = 80


QUICK = Settings(widths=(1, 4, 16), degrees=(8, 32, 128), depths=(1, 3), restarts=3, steps=30)


def best_readout(features: Array, y: Array) -> float:
    """The least sup-error that any weighted sum of the features, and a constant, has on these points: a linear program."""
    columns = np.column_stack([features / np.abs(features).max(0), np.ones(len(y))])
    basis, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    columns = (
        np.sqrt(len(y)) * basis[:, sizes > 1e-10 * sizes[0]]
    )  # the same span, well conditioned
    rows = np.block([[columns, -np.ones((len(y), 1))], [-columns, -np.ones((len(y), 1))]])
    goal = np.r_[np.zeros(columns.shape[1]), 1.0]
    found = linprog(goal, A_ub=rows, b_ub=np.r_[y, -y], bounds=(None, None))
    assert found.x is not None  # a weighted sum of nothing always exists
    return float(found.x[-1])


def _plateau(report: Report, settings: Settings) -> CurvePanel:
    """Random units of powers, each with the best of all readouts."""
    rng = np.random.default_rng(settings.seed)
    x = np.linspace(-pi, pi, 401)
    y, widths = np.sin(x), list(settings.widths)
    errors: dict[str, list[float]] = {}
    for name, power in POWERS.items():
        w, b = rng.normal(size=(2, widths[-1]))
        units = (np.outer(x / pi, w) + b) ** power
        errors[f"units {name}"] = [best_readout(units[:, :width], y) for width in widths]
    least = {name: best_readout(np.outer(x / pi, np.ones(power)) ** np.arange(1, power + 1), y) for name, power in POWERS.items()}  # fmt: skip
    for (label, values), (name, power) in zip(errors.items(), POWERS.items(), strict=True):
        report.claim(f"{widths[-1]} units {name}: no readout is better than the best polynomial of degree {power}", values[-1] / least[name], "times its error,", near=(1.0, 1e-4))  # fmt: skip
        errors[label] = [max(value, least[name]) for value in values]  # rounding of the program
    report.claim("x² does not even beat a line for sin", errors["units x²"][-1], "sup-error", near=(BEST_LINE, 1e-3))  # fmt: skip
    tanh = [r.sup_error for r in approximate(torch.sin, widths, domain=[(-pi, pi)], restarts=settings.restarts, steps=settings.steps, seed=settings.seed)]  # fmt: skip
    report.claim(f"{widths[-1]} tanh units follow it", tanh[-1], "sup-error", below=0.01)
    return CurvePanel(
        "Activations that are polynomials", "hidden units", "least sup-error for sin",
        {**{label: (widths, values) for label, values in errors.items()}, "tanh, trained": (widths, tanh)},
        {f"best polynomial of degree {power}": (widths, [least[name]] * len(widths)) for name, power in POWERS.items()},
        is_log_x=True, is_log_y=True,
    )  # fmt: skip


def bernstein(values: Array, x: Array) -> Array:
    r"""Bernstein's polynomial :math:`B_n f(x)=\sum_k f(k/n)\binom nk x^k(1-x)^{n-k}` on [0, 1].

    Args:
        values: :math:`f(k/n)`, shape ``(n + 1,)``.
        x: Where, shape ``(N,)``.
    """
    n = len(values) - 1
    k = np.arange(n + 1)
    counts = np.array([float(comb(n, i)) for i in k])
    return (counts * x[:, None] ** k * (1 - x[:, None]) ** (n - k)) @ values


def _bernstein(report: Report, settings: Settings) -> CurvePanel:
    """Weierstrass' theorem by hand: certain, and slow."""
    x, degrees = np.linspace(0, 1, 2001), list(settings.degrees)
    functions = {"sin 2πx": lambda t: np.sin(2 * pi * t), "|x − ½|": lambda t: np.abs(t - 0.5), "x²": lambda t: t**2}  # fmt: skip
    errors = {name: [float(np.abs(bernstein(f(np.arange(n + 1) / n), x) - f(x)).max()) for n in degrees] for name, f in functions.items()}  # fmt: skip
    exact = max(abs(error * 4 * n - 1) for n, error in zip(degrees, errors["x²"], strict=True))
    report.claim("Bernstein's polynomial of degree n misses x² by 1/4n", exact, "largest relative difference", below=1e-6)  # fmt: skip
    for name, power in (("sin 2πx", -1.0), ("|x − ½|", -0.5)):
        report.claim(f"its error for {name} falls with this power of the degree", log_log_slope(degrees[-3:], errors[name][-3:]), near=(power, 0.1))  # fmt: skip
    widths = [1, 2, 4, 8]
    net = approximate(lambda t: (2 * pi * t).sin(), widths, domain=[(0, 1)], restarts=settings.restarts, steps=settings.steps, seed=settings.seed)  # fmt: skip
    report.claim(f"8 tanh units are closer to sin 2πx than degree {degrees[-1]}", net[-1].sup_error / errors["sin 2πx"][-1], "of its error", below=0.5)  # fmt: skip
    curves = {f"Bernstein, {name}": (degrees, values) for name, values in errors.items()}
    curves["tanh network, sin 2πx"] = ([r.num_parameters for r in net], [r.sup_error for r in net])
    return CurvePanel("Bernstein polynomials", "degree, or parameters of the network", "sup-error", curves, is_log_x=True, is_log_y=True)  # fmt: skip


def bump(x: Tensor) -> Tensor:
    """One in the middle, zero from distance 1 on."""
    return (1 - x.norm(dim=1)).clamp(min=0)


def _thin(report: Report, settings: Settings) -> tuple[CurvePanel, dict[str, Approximation]]:
    """Where F of a network no wider than its input takes the value of the middle, it does so up to the border."""
    results = [r for width in (2, 4) for r in approximate(bump, [width], depths=settings.depths, domain=[(-1, 1)] * 2, restarts=settings.restarts, steps=settings.steps, seed=settings.seed)]  # fmt: skip
    by_width = {w: [r for r in results if r.width == w] for w in (2, 4)}
    thin, wide = ([r.sup_error for r in group] for group in by_width.values())
    report.claim("two units a layer on two inputs: half the bump is missed at any depth", min(thin), "least sup-error", at_least=0.49)  # fmt: skip
    report.claim("four units a layer make it", min(wide), "least sup-error", below=0.3)
    panel = CurvePanel(
        "A bump on two inputs", "hidden layers", "sup-error",
        {f"{w} units a layer": ([r.depth for r in group], [r.sup_error for r in group]) for w, group in by_width.items()},
        {"½, the least of 2 units": (list(settings.depths), [0.5] * len(settings.depths))},
    )  # fmt: skip
    best = {f"{w} units a layer": min(group, key=lambda r: r.sup_error) for w, group in by_width.items()}  # fmt: skip
    return panel, best


def _draw_bumps(report: Report, best: dict[str, Approximation]) -> None:
    axis = torch.linspace(-1, 1, 81, dtype=torch.float64)
    grid = torch.cartesian_prod(axis, axis)
    with torch.inference_mode():
        maps = {"the bump": bump(grid) - 1e-6, **{f"{name}: {r.sup_error:.2f}": r.model(grid)[:, 0] for name, r in best.items()}}  # fmt: skip
    report.figure(
        "bumps",
        picture_panels({name: values.reshape(81, 81).numpy() for name, values in maps.items()}),
        caption="The bump and the best networks found, with their sup-error. Level lines of the thin one run to the border.",
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Limits of approximation",
        summary="Units x² and x³ add up to polynomials of degree two and three, however many there are. Layers no wider than "
        "the input have level lines that never close, so no depth makes a bump. Bernstein's polynomials get everywhere, slowly.",
    )
    report.text(
        "A hidden layer of units (wx + b)ᵏ is a polynomial of degree k: width adds nothing beyond k + 1 units. That is why the "
        "theorem excludes polynomials, and them alone. The other limit is in width: a map through layers of at most d units "
        "can be made one-to-one by an arbitrarily small change, so the set where the output takes the value of the middle "
        "cannot be a closed ring; it reaches the border, where the bump is 0. The value there is off by half or more."
    )
    plateau, slow = _plateau(report, settings), _bernstein(report, settings)
    thin, best = _thin(report, settings)
    report.figure("limits", curve_panels([plateau, slow, thin]), caption="Left: powers stop at the best polynomial of their degree. Middle: Bernstein's polynomials of functions on [0, 1]. Right: depth does not help layers that are too thin.")  # fmt: skip
    _draw_bumps(report, best)
    return report
