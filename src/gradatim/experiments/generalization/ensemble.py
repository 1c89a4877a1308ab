"""The mean of several networks beats the average network by exactly their disagreement."""

from copy import copy
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.datasets import make_friedman1

from gradatim.data import load
from gradatim.estimators import NeuralClassifier, NeuralRegressor
from gradatim.models import MLP
from gradatim.plots import comparison_bars
from gradatim.plots.evaluation import score_curves
from gradatim.reports import Report
from gradatim.training import train_replicas

COVERS = ("D7",)
KEYWORDS = "average of networks, ambiguity decomposition, random restarts, model averaging, disagreement, committee, bagging, bootstrap aggregating, ensembling, reduces variance"
SHORT = {"mean error of a member": "a member", "disagreement": "disagreement", "error of the mean": "the mean"}  # fmt: skip


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    members: int = 20
    rows: int = 200
    epochs: int = 100


QUICK = Settings(members=10, epochs=40)


def growing_errors(outputs: np.ndarray, orders: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Error of ensembles of 1, 2, … members, taken in several orders, shape ``(members, orders)``."""
    sums = np.stack(
        [outputs[order].cumsum(0) for order in orders], axis=1
    )  # (members, orders, N, C)
    return (sums.argmax(-1) != labels).mean(-1)


def ambiguity(settings: Settings) -> dict[str, float]:
    """Mean squared error of the members, of their mean, and how much they disagree."""
    X, y = make_friedman1(settings.rows + 1000, noise=1.0, random_state=settings.seed)
    cut = settings.rows
    regressor = NeuralRegressor(
        (30,),
        epochs=settings.epochs,
        lr=0.01,
        members=settings.members,
        seed=settings.seed,
    )
    regressor.fit_replicas([regressor], [(X[:cut], y[:cut])])
    singles = np.stack([_member(regressor, k).predict(X[cut:]) for k in range(settings.members)])
    mean = regressor.predict(X[cut:])
    return {
        "mean error of a member": float(((singles - y[cut:]) ** 2).mean()),
        "disagreement": float(((singles - mean) ** 2).mean()),
        "error of the mean": float(((mean - y[cut:]) ** 2).mean()),
    }


def digit_errors(settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """Error of every member on held-out digits, and of ensembles that grow in ten orders."""
    rng = np.random.default_rng(settings.seed)
    digits = load("digits")
    order = rng.permutation(len(digits.X))
    inputs = np.asarray(digits.X).reshape(len(order), -1)[order]
    labels = np.asarray(digits.y)[order]
    classifier = NeuralClassifier(
        (16,),
        epochs=settings.epochs // 4,
        lr=0.01,
        members=settings.members,
        seed=settings.seed,
    )
    classifier.fit_replicas([classifier], [(inputs[:400], labels[:400])])
    outputs = np.stack(
        [_member(classifier, k).predict_proba(inputs[400:]) for k in range(settings.members)]
    )
    errors = (outputs.argmax(-1) != labels[400:]).mean(-1)
    orders = np.stack([rng.permutation(settings.members) for _ in range(10)])
    return errors, growing_errors(outputs, orders, labels[400:])


def bagged(settings: Settings) -> dict[str, dict[str, float]]:
    """The same parts for networks that differ in their start, in their rows, and in both."""
    X, y = make_friedman1(settings.rows + 1000, noise=1.0, random_state=settings.seed)
    cut, count = settings.rows, settings.members
    X = ((X - X[:cut].mean(0)) / X[:cut].std(0)).astype(np.float32)
    mean, spread = y[:cut].mean(), y[:cut].std()
    target = ((y - mean) / spread).astype(np.float32)[:, None]
    rng = np.random.default_rng(settings.seed)
    bags, every = [rng.integers(cut, size=cut) for _ in range(count)], [np.arange(cut)] * count
    seeds = list(range(1000 * settings.seed, 1000 * settings.seed + count))
    ways = {"restarts": (every, seeds), "bagging, one start": (bags, seeds[:1] * count), "bagging and restarts": (bags, seeds)}  # fmt: skip
    found = {}
    for name, (rows, own) in ways.items():
        run = train_replicas(
            partial(MLP, (X.shape[1], 30, 1)), (X[:cut], target[:cut]), rows=rows, loss="mse", lr=[0.01] * count,
            epochs=settings.epochs, batch_size=50, seed=own,
        )  # fmt: skip
        singles = mean + spread * run.predict(X[cut:]).numpy()[..., 0]
        joint = singles.mean(0)
        found[name] = {
            "mean error of a member": float(((singles - y[cut:]) ** 2).mean()),
            "disagreement": float(((singles - joint) ** 2).mean()),
            "error of the mean": float(((joint - y[cut:]) ** 2).mean()),
        }
    return found


def claim_bagging(report: Report, found: dict[str, dict[str, float]]) -> None:
    restarts, both = found["restarts"], found["bagging and restarts"]
    report.claim("members of bags disagree more than restarts on all rows", both["disagreement"] / restarts["disagreement"], "times as much", above=1.2)  # fmt: skip
    report.claim("since each sees fewer rows, a member errs more", both["mean error of a member"] / restarts["mean error of a member"], "times as much", above=1.05)  # fmt: skip
    report.claim("so the means hardly differ", both["error of the mean"] / restarts["error of the mean"], "of the error of restarts", near=(1.0, 0.25))  # fmt: skip
    columns = list(restarts)
    report.table("Bagging beside restarts, squared errors", columns=["members differ by", *columns], rows=[[name, *parts.values()] for name, parts in found.items()])  # fmt: skip
    report.figure(
        "bagging",
        comparison_bars({f"{name}: {SHORT[what]}": value for name, parts in found.items() for what, value in parts.items()}, label="squared error"),
        caption="The error of the mean is the mean error of a member less the disagreement, whatever makes the members differ.",
    )  # fmt: skip


def run(settings: Settings) -> Report:
    parts = ambiguity(settings)
    errors, curve = digit_errors(settings)
    report = Report(
        title="Ensembles",
        summary="Networks that start differently err differently; their mean keeps what they share.",
    )
    report.table(
        "Squared error of networks on Friedman's function",
        columns=["quantity", "value"],
        rows=[list(item) for item in parts.items()],
    )
    own, diversity, joint = parts.values()
    report.claim(
        "error of the mean = mean error − disagreement",
        abs(own - diversity - joint),
        below=1e-9 * own,
    )
    report.claim(
        "the ensemble beats the average member on digits",
        expected="error at most 85 % of a member's",
        measured=f"{curve[-1].mean():.4f} against {errors.mean():.4f}",
        holds=curve[-1].mean() < 0.85 * errors.mean(),
    )
    report.claim(
        "it beats its best member too",
        expected="error at most that of the best",
        measured=f"{curve[-1].mean():.4f} against {errors.min():.4f}",
        holds=curve[-1].mean() <= errors.min(),
    )
    claim_bagging(report, bagged(settings))
    report.figure(
        "members",
        score_curves(
            np.arange(1, settings.members + 1),
            {"ensemble": 100 * curve},
            xlabel="members",
            ylabel="error on digits, %",
        ),
        caption="Most of the gain comes from the first few members. Band: one standard deviation over "
        "ten orders of the same networks.",
    )
    return report


def _member(
    estimator: NeuralClassifier | NeuralRegressor, k: int
) -> NeuralClassifier | NeuralRegressor:
    """The estimator with one of its networks only."""
    single = copy(estimator)
    single.networks_ = [estimator.networks_[k]]
    return single
