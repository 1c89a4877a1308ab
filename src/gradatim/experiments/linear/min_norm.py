"""Gradient descent from zero picks the shortest of infinitely many exact solutions."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.linear import descent_path, fit_minimum_norm, fit_ridge, hessian_eigenvalues
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.reports import Report

COVERS = ("D8", "A6")
KEYWORDS = "implicit bias of gradient descent, pseudoinverse, minimum-norm solution, overparametrized least squares"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    samples: int = 40
    features: int = 200
    steps: int = 200


QUICK = Settings(samples=20, features=60, steps=300)


def visited(X: Tensor, y: Tensor, start: Tensor, steps: int, shorten: float = 1.0) -> Tensor:
    """Weights on the path of gradient descent with step ``shorten``/L, shape ``(steps + 1, d)``."""
    lr = shorten / hessian_eigenvalues(X)[-1].item()
    return descent_path(lambda w: (w @ X.T - y).square().mean(-1), start, lr=lr, steps=steps)


def plane_paths() -> tuple[Tensor, float, dict[str, Tensor]]:
    x, y = torch.tensor([1.0, 2.0], dtype=torch.float64), 2.0
    starts = {"from 0": [0.0, 0.0], "from (−2, 0.5)": [-2.0, 0.5], "from (2.2, 1.4)": [2.2, 1.4]}
    paths = {
        label: visited(x[None], torch.tensor([y]), torch.tensor(start, dtype=x.dtype), 24, 0.3)
        for label, start in starts.items()
    }
    return x, y, paths


def run(settings: Settings) -> Report:
    report = Report(
        title="The minimum-norm solution",
        summary="Descent moves only in the span of the data: from zero it reaches the pseudo-inverse "
        "solution, from elsewhere it keeps what the data cannot see.",
    )
    generator = torch.Generator().manual_seed(settings.seed)
    X = torch.randn(settings.samples, settings.features, generator=generator, dtype=torch.float64)
    y = torch.randn(settings.samples, generator=generator, dtype=torch.float64)
    random = torch.randn(settings.features, generator=generator, dtype=torch.float64)
    shortest = fit_minimum_norm(X, y).weight
    paths = {
        "from zero": visited(X, y, torch.zeros_like(random), settings.steps),
        "from a random point": visited(X, y, random, settings.steps),
    }
    curves = {label: (path - shortest).norm(dim=1) for label, path in paths.items()}
    check_ends(report, X, y, random, {label: path[-1] for label, path in paths.items()})
    report.figure(
        "minimum-norm",
        solution_line(*plane_paths(), {k: curve[curve > 1e-13] for k, curve in curves.items()}),
        caption="Left: descent crosses the plane at right angles to the line of solutions, so only the start "
        f"at 0 ends in the shortest one. Right: {settings.features} unknowns, {settings.samples} equations.",
    )
    return report


def check_ends(
    report: Report,
    X: Tensor,
    y: Tensor,
    random: Tensor,
    ends: dict[str, Tensor],
) -> None:
    shortest = fit_minimum_norm(X, y).weight
    zero, other = ends["from zero"], ends["from a random point"]
    unseen = random - torch.linalg.pinv(X) @ (X @ random)  # the part in the null space of X
    ridge = fit_ridge(X, y, weight_decay=1e-9, fit_intercept=False).weight
    for name, vector in (
        ("from zero, descent reaches X⁺y", zero - shortest),
        ("exact fit from zero", X @ zero - y),
        ("exact fit from a random point", X @ other - y),
        (
            "what the data cannot see is kept: w − X⁺y is the start's null-space part",
            other - shortest - unseen,
        ),
        ("ridge tends to X⁺y: distance at γ = 1e-9", ridge - shortest),
    ):
        distance = vector.norm().item()
        report.claim(name, distance, below=1e-6)
    report.claim(
        "the solution from elsewhere is longer", other.norm().item(), above=shortest.norm().item()
    )


def solution_line(
    x: Tensor,
    y: float,
    paths: Mapping[str, Tensor],
    curves: Mapping[str, Tensor],
) -> Figure:
    r"""Draw the line of exact solutions of one equation in two unknowns, and how far descent ends from the shortest.

    Args:
        x: Coefficients of the equation :math:`x^\top w=y`, shape ``(2,)``.
        y: Its right-hand side.
        paths: Weights visited in the plane by label, shape ``(steps + 1, 2)``.
        curves: Distances to the minimum-norm solution of a larger problem by label, one a step.

    Example:
        >>> path = {"from zero": torch.zeros(3, 2)}
        >>> figure = solution_line(torch.tensor([1.0, 1.0]), 1.0, path, {"from zero": torch.ones(5)})
        >>> len(figure.axes)
        2
    """
    figure, (plane, distance) = new_figure(columns=2, width=9.5, height=4.3)
    shortest = y * x / x.square().sum()
    along = torch.stack([-x[1], x[0]]) / x.norm()
    ends = shortest + 4 * torch.stack([-along, along])
    plane.plot(*ends.T.numpy(), color=INK, linewidth=2.2, label="all exact solutions")
    plane.plot(*torch.stack([torch.zeros(2), shortest]).T.numpy(), ":", color=MUTED)
    for colour, (label, path) in zip(PALETTE, paths.items(), strict=False):
        plane.plot(*path.T.numpy(), "o-", color=colour, markersize=3, linewidth=1.2, label=label)
        plane.plot(*path[0].numpy(), "o", markersize=7, color=colour)
    star = {"markersize": 15, "color": PALETTE[4], "markeredgecolor": INK}
    plane.plot(*shortest.numpy(), "*", zorder=5, label=Formula("$X^+y$"), **star)
    plane.set(
        aspect="equal",
        xlim=(-2.4, 2.9),
        ylim=(-2.4, 2.4),
        xlabel=Formula("$w_1$"),
        ylabel=Formula("$w_2$"),
    )
    plane.set_title("One equation, two unknowns")
    plane.legend(loc="lower left", fontsize=8)
    for label, curve in curves.items():
        distance.plot(curve.numpy(), label=label)
    distance.set(
        yscale="log", title="Many unknowns", xlabel="step", ylabel=Formula("distance to $X^+y$")
    )
    distance.legend()
    return figure
