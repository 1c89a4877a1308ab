"""Gradient descent from zero picks the shortest of infinitely many exact solutions."""

from dataclasses import dataclass
from itertools import pairwise

import torch

from gradatim.evaluation import Report
from gradatim.linear import descend_least_squares, fit_minimum_norm, fit_ridge
from gradatim.plots.linear import solution_line


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    samples: int = 40
    features: int = 200
    steps: int = 600


QUICK = Settings(samples=20, features=60, steps=400)


def visited(
    X: torch.Tensor, y: torch.Tensor, start: torch.Tensor, steps: range, lr: float | None
) -> torch.Tensor:
    """Weights after each of a range of numbers of steps."""
    weights = [start]
    for before, after in pairwise(steps):
        weights.append(
            descend_least_squares(
                X, y, start=weights[-1], steps=after - before, lr=lr, tolerance=0.0
            ).weight
        )
    return torch.stack(weights)


def plane_paths() -> tuple[torch.Tensor, float, dict[str, torch.Tensor]]:
    x, y = torch.tensor([1.0, 2.0], dtype=torch.float64), 2.0
    starts = {"from 0": [0.0, 0.0], "from (−2, 0.5)": [-2.0, 0.5], "from (2.2, 1.4)": [2.2, 1.4]}
    paths = {
        label: visited(
            x[None], torch.tensor([y]), torch.tensor(start, dtype=x.dtype), range(25), 0.03
        )
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
    shortest = fit_minimum_norm(X, y).weight
    zero, elsewhere = (
        torch.zeros_like(shortest),
        torch.randn(settings.features, generator=generator, dtype=torch.float64),
    )
    steps = range(0, settings.steps + 1, max(1, settings.steps // 200))
    paths = {
        "from zero": visited(X, y, zero, steps, None),
        "from a random point": visited(X, y, elsewhere, steps, None),
    }
    distances = {label: (path - shortest).norm(dim=1) for label, path in paths.items()}
    end, other = paths["from zero"][-1], paths["from a random point"][-1]
    report.claim(
        "from zero, descent reaches X⁺y",
        expected="distance < 1e-6",
        measured=distances["from zero"][-1].item(),
        holds=distances["from zero"][-1] < 1e-6,
    )
    for label, weight in (("zero", end), ("a random point", other)):
        error = (X @ weight - y).abs().max().item()
        report.claim(
            f"exact fit from {label}",
            expected="largest residual < 1e-6",
            measured=error,
            holds=error < 1e-6,
        )
    report.claim(
        "the solution from elsewhere is longer",
        expected=f"norm > {shortest.norm():.4f}",
        measured=other.norm().item(),
        holds=other.norm() > shortest.norm(),
    )
    unseen = elsewhere - torch.linalg.pinv(X) @ (X @ elsewhere)
    kept = (other - shortest - unseen).norm().item()
    report.claim(
        "what the data cannot see is kept",
        expected="w − X⁺y equals the start's null-space part to 1e-6",
        measured=kept,
        holds=kept < 1e-6,
    )
    ridge = fit_ridge(X, y, weight_decay=1e-9, intercept=False).weight
    gap = (ridge - shortest).norm().item()
    report.claim(
        "ridge tends to X⁺y as γ → 0",
        expected="distance < 1e-6 at γ = 1e-9",
        measured=gap,
        holds=gap < 1e-6,
    )
    report.figure(
        "minimum-norm",
        solution_line(
            *plane_paths(),
            {label: curve[curve > 1e-13] for label, curve in distances.items()},
            every=steps.step,
        ),
        caption="Left: descent crosses the plane at right angles to the line of solutions, so only the start "
        f"at 0 ends in the shortest one. Right: {settings.features} unknowns, {settings.samples} equations.",
    )
    return report
