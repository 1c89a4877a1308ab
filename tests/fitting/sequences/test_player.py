"""Series with labels from file to model folder and back."""

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim import fit, predict
from gradatim.cli import main
from gradatim.data import waves
from gradatim.errors import InvalidValue
from gradatim.fitting import write_predictions
from gradatim.fitting.pacing import Pace
from gradatim.fitting.sequences import networks, player

CLASSES = ("smooth", "square", "hurried")


def long_table(count=72, seed=0, **more):
    """Waves with gaps, a category, a person and an age that tell nothing, and a number to predict."""
    X, y = waves(count, noise=0.2, seed=seed)
    rng = np.random.default_rng(seed)
    parts = [
        pd.DataFrame(x, columns=["x", "y"]).assign(
            run=100 + k, t=np.arange(len(x)) * 0.1, mode=rng.choice(["on", "off"], len(x)), person=f"p{k % 9}",
            age=20 + k % 7, label=CLASSES[y[k]], turns=float(x[:, 0].mean()) + k % 3,
        )
        for k, x in enumerate(X)
    ]  # fmt: skip
    frame = pd.concat(parts, ignore_index=True)
    frame.loc[rng.random(len(frame)) < 0.03, "x"] = np.nan
    return frame[rng.random(len(frame)) > 0.02].assign(**more)


JOB = {"series": "run", "time_column": "t", "group": "person", "drop": ["turns"], "trials": 1}


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    place = tmp_path_factory.mktemp("sequences")
    long_table().to_csv(place / "runs.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(player, "UNTIMED_EPOCHS", 8)
        return place, fit(place / "runs.csv", "label", **JOB, keep_test_out=True, output=place / "m")  # fmt: skip


def test_the_shapes_are_learned(fitted):
    _, result = fitted
    assert result.player.task == "classification into 3 classes"
    assert "1-NN with DTW" in result.player.simple
    test = result.model.about["test"]
    assert test[result.verdict.recommended]["log loss"] < 0.5 * test["class frequencies"]["log loss"]  # fmt: skip
    assert list(result.report.left_out) == []
    assert "4 channels, 40 to 60 steps" in result.headline


def test_the_report_shows_what_counts(fitted):
    place, _ = fitted
    page = (place / "m" / "report.html").read_text(encoding="utf-8")
    for words in ("attention", "comes from another series", "by its place", "never change within a series", "groups"):  # fmt: skip
        assert words in page, words
    for figure in ("attention", "importance", "windows", "confusion"):
        assert (place / "m" / f"{figure}.png").stat().st_size > 1000


def test_predict_repeats_the_reported_predictions(fitted):
    place, result = fitted
    p = result.player.problem
    done = write_predictions(place / "m", place / "runs.csv", place / "out.csv")
    assert done.rows == 72
    whole = pd.read_csv(place / "out.csv").set_index("run")
    reported = pd.read_csv(place / "m" / "predictions.csv").set_index("run")
    assert sorted(map(str, reported.index)) == sorted(p.names[k] for k in p.test)
    pd.testing.assert_frame_equal(whole.loc[reported.index], reported)


def test_memory_files_and_parts_of_them_say_the_same(fitted):
    place, _ = fitted
    model = gradatim.load_model(place / "m")
    frame = long_table()
    whole = model.predict_proba(frame)
    some = model.predict_proba(frame[frame["run"].isin([100, 130])])
    np.testing.assert_allclose(some, whole[[0, 30]], rtol=1e-6)
    names = list(dict.fromkeys(frame["run"]))
    table = predict(place / "m", frame)
    assert table["run"].tolist() == [str(n) for n in names]
    assert set(table["prediction"]) <= set(CLASSES)
    for name in model.models:
        assert model.predict(frame, model=name).shape == (72,)
    with pytest.warns(UserWarning, match="3,.* steps have categories that training never saw"):
        model.predict(frame.assign(mode="new"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop(columns="x"), "predict: the table must have the column 'x', and has not"),
        (lambda f: f.drop(columns="run"), "predict: series must be a column of the table"),
        (lambda f: f.drop(columns="t"), "predict: time_column must be a column of the table"),
        (lambda f: f.assign(age="old"), "'age'"),
    ],
)
def test_other_channels_are_refused_in_a_sentence(fitted, change, message):
    place, _ = fitted
    notes = []
    try:
        gradatim.load_model(place / "m").read(change(long_table()), notes)
    except InvalidValue as error:
        notes.append(str(error))
    assert any(message in note for note in notes)


def test_a_number_for_each_series(tmp_path, monkeypatch):
    monkeypatch.setattr(player, "UNTIMED_EPOCHS", 2)
    X, _ = waves(60, noise=0.1)
    target = np.array([len(x) + k % 2 for k, x in enumerate(X)], float) / 7
    result = fit((list(X), target), trials=1, output=tmp_path / "m")
    assert result.player.task == "regression"
    assert result.model.predict(list(X[:3])).shape == (3,)
    with pytest.raises(InvalidValue, match="task must be"):
        result.model.predict_proba(list(X[:3]))
    assert (tmp_path / "m" / "residuals.png").exists()
    with pytest.raises(InvalidValue, match="predict: series must have 2 channels, got 3"):
        predict(tmp_path / "m", [np.zeros((4, 3))])


def test_arrays_of_three_axes_are_series_where_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(player, "UNTIMED_EPOCHS", 2)
    X, y = waves(36, noise=0.1)
    cube = np.stack([x[:40] for x in X])
    result = fit((cube, y), kind="sequence", trials=1, output=tmp_path / "m")
    assert "2 channels, 40 steps" in result.headline
    assert predict(tmp_path / "m", cube[:5])["prediction"].tolist() == result.model.predict(cube[:5]).tolist()  # fmt: skip


def test_a_built_in_set_works_offline(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(player, "UNTIMED_EPOCHS", 2)
    assert main(["fit", "waves", "--trials", "1", "--rows", "45", "-o", "m"]) == 0
    assert "classification into 3 classes of 'label'" in capsys.readouterr().out
    assert main(["predict", "m", "waves"]) == 0
    assert len(pd.read_csv("predictions.csv")) == 150


def test_a_share_of_the_budget_decides_how_often_series_are_seen(fitted, monkeypatch):
    _, result = fitted
    own = player.SequencePlayer(result.player.problem, 0)
    own._pace = Pace(passes=20.0)
    assert own.epochs(own.draw(0)) == 20
    assert own.epochs(networks.SequenceSettings("gru")) > 20
    assert own.cost(own.draw(0)) == 1.0
    own._pace = Pace(passes=1e9)
    assert own.epochs(own.draw(0)) == networks.EPOCHS[1]
    network = player.Candidate("network", own.draw(0))
    assert own.affordable_rows(network, 1e-9) is None  # nothing was measured
    own._pace = Pace(100.0, 1e9)
    assert own.affordable_rows(network, networks.EPOCHS[0] * 0.3) == 0  # 30 series are too few
    monkeypatch.setattr(player, "LEAST", 20)
    assert own.affordable_rows(network, networks.EPOCHS[0] * 0.3) == 30
    own.most_rows = {"network": 16, "1-NN with DTW": 10}
    own._pace = Pace(passes=1.0)
    assert own.fit(network, 0).classes == 3
    assert len(own.fit(player.Candidate("1-NN with DTW"), 0).target) == 10


def test_repeated_series_are_a_concern():
    X, y = waves(40, noise=0.1)
    job = player.SequenceOptions()
    own = player.read_player((list(X) + list(X), list(y) * 2), job)
    assert any("stand in the training part too" in str(c) for c in own.concerns())
