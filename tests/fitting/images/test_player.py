"""Images from a folder to a model folder."""

import os
import shutil

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import gradatim
from gradatim import fit
from gradatim.errors import InvalidValue
from gradatim.fitting import write_predictions
from gradatim.fitting.images.kind import IMAGE, ImageOptions
from gradatim.fitting.images.networks import forget_faster
from gradatim.fitting.images.player import read_player
from gradatim.fitting.kinds import make_options


def picture(kind, rng, size):
    values = rng.integers(0, 80, (*size, 3), dtype=np.uint8)
    half = size[0] // 2
    values[:half] += 150 if kind == "heaven" else 0
    values[half:] += 150 if kind == "earth" else 0
    return Image.fromarray(values)


def fill(folder, count=30, kinds=("heaven", "earth")):
    rng = np.random.default_rng(0)
    for kind in kinds:
        (folder / kind).mkdir(parents=True)
        for k in range(count):
            ending = ("png", "jpg", "jpeg")[k % 3]
            picture(kind, rng, (18 + k % 3, 17 + k % 4)).save(folder / kind / f"é {k}.{ending}")
    return folder


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    place = tmp_path_factory.mktemp("images")
    photos = fill(place / "my photos")
    (photos / "earth" / "torn.jpg").write_bytes(b"\xff\xd8\xff")
    grey = Image.open(photos / "earth" / "é 0.png").convert("L")
    grey.save(photos / "earth" / "grey.png")
    os.symlink(photos, photos / "earth" / "loop")
    return place, fit(photos, trials=1, keep_test_out=True, output=place / "model")


def test_learns_and_says_what_it_does(fitted):
    _, result = fitted
    test = result.model.about["test"]
    assert test[result.verdict.recommended]["accuracy"] > 0.9
    text = " ".join(result.notes)
    assert "'torn.jpg' cannot be read and is skipped." in text
    assert "1 grey image is read as colour, as the other 60 are." in text
    assert result.player.problem.images.shape == (61, 16, 16, 3)
    figures = {getattr(section, "name", "") for section in result.report.sections}
    assert {"samples", "filters", "feature-maps", "saliency", "confusion"} <= figures


@pytest.mark.parametrize("which", ["recommended", "network"])
def test_predicts_a_folder(fitted, which):
    place, _ = fitted
    done = write_predictions(place / "model", place / "my photos", place / "out.csv", which=which)
    out = pd.read_csv(place / "out.csv")
    assert done.rows == len(out) == 61
    assert done.notes == ["'torn.jpg' cannot be read and is skipped."]
    right = [
        file.split(os.sep)[0] == said
        for file, said in zip(out["file"], out["prediction"], strict=True)
    ]
    assert np.mean(right) > 0.9


def test_predict_follows_no_link_out_of_the_folder(fitted, tmp_path):
    place, _ = fitted
    photos, secret = tmp_path / "photos", tmp_path / "secret"
    for folder in (photos / "inner", secret):
        folder.mkdir(parents=True)
    source = place / "my photos" / "earth" / "é 0.png"
    for target in (photos / "a.png", photos / "inner" / "b.png", secret / "c.png"):
        shutil.copy(source, target)
    os.symlink(secret, photos / "linked folder")
    os.symlink(secret / "c.png", photos / "linked.png")
    os.symlink(photos / "inner" / "b.png", photos / "within.png")
    notes = []
    model = gradatim.load_model(place / "model")
    table = pd.concat(model.prediction_tables(photos, "recommended", notes))
    assert sorted(table["file"]) == ["a.png", "inner/b.png", "within.png"]
    text = " ".join(notes)
    assert "'linked folder' leads out of" in text
    assert "'linked.png' leads out of" in text
    (photos / "a.png").unlink(), (photos / "within.png").unlink()
    shutil.rmtree(photos / "inner")
    with pytest.raises(InvalidValue, match="must hold images"):
        list(model.prediction_tables(photos, "recommended", notes))


def test_predict_reproduces_the_reported_predictions(fitted):
    place, _ = fitted
    write_predictions(place / "model", place / "my photos", place / "out.csv")
    out = pd.read_csv(place / "out.csv").set_index("file")
    reported = pd.read_csv(place / "model" / "predictions.csv").set_index("file")
    assert out.loc[reported.index].equals(reported)


def test_loads_and_takes_files_and_arrays(fitted):
    place, result = fitted
    model = gradatim.load_model(place / "model")
    files = sorted((place / "my photos" / "heaven").glob("*.png"))
    assert (model.predict(files) == "heaven").mean() > 0.8
    pictures = result.player.problem.images[:3]
    assert (model.predict_proba(pictures) == result.model.predict_proba(pictures)).all()
    assert isinstance(model.network()(model.fitted("network").inputs(pictures)).shape[1], int)
    with pytest.raises(InvalidValue, match="images must be uint8 of shape"):
        model.predict(pictures[:, :4])
    with pytest.raises(InvalidValue, match=r"'.*torn\.jpg' cannot be read"):
        model.predict([place / "my photos" / "earth" / "torn.jpg"])


def test_own_test_folder(tmp_path):
    fill(tmp_path / "train", 12)
    fill(tmp_path / "test", 6)
    player = read_player(tmp_path / "train", ImageOptions(test=str(tmp_path / "test")))
    assert player.rows == (24, 12)


def test_grey_folders_stay_grey(tmp_path):
    for kind in "ab":
        (tmp_path / kind).mkdir()
        for k in range(8):
            Image.new("L", (20, 20), 20 * k).save(tmp_path / kind / f"{k}.png")
    player = read_player(tmp_path, ImageOptions())
    assert player.problem.images.shape == (16, 20, 20, 1)
    assert any("Repeats" in concern for concern in player.concerns())


def test_short_trainings_forget_faster():
    from torch import nn

    layer = nn.Sequential(nn.BatchNorm2d(2))
    forget_faster(layer, 20)
    assert layer[0].momentum == 0.5
    forget_faster(layer, 10_000)
    assert layer[0].momentum == 0.1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: None, r"must hold images .* there are none below it"),
        (lambda p: fill(p / "x", 6, ("one",)).rename(p / "y"), "two subfolders with 5 images"),
        (lambda p: Image.new("L", (9, 9)).save(p / "a.png"), "1 image lies in it directly"),
        (lambda p: ((p / "a").mkdir(), (p / "b").mkdir(), (p / "a" / "t.txt").write_text("x")), "there are none"),
    ],
)  # fmt: skip
def test_bad_folders_get_a_sentence(tmp_path, make, message):
    folder = tmp_path / "photos"
    folder.mkdir()
    make(folder)
    with pytest.raises(InvalidValue, match=message):
        read_player(folder, ImageOptions())


def test_other_options_are_refused(tmp_path):
    with pytest.raises(InvalidValue, match="target must not be given for images, got 'x'"):
        read_player(fill(tmp_path / "p", 6), make_options(IMAGE, {"target": "x"}))
