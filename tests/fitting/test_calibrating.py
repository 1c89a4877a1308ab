"""Models of a contest know how far they may be wrong: from the folds, the same after an interruption, and for new rows."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim import fit
from gradatim.errors import InvalidValue
from gradatim.evaluation import conformal_radius
from gradatim.evaluation.racing import Result
from gradatim.events import Cancelled, CancelToken
from gradatim.fitting import contest, write_predictions
from gradatim.fitting.averaging import Average
from gradatim.fitting.calibrating import calibrate_models, hold_out
from gradatim.fitting.comparison import Comparison
from gradatim.fitting.player import AVERAGE, NETWORK, Candidate
from gradatim.fitting.spread import FEATURES
from gradatim.fitting.tables import networks, player
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.player import read_player
from gradatim.fitting.work import Work
from gradatim.hashing import json_bytes, sign
from gradatim.reports import report as report_module

RIDGE = "ridge regression"


def noisy(rows=160, seed=0):
    """A line whose noise grows with a column."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.normal(size=rows), "size": rng.random(rows)})
    frame["y"] = 3 * frame["x"] + (0.1 + 3 * frame["size"]) * rng.normal(size=rows)
    return frame


@pytest.fixture
def quick(monkeypatch):
    """Two simple models, short networks, and no drawing."""
    simple, draw = player.simple_models, networks.draw_settings
    header = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000")
    few = {"steps": 8, "hidden": (4,), "members": 1}
    monkeypatch.setattr(player, "simple_models", lambda classes: simple(classes)[:2])
    monkeypatch.setattr(player, "draw_settings", lambda *a: type(draw(*a))(**{**draw(*a).__dict__, **few}))  # fmt: skip
    monkeypatch.setattr(report_module, "_png", lambda figure: header)


def judged(frame, *names, **options):
    own = read_player(frame, TableOptions(target="y", **options))
    own.judge_by(options.get("score"))
    folds = range(len(own.folds))
    simple = {n: [Result(own.judge(Candidate(n), k), 0.1) for k in folds] for n in names}
    return own, Comparison(own.folds, simple, [])


def test_scores_are_those_of_models_that_had_not_learned_the_rows():
    own, comparison = judged(noisy(), RIDGE)
    held = hold_out(own, RIDGE, comparison, None, None)
    np.testing.assert_array_equal(np.sort(held.rows), own.problem.train)
    for k, (_, judge) in enumerate(own.folds):
        again = own.outputs(own.fit(Candidate(RIDGE), k), k)
        np.testing.assert_array_equal(held.said[held.fold == k], again)
        np.testing.assert_array_equal(held.rows[held.fold == k], judge)
    plain = calibrate_models(own, [RIDGE], "", comparison, None, None).tested[RIDGE]
    np.testing.assert_allclose(plain.scores, np.sort(np.abs(own.problem.y[held.rows] - held.said)))


def test_an_average_says_the_mean_with_the_weights_of_each_fold():
    own, comparison = judged(noisy(), RIDGE, "mean")
    shares = [{RIDGE: 0.25, "mean": 0.75} if k % 2 else {RIDGE: 1.0} for k in range(len(own.folds))]
    average = Average([RIDGE, "mean"], [0.5, 0.5], [], shares)
    held = hold_out(own, AVERAGE, comparison, None, average)
    line, mean = (hold_out(own, n, comparison, None, None).said for n in (RIDGE, "mean"))
    odd = held.fold % 2 == 1
    np.testing.assert_allclose(held.said, np.where(odd, 0.25 * line + 0.75 * mean, line))
    assert hold_out(own, AVERAGE, comparison, None, Average([RIDGE], [1.0], [])) is None


def test_a_tuned_network_says_what_the_settings_of_the_other_folds_say():
    own, comparison = judged(noisy(60), RIDGE)
    tuning = SimpleNamespace(choices=[f"settings {k % 2}" for k in range(len(own.folds))])
    for k, (_, judge) in enumerate(own.folds):
        for setting in range(2):
            own.told.put(Candidate(NETWORK, f"settings {setting}"), k, np.full(len(judge), float(setting)))  # fmt: skip
    held = hold_out(own, NETWORK, comparison, tuning, None)
    np.testing.assert_array_equal(held.said, held.fold % 2)
    tuning.choices[0] = "settings that were lost"
    assert hold_out(own, NETWORK, comparison, tuning, None) is None


def test_weights_and_quantiles_find_their_way():
    frame = noisy().assign(w=lambda t: 1 + (t["size"] > 0.5) * 4.0)
    own, comparison = judged(frame, RIDGE, weight="w")
    found = calibrate_models(own, [RIDGE], "", comparison, None, None).tested[RIDGE]
    held = hold_out(own, RIDGE, comparison, None, None)
    error, weight = np.abs(own.problem.y[held.rows] - held.said), own.problem.weight[held.rows]
    assert found.radius(0.9) == conformal_radius(error, 0.9, weight) > conformal_radius(error, 0.9)
    own, comparison = judged(noisy(), RIDGE, score="quantile:0.9")
    shifted = calibrate_models(own, [RIDGE], "", comparison, None, None).tested[RIDGE]
    held = hold_out(own, RIDGE, comparison, None, None)
    assert shifted.shift == np.median(own.problem.y[held.rows] - held.said) < 0


