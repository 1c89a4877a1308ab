"""Series from file to forecasts."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim import fit
from gradatim.errors import InvalidValue
from gradatim.fitting import write_predictions
from gradatim.fitting.kinds import make_options
from gradatim.fitting.series.kind import SERIES, SeriesOptions
from gradatim.fitting.series.player import read_player
from gradatim.fitting.series.sections import describe_intervals
from gradatim.fitting.series.times import Axis
from gradatim.reports import Report


def monthly(steps=96, seed=0):
    rng = np.random.default_rng(seed)
    t = np.arange(steps)
    value = 20 + 0.1 * t + 5 * np.sin(2 * np.pi * t / 12) + 0.3 * rng.normal(size=steps)
    dates = pd.date_range("2015-01-01", periods=steps, freq="MS").strftime("%Y-%m-%d")
    return pd.DataFrame({"date": dates, "sales": value})


JOB = {"forecast": 6, "time_column": "date", "trials": 1, "keep_test_out": True}


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    place = tmp_path_factory.mktemp("series")
    monthly().to_csv(place / "sales.csv", index=False)
    return place, fit(place / "sales.csv", **JOB, output=place / "model")


def test_finds_the_season_and_beats_the_last_value(fitted):
    _, result = fitted
    assert result.player.problem.period == 12
    assert result.verdict.recommended != "last value"
    test = result.model.about["test"]
    assert test[result.verdict.recommended]["MASE"] < test["last value"]["MASE"]
    assert "6 steps ahead of 'sales'" in result.headline


def test_forecasts_what_follows(fitted):
    place, _ = fitted
    done = write_predictions(place / "model", place / "sales.csv", place / "out.csv")
    out = pd.read_csv(place / "out.csv")
    assert done.rows == 6
    assert out["date"].tolist() == ["2023-01-01", "2023-02-01", "2023-03-01", "2023-04-01", "2023-05-01", "2023-06-01"]  # fmt: skip
    assert (out["low"] < out["prediction"]).all()
    assert (out["prediction"] < out["high"]).all()
    t = np.arange(96, 102)
    truth = 20 + 0.1 * t + 5 * np.sin(2 * np.pi * t / 12)
    assert np.abs(out["prediction"] - truth).max() < 2.5


def test_predict_reproduces_the_reported_forecasts(fitted):
    place, result = fitted
    held = result.player.problem.held_out
    reported = pd.read_csv(place / "model" / "predictions.csv")
    first = reported[reported["window"] == 1]["prediction"].to_numpy()
    again = gradatim.load_model(place / "model").predict(monthly().iloc[:-held])
    assert (again["prediction"].to_numpy() == first).all()


@pytest.mark.parametrize("model", ["network", "last value"])
def test_every_finalist_is_in_the_folder(fitted, model):
    place, _ = fitted
    loaded = gradatim.load_model(place / "model")
    assert loaded.predict(monthly(), model=model).shape == (6, 4)


def test_many_series_beside_and_below_each_other(tmp_path):
    one, two = monthly(60, 1), monthly(60, 2)
    wide = one.assign(returns=two["sales"] * 10)
    player = read_player(wide, SeriesOptions(forecast=4, time_column="date"))
    assert list(player.problem.series) == ["sales", "returns"]
    long = pd.concat([one.assign(shop="a"), two.assign(shop="b")]).sample(frac=1, random_state=0)
    result = fit(
        long, forecast=4, time_column="date", group="shop", trials=1, output=tmp_path / "m"
    )
    found = result.model.predict(long)
    assert found["shop"].tolist() == ["a"] * 4 + ["b"] * 4
    assert found["date"].iloc[0] == "2020-01-01"
    with pytest.raises(InvalidValue, match="must hold the series 'b', and does not"):
        result.model.predict(long[long["shop"] == "a"])


def test_gaps_repeats_and_missing_values_are_told():
    frame = monthly(60).drop(index=20)
    frame.loc[30, "sales"] = None
    frame = pd.concat([frame, frame.iloc[[5]].assign(sales=0.0)])
    player = read_player(frame, SeriesOptions(forecast=4, time_column="date"))
    text = " ".join(player.notes)
    assert "1 time stands in several rows, of which the mean is taken" in text
    assert "2 missing of 60 steps" in text
    values = player.problem.series[""]
    assert len(values) == 60
    assert values[20] == pytest.approx((values[19] + values[21]) / 2)
    assert values[5] == pytest.approx(monthly(60)["sales"][5] / 2)


def test_without_times_rows_are_steps():
    player = read_player(monthly(40)[["sales"]], SeriesOptions(forecast=2))
    assert player.problem.axis == Axis("number", 1.0)
    assert player.problem.last == {"": 40.0}


@pytest.mark.parametrize(
    ("frame", "job", "message"),
    [
        (monthly(20), {"forecast": 6}, r"need a series of 26 steps, got 20. Try --forecast 4"),
        (monthly(1), {"forecast": 1}, "none|got 1"),
        (monthly(60).assign(sales=3.0), {"forecast": 2}, "never changes"),
        (monthly(60).assign(sales=np.nan), {"forecast": 2}, "must (hold numbers|have a series)"),
        (monthly(60), {"forecast": 0}, "forecast must be at least 1, got 0"),
        (monthly(60), {"forecast": 2, "target": "sale"}, "got 'sale'. Try 'sales'"),
        (monthly(60), {"forecast": 2, "task": "regression"}, "task must not be given for series"),
        (monthly(60), {"forecast": 2, "test": "new.csv"}, "test must be a share for series"),
        (monthly(60)[["date"]], {"forecast": 2}, "target must hold numbers"),
    ],
)
def test_bad_input_gets_a_sentence(frame, job, message):
    with pytest.raises(InvalidValue, match=message):
        read_player(frame, make_options(SERIES, {"time_column": "date", **job}))


def test_intervals_are_counted_by_step_ahead():
    is_held = np.zeros((2, 3, 6), dtype=bool)
    is_held[..., :2] = True
    is_held[0, 0, 2] = True
    report = Report(title="a")
    describe_intervals(report, SimpleNamespace(horizon=6), is_held, np.tile(np.arange(1.0, 7.0), (2, 1)))  # fmt: skip
    rows = report.sections[0].rows
    assert [row[:3] for row in rows] == [
        ["all test steps", 36, "36.1 %"],
        ["1 to 2 steps ahead", 12, "100.0 %"],
        ["3 to 4 steps ahead", 12, "8.3 %"],
        ["5 to 6 steps ahead", 12, "0.0 %"],
    ]
    assert [row[4] for row in rows] == [7.0, 3.0, 7.0, 11.0]


def test_a_forecast_has_the_intervals_of_one_share(fitted):
    frame, result = monthly(), fitted[1]
    model = result.model
    pd.testing.assert_frame_equal(model.predict_interval(frame), model.predict(frame))
    with pytest.raises(InvalidValue, match=r"coverage must be 0\.9 for forecasts"):
        model.predict_interval(frame, coverage=0.8)
    assert any(t.title.startswith("Intervals that shall hold") for t in result.report.sections if hasattr(t, "rows"))  # fmt: skip
