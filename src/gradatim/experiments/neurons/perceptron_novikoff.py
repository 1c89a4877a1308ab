"""The perceptron never makes more mistakes than (radius / margin)², and never stops on XOR."""

from dataclasses import dataclass

import numpy as np

from gradatim.experiments.neurons._perceptron_figures import (
    hyperplane,
    mistakes_against_bound,
    perceptron_path,
    shifted_line,
    version_space,
)
from gradatim.linear import in_version_space, separate, signed_distance
from gradatim.linear.separability import maximal_margin
from gradatim.neurons import Perceptron
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report

COVERS = ("A2", "A3")
KEYWORDS = "Rosenblatt, Novikoff's theorem, perceptron learning algorithm, margin, mistake bound, hyperplane, signed distance, normal vector, convergence proof, lemma, decision boundary equation, version space, linear separability"


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
    _bias(report)
    _one_point(report)
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
    _lemmas(report, X, y, model)
    _hyperplane(report, X, y, model)
    report.figure(
        "path",
        perceptron_path(X, y, model.weights_path_, found),
        caption=f"The lines of one run, light to dark. Radius {model.radius_:.2f}, margin "
        f"{model.margin_:.3f} (with the constant input): at most {model.novikoff_bound_:.0f} mistakes.",
    )


def _lemmas(report: Report, X: np.ndarray, y: np.ndarray, model: Perceptron) -> None:
    """The two halves of Novikoff's proof, mistake by mistake."""
    rows = y[:, None] * np.column_stack([X, np.ones(len(X))])
    best, margin = maximal_margin(rows)
    path, t = model.weights_path_, np.arange(len(model.weights_path_))
    along, length = path @ best, np.linalg.norm(path, axis=1)
    low, high = t * margin, np.sqrt(t) * model.radius_
    report.claim("first lemma: every mistake brings the weights nearer to the best direction, w·w* ≥ tγ", float((along - low).min()), "smallest slack", at_least=-1e-9)  # fmt: skip
    report.claim("second lemma: they grow slowly, ‖w‖ ≤ √t R", float((high - length).min()), "smallest slack", at_least=-1e-9)  # fmt: skip
    report.claim("and w·w* ≤ ‖w‖, so t cannot pass the place where the bounds meet", float(t[-1] / model.novikoff_bound_), "mistakes over R²/γ²", at_most=1.0)  # fmt: skip
    end = np.geomspace(1, 1.3 * model.novikoff_bound_, 60)
    report.figure(
        "lemmas",
        curve_panels([CurvePanel("The proof", "mistakes t", "", {"‖w‖": (t[1:], length[1:]), "w·w*": (t[1:], along[1:])}, {"√t R, above ‖w‖": (end, np.sqrt(end) * model.radius_), "tγ, below w·w*": (end, end * margin)}, is_log_x=True, is_log_y=True)], width=6.2, height=4.2),
        caption="The projection on the best direction w* can never exceed the length. The straight line grows faster than the root: they meet at t = R²/γ².",
    )  # fmt: skip


def _hyperplane(report: Report, X: np.ndarray, y: np.ndarray, model: Perceptron) -> None:
    """The line, its normal, and how far points are from it, with a sign."""
    w, b = model.coef_[0], float(model.intercept_[0])
    distance = signed_distance(X, w, b)
    feet = X - distance[:, None] * w / np.linalg.norm(w)
    report.claim("points less their signed distances along the normal lie on the hyperplane", float(np.abs(feet @ w + b).max() / np.linalg.norm(w)), "largest distance", below=1e-9)  # fmt: skip
    report.claim("the sign is the class", float(np.mean(np.sign(distance) == y)), "share of the points", equals=1.0)  # fmt: skip
    report.claim("the origin is −b/‖w‖ off along the normal", float(signed_distance([0.0, 0.0], w, b)) - b / float(np.linalg.norm(w)), "difference of b/‖w‖", near=(0.0, 1e-12))  # fmt: skip
    report.figure("hyperplane", hyperplane(X, y, w, b), caption="Where w·x + b = 0, the normal w/‖w‖, and the distances of some points: positive on the side to which the normal points.")  # fmt: skip


def _bias(report: Report) -> None:
    """The bias moves the line along its normal and turns nothing."""
    w, b = [1.0, 1.0], -1.2
    report.claim("w = (1, 1), b = −1.2: the line stands off the origin by 1.2/√2", -float(signed_distance([0.0, 0.0], w, b)), near=(0.848528, 1e-6))  # fmt: skip
    moved = signed_distance(
        [[0.3, -0.3], [-2.0, 2.0], [5.0, -5.0]], w, b
    )  # points of the line without a bias
    report.claim("by as much everywhere: both lines have one direction", float(np.ptp(moved)), "largest difference", at_most=1e-12)  # fmt: skip
    report.figure("bias", shifted_line(w, b), caption="A negative bias moves the line the way the weights point, a positive one back.")  # fmt: skip


def _one_point(report: Report) -> None:
    """The smallest case there is: R = γ, the bound is one, and one mistake is made."""
    model = Perceptron(fit_intercept=False).fit([[1.0, 0.0], [-1.0, 0.0]], [1, -1])
    report.claim("a point and its mirror image: mistakes equal the bound, so it is no strict one, as some notes have it", model.mistakes_ / model.novikoff_bound_, "mistakes over R²/γ²", near=(1.0, 1e-9))  # fmt: skip


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
