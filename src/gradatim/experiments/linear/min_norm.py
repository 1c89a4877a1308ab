"""Gradient descent from zero picks the shortest of infinitely many exact solutions."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gradatim.linear import descent_path, fit_minimum_norm, fit_ridge, hessian_eigenvalues
from gradatim.plots.linear import solution_line
from gradatim.reports import Report


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
    ridge = fit_ridge(X, y, weight_decay=1e-9, intercept=False).weight
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
        report.claim(name, expected="to 1e-6", measured=distance, holds=distance < 1e-6)
    report.claim(
        "the solution from elsewhere is longer",
        expected=f"norm > {shortest.norm():.4f}",
        measured=other.norm().item(),
        holds=other.norm() > shortest.norm(),
    )
