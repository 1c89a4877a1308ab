"""Training error falls with every degree of a polynomial; test error turns and explodes."""

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler

from gradatim.data import sinusoid
from gradatim.evaluation import cross_validate
from gradatim.plots.evaluation import fitted_functions, score_curves
from gradatim.reports import Report

COVERS = ("D9", "A6")
KEYWORDS = "Runge, overfitting, underfitting, model complexity, test error, inductive hypothesis"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 20
    noise: float = 0.3
    degrees: int = 15
    tables: int = 100


QUICK = Settings(tables=20)


def polynomial(degree: int) -> Pipeline:
    """Least squares on Legendre polynomials, which stay apart at high degrees where powers do not."""
    basis = FunctionTransformer(legendre, kw_args={"degree": degree})
    return make_pipeline(MinMaxScaler((-1, 1)), basis, LinearRegression())


def legendre(X: np.ndarray, degree: int) -> np.ndarray:
    return np.polynomial.legendre.legvander(X[:, 0], degree)[:, 1:]


Table = tuple[np.ndarray, np.ndarray]


def errors(settings: Settings, tables: list[Table]) -> tuple[np.ndarray, np.ndarray]:
    """Training and test error of every degree: medians over the tables."""
    X_test, y_test = sinusoid(2000, settings.noise, seed=10_000 + settings.seed)
    inside = (X_test[:, 0] > 0.05) & (X_test[:, 0] < 0.95)
    X_test, y_test = X_test[inside], y_test[inside]
    train, test = np.zeros((2, settings.degrees, settings.tables))
    for i in range(settings.degrees):
        for t, (X, y) in enumerate(tables):
            model = polynomial(i + 1).fit(X, y)
            train[i, t] = np.mean((model.predict(X) - y) ** 2)
            test[i, t] = np.mean((model.predict(X_test) - y_test) ** 2)
    return np.median(train, axis=1), np.median(test, axis=1)


def run(settings: Settings) -> Report:
    degrees = range(1, settings.degrees + 1)
    tables = [
        sinusoid(settings.rows, settings.noise, seed=settings.seed * 1000 + t)
        for t in range(settings.tables)
    ]
    train, test = errors(settings, tables)
    best = int(np.argmin(test)) + 1
    X, y = tables[0]
    chosen = [
        cross_validate(polynomial(d), X, y, folds=10, seed=settings.seed).mean for d in degrees
    ]
    report = Report(
        title="Degree of a polynomial",
        summary=f"Degree {best} generalizes best; degree {settings.degrees} nearly passes through every "
        "noisy point and is useless in between.",
    )
    report.table(
        f"{settings.rows} points of a noisy sine, median over {settings.tables} draws",
        columns=["degree", "training error", "test error", "10-fold error, first draw"],
        rows=[[d, *row] for d, *row in zip(degrees, train, test, chosen, strict=True)],
    )
    check(report, train, test, by_folds=int(np.argmin(chosen)) + 1)
    draw(report, train, test, tables[0])
    return report


def check(report: Report, train: np.ndarray, test: np.ndarray, by_folds: int) -> None:
    """State which degrees generalize; ``by_folds`` is what cross-validation on one table chose."""
    best = int(np.argmin(test)) + 1
    is_falling = bool((np.diff(train) < 0).all())
    report.claim(
        "training error falls with every degree",
        "falls at every step" if is_falling else "rises somewhere",
        equals="falls at every step",
    )
    report.claim("the best degree lies in between", best, at_least=3, at_most=7)
    report.claim("the highest degree overfits", test[-1] / train[-1], "{} times", above=100)
    loss = float(test[by_folds - 1] / test[best - 1])
    report.claim(
        "cross-validation on one draw finds a good degree",
        expected="test error within 50 % of the best",
        measured=f"degree {by_folds}, {100 * (loss - 1):.0f} % above the best",
        holds=loss < 1.5,
    )


def draw(report: Report, train: np.ndarray, test: np.ndarray, table: Table) -> None:
    """Show both errors against the degree, and three fits to one table."""
    degrees, best = range(1, len(test) + 1), int(np.argmin(test)) + 1
    X, y = table
    report.figure(
        "errors",
        score_curves(
            list(degrees),
            {"training": train, "test": test},
            xlabel="degree",
            ylabel="mean squared error (median over draws)",
            marks={f"best degree {best}": best},
            is_log_y=True,
        ),
        caption="Training error is no guide to the right degree.",
    )
    grid = np.linspace(X.min(), X.max(), 300)
    shown = {
        f"degree {d}": [polynomial(d).fit(X, y).predict(grid[:, None])]
        for d in (1, best, len(test))
    }
    report.figure(
        "fits",
        fitted_functions(
            shown, grid=grid, truth=np.sin(2 * np.pi * grid), data=(X[:, 0], y), ylim=(-2.2, 2.2)
        ),
        caption="Too simple, right, and too flexible.",
    )
