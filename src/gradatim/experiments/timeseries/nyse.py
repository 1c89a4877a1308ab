"""Trading volume of tomorrow: networks explain hardly more than a linear AR(5); the weekday helps more."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score

from gradatim.data import load
from gradatim.estimators import NeuralRegressor
from gradatim.evaluation import Comparison, TestSet, compare
from gradatim.models import SequenceClassifier
from gradatim.plots.bars import comparison_bars
from gradatim.plots.evaluation import score_curves
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("D10", "F1", "F6")
KEYWORDS = "time series forecasting, ISL trading volume, autoregression, RNN"
LINEAR, NETWORK, RNN = "linear AR", "network", "RNN"
WEEKDAY, YESTERDAY = "linear AR and weekday", "volume of yesterday"
# James et al., An Introduction to Statistical Learning, 2nd edition, 2021, section 10.5.2 and its lab
PUBLISHED = {LINEAR: 0.41, NETWORK: 0.42, RNN: 0.42, WEEKDAY: 0.46, YESTERDAY: 0.18}


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    lags: int = 5
    epochs: int = 20
    members: int = 5
    hidden: int = 32
    rnn_epochs: int = 20
    rnn_hidden: int = 12


QUICK = Settings(members=2)


class Days(NamedTuple):
    """Standardized volume, return and volatility of the days before each day, and its volume.

    Args:
        X: Lags, yesterday first, shape ``(N, lags × 3)``.
        y: Volume, shape ``(N,)``.
        weekday: One column per day of the week, shape ``(N, 5)``.
        cut: First day of the test part.
    """

    X: np.ndarray
    y: np.ndarray
    weekday: np.ndarray
    cut: int


def lagged(series: np.ndarray, lags: int) -> np.ndarray:
    """Values of the ``lags`` days before each day, shape ``(days - lags, lags × columns)``."""
    return np.concatenate([series[lags - k : len(series) - k] for k in range(1, lags + 1)], axis=1)


def as_sequences(X: np.ndarray, lags: int) -> torch.Tensor:
    """Turn lags ``(N, lags × columns)``, yesterday first, into sequences ``(N, lags, columns)`` that end with it."""
    steps = X.reshape(len(X), lags, -1)[:, ::-1]
    return torch.tensor(steps.copy(), dtype=torch.float32)


def load_days(lags: int) -> Days:
    """Volume, return and volatility, in units of the training part, and its split."""
    data = load("islp-nyse")
    assert data.split is not None
    days = data.split[0].stop
    series = np.c_[data.y, data.X["DJ_return"], data.X["log_volatility"]].astype(float)
    series = (series - series[:days].mean(0)) / series[:days].std(0)
    names = np.asarray(data.X["day_of_week"])[lags:]
    weekday = (names[:, None] == np.unique(names)).astype(float)
    return Days(lagged(series, lags), series[lags:, 0], weekday, days - lags)


def contestants(settings: Settings) -> dict[str, BaseEstimator]:
    """The network's settings were the best of ten on the last three of five ordered folds before the cut."""
    return {
        "mean": DummyRegressor(),
        LINEAR: LinearRegression(),
        NETWORK: NeuralRegressor(
            (settings.hidden,), dropout=0.2, weight_decay=1e-2, lr=1e-2, schedule="cosine", batch_size=64,
            epochs=settings.epochs, members=settings.members, seed=settings.seed,
        ),
    }  # fmt: skip


def predict_rnn(days: Days, settings: Settings) -> np.ndarray:
    """Train RNNs on the days before the cut; returns the mean of their forecasts for the others.

    Their settings were the best of four on the same folds as the network's.
    """
    x = as_sequences(days.X, settings.lags)
    y = torch.tensor(days.y, dtype=torch.float32)[:, None]
    forecasts = []
    for seed in range(settings.seed, settings.seed + settings.members):
        with seeded(seed):
            model = SequenceClassifier(3, 1, hidden_dim=settings.rnn_hidden, cell="gru", dropout=0.1)  # fmt: skip
        Trainer(
            model, "mse", lr=5e-3, schedule="cosine", epochs=settings.rnn_epochs, batch_size=64,
            seed=seed, progress=False,
        ).fit((x[: days.cut], y[: days.cut]))  # fmt: skip
        with torch.inference_mode():
            forecasts.append(model.eval()(x[days.cut :])[:, 0].numpy())
    return np.mean(forecasts, axis=0)


