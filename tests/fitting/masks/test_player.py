"""Masks from folders to a model folder."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import gradatim
from gradatim import fit
from gradatim.errors import InvalidType, InvalidValue
from gradatim.evaluation import count_pixels, measure_overlap
from gradatim.fitting import export_torch, write_predictions
from gradatim.fitting.kinds import find_kind
from gradatim.fitting.masks import networks, player
from gradatim.fitting.masks.kind import MaskOptions
from gradatim.fitting.masks.player import MaskPlayer, read_player
from gradatim.fitting.masks.sections import border_distance, in_bands
from gradatim.fitting.player import Candidate

from .test_problem import fill


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    place = tmp_path_factory.mktemp("masks")
    photos, masks = fill(place, 30, sizes=((24, 32), (40, 28)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(networks, "UNTIMED_STEPS", 30)
        result = fit(photos, masks=masks, trials=2, keep_test_out=True, output=place / "model")
    return place, result


def test_learns_and_says_what_it_does(fitted):
    _, result = fitted
    assert result.model.about["test"][result.verdict.recommended]["mean IoU"] > 0.9
    assert result.verdict.metric == "mean IoU"
    assert result.headline.startswith("photos: segmentation into 2 classes (24 training images, 6 test images)")  # fmt: skip
    assert result.command.endswith("model NEW_IMAGES -o predicted-masks")
    figures = {getattr(section, "name", "") for section in result.report.sections}
    assert {"samples", "overlap", "masks", "confusion", "learning-curves"} <= figures
    titles = " ".join(str(getattr(section, "title", "")) for section in result.report.sections)
    assert "Errors by distance from a border" in titles
    assert "Overlap on the test images" in titles
    bands = next(
        s for s in result.report.sections if "from a border" in str(getattr(s, "title", ""))
    )
    assert sum(row[1] for row in bands.rows) == pytest.approx(1.0)
    assert result.report.left_out == []


def test_masks_are_predicted_at_the_size_and_in_the_values_of_the_user(fitted):
    place, _ = fitted
    done = write_predictions(place / "model", place / "photos", place / "out")
    assert done.rows == 30
    overlaps = []
    for path in sorted((place / "masks").glob("*.png")):
        truth, said = (np.asarray(Image.open(p)) for p in (path, place / "out" / path.name))
        assert truth.shape == said.shape
        assert set(np.unique(said)) <= {0, 255}
        counts = count_pixels(truth[None] // 255, said[None] // 255, 2)
        overlaps.append(float(measure_overlap(counts[0]).mean_iou))
    assert np.mean(overlaps) > 0.9
    reported = pd.read_csv(place / "model" / "predictions.csv").set_index("file")
    areas = pd.read_csv(place / "out" / "areas.csv").set_index("file").loc[reported.index]
    pd.testing.assert_frame_equal(reported.drop(columns="mean IoU"), areas)


def test_loads_to_the_same_masks_and_exports(fitted):
    place, result = fitted
    model = gradatim.load_model(place / "model")
    photo = next((place / "photos").glob("*.jpg"))
    for name in model.models:
        assert (model.predict(photo, model=name) == result.model.predict(photo, model=name)).all()
    export_torch(place / "model", place / "net.pt2")
    import torch

    program = torch.export.load(place / "net.pt2").module()
    images = result.player.problem.images[:3]
    with torch.no_grad():
        said = program(torch.from_numpy(images)).numpy()
    np.testing.assert_allclose(said, model.fitted("network").outputs(images), atol=1e-5)
    assert isinstance(model.network(), torch.nn.Module)


def test_figures_are_of_all_judging_images_together(fitted):
    _, result = fitted
    p, own = result.player.problem, result.player
    truth = p.y[p.test]
    perfect = np.moveaxis(np.eye(2)[truth], -1, 1)
    assert own.measure(perfect, None) == {"mean IoU": 1.0, "mean Dice": 1.0, "pixel accuracy": 1.0}
    black = np.stack([np.ones_like(truth), np.zeros_like(truth)], 1)
    share = (truth == 0).mean()
    found = own.measure(black, None)
    assert found["mean IoU"] == pytest.approx(share / 2)
    assert found["pixel accuracy"] == pytest.approx(share)


def test_another_score_decides(tmp_path):
    photos, masks = fill(tmp_path)
    own = read_player(photos, MaskOptions(masks=masks, trials=1))
    own.judge_by("Dice")
    output = np.ones((len(own.problem.test), 2, own.problem.side, own.problem.side))
    assert next(iter(own.measure(output, None))) == "mean Dice"
    with pytest.raises(InvalidValue, match=r"score for masks must be one of .* got 'auc'"):
        own.judge_by("auc")


def test_concerns_name_repeats_and_rare_classes(tmp_path):
    photos, masks = fill(tmp_path)
    odd = np.zeros((20, 30), np.uint8)
    odd[:9] = 7
    Image.fromarray(odd).save(tmp_path / "masks" / "3.png")
    for k in range(12):
        Image.new("RGB", (30, 20), "red").save(photos / f"{k}.jpg")
    own = read_player(photos, MaskOptions(masks=masks, trials=1))
    text = " ".join(map(str, own.concerns()))
    assert "2 of 2 test images stand in the training part too" in text
    assert "few training images show a class: '7' in 1" in text
    assert "Little to judge by: 2 test images" in text


def test_the_network_learns_as_long_as_was_best(tmp_path, monkeypatch):
    photos, masks = fill(tmp_path)
    own = read_player(photos, MaskOptions(masks=masks, trials=1, side=16))
    asked = []

    def train(*args, **how):
        asked.append((len(args[0]), args[4], how.get("stops_early", True)))
        return type("Fit", (), {"settings": {"epochs": 7}})(), None

    monkeypatch.setattr(player, "fit_network", train)
    candidate = Candidate("network", own.draw(0))
    elder = own.fit(candidate, None)
    own.complete(candidate, elder)
    assert asked == [(10, own.epochs(own.draw(0)), True), (12, 7, False)]


def test_time_decides_how_often_images_are_seen(tmp_path, monkeypatch):
    photos, masks = fill(tmp_path)
    own = read_player(photos, MaskOptions(masks=masks, budget=60.0, side=16))
    monkeypatch.setattr(player, "training_speed", lambda *a: 20.0)

    class Memory:
        def recall(self, key, compute):
            return compute()

    own.plan_network(Memory(), 60.0, print)
    rows = len(own.folds[0][0])
    assert own.epochs(own.draw(0)) == int(0.1 * 60 * 20 / rows)
    assert own.cost(own.draw(0)) == 1.0


def test_distance_from_borders():
    mask = np.zeros((7, 7), int)
    mask[3, 3] = 1
    found = border_distance(mask)
    assert found[3, 3] == found[3, 2] == found[2, 3] == 0
    assert found[2, 2] == 1
    assert found[0, 3] == 2
    assert np.isinf(border_distance(np.zeros((3, 3), int))).all()


def test_every_pixel_is_in_one_band():
    masks = np.random.default_rng(0).random((3, 40, 40)) < 0.002
    distance = np.stack([border_distance(mask) for mask in [*masks, np.zeros((40, 40), int)]])
    assert (sum(own.astype(int) for own in in_bands(distance).values()) == 1).all()


def test_which_kind_is_meant():
    images, masks = np.zeros((9, 8, 8, 1), np.uint8), np.zeros((9, 8, 8), int)
    assert find_kind("photos", {"masks": "m"}).name == "mask"
    assert find_kind("scattered-digits", {}).name == "mask"
    assert find_kind((images, masks), {}).name == "mask"
    assert find_kind((images, masks[:, 0, 0]), {}).name == "image"


def test_arrays_are_fitted(tmp_path, monkeypatch):
    monkeypatch.setattr(networks, "UNTIMED_STEPS", 2)
    rng = np.random.default_rng(0)
    masks = rng.random((12, 16, 16)) < 0.3
    images = np.where(masks, 0.9, 0.1)
    result = fit((images, masks), trials=1, output=tmp_path / "m")
    assert result.model.about["test"]["threshold"]["mean IoU"] == 1.0
    with pytest.raises(InvalidValue, match="masks must have a class for every pixel of the images"):
        fit((images, masks[:, :8]), output=tmp_path / "n")
    with pytest.raises(InvalidType, match="data must be a folder of images, got a table"):
        read_player(pd.DataFrame({"a": [1]}), MaskOptions())


def test_the_built_in_set_is_asked_for_by_its_name(tmp_path):
    own = read_player("scattered-digits", MaskOptions(budget=60.0))
    assert isinstance(own, MaskPlayer)
    assert own.problem.labels == ["paper", "0", "1", "2"]
    assert own.problem.images.shape == (240, 48, 48, 1)
    with pytest.raises(InvalidValue, match="masks must not be given for scattered-digits"):
        read_player("scattered-digits", MaskOptions(masks="m"))
