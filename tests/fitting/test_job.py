"""``gradatim.fit`` and ``gradatim.predict`` on what Python users have in memory."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

import gradatim
from gradatim.errors import InvalidType, InvalidValue, OutputRefused
from gradatim.events import Cancelled, CancelToken, Stage, Warned
from gradatim.fitting import job
from gradatim.fitting.images import family as image_family
from gradatim.fitting.job import free_folder, name_of, source_of
from gradatim.fitting.tables import networks, player
from gradatim.fitting.work import holding
from gradatim.model_folder import check_folder
from gradatim.reports import report as report_module


@pytest.fixture(autouse=True)
def short(monkeypatch, tmp_path):
    """A folder of one's own, two simple models, a network of a few steps, and no drawing."""
    monkeypatch.chdir(tmp_path)
    simple, draw = player.simple_models, networks.draw_settings
    monkeypatch.setattr(player, "simple_models", lambda classes: simple(classes)[:2])
    tiny = {"steps": 8, "hidden": (4,), "members": 1}
    monkeypatch.setattr(player, "draw_settings", lambda *a: replace(draw(*a), **tiny))
    header = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000")
    monkeypatch.setattr(report_module, "_png", lambda figure: header)


def rows(count=60, seed=0):
    X = np.random.default_rng(seed).normal(size=(count, 2))
    return X, np.where(X[:, 0] > 0, "up", "down")


def test_arrays_tensors_and_frames_give_the_same_model(tmp_path):
    X, y = rows()
    frame = pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1], "target": y})
    folders = {
        "pair": gradatim.fit((X, y), trials=1, output="pair"),
        "tensors": gradatim.fit((torch.from_numpy(X), y), trials=1, output="tensors"),
        "frame": gradatim.fit(frame, "target", trials=1, output="frame"),
    }
    weights = {(tmp_path / name / "model.safetensors").read_bytes() for name in folders}
    assert len(weights) == 1
    said = [gradatim.predict(name, X) for name in folders]
    pd.testing.assert_frame_equal(said[0], said[2])
    pd.testing.assert_frame_equal(said[0], gradatim.predict(folders["frame"].model, frame))


def test_the_folder_follows_from_the_data(tmp_path):
    assert gradatim.fit("iris", trials=1).folder.as_posix() == "runs/fit-iris"
    assert gradatim.fit(rows(), trials=1).folder.as_posix() == "runs/fit-table"


def test_predict_returns_what_it_writes(tmp_path):
    X, y = rows()
    gradatim.fit((X, y), trials=1, output="m")
    frame = pd.DataFrame(X, columns=["x1", "x2"]).astype({"x1": object})
    frame.loc[0, "x1"] = "many"
    told = []
    table = gradatim.predict("m", frame, output="p.csv", which="network", tell=told.append)
    pd.testing.assert_frame_equal(pd.read_csv("p.csv"), table, check_dtype=False)
    assert told == [Warned("Column 'x1': 1 cell is not a finite number and counts as missing.")]
    with pytest.raises(InvalidType, match="model must be a folder written by 'gradatim fit', got a int"):  # fmt: skip
        gradatim.predict(3, frame)


def test_texts_with_labels_are_texts():
    texts = [f"{word} film {k}" for k, word in enumerate(["good", "bad"] * 30)]
    result = gradatim.fit((texts, ["yes", "no"] * 30), trials=1, output="m")
    assert result.player.problem.text == ["text"]
    assert gradatim.predict(result.model, ["good good film"])["prediction"].tolist() == ["yes"]


def test_a_series_in_an_array():
    x = 10 + np.sin(np.arange(60) * 2 * np.pi / 6)
    result = gradatim.fit(x, forecast=3, trials=1, output="m")
    assert result.player.problem.layout.values == ("x1",)
    assert len(gradatim.predict(result.model, x)) == 3


