"""Spam by word counts: logarithms help as much as a hidden layer; both together meet boosted trees."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from gradatim.data import load
from gradatim.estimators import NeuralClassifier
from gradatim.evaluation import compare
from gradatim.plots import comparison_bars
from gradatim.reports import Report

COVERS = ("D10",)
KEYWORDS = "email classifier, ESL, word frequencies, boosted trees, task experience performance"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    folds: int = 10
    epochs: int = 40
    members: int = 5
    trees: int = 200


QUICK = Settings(folds=3, epochs=12, members=2, trees=60)


def contestants(settings: Settings) -> dict[str, BaseEstimator]:
    """From a guess to boosted trees."""
    scale = make_pipeline(FunctionTransformer(np.log1p), StandardScaler())
    return {
        "majority": DummyClassifier(),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=3000)),
        "decision tree": DecisionTreeClassifier(max_leaf_nodes=17, random_state=settings.seed),
        "logistic regression on logarithms": make_pipeline(*scale, LogisticRegression(max_iter=3000)),
        "network on logarithms": make_pipeline(
            *scale,
            NeuralClassifier(
                (64,), dropout=0.3, weight_decay=1e-4, epochs=settings.epochs, lr=3e-3,
                batch_size=64, members=settings.members, seed=settings.seed, standardize=False,
            ),
        ),
        "boosted trees": HistGradientBoostingClassifier(max_iter=settings.trees, random_state=settings.seed),
    }  # fmt: skip


def run(settings: Settings) -> Report:
    data = load("spam")
    result = compare(
        contestants(settings),
        data.X,
        data.y,
        folds=settings.folds,
        score="error",
        seed=settings.seed,
    )
    errors = {name: 100 * r.mean for name, r in result.results.items()}
    report = Report(title="Spam", summary=result.conclusion)
    report.table(
        f"Error in {settings.folds} folds of 4,601 e-mails",
        columns=["model", "error %", "standard error", "seconds"],
        rows=[
            [name, errors[name], 100 * r.standard_error, r.seconds]
            for name, r in result.results.items()
        ],
    )
    check(report, errors)
    shown = {name: value for name, value in errors.items() if name != "majority"}
    intervals = {n: tuple(100 * v for v in r.interval()) for n, r in result.results.items()}
    report.figure(
        "comparison",
        comparison_bars(
            shown,
            label="error, %",
            intervals={n: (low, high) for n, (low, high) in intervals.items()},
            highlight=result.recommended,
        ),
        caption="Transforming the counts is worth as much as a hidden layer; trees need no transformation.",
    )
    return report


def check(report: Report, errors: dict[str, float]) -> None:
    """Compare errors in % with the textbook's (Elements of Statistical Learning, 9.2 and 10.9)."""
    raw, network = errors["logistic regression"], errors["network on logarithms"]
    logarithms, trees = errors["logistic regression on logarithms"], errors["boosted trees"]
    report.claim(
        "logistic regression", raw, "{} %, the textbook has 7.6 %", at_least=6.5, at_most=8.5
    )
    report.claim(
        "a single tree is worse", errors["decision tree"], "{} %, the textbook has 8.7 %", above=8
    )
    report.claim("the network beats logistic regression on raw counts", raw - network, at_least=1.0)
    report.claim("the logarithm alone helps", logarithms, below=raw)
    report.claim(
        "network and boosted trees",
        expected="both below 6 %",
        measured=f"{network:.1f} % and {trees:.1f} %",
        holds=max(network, trees) < 6,
    )
