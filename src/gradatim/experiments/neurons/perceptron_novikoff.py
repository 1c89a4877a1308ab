"""The perceptron never makes more mistakes than (radius / margin)², and never stops on XOR."""

from dataclasses import dataclass

import numpy as np

from gradatim.experiments.neurons._perceptron_figures import (
    mistakes_against_bound,
    perceptron_path,
    version_space,
)
from gradatim.linear import separate
from gradatim.linear.separability import in_version_space
from gradatim.neurons import Perceptron
from gradatim.reports import Report

COVERS = ("A2", "A3")
KEYWORDS = "Rosenblatt, Novikoff's theorem, perceptron learning algorithm, margin, mistake bound, hyperplane, signed distance, normal vector, decision boundary equation, version space"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    data_sets: int = 400
    points: int = 60
    largest_dim: int = 10
    smallest_gap: float = 0.02


QUICK = Settings(data_sets=120)


def separable_data(
    rng: np.random.Generator, points: int, dim: int, gap: float
) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian points pushed apart along a random direction, so that no point is nearer than ``gap`` to it."""
    normal = rng.normal(size=dim)
    normal /= np.linalg.norm(normal)
    X = rng.normal(size=(points, dim))
    y = np.where(X @ normal > 0, 1, -1)
    y[:2] = (1, -1)
    X += np.outer(y * (gap + np.abs(X @ normal)) - X @ normal, normal)
    return X, y


def run(settings: Settings) -> Report:
    report = Report(
        title="Novikoff's bound",
        summary="On separable data the perceptron stops after at most R²/γ² mistakes and usually far fewer; "
        "its weights stay in the span of the data; on XOR it never stops.",
    )
    _bound(report, settings)
    _span(report, settings)
    _one_run(report, settings)
    _version_space(report, settings)
    _xor(report)
    return report


def _bound(report: Report, settings: Settings) -> None:
    rng = np.random.default_rng(settings.seed)
    bounds, mistakes = [], []
    for k in range(settings.data_sets):
        gap = float(np.exp(rng.uniform(np.log(settings.smallest_gap), np.log(2.0))))
        dim = int(rng.integers(2, settings.largest_dim + 1))
        X, y = separable_data(rng, settings.points, dim, gap)
        model = Perceptron(max_epochs=100_000, fit_intercept=k % 2 == 0, shuffle=True, seed=k)
        model.fit(X, y)
        bounds.append(model.novikoff_bound_)
        mistakes.append(model.mistakes_)
    ratio = np.array(mistakes) / np.array(bounds)
    report.claim(
        f"mistakes on {settings.data_sets} separable data sets",
        float(ratio.max()),
        "never more than R²/γ²: largest ratio",
        at_most=1,
    )
    report.claim("the bound is pessimistic", float(np.median(ratio)), "median ratio", below=0.5)
    rank = float(np.corrcoef(np.log(bounds), np.log(np.maximum(mistakes, 1)))[0, 1])
    report.claim("but it ranks the problems: a thinner margin costs more mistakes", rank, above=0.6)
    report.figure(
        "mistakes-and-bound",
        mistakes_against_bound(bounds, np.maximum(mistakes, 1)),
        caption="Each dot is a data set. Mistakes may not lie above the diagonal; most lie far below.",
    )


def _span(report: Report, settings: Settings) -> None:
    """A flat cloud in more dimensions than it spans: the weights must not leave the plane of the data."""
    rng = np.random.default_rng(settings.seed + 3)
    plane = rng.normal(size=(2, 10))
    X = rng.normal(size=(settings.points, 2)) @ plane
    path = Perceptron(fit_intercept=False).fit(X, X @ plane[0] > 0.2).weights_path_
    drift = float(np.abs(path - path @ np.linalg.pinv(X) @ X).max())
    report.claim("weights stay in the span of the data", drift, below=1e-9)


def _one_run(report: Report, settings: Settings) -> None:
    X, y = separable_data(np.random.default_rng(settings.seed + 1), 50, 2, 0.1)
    X += (
        2.0,
        1.0,
    )  # away from the origin the rule has to find the intercept too, which takes longer
    model = Perceptron(max_epochs=10_000).fit(X, y)
    found = separate(X, y)
    stopped = float((y * model.decision_function(X)).min() / np.linalg.norm(model.coef_))
    report.claim(
        "any separating line will do: the perceptron does not look for the widest",
        expected="0 < its margin < the maximal margin",
        measured=f"{stopped:.4f} < {found.margin:.4f}",
        holds=0 < stopped < found.margin,
    )
    report.figure(
        "path",
        perceptron_path(X, y, model.weights_path_, found),
        caption=f"The lines of one run, light to dark. Radius {model.radius_:.2f}, margin "
        f"{model.margin_:.3f} (with the constant input): at most {model.novikoff_bound_:.0f} mistakes.",
    )


def _version_space(report: Report, settings: Settings) -> None:
    rng = np.random.default_rng(settings.seed + 2)
    X, y = separable_data(rng, 24, 2, 0.05)
    candidates = rng.normal(size=(20_000, 2))
    counts = (2, 6, 24)
    shares = [float(in_version_space(X[:n], y[:n], candidates).mean()) for n in counts]
    report.claim(
        "adding points can only shrink the version space",
        expected=f"share of directions falls over {counts} points, and stays above 0",
        measured=", ".join(f"{share:.3f}" for share in shares),
        holds=shares[0] >= shares[1] >= shares[2] > 0,
    )
    report.figure(
        "version-space",
        version_space(X, y, counts),
        caption="Every point forbids half of all weight vectors; green are those that remain.",
    )


def _xor(report: Report) -> None:
    corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
    model = Perceptron(max_epochs=500).fit(corners, [0, 1, 1, 0])
    report.claim(
        "on XOR the perceptron is still making mistakes after 500 epochs",
        expected="bound infinite, not converged",
        measured=f"{model.mistakes_} mistakes, bound {model.novikoff_bound_}",
        holds=not model.converged_ and model.novikoff_bound_ == float("inf"),
    )
