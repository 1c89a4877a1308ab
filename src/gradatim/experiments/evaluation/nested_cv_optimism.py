"""The best cross-validated score of many models flatters; nested cross-validation does not."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gradatim.estimators import NeuralClassifier
from gradatim.evaluation import nested_cross_validate, tune
from gradatim.plots.evaluation import spreads
from gradatim.reports import Report

COVERS = ("D9",)
KEYWORDS = "nested cross-validation, selection bias, model selection, hyperparameter tuning, double dipping"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    tables: int = 30
    rows: int = 60
    epochs: int = 15


QUICK = Settings(tables=6, epochs=8)

GRID: dict[str, list[Any]] = {
    "hidden": [(4,), (16,)],
    "lr": [0.003, 0.01, 0.03, 0.1, 0.3],
}


def run(settings: Settings) -> Report:
    model = NeuralClassifier(epochs=settings.epochs, batch_size=16, activation="tanh")
    selected, nested, trainings = [], [], 0
    for table in range(settings.tables):
        rng = np.random.default_rng([settings.seed, table])
        X, y = rng.normal(size=(settings.rows, 8)), rng.permutation(np.arange(settings.rows) % 2)
        search = tune(model, X, y, GRID, method="grid", folds=5, score="error", seed=table)
        result = nested_cross_validate(model, X, y, GRID, score="error", seed=table)
        selected.append(search.best_score)
        nested.append(result.mean)
        trainings = result.trainings
    samples = {"best of 10, 5 folds": np.array(selected), "nested, 5 × 3 folds": np.array(nested)}
    report = Report(
        title="Optimism of the selected score",
        summary="Labels drawn by coin toss cannot be predicted, yet the best of ten networks seems to; "
        "nested cross-validation tells the truth.",
    )
    means = {name: float(v.mean()) for name, v in samples.items()}
    errors = {n: float(v.std(ddof=1) / np.sqrt(len(v))) for n, v in samples.items()}
    report.table(
        f"{settings.tables} tables of {settings.rows} rows with random labels: true error 0.5",
        columns=["estimate", "mean error", "standard error"],
        rows=[[name, means[name], errors[name]] for name in samples],
    )
    best, honest = samples
    report.claim("the selected score is optimistic", means[best], below=0.5 - 2 * errors[best])
    report.claim("the nested score is honest", means[honest], near=(0.5, 3 * errors[honest]))
    report.claim("cost", trainings, "{} = (K + 1)·M·|Θ| + K = 6·3·10 + 5 trainings", equals=185)
    report.figure(
        "optimism",
        spreads(samples, label="estimated error", reference=0.5, reference_label="true error"),
        caption="Each dot is one table of coin tosses. Choosing the best of ten models by their "
        "cross-validated error makes that error useless as an estimate.",
    )
    return report
