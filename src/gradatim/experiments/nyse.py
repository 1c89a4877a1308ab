"""Trading volume of tomorrow: a network on five days of lags does no better than a linear AR(5)."""

from dataclasses import dataclass

import numpy as np
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

from gradatim.data import load
from gradatim.estimators import NeuralRegressor
from gradatim.evaluation import Report, TestSet, compare
from gradatim.evaluation.scoring import build_score
from gradatim.plots.evaluation import score_curves


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    lags: int = 5
    epochs: int = 40
    members: int = 5
    hidden: int = 32


QUICK = Settings(epochs=10, members=2)


def lagged(series: np.ndarray, lags: int) -> np.ndarray:
    """Values of the ``lags`` days before each day, shape ``(days - lags, lags × columns)``."""
    return np.concatenate([series[lags - k : len(series) - k] for k in range(1, lags + 1)], axis=1)


def run(settings: Settings) -> Report:
    data = load("islp-nyse")
    series = np.c_[data.y, data.X["DJ_return"], data.X["log_volatility"]].astype(float)
    days = data.split[0].stop if data.split else 4281
    spread = series[:days].std(0)
    series = (series - series[:days].mean(0)) / spread
    X, y = lagged(series, settings.lags), series[settings.lags :, 0]
    cut = days - settings.lags
    models = {
        "mean": DummyRegressor(),
        f"linear, AR({settings.lags})": LinearRegression(),
        "network": NeuralRegressor(
            (settings.hidden,), dropout=0.2, weight_decay=1e-4, epochs=settings.epochs, batch_size=64,
            members=settings.members, seed=settings.seed,
        ),
    }  # fmt: skip
    result = compare(
        models, X[:cut], y[:cut], folds=5, score="r2", is_ordered=True, seed=settings.seed
    )
    _, linear, network = models
    fitted = {name: model.fit(X[:cut], y[:cut]) for name, model in models.items()}
    test = TestSet(X[cut:], y[cut:])
    X_test, y_test = test.open()
    r2 = build_score("r2", fitted[linear]).function
    scores = {name: r2(model, X_test, y_test) for name, model in fitted.items()}
    yesterday = 1 - np.mean((y_test - X_test[:, 0]) ** 2) / np.var(y_test)
    report = Report(
        title="Trading volume at the New York Stock Exchange",
        summary=f"The linear model explains {100 * scores[linear]:.0f} % of the variance of tomorrow's volume, "
        f"the network {100 * scores[network]:.0f} %. {result.conclusion}",
    )
    report.table(
        "Share of variance explained",
        columns=[
            "model",
            "R², past predicts future, 5 folds",
            "standard error",
            "R² on 1,770 test days",
        ],
        rows=[
            *([n, r.mean, r.standard_error, scores[n]] for n, r in result.results.items()),
            ["volume of yesterday", "", "", yesterday],
        ],
    )
    report.claim(
        f"AR({settings.lags}) as in the textbook",
        expected="test R² 0.40 to 0.43",
        measured=scores[linear],
        holds=0.40 <= scores[linear] <= 0.43,
    )
    report.claim(
        "the network is no better",
        expected="test R² at most 0.02 above",
        measured=scores[network] - scores[linear],
        holds=scores[network] - scores[linear] < 0.02,
    )
    report.claim(
        "Occam's choice",
        expected=linear,
        measured=result.recommended,
        holds=result.recommended == linear,
    )
    report.claim(
        "yesterday's volume alone is no forecast",
        expected="test R² below 0.25",
        measured=yesterday,
        holds=yesterday < 0.25,
    )
    shown = slice(0, 120)
    report.figure(
        "forecast",
        score_curves(
            np.arange(len(y_test))[shown],
            {
                "volume": y_test[shown],
                linear: fitted[linear].predict(X_test)[shown],
                "network": fitted[network].predict(X_test)[shown],
            },
            xlabel="trading day of the test part",
            ylabel="log volume, standardized",
        ),
        caption="One-day-ahead forecasts of the two models lie on each other.",
    )
    return report
