import json
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim import fit
from gradatim.errors import InvalidValue
from gradatim.fitting import contest, tuning, write_predictions
from gradatim.fitting.tables import networks, player
from gradatim.fitting.tables.concerns import find_concerns
from gradatim.fitting.tables.importance import permutation_importance
from gradatim.fitting.tables.preprocessing import take_rows
from gradatim.reports import Concern
from gradatim.reports import report as report_module


@pytest.fixture
def short(monkeypatch):
    """Two simple models, small networks of a few steps, and no drawing."""
    simple, draw = player.simple_models, networks.draw_settings
    monkeypatch.setattr(player, "simple_models", lambda classes: simple(classes)[:2])
    tiny = {"steps": 20, "hidden": (4,)}
    monkeypatch.setattr(player, "draw_settings", lambda *a: replace(draw(*a), **tiny))
    header = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000")
    monkeypatch.setattr(report_module, "_png", lambda figure: header)


def weights(folder):
    return (folder / "model.safetensors").read_bytes()


def test_predict_reproduces_the_reported_predictions_bit_for_bit(fitted, tmp_path):
    path, results = fitted
    for target, result in results.items():
        write_predictions(result.folder, path, tmp_path / f"{target}.csv")
        reported = pd.read_csv(result.folder / "predictions.csv", dtype=str)
        again = pd.read_csv(tmp_path / f"{target}.csv", dtype=str)
        rows = reported.pop("row").astype(int) - 1
        pd.testing.assert_frame_equal(again.iloc[rows].reset_index(drop=True), reported)


def test_the_reported_test_figures_are_those_of_the_reported_predictions(fitted):
    path, results = fitted
    result = results["price"]
    reported = pd.read_csv(result.folder / "predictions.csv")
    truth = pd.read_csv(path)["price"].iloc[reported["row"] - 1].to_numpy()
    rmse = np.sqrt(np.mean((reported["prediction"] - truth) ** 2))
    about = json.loads((result.folder / "model.json").read_text("utf-8"))["about"]
    assert about["test"][result.verdict.recommended]["RMSE"] == pytest.approx(rmse, rel=1e-9)


def test_python_and_command_line_predict_the_same(fitted, tmp_path):
    path, results = fitted
    model = gradatim.load_model(results["price"].folder)
    write_predictions(results["price"].folder, path, tmp_path / "p.csv", which="network")
    written = pd.read_csv(tmp_path / "p.csv")["prediction"]
    np.testing.assert_array_equal(model.predict(pd.read_csv(path), model="network"), written)


def test_the_network_is_a_module(fitted):
    import torch

    path, results = fitted
    model = gradatim.load_model(results["kind"].folder)
    X = model.preprocessing.transform(results["kind"].player.problem.table)
    p = model.network().double()(torch.from_numpy(X)).softmax(1).detach().numpy()
    order = results["kind"].player.problem.rows
    expected = model.predict_proba(pd.read_csv(path).iloc[order], model="network")
    if model.fitted("network").settings["members"] == 1:
        np.testing.assert_allclose(p, expected, rtol=1e-9)


def test_the_report_says_what_was_found(fitted):
    folder, report = fitted[1]["kind"].folder, fitted[1]["kind"].report
    page = (folder / "report.html").read_text("utf-8")
    for words in ("Cross-validation", "used once", "learning-curves", "confusion", "calibration", "importance", "load_model"):  # fmt: skip
        assert words in page
    assert report.summary == fitted[1]["kind"].verdict.sentence
    assert 'id="residuals"' in (fitted[1]["price"].folder / "report.html").read_text("utf-8")


def test_no_pickle_anywhere(fitted):
    for result in fitted[1].values():
        for path in result.folder.iterdir():
            assert path.suffix in (".json", ".safetensors", ".html", ".png", ".csv")


def test_equal_seeds_give_equal_folders_and_other_seeds_others(short, frame, tmp_path):
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        fit(frame.iloc[:60], "kind", output=tmp_path / name, drop=["price"], trials=1, seed=seed)
    assert weights(tmp_path / "a") == weights(tmp_path / "b") != weights(tmp_path / "c")


