"""Who defaults on a credit card: a network with dropout does no better than logistic regression."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gradatim.data import load
from gradatim.estimators import NeuralClassifier
from gradatim.evaluation import Comparison, TestSet, compare
from gradatim.plots import comparison_bars
from gradatim.reports import Report

COVERS = ("D10", "D4")
KEYWORDS = "credit default, ISL 10.10.7, logistic regression baseline, dropout"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    epochs: int = 30
    folds: int = 10
    hidden: int = 10
    dropout: float = 0.4


QUICK = Settings(folds=3)


def run(settings: Settings) -> Report:
    data = load("islp-default")
    X = np.c_[data.X["student"] == "Yes", data.X[["balance", "income"]]].astype(float)
    X_train, X_test, y_train, y_test = train_test_split(
        X, data.y, test_size=1 / 3, stratify=data.y, random_state=settings.seed
    )
    models = contestants(settings)
    accuracy = compare(models, X_train, y_train, folds=settings.folds, seed=settings.seed)
    area = compare(models, X_train, y_train, folds=settings.folds, score="auc", seed=settings.seed)
    test = TestSet(X_test, y_test)
    final = models[area.recommended].fit(X_train, y_train)
    report = Report(
        title="Default",
        summary=f"Judged by accuracy nothing beats saying no by much, since 3.3 % default; by the area under "
        f"the ROC curve: {area.conclusion}",
    )
    report.table(
        f"{settings.folds} folds of {len(y_train):,} customers",
        columns=["model", "accuracy %", "standard error", "AUC", "standard error of AUC"],
        rows=[
            [
                name, 100 * accuracy.results[name].mean, 100 * accuracy.results[name].standard_error,
                area.results[name].mean, area.results[name].standard_error,
            ]
            for name in models
        ],
    )  # fmt: skip
    check(report, accuracy, area, tested=test.score(final))
    report.figure(
        "auc",
        comparison_bars(
            {n: r.mean for n, r in area.results.items() if n != "majority"},
            intervals={n: r.interval() for n, r in area.results.items()},
            label="area under the ROC curve",
            highlight=area.recommended,
        ),
        caption="Three columns, one of which (the balance) says nearly everything: there is nothing left "
        "for a hidden layer to find.",
    )
    return report


def contestants(settings: Settings) -> dict[str, BaseEstimator]:
    """A guess, logistic regression and a small network with dropout."""
    return {
        "majority": DummyClassifier(),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(C=1e6)),
        "network": NeuralClassifier(
            (settings.hidden,), dropout=settings.dropout, epochs=settings.epochs, lr=0.01,
            batch_size=128, seed=settings.seed,
        ),
    }  # fmt: skip


def check(report: Report, accuracy: Comparison, area: Comparison, tested: float) -> None:
    """State that the network gains nothing; ``tested`` is the accuracy on the test set."""
    network, logistic = (accuracy.results[name].mean for name in ("network", "logistic regression"))
    report.claim(
        "both reach the accuracy of the textbook",
        expected="about 97 %",
        measured=f"{100 * logistic:.2f} % and {100 * network:.2f} %",
        holds=0.97 <= logistic <= 0.978 and 0.967 <= network <= 0.978,
    )
    report.claim(
        "the network gains nothing",
        expected="accuracies within 0.7 points",
        measured=100 * (network - logistic),
        holds=abs(network - logistic) < 0.007,
    )
    report.claim("Occam's choice", area.recommended, "{}, by AUC", equals="logistic regression")
    report.claim(
        "the estimate holds on the test set, used once",
        expected="accuracy within 1 point of the folds",
        measured=f"{100 * tested:.2f} %",
        holds=abs(tested - logistic) < 0.01,
    )