@pytest.mark.parametrize("keep_test_out", [True, False])
def test_a_folder_knows_how_far_its_models_err(quick, tmp_path, keep_test_out):
    frame, new = noisy(240), noisy(2000, seed=1)
    fit(frame, "y", output=tmp_path / "m", trials=1, keep_test_out=keep_test_out)
    model = gradatim.load_model(tmp_path / "m")
    assert set(model.intervals) == set(model.models)
    assert model.intervals[RIDGE].spread.reads == FEATURES
    found = model.predict_interval(new, coverage=0.8)
    assert found.columns.tolist() == ["prediction", "low", "high"]
    np.testing.assert_array_equal(found["prediction"], model.predict(new))
    is_held = (found["low"] <= new["y"]) & (new["y"] <= found["high"])
    assert 0.72 < is_held.mean() < 0.88
    assert np.corrcoef(found["high"] - found["low"], new["size"])[0, 1] > 0.5
    one = model.predict_interval(new.iloc[3].to_dict(), coverage=0.8)
    np.testing.assert_allclose(one.to_numpy(), found.iloc[3:4].to_numpy(), rtol=1e-12)
    network = model.predict_interval(new, coverage=0.8, model="network")
    widths = network["high"] - network["low"]
    assert widths.max() - widths.min() < 1e-9


def test_interrupted_and_resumed_the_intervals_are_the_same(quick, tmp_path, monkeypatch):
    frame = noisy(120)
    fit(frame, "y", output=tmp_path / "whole", trials=3)
    for stop in (3, 8, 14, 40):  # results after which the run is ended
        token, count = CancelToken(), [0]
        put = Work.put

        def counted(self, *given, count=count, stop=stop, token=token, put=put):
            count[0] += 1
            if count[0] == stop:
                token.cancel()
            return put(self, *given)

        with monkeypatch.context() as patch:
            patch.setattr(Work, "put", counted)
            try:
                fit(frame, "y", output=tmp_path / "m", trials=3, resume=True, cancel=token)
                break
            except Cancelled:
                assert (tmp_path / ".m.work").is_dir()
    else:
        fit(frame, "y", output=tmp_path / "m", trials=3, resume=True)
    m, whole = ((tmp_path / n / "model.safetensors").read_bytes() for n in ("m", "whole"))
    assert m == whole
    facts = [json.loads((tmp_path / n / "model.json").read_text())["intervals"] for n in ("m", "whole")]  # fmt: skip
    assert facts[0] == facts[1]
    models = [gradatim.load_model(tmp_path / n) for n in ("m", "whole")]
    pd.testing.assert_frame_equal(*(own.predict_interval(frame) for own in models))


def test_a_file_without_intervals_is_as_if_there_were_none(fitted, tmp_path):
    path, results = fitted
    for target in results:
        model = results[target].model
        write_predictions(model, path, tmp_path / "plain.csv")
        write_predictions(model, path, tmp_path / "with.csv", coverage=0.8)
        table = pd.read_csv(tmp_path / "with.csv", dtype=str, keep_default_na=False)
        columns = ["low", "high"] if target == "price" else ["set"]
        assert table.columns.tolist()[1 : 1 + len(columns)] == columns
        table.drop(columns=columns).to_csv(tmp_path / "dropped.csv", index=False)
        assert (tmp_path / "dropped.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()
        write_predictions(model, path, tmp_path / "with.csv")  # ours, so it is replaced
        assert (tmp_path / "with.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()


def test_sets_hold_what_is_predicted(fitted, frame):
    model = fitted[1]["kind"].model
    found = model.predict_interval(frame, coverage=0.9)
    assert all(said in own for said, own in zip(found["prediction"], found["set"], strict=True))
    assert found["set"].map(len).min() >= 1
    wide = model.predict_interval(frame, coverage=0.98)
    assert all(set(a) <= set(b) for a, b in zip(found["set"], wide["set"], strict=True))
    frame_of_file = gradatim.predict(model, frame, coverage=0.9)
    assert [json.loads(cell) for cell in frame_of_file["set"]] == found["set"].tolist()


def test_a_folder_of_the_version_before_says_that_it_knows_nothing(fitted, tmp_path, frame):
    model = fitted[1]["price"].model
    old = gradatim.load_model(model.save(tmp_path / "m"))
    old.intervals.clear()
    old.save(tmp_path / "old")
    assert "intervals" not in json.loads((tmp_path / "old" / "model.json").read_text())
    with pytest.raises(InvalidValue, match=r"predict: coverage must be left out for '.*', of whose errors the folder knows nothing, got 0.9\."):  # fmt: skip
        gradatim.load_model(tmp_path / "old").predict_interval(frame)


@pytest.mark.parametrize(
    "facts", [[], {"mean": {"shift": 1}}, {"mean": None}, {"mean": {"shift": 0.0, "spread": {}}}]
)
def test_a_folder_that_lies_about_intervals_is_refused_in_a_sentence(fitted, tmp_path, facts):
    place = fitted[1]["price"].model.save(tmp_path / "m")
    description = json.loads((place / "model.json").read_text())
    (place / "model.json").write_bytes(json_bytes(sign(description | {"intervals": facts})))
    with pytest.raises(InvalidValue, match="load_model"):
        gradatim.load_model(place)


def test_a_kind_without_exchangeable_rows_has_none():
    own = SimpleNamespace(has_intervals=False, problem=None)
    found = calibrate_models(own, ["a"], "a", None, None, None)
    assert found.tested == found.shipped(own, is_done=True) == {}
    assert contest.calibrate_models is calibrate_models