def forecast(days: Days, models: dict[str, BaseEstimator], settings: Settings) -> dict[str, np.ndarray]:  # fmt: skip
    """One-day-ahead forecasts of the test part, by model."""
    past, later = slice(None, days.cut), slice(days.cut, None)
    found = {
        name: model.fit(days.X[past], days.y[past]).predict(days.X[later])
        for name, model in models.items()
    }
    found[RNN] = predict_rnn(days, settings)
    both = np.c_[days.X, days.weekday]
    found[WEEKDAY] = LinearRegression().fit(both[past], days.y[past]).predict(both[later])
    found[YESTERDAY] = days.X[later, 0]
    return found


def check(report: Report, scores: dict[str, float]) -> None:
    for name in (LINEAR, NETWORK, RNN, WEEKDAY, YESTERDAY):
        report.claim(
            f"test R² of {name}",
            expected=f"{PUBLISHED[name]:.2f} ± 0.02 as in the textbook",
            measured=scores[name],
            holds=abs(scores[name] - PUBLISHED[name]) <= 0.02,
        )
    ahead = max(scores[NETWORK], scores[RNN]) - scores[LINEAR]
    report.claim("best of network and RNN above the linear model", ahead, "{} of R²", at_most=0.02)
    gain = scores[WEEKDAY] - max(scores[NETWORK], scores[RNN])
    report.claim(
        "a column for the weekday is worth more than either", gain, "{} of R²", at_least=0.02
    )


def present(report: Report, scores: dict[str, float], result: Comparison) -> None:
    report.table(
        "Share of variance explained",
        columns=["model", "R², past predicts future, 5 folds", "standard error", "R² on 1,770 test days", "textbook"],
        rows=[
            [
                name,
                *((result.results[name].mean, result.results[name].standard_error) if name in result.results else ("", "")),
                score,
                PUBLISHED.get(name, ""),
            ]
            for name, score in scores.items()
        ],
    )  # fmt: skip
    report.text(
        "The network's and the RNN's settings were chosen on the folds, which therefore flatter the network; "
        "the test days judge."
    )
    report.figure(
        "scores",
        comparison_bars(
            {name: score for name, score in scores.items() if name != "mean"},
            label="R² on 1,770 test days",
        ),
        caption="Five days of volume, return and volatility: to bend or to carry along adds little, the "
        "day of the week adds more.",
    )


def run(settings: Settings) -> Report:
    days, models = load_days(settings.lags), contestants(settings)
    result = compare(
        models, days.X[: days.cut], days.y[: days.cut], folds=5, score="r2", is_ordered=True, seed=settings.seed,
    )  # fmt: skip
    forecasts = forecast(days, models, settings)
    _, volume = TestSet(days.X[days.cut :], days.y[days.cut :]).open()
    scores = {name: float(r2_score(volume, found)) for name, found in forecasts.items()}
    report = Report(
        title="Trading volume at the New York Stock Exchange",
        summary=f"The linear model explains {100 * scores[LINEAR]:.0f} % of the variance of tomorrow's volume, the "
        f"network {100 * scores[NETWORK]:.0f} %, the RNN {100 * scores[RNN]:.0f} %. Told the day of the "
        f"week, the linear model explains {100 * scores[WEEKDAY]:.0f} %.",
    )
    check(report, scores)
    present(report, scores, result)
    shown = slice(0, 120)
    report.figure(
        "forecast",
        score_curves(
            np.arange(len(volume))[shown],
            {"volume": volume[shown]} | {name: forecasts[name][shown] for name in (LINEAR, NETWORK, RNN)},
            xlabel="trading day of the test part",
            ylabel="log volume, standardized",
        ),
        caption="One-day-ahead forecasts of the three models lie on each other.",
    )  # fmt: skip
    return report
