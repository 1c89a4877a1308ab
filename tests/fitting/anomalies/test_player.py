"""Anomalies from file to alarms: tables and series, labelled or not."""

import re

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim import fit
from gradatim.data import machine_signal
from gradatim.errors import InvalidValue
from gradatim.fitting import write_predictions
from gradatim.fitting.anomalies import networks
from gradatim.fitting.anomalies.kind import AnomalyOptions
from gradatim.fitting.anomalies.player import read_player
from gradatim.fitting.anomalies.problem import find_alarms, held_out
from gradatim.fitting.player import Candidate


def people(rows=400, seed=0):
    """Columns that go together, a category, missing cells and an identifier."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=rows)
    frame = pd.DataFrame(
        {
            "number": np.arange(rows),
            "height": 170 + 10 * size,
            "weight": 70 + 9 * size + rng.normal(size=rows),
            "age": rng.integers(20, 80, rows).astype(float),
            "town": rng.choice(["Bern", "Genf"], rows),
        }
    )
    frame.loc[::23, "age"] = np.nan
    return frame


def machine(steps=1200, seed=0, faults=6):
    X, y = machine_signal(steps, faults, seed)
    frame = pd.DataFrame(X, columns=["speed", "vibration", "temperature"])
    return frame.assign(day=np.arange(steps), fault=np.where(y, "yes", "no"))


SERIES = {"anomaly": True, "time_column": "day", "trials": 1, "window": 12}


@pytest.fixture(scope="module", autouse=True)
def _short():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(networks, "STEPS", 60)
        yield


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    place = tmp_path_factory.mktemp("rows")
    people().to_csv(place / "people.csv", index=False)
    return place, fit(place / "people.csv", anomaly=True, trials=1, output=place / "m", keep_test_out=True)  # fmt: skip


@pytest.fixture(scope="module")
def steps(tmp_path_factory):
    place = tmp_path_factory.mktemp("steps")
    machine().to_csv(place / "machine.csv", index=False)
    return place, fit(place / "machine.csv", "fault", **SERIES, output=place / "m")


def test_a_table_without_labels_is_judged_by_anomalies_that_are_said_to_be_made_up(rows):
    _, result = rows
    assert result.verdict.metric == "share missed"
    assert result.verdict.recommended in result.model.models
    assert "network" in result.model.models
    assert any("Made-up anomalies" in str(concern) for concern in result.concerns)
    page = (result.folder / "report.html").read_text(encoding="utf-8")
    assert "made up" in page
    assert {"scores.png", "alarms.png", "predictions.csv"} <= {path.name for path in result.folder.iterdir()}  # fmt: skip
    assert "Column 'number' is left out: it numbers the rows." in result.notes


def test_a_row_says_how_odd_it_is_and_why(rows):
    _place, result = rows
    new = people(3000, seed=1)
    usual = result.model.predict(new, model="principal components" if "principal components" in result.model.models else "network")  # fmt: skip
    assert usual.columns.tolist() == ["score", "alarm", "because"]
    assert usual["alarm"].mean() < 0.05
    np.testing.assert_array_equal(usual["alarm"], usual["score"] > 1)
    assert (usual["because"][~usual["alarm"]] == "").all()
    odd = new.head(50).assign(weight=lambda f: 140 - f["weight"] + 30)
    told = result.model.predict(odd)
    assert told["alarm"].mean() > 0.5
    named = told["because"][told["alarm"]]
    assert named.str.contains("height|weight").mean() > 0.9
    assert all(re.fullmatch(r"(\w+ \d+ %(, )?){1,3}", text) for text in named)


def test_the_folder_says_what_the_model_said(rows):
    place, result = rows
    loaded = gradatim.load_model(place / "m")
    new = people(50, seed=2)
    for name in result.model.models:
        pd.testing.assert_frame_equal(loaded.predict(new, model=name), result.model.predict(new, model=name))  # fmt: skip
    new.to_csv(place / "new.csv", index=False)
    done = write_predictions(place / "m", place / "new.csv", place / "out.csv")
    assert done.rows == 50
    out = pd.read_csv(place / "out.csv", keep_default_na=False)
    np.testing.assert_allclose(out["score"], loaded.predict(new)["score"])
    reported = pd.read_csv(place / "m" / "predictions.csv")
    source = people().iloc[reported["row"] - 1]
    np.testing.assert_allclose(loaded.predict(source)["score"], reported["score"])


def test_labelled_anomalies_judge_and_never_train(steps):
    _, result = steps
    player, p = result.player, result.player.problem
    odd = np.flatnonzero(p.is_odd)
    assert p.target == "fault"
    touched = np.concatenate([np.arange(k, k + p.window) for k in odd])  # windows that hold one
    for train, judge in [*player.folds, (p.train, p.test)]:
        assert not np.isin(train, touched).any()
        assert not np.isin(judge, touched).any()
    assert np.isin(np.concatenate([p.odd_train, p.odd_test]), odd).all()
    assert {"average precision", "precision", "found", "false alarms", "AUC"} <= set(result.model.about["test"]["no alarms"])  # fmt: skip
    best = result.model.about["cross_validation"][result.verdict.recommended]
    assert best["AUC"] > 0.7


def test_the_past_learns_and_the_future_judges(steps):
    _, result = steps
    player, p = result.player, result.player.problem
    for train, judge in [*player.folds, (p.train, p.test)]:
        assert p.times[train].max() < p.times[judge].min()
        learn, held = p.cut(train, 0)
        assert p.times[learn].max() < p.times[held].min()


def test_steps_say_how_odd_they_are_and_when_and_why(steps):
    _place, result = steps
    new = machine(400, seed=5, faults=0)
    new.loc[300, "temperature"] += 15.0
    with pytest.warns(UserWarning, match="11 rows have no score: fewer than 11 steps come before"):
        told = result.model.predict(new)
    assert told.columns.tolist() == ["day", "score", "alarm", "because"]
    assert told["score"].isna().sum() == 11
    assert told.loc[300, "alarm"]
    assert told.loc[300, "because"].startswith("temperature at 300 ")
    shuffled = new.sample(frac=1.0, random_state=0)
    with pytest.warns(UserWarning, match="no score"):
        again = result.model.predict(shuffled)
    pd.testing.assert_series_equal(again.sort_values("day")["score"].reset_index(drop=True), told["score"])  # fmt: skip


def test_machines_are_read_one_by_one(tmp_path):
    frame = pd.concat([machine(500, seed=k, faults=0).assign(unit=f"m{k}") for k in range(3)])
    result = fit(frame.drop(columns="fault"), **SERIES, group="unit", output=tmp_path / "m")
    p = result.player.problem
    assert p.steps.names == ["m0", "m1", "m2"]
    for name in range(3):
        own = p.steps.series == name
        assert own[p.train].any()
        assert own[p.test].any()
    new = pd.concat([frame[frame["unit"] == "m1"].head(40), frame.head(8)])
    with pytest.warns(UserWarning, match="no score"):
        told = result.model.predict(new)
    assert told["score"].notna().sum() == 29
    assert told.columns.tolist()[:2] == ["day", "unit"]


def test_the_target_of_a_built_in_set_marks_anomalies_where_it_can(tmp_path):
    def read(name, **options):
        return read_player(name, AnomalyOptions(trials=1, **options)).problem

    p = read("breast-cancer")
    assert (p.target, len(p.odd_train) + len(p.odd_test)) == ("diagnosis", 212)
    p = read("iris", normal="setosa", alarms=0.1)
    assert (len(p.train) + len(p.test), len(p.odd_train) + len(p.odd_test)) == (50, 100)
    p = read("iris")
    assert p.target is None
    assert any("--normal" in note for note in p.notes)
    assert "species" not in p.table


def test_test_rows_of_ones_own_may_hold_all_anomalies(tmp_path):
    frame = people(300).assign(bad=0)
    test = people(100, seed=1).assign(bad=lambda f: (f.index % 4 == 0).astype(int))
    test.to_csv(tmp_path / "test.csv", index=False)
    p = read_player(frame, AnomalyOptions(trials=1, target="bad", test=str(tmp_path / "test.csv"))).problem  # fmt: skip
    assert (len(p.train), len(p.test), len(p.odd_train), len(p.odd_test)) == (300, 75, 0, 25)


@pytest.mark.parametrize(("rows", "alarms", "held"), [(10_000, 0.01, 2000), (300, 0.01, 99), (120, 0.05, 24), (30, 0.3, 6)])  # fmt: skip
def test_rows_that_set_the_threshold_are_as_many_as_the_share_needs(rows, alarms, held):
    assert held_out(rows, alarms) == held
    assert find_alarms(alarms, rows, [], "rows") == alarms


def test_a_share_that_the_rows_do_not_allow_is_refused_or_raised():
    with pytest.raises(InvalidValue, match=r"alarms must be at least 1 in 21 where 20 rows can set the threshold, got 0.01\. Try 0.0477, or use more rows\."):  # fmt: skip
        find_alarms(0.01, 40, [], "rows")
    notes = []
    assert find_alarms(None, 40, notes, "rows") == pytest.approx(1 / 21)
    assert notes == ["The share of alarms is 0.048, not 0.01: 20 rows that can set the threshold allow no smaller one."]  # fmt: skip
    assert find_alarms(0.0477, 40, [], "rows") == 0.0477


def test_one_run_resumes_to_the_same_model(tmp_path, monkeypatch):
    from gradatim.fitting.anomalies import player as module

    frame = people(120)
    whole = fit(frame, anomaly=True, trials=2, output=tmp_path / "whole")
    judge, left = module.AnomalyPlayer.judge, iter(range(8))

    def stopping(self, candidate, k):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return judge(self, candidate, k)

    monkeypatch.setattr(module.AnomalyPlayer, "judge", stopping)
    with pytest.raises(KeyboardInterrupt):
        fit(frame, anomaly=True, trials=2, output=tmp_path / "m")
    monkeypatch.setattr(module.AnomalyPlayer, "judge", judge)
    again = fit(frame, anomaly=True, trials=2, output=tmp_path / "m", resume=True)
    assert again.verdict.sentence == whole.verdict.sentence
    files = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("m", "whole")]
    assert files[0] == files[1]


@pytest.mark.parametrize(("score", "first"), [("auc", "AUC"), ("average-precision", "average precision")])  # fmt: skip
def test_another_figure_may_decide(tmp_path, score, first):
    frame = machine(800)
    player = read_player(frame, AnomalyOptions(target="fault", time_column="day", window=12))
    player.judge_by(score)
    assert next(iter(player.judge(Candidate("forecast error"), 4))) == first


def test_figures_that_nothing_tells_are_refused():
    player = read_player(people(100), AnomalyOptions())
    with pytest.raises(InvalidValue, match=r"score must be another than 'average-precision' where no anomalies are labelled"):  # fmt: skip
        player.judge_by("average-precision")
    with pytest.raises(InvalidValue, match=r"fit: score must be one of auc, average-precision"):
        player.judge_by("accuracy")
    with pytest.raises(InvalidValue, match="fit: costs must be left out where anomalies are looked for"):  # fmt: skip
        player.judge_by(None, object())