@pytest.mark.parametrize("channels_first", [False, True])
def test_images_in_arrays(monkeypatch, channels_first):
    monkeypatch.setattr(image_family, "UNTIMED_EPOCHS", 1)
    y = np.arange(40) % 2
    X = np.random.default_rng(0).random((40, 16, 16, 3)) * 0.3 + 0.6 * y[:, None, None, None]
    given = np.moveaxis(X, -1, 1) if channels_first else X
    result = gradatim.fit((given, y), trials=1, output="m")
    assert result.player.problem.images.shape == (40, 16, 16, 3)
    assert result.player.problem.images.max() == round(X.max() * 255)
    said = gradatim.predict("m", given)
    assert (said["prediction"] == y).mean() > 0.9


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        (np.zeros((3, 8, 9, 1)), {}, InvalidValue, "images must be square with one or three channels, got shape"),
        (np.full((3, 8, 8), 2.0), {}, InvalidValue, "images must lie between 0 and 1, got values from 2 to 2"),
        (np.zeros((3, 8, 8)), {}, InvalidType, "images must come with their classes, as a pair"),
        ((np.zeros((30, 2)), [1, 2]), {}, InvalidValue, "a target for every row, got 30 rows and 2 targets"),
        ((1, 2, 3), {}, InvalidType, "data must be a pair of rows and targets, got 3 things"),
        (3.0, {}, InvalidType, "data must be a file, a data frame or arrays, got a float"),
        (rows(), {"forecst": 3}, InvalidValue, r"got 'forecst'\. Try '"),
        (rows(), {"kind": "tabel"}, InvalidValue, r"kind must be one of table.* got 'tabel'\. Try 'table'"),
        (rows(), {"kind": "image"}, InvalidValue, "target must not be given for images"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_gets_a_sentence(tmp_path, data, options, error, message):
    with pytest.raises(error, match=message):
        gradatim.fit(data, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_token_ends_the_run_which_can_be_resumed(tmp_path):
    token, told = CancelToken(), []

    def tell(event):
        told.append(event)
        if isinstance(event, Stage) and event.what.startswith("fold 3"):
            token.cancel()

    with pytest.raises(Cancelled):
        gradatim.fit(rows(), trials=1, output="m", tell=tell, cancel=token)
    assert told[0] == Stage("reading the data")
    assert [path.name for path in tmp_path.iterdir()] == [".m.work"]
    done = len(list((tmp_path / ".m.work").iterdir()))
    assert done == 1 + 2 * 2 + 1  # the job, two simple models in two folds, a network in one
    resumed = gradatim.fit(rows(), trials=1, output="m", resume=True)
    whole = gradatim.fit(rows(), trials=1, output="whole")
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["m", "whole"]
    weights = [(r.folder / "model.safetensors").read_bytes() for r in (resumed, whole)]
    assert weights[0] == weights[1]


def test_default_folders_of_different_data_do_not_collide(tmp_path):
    X, y = rows()
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y})
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        frame.sample(50, random_state=1).to_csv(tmp_path / name / "train.csv", index=False)
    told = []
    assert gradatim.fit("a/train.csv", "y", trials=1).folder.as_posix() == "runs/fit-train"
    second = gradatim.fit("b/train.csv", "y", trials=1, tell=told.append)
    assert second.folder.as_posix() == "runs/fit-train-2"
    assert told[0] == Warned("runs/fit-train is that of other data: the model goes to runs/fit-train-2.")  # fmt: skip
    for source, folder in (("a/../a/train.csv", "runs/fit-train"), ("b/train.csv", "runs/fit-train-2")):  # fmt: skip
        assert gradatim.fit(source, "y", trials=1).folder.as_posix() == folder
    document = (second.folder / "model.json").read_text()
    assert str(tmp_path) not in document  # a folder that is passed on names none of the user's


def test_a_default_folder_is_not_that_of_a_fit_that_is_running_or_was_killed(tmp_path):
    place = tmp_path / "runs" / ".fit-train.work"
    with holding(place, "runs/fit-train", source_of("a/train.csv")):
        assert free_folder(Path("runs/fit-train"), source_of("a/train.csv")).name == "fit-train"
        assert free_folder(Path("runs/fit-train"), source_of("b/train.csv")).name == "fit-train-2"
    assert free_folder(Path("runs/fit-train"), source_of("b/train.csv")).name == "fit-train"
    (tmp_path / "runs" / "fit-train").mkdir()
    (tmp_path / "runs" / "fit-train" / "thesis.txt").touch()
    assert free_folder(Path("runs/fit-train"), "").name == "fit-train-2"


def test_a_folder_is_named_after_where_it_lies(tmp_path, monkeypatch):
    (tmp_path / "photos").mkdir()
    monkeypatch.chdir(tmp_path / "photos")
    assert name_of(".") == "photos"


def test_what_is_read_is_not_written(tmp_path):
    gradatim.fit(rows(), trials=1, output="m")
    before = (tmp_path / "m" / "predictions.csv").read_bytes()
    with pytest.raises(OutputRefused, match="fit: output must not hold what is read, got 'm'"):
        gradatim.fit("m/predictions.csv", "prediction", trials=1, output="m")
    with pytest.raises(OutputRefused, match="fit: output must not hold what is read, got 'm'"):
        gradatim.fit("iris", trials=1, output="m", test="m/predictions.csv")
    assert (tmp_path / "m" / "predictions.csv").read_bytes() == before


def test_a_fit_of_other_data_that_began_meanwhile_keeps_its_folder(tmp_path, monkeypatch):
    """Another process takes the default folder after this one has looked for a free one."""
    with ExitStack() as stack:
        taken = []

        def take(folder, argument, read):
            if not taken:
                place = tmp_path / "runs" / ".fit-iris.work"
                taken.append(stack.enter_context(holding(place, "runs/fit-iris", "another")))
            return check_folder(folder, argument, read)

        monkeypatch.setattr(job, "check_folder", take)
        assert gradatim.fit("iris", trials=1).folder.as_posix() == "runs/fit-iris-2"
