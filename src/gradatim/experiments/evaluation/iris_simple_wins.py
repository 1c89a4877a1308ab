"""On a small clean table a network gains nothing over linear discriminant analysis."""

from dataclasses import dataclass

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gradatim.data import load
from gradatim.estimators import NeuralClassifier
from gradatim.evaluation import compare
from gradatim.plots import comparison_bars
from gradatim.reports import Report

COVERS = ("D10",)
KEYWORDS = "Occam's razor, Ockham's razor, iris flowers, simple baseline, LDA"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    repeats: int = 5
    epochs: int = 100
    hidden: tuple[int, ...] = (32, 32)


QUICK = Settings(repeats=1, epochs=50)


def run(settings: Settings) -> Report:
    data = load("iris")
    models = {
        "majority": DummyClassifier(),
        "LDA": LinearDiscriminantAnalysis(),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "5 nearest neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
        "network": NeuralClassifier(
            settings.hidden, epochs=settings.epochs, lr=3e-3, seed=settings.seed
        ),
    }
    result = compare(
        models, data.X, data.y, repeats=settings.repeats, score="error", seed=settings.seed
    )
    errors = {name: 100 * r.mean for name, r in result.results.items()}
    intervals = {
        name: (max(100 * r.interval()[0], 0.0), 100 * r.interval()[1])
        for name, r in result.results.items()
    }
    report = Report(title="Iris: the simple model wins", summary=result.conclusion)
    report.table(
        f"Error in ten folds, {settings.repeats} times",
        columns=["model", "error %", "standard error", "worse than the best by", "95 % interval"],
        rows=[
            [
                name, errors[name], 100 * result.results[name].standard_error, 100 * gap,
                f"{100 * low:.1f} to {100 * high:.1f}",
            ]
            for name, (gap, _, low, high) in result.differences.items()
        ],
    )  # fmt: skip
    report.claim("Occam's choice is linear", result.recommended, equals="LDA")
    report.claim(
        "the network is not better than LDA",
        expected="error at most 0.5 points below that of LDA",
        measured=errors["LDA"] - errors["network"],
        holds=errors["network"] >= errors["LDA"] - 0.5,
    )
    report.claim(
        "all real models learn", max(e for n, e in errors.items() if n != "majority"), below=8
    )
    shown = {name: value for name, value in errors.items() if name != "majority"}
    report.figure(
        "comparison",
        comparison_bars(
            shown, label="error in ten folds, %", intervals=intervals, highlight=result.recommended
        ),
        caption="Intervals overlap: 150 flowers cannot tell these models apart, so the simplest is taken.",
    )
    return report
