"""Published networks in the contest: fine-tuning, plans, groups, several labels, numbers, tiles, the model folder."""

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

import gradatim
from gradatim import fit
from gradatim.errors import InvalidValue, Unavailable
from gradatim.fitting import write_predictions
from gradatim.fitting.images import family, player
from gradatim.fitting.images.family import PretrainedFamily, with_views
from gradatim.fitting.images.heads import fit_head, read_features
from gradatim.fitting.images.kind import ImageOptions
from gradatim.fitting.images.pictures import limit_of
from gradatim.fitting.images.pretrained import PretrainedSettings, draw_pretrained, fine_tune
from gradatim.fitting.learning import read_target
from gradatim.fitting.player import Candidate
from gradatim.fitting.work import Work
from gradatim.models import MobileNetV2

HEAD = "mobilenet features + logistic"


def build():
    torch.manual_seed(0)
    return MobileNetV2(9, width=0.25).eval()


def pictures(count=72, side=32, seed=0):
    """Stripes that run across, or down, or neither; brightness is a number."""
    rng = np.random.default_rng(seed)
    y = np.arange(count) % 3
    images = rng.integers(0, 90, (count, side, side, 3), dtype=np.uint8)
    light = rng.integers(40, 150, count)
    for k in range(count):
        if y[k] == 0:
            images[k, ::4] += np.uint8(light[k])
        elif y[k] == 1:
            images[k, :, ::4] += np.uint8(light[k])
    return images, y, light


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    place = tmp_path_factory.mktemp("photos")
    images, y, light = pictures()
    (place / "pics").mkdir()
    rows = []
    for k, image in enumerate(images):
        Image.fromarray(image).save(place / "pics" / f"{k // 6}_{k}.png")
        tags = ";".join(t for t, own in (("across", y[k] == 0), ("down", y[k] == 1), ("light", light[k] > 95)) if own)  # fmt: skip
        rows.append((f"{k // 6}_{k}.png", ["across", "down", "none"][y[k]], tags, light[k], k // 6))
    table = pd.DataFrame(rows, columns=["file", "kind", "tags", "light", "who"])
    for name in ("kind", "tags", "light", "who"):
        table[["file", name]].to_csv(place / f"{name}.csv", index=False)
    return place


def job(place, **more):
    return {"labels": str(place / "kind.csv"), "pretrained": "mobilenet", "side": 32, "trials": 2, **more}  # fmt: skip


@pytest.fixture(scope="module")
def fitted(photos):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(player, "published_mobilenet", build)
        patch.setattr(family, "UNTIMED_TUNED", 1)
        more = {"group": str(photos / "who.csv"), "tta": True, "keep_test_out": True}
        return fit(photos / "pics", **job(photos, **more), output=photos / "model")


def test_the_head_stands_among_the_simple_models_and_the_network_is_fine_tuned(fitted):
    assert fitted.player.simple[-1] == HEAD
    means = fitted.model.about["cross_validation"]
    assert means[HEAD]["log loss"] < means["class frequencies"]["log loss"]
    network = fitted.model.fitted("network")
    assert network.settings["is_published"]
    assert not network.settings.get("is_frozen")
    shown = str([getattr(section, "rows", "") for section in fitted.report.sections])
    assert "all its weights fine-tuned" in shown
    figures = {getattr(section, "name", "") for section in fitted.report.sections}
    assert {"saliency", "filters"} <= figures


def test_groups_are_never_torn(fitted):
    p = fitted.player.problem
    parts = [(p.train, p.test), *fitted.player.folds]
    assert len(parts) == 6
    for learned, judged in parts:
        assert not set(p.groups[learned]) & set(p.groups[judged])


def test_the_folder_needs_no_published_weights_and_says_the_reported_bits(fitted, photos, monkeypatch):  # fmt: skip
    monkeypatch.setenv("GRADATIM_HOME", str(photos / "empty"))
    model = gradatim.load_model(photos / "model")
    assert model.models.keys() == fitted.model.models.keys()
    write_predictions(photos / "model", photos / "pics", photos / "out.csv")
    out = pd.read_csv(photos / "out.csv").set_index("file")
    reported = pd.read_csv(photos / "model" / "predictions.csv").set_index("file")
    assert out.loc[reported.index].equals(reported)


@pytest.mark.parametrize("name", ["tags", "light"])
def test_several_labels_and_numbers(photos, tmp_path, monkeypatch, name):
    monkeypatch.setattr(player, "published_mobilenet", build)
    monkeypatch.setattr(family, "UNTIMED_TUNED", 1)
    labels, task = str(photos / f"{name}.csv"), "regression" if name == "light" else "auto"
    result = fit(photos / "pics", **job(photos, labels=labels, task=task, trials=1), output=tmp_path / "m")  # fmt: skip
    model = gradatim.load_model(tmp_path / "m")
    said = model.outputs(photos / "pics", "network")
    if name == "tags":
        assert (model.labels, model.is_tagged) == (["across", "down", "light"], True)
        assert said.shape == (72, 3)
        assert set(result.model.about["test"]["network"]) >= {"log loss", "macro F1"}
        assert isinstance(model.predict(photos / "pics")[0], str)
        titles = [getattr(section, "title", "") for section in result.report.sections]
        assert any(title.startswith("Labels of the test images") for title in titles)
    else:
        assert model.labels == []
        assert said.shape == (72,)
        assert next(iter(result.model.about["test"]["network"])) == "RMSE"
        with pytest.raises(InvalidValue, match="predict_proba: task must be"):
            model.predict_proba(photos / "pics")


def test_tiles_without_published_weights(photos):
    given = {"labels": str(photos / "kind.csv"), "side": 16, "tiles": 2}
    own = player.read_player(photos / "pics", ImageOptions(**given))
    assert own.problem.images.shape[1:3] == (32, 32)
    assert any("2 × 2 tiles of 16 × 16 pixels, whose answers are averaged" in n for n in own.notes)
    network = own.fit(Candidate("network", own.draw(0)), 0)
    assert network.tiles == 2
    assert own.outputs(network, 0).shape == (len(own.folds[0][1]), 3)


@pytest.mark.parametrize("task", ["classes", "values"])
def test_fine_tuning_learns_and_leaves_the_published_weights_and_statistics_alone(task):
    module = build()
    images, y, light = pictures(90)
    y, classes = (y, 3) if task == "classes" else (light.astype(float), 0)
    before = {name: value.clone() for name, value in module.state_dict().items()}
    kept = read_features(module, images, 32)[:, None]
    head = fit_head([kept], y, read_target(y, classes), 0)
    settings = PretrainedSettings(lr=2e-3, decay=0.9)
    tuned, history = fine_tune(module, head, images, y, classes, settings, 3, 0, side=32, validation=(images[:30], y[:30]))  # fmt: skip
    assert all(torch.equal(before[name], value) for name, value in module.state_dict().items())
    after = tuned.module.state_dict()
    same = {name for name in before if before[name].shape == after[name].shape and torch.equal(before[name], after[name])}  # fmt: skip
    statistics = {name for name in before if "running" in name or "tracked" in name}
    assert statistics <= same
    assert not {name for name in same if name.endswith(("weight", "bias"))}
    assert history["train_loss"][-1] < history["train_loss"][0]
    assert "validation_loss" in history.records[-1]


def problem(photos, **more):
    return player.prepare(photos / "pics", ImageOptions(**job(photos, **more)))


def test_the_budget_decides_at_which_side_images_are_read_and_whether_anything_is_tuned(photos):
    p = problem(photos, side=224)
    own = PretrainedFamily(p, 0, 40, module=build(), name="mobilenet", side=224)
    count = len(p.images)
    assert own._affordable(0.01, 1e4) == (224, 224, 12)
    side, _, epochs = own._affordable(0.01, count * 0.01 / 0.35 * 0.99)
    assert (side, epochs) == (192, None)
    assert own._affordable(0.03, 0.1) == (96, 96, None)  # as small as it may be
    left = 40 * 4 * 0.01 * 2 / 0.07 * 1.01 + count * 0.01
    assert own._affordable(0.01, left) == (224, 224, 2)
    assert own._affordable(0.01, 0.8 * left)[1:] == (192, 2)
    own._plan(192, 128, None)
    assert own.is_too_slow
    assert "at 192 × 192 pixels, not 224" in own.notes[0]


def test_a_killed_run_reads_only_the_rest(photos, tmp_path, monkeypatch):
    p, read = problem(photos), []

    def counting(module, tiles, side):
        if len(read) == 2:
            raise KeyboardInterrupt
        read.append(len(tiles))
        return read_features(module, tiles, side)

    monkeypatch.setattr(family, "PART", 30)
    monkeypatch.setattr(family, "read_features", counting)
    work = Work(tmp_path / "work", {}, resume=False)

    def prepared():
        own = PretrainedFamily(p, 0, 40, module=build(), name="mobilenet", side=32)
        own.prepare(work, None, lambda event: None)
        return own.features[0]

    with pytest.raises(KeyboardInterrupt):
        prepared()
    assert read == [30, 30]
    read.clear()
    found = prepared()
    assert read == [12]
    np.testing.assert_array_equal(found[:, 0], read_features(build(), p.images, 32))


def test_every_second_trial_looks_at_mirror_images_and_is_not_trained_again(photos, monkeypatch):
    own = player.ImagePlayer(problem(photos), 0, has_tta=True)
    drawn = [own.draw(k) for k in range(4)]
    assert [s.views for s in drawn] == [1, 2, 1, 2]
    assert drawn[1] == with_views(drawn[0])
    trained = []

    def fake(settings, rows, seed, judge=None):
        trained.append(settings)
        return player.ImageNetwork(build(), 9, {}), None

    monkeypatch.setattr(own.family, "fit", fake)
    networks = [own._network(settings, 0) for settings in drawn]
    assert [network.views for network in networks] == [1, 2, 1, 2]
    assert trained == [drawn[0], drawn[2]]


def test_limits_of_memory_and_time():
    assert limit_of(ImageOptions(trials=1, side=512), 512)[0] == 2**30 // (512 * 512 * 3)
    assert "smaller --side" in limit_of(ImageOptions(rows=10**6), 512)[1]
    assert limit_of(ImageOptions(budget=60.0, pretrained="mobilenet"), 224)[0] == 1200
    assert {draw_pretrained(k, 0).distortion for k in range(3)} == {"flip", "colour", "stain"}
    assert draw_pretrained(7, 0) == draw_pretrained(7, 0) != draw_pretrained(8, 0)


def test_refuses_by_message(photos, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    with pytest.raises(Unavailable, match="Run 'gradatim data get mobilenet' once"):
        player.read_player(photos / "pics", ImageOptions(**job(photos)))
    for given, message in (
        ({"side": 8}, "side must be from 16 to 512 pixels, got 8. Try 224."),
        ({"tiles": 9}, "tiles must be from 1 to 4, got 9"),
        ({"pretrained": "mobilenet", "model": "vit"}, "pretrained and model must not be given together"),
        ({"task": "regression"}, "task must come with labels"),
    ):  # fmt: skip
        with pytest.raises(InvalidValue, match=message):
            ImageOptions(**given)
    with pytest.raises(InvalidValue, match="side must be left out for arrays, got 32"):
        player.read_player(pictures()[:2], ImageOptions(side=32))