def test_an_interrupted_run_resumes_to_the_same_model(short, frame, tmp_path, monkeypatch):
    settings = {"drop": ["price"], "trials": 2}
    frame = frame.iloc[:60]
    fit(frame, "kind", output=tmp_path / "whole", **settings)
    for stop in (1, 9, 18):
        _interrupt_and_resume(frame, tmp_path / "m", monkeypatch, stop, settings)
        assert weights(tmp_path / "m") == weights(tmp_path / "whole")
        assert sorted(p.name for p in tmp_path.iterdir()) == ["m", "whole"]
        shutil.rmtree(tmp_path / "m")


def _interrupt_and_resume(frame, folder, monkeypatch, stop, settings):
    put, count = contest.Work.put, 0

    def die(self, key, value, *beside):
        nonlocal count
        count += 1
        if count > stop:
            raise KeyboardInterrupt
        return put(self, key, value, *beside)

    monkeypatch.setattr(contest.Work, "put", die)
    with pytest.raises(KeyboardInterrupt):
        fit(frame, "kind", output=folder, **settings)
    assert not folder.exists()
    monkeypatch.setattr(contest.Work, "put", put)
    fit(frame, "kind", output=folder, resume=True, **settings)


def test_resuming_another_job_is_refused(short, frame, tmp_path, monkeypatch):
    def die(*arguments, **settings):
        raise KeyboardInterrupt

    monkeypatch.setattr(contest, "tune", die)
    with pytest.raises(KeyboardInterrupt):
        fit(frame, "kind", output=tmp_path / "m", trials=1)
    monkeypatch.setattr(contest, "tune", tuning.tune)
    message = "fit: resume must go on with the same data and settings, but trials changed"
    with pytest.raises(InvalidValue, match=message):
        fit(frame, "kind", output=tmp_path / "m", trials=2, resume=True)


def test_a_network_that_beats_the_line_is_recommended(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    frame = pd.DataFrame({"a": a, "b": b, "y": np.abs(a) + 0.1 * b})
    simple = player.simple_models
    monkeypatch.setattr(player, "simple_models", lambda classes: simple(classes)[:2])
    result = fit(frame, "y", output=tmp_path / "m", trials=1)
    assert result.verdict.network_wins
    assert result.model.recommended == "network"
    r2 = result.model.about["test"]["network"]["R²"]
    assert r2 > 0.8


def test_the_budget_ends_the_tuning(short, frame, tmp_path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(contest.Work, "elapsed", property(lambda self: clock[0]))
    judge = tuning.judge_all

    def slow(player, jobs):
        clock[0] += len(jobs)
        return [result._replace(seconds=1.0) for result in judge(player, jobs)]

    monkeypatch.setattr(tuning, "judge_all", slow)
    result = fit(frame, "kind", output=tmp_path / "m", drop=["price"], budget=60.0)
    assert 35 < clock[0] < 60
    assert result.model.about["verdict"] == result.verdict.sentence


@pytest.mark.parametrize(("option", "column"), [("time_column", "day"), ("group", "who")])
def test_time_and_groups(short, frame, tmp_path, option, column):
    frame["who"] = np.arange(len(frame)) // 6
    drop = ["price"] + (["who"] if option == "time_column" else [])
    result = fit(frame, "kind", output=tmp_path / "m", drop=drop, trials=1, **{option: column})
    cells = frame[column].to_numpy()
    train, test = (cells[result.player.problem.rows[part]] for part in (result.player.problem.train, result.player.problem.test))  # fmt: skip
    if option == "group":
        assert not set(train) & set(test)
        assert "who" not in result.model.columns
    else:
        assert max(train) <= min(test)


def test_a_test_table_of_ones_own(short, frame, tmp_path):
    frame.iloc[:100].to_csv(tmp_path / "a.csv", index=False)
    frame.iloc[100:].to_csv(tmp_path / "b.csv", index=False)
    result = fit(tmp_path / "a.csv", "kind", output=tmp_path / "m", test=str(tmp_path / "b.csv"), drop=["price"], trials=1)  # fmt: skip
    assert (len(result.player.problem.train), len(result.player.problem.test)) == (100, 20)
    frame.drop(columns="x").to_csv(tmp_path / "c.csv", index=False)
    with pytest.raises(
        InvalidValue, match=r"fit: the test table must have the column 'x', and has not\."
    ):
        fit(tmp_path / "a.csv", "kind", output=tmp_path / "n", test=str(tmp_path / "c.csv"))


def test_concerns_are_found(fitted):
    problem = fitted[1]["price"].player.problem
    leak = replace(problem, table={**problem.table, "z": problem.y * 2.0 + 1.0})
    found = [str(concern) for concern in find_concerns(leak, 0)]
    assert any(c.startswith("Possible leak: column 'z' alone predicts 9") for c in found)
    assert any(c.startswith("Little data: 96 training rows for 5 columns.") for c in found)
    moved = dict(problem.table, z=problem.table["z"] + 5.0 * np.isin(np.arange(120), problem.test))
    drift = Concern("Drift", "'z' differs between training and test rows")
    assert drift in find_concerns(replace(problem, table=moved), 0)
    assert str(drift) == "Drift: 'z' differs between training and test rows."
    kind = fitted[1]["kind"].player.problem
    rare = replace(kind, y=(np.arange(120) % 40 == 0).astype(int))
    assert any(str(c).startswith("Imbalance: class 'low' has ") for c in find_concerns(rare, 0))
    assert not any("repeat" in c for c in found)


def test_a_column_that_is_not_used_has_no_importance(fitted):
    result = fitted[1]["price"]
    model, problem = result.model, result.player.problem
    rows = take_rows(problem.table, problem.test)
    y = problem.y[problem.test]
    assert set(permutation_importance(model.models["mean"], model.preprocessing, rows, y).values()) == {0.0}  # fmt: skip
    found = permutation_importance(model.fitted(), model.preprocessing, rows, y)
    assert next(iter(found)) == "x"


@pytest.mark.parametrize(
    ("target", "score", "label"),
    [
        ("kind", "auc", "AUC"),
        ("kind", "balanced-accuracy", "balanced accuracy"),
        ("kind", "f1_weighted", "f1_weighted"),
        ("price", "r2", "R²"),
        ("price", "mae", "MAE"),
        ("price", "quantile:0.9", "pinball 0.9"),
    ],
)
def test_the_score_that_is_asked_for_decides(frame, short, tmp_path, target, score, label):
    result = fit(frame, target, score=score, output=tmp_path / "m", trials=2)
    about = json.loads((tmp_path / "m" / "model.json").read_text("utf-8"))["about"]
    assert result.verdict.metric == about["metric"] == label
    assert all(next(iter(own)) == label for own in about["cross_validation"].values())
    means = {name: own[label] for name, own in about["cross_validation"].items()}
    is_larger = label in ("AUC", "balanced accuracy", "f1_weighted", "R²")
    trivial = next(iter(means))
    assert (means[result.verdict.best] >= means[trivial]) == is_larger
    table = next(t for t in result.tables if t.title.startswith("Cross"))
    assert table.columns[1] == label
    assert all(float(row[2].split(" to ")[1]) <= 1 for row in table.rows if is_larger)
    words = " ".join(str(section) for section in result.report.sections)
    assert f"The {'larger' if is_larger else 'smaller'} the {label} the better" in words


def rare_frame(rows=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.1
    frame = pd.DataFrame(rng.normal(size=(rows, 3)) + y[:, None], columns=list("abc"))
    return frame.assign(ill=np.where(y, "yes", "no"))


def test_a_threshold_is_chosen_in_the_folds_stored_and_used(short, tmp_path):
    frame = rare_frame()
    result = fit(frame, "ill", score="balanced-accuracy", output=tmp_path / "m", trials=2, keep_test_out=True)  # fmt: skip
    model = gradatim.load_model(tmp_path / "m")
    weights = model.decision()
    assert (
        weights[0] / weights.sum() < 0.3
    )  # a class of a tenth is said long before it is likelier than not
    p = model.predict_proba(frame)
    np.testing.assert_array_equal(model.predict(frame), np.where((p * weights).argmax(1), "yes", "no"))  # fmt: skip
    assert (model.predict(frame) == "yes").sum() > (p[:, 1] > 0.5).sum()
    np.testing.assert_array_equal(model.predict(dict(frame.iloc[3])), model.predict(frame.iloc[3:4])[0])  # fmt: skip
    table = gradatim.predict(tmp_path / "m", frame)
    np.testing.assert_array_equal(table["prediction"], model.predict(frame))
    np.testing.assert_array_equal(table["probability yes"], p[:, 1])
    reported = pd.read_csv(tmp_path / "m" / "predictions.csv")
    rows = reported["row"] - 1
    np.testing.assert_array_equal(reported["prediction"], model.predict(frame.iloc[rows]))
    truth = (frame["ill"].iloc[rows] == "yes").to_numpy()
    said = (reported["prediction"] == "yes").to_numpy()
    recalls = [(said == truth)[truth == side].mean() for side in (False, True)]
    figures = model.about["test"][result.verdict.recommended]
    assert figures["balanced accuracy"] == pytest.approx(np.mean(recalls))
    assert not any("log weight" in name for own in model.about["cross_validation"].values() for name in own)  # fmt: skip


def test_costs_decide_and_are_the_score(short, tmp_path):
    frame = rare_frame()
    (tmp_path / "costs.csv").write_text("true,no,yes\nyes,12,0\nno,0,1\n")
    result = fit(frame, "ill", costs=tmp_path / "costs.csv", output=tmp_path / "m", trials=2, keep_test_out=True)  # fmt: skip
    assert result.verdict.metric == "cost per row"
    model = gradatim.load_model(tmp_path / "m")
    p = model.predict_proba(frame)
    np.testing.assert_array_equal(model.predict(frame), np.where(12 * p[:, 1] > p[:, 0], "yes", "no"))  # fmt: skip
    reported = pd.read_csv(tmp_path / "m" / "predictions.csv")
    truth = frame["ill"].iloc[reported["row"] - 1].to_numpy()
    missed, alarms = ((reported["prediction"] == side) & (truth != side) for side in ("no", "yes"))
    cost = (12 * missed + alarms).mean()
    assert model.about["test"][result.verdict.recommended]["cost per row"] == pytest.approx(cost)
    ranked = fit(frame, "ill", costs=tmp_path / "costs.csv", score="auc", output=tmp_path / "n", trials=2)  # fmt: skip
    assert ranked.verdict.metric == "AUC"
    assert "cost per row" in ranked.model.about["test"][ranked.verdict.recommended]


def test_decisions_of_a_stranger_are_refused(short, tmp_path):
    from gradatim.hashing import json_bytes, sign

    fit(rare_frame(), "ill", score="f1", output=tmp_path / "m", trials=2)
    file = tmp_path / "m" / "model.json"
    whole = json.loads(file.read_text("utf-8"))
    for bad in ([1.0], [1.0, -1.0], [[1.0, 2.0]], "x", [1.0, None], [[0, 1], [1, "a"]]):
        changed = {**whole, "decisions": {"network": bad}}
        file.write_bytes(json_bytes(sign(changed)))
        with pytest.raises(InvalidValue, match="decisions must be weights of 2 classes"):
            gradatim.load_model(tmp_path / "m")


def test_weights_of_rows_train_and_judge_and_are_no_feature(short, tmp_path):
    """Whole weights are repeated rows in the figures; rows that weigh nothing are none."""
    frame = rare_frame().assign(w=np.random.default_rng(1).integers(0, 4, 400))
    result = fit(frame, "ill", weight="w", output=tmp_path / "m", trials=2, keep_test_out=True)
    assert "w" not in result.model.columns
    assert any("weigh nothing and are left out" in note for note in result.notes)
    problem, weight = result.player.problem, frame["w"].to_numpy()
    assert len(problem.y) == (weight > 0).sum()
    test = problem.rows[problem.test]
    p = result.model.predict_proba(frame.iloc[test])
    truth = (frame["ill"].iloc[test] == "yes").to_numpy().astype(int)
    own = result.model.about["test"][result.verdict.recommended]
    expected = np.average(-np.log(p[np.arange(len(p)), truth]), weights=weight[test])
    assert own["log loss"] == pytest.approx(expected)
    plain = fit(frame.drop(columns="w"), "ill", output=tmp_path / "n", trials=2)
    assert plain.model.about["cross_validation"] != result.model.about["cross_validation"]
