"""From a folder of images to a model folder that makes more of them."""

import io
import json

import numpy as np
import pytest
import torch
from PIL import Image

import gradatim
from gradatim.errors import InvalidValue
from gradatim.events import Figure, Sample, Stage
from gradatim.fitting.generative import course
from gradatim.fitting.generative.images.networks import PictureDiffusion
from gradatim.fitting.generative.kind import GenerativeOptions
from gradatim.fitting.generative.media import read_medium
from gradatim.fitting.player import NETWORK
from gradatim.generative import AdversarialGame, DiffusionObjective, Estimate
from gradatim.reports.sections import Picture, Table

from ..conftest import make_pictures

pytestmark = pytest.mark.usefixtures("short", "quick_eye")
JOB = {"generative": True, "budget": 3600.0}


def fit(data, place, **how):
    return gradatim.fit(data, **JOB, **how, output=place / "m")


def test_a_folder_becomes_one_that_makes_images(folder, tmp_path):
    told = []
    result = fit(folder, tmp_path, tell=told.append)
    names = {path.name for path in result.folder.iterdir()}
    assert {"model.json", "model.safetensors", "report.html"} <= names
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "pets"]
    model = gradatim.load_model(result.folder)
    assert model.generators == ["single Gaussian", "Gaussian mixture", "network"]
    assert model.classes == ("cat", "dog")
    for which in model.generators:
        made, again, other = (model.sample(12, which=which, seed=seed) for seed in (1, 1, 2))
        assert made.images.shape == (12, 8, 8, 3)
        assert made.images.dtype == np.uint8
        assert np.array_equal(made.images, again.images)
        assert np.array_equal(made.images, result.model.sample(12, which=which, seed=1).images)
        assert not np.array_equal(made.images, other.images)
    rounds = [event.what for event in told if isinstance(event, Stage) and "round" in event.what]
    assert [each.split(":")[0] for each in rounds] == [f"diffusion, round {k} of 2" for k in (1, 2)]
    samples = [event for event in told if isinstance(event, Sample)]
    assert [sample.title for sample in samples] == rounds
    assert all(set(sample.content) <= set(" \n▄▀█") for sample in samples)
    assert all(Image.open(io.BytesIO(sample.picture)).format == "PNG" for sample in samples)
    assert {e.name for e in told if isinstance(e, Figure)} == {"diffusion: kernel distance"}
    assert result.command == f"gradatim sample {result.folder} -n 100 -o grid.png"


def test_all_generators_are_judged_by_the_same_figures(folder, tmp_path):
    result = fit(folder, tmp_path)
    about = json.loads((result.folder / "model.json").read_text())["about"]
    assert list(about["test"]) == [
        *("single Gaussian", "Gaussian mixture", "network", "jittered training images", "training images"),
    ]  # fmt: skip
    for name, figures in about["test"].items():
        for figure in ("frechet_distance", "precision", "recall"):
            value, low, high = figures[figure]
            assert low <= value <= high
        assert ("copying" in figures) == (name != "training images")
    assert result.verdict.metric == "kernel distance"
    titles = [s.title for s in result.report.sections if isinstance(s, Table)]
    assert any(title.startswith("Test, 18 held-out images, used once") for title in titles)
    drawn = {s.name for s in result.report.sections if isinstance(s, Picture)}
    assert {"side-by-side", "closest", "previews", "distances", "learning"} <= drawn
    assert any("no proof of privacy" in getattr(s, "text", "") for s in result.report.sections)
    assert any("no Inception" in getattr(s, "text", "") for s in result.report.sections)
    assert not result.report.left_out


def test_a_killed_run_goes_on_to_the_same_images(folder, tmp_path):
    whole = fit(folder, tmp_path).model.sample(9, which="network", seed=3)

    def kill(event):
        if isinstance(event, Stage) and event.what.startswith("diffusion, round 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(folder, tmp_path, tell=kill)
    told = []
    again = fit(folder, tmp_path, resume=True, tell=lambda event: told.append(str(event[0])))
    assert not any(what.startswith("diffusion, round 1") for what in told)
    assert any(what.startswith("diffusion, round 2") for what in told)
    assert np.array_equal(again.model.sample(9, which="network", seed=3).images, whole.images)
    assert len(again.report.pictures) > 4


@pytest.mark.parametrize("model", ["vae", "gan"])
@pytest.mark.parametrize("side", [8, 15])
def test_other_kinds_of_networks(tmp_path, model, side):
    result = fit(make_pictures(tmp_path / "pets", side=side), tmp_path, model=model)
    assert result.model.maker == model
    made = gradatim.load_model(result.folder).sample(4, which="network", label="dog")
    assert made.images.shape == (4, side, side, 3)
    assert made.labels.tolist() == [1] * 4
    with pytest.raises(InvalidValue, match="guidance must be 0 for a generator that learned no"):
        result.model.sample(4, which="network", label="dog", guidance=1.0)
    with pytest.raises(InvalidValue, match="steps must be left out for a generator that is no"):
        result.model.sample(4, which="network", steps=5)


def test_a_game_that_diverges_keeps_its_best_round_and_says_so(folder, tmp_path, monkeypatch):
    play, steps = AdversarialGame.__call__, []

    def broken(self, model, batch):
        steps.append(model.training)
        figures = play(self, model, batch)
        spoiled = float("nan") if sum(steps) > 6 else 1.0
        return {name: value * spoiled for name, value in figures.items()}

    monkeypatch.setattr(AdversarialGame, "__call__", broken)
    result = fit(folder, tmp_path, model="gan")
    assert any("training of the gan went wrong" in str(own) for own in result.concerns)
    assert result.model.generators[-1] == "network"
    assert len(gradatim.load_model(result.folder).sample(3, which="network")) == 3


def test_a_network_that_diverges_at_once_is_left_out(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(
        DiffusionObjective,
        "__call__",
        lambda self, model, batch: sum(p.sum() for p in model.parameters()) * float("nan"),
    )
    result = fit(folder, tmp_path)
    assert result.model.network is None
    assert any("training of the diffusion went wrong" in str(own) for own in result.concerns)
    assert len(gradatim.load_model(result.folder).sample(3)) == 3


def test_a_budget_too_short_gives_the_simple_generator(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(course, "_plan", lambda *a: None)
    result = fit(folder, tmp_path)
    assert result.model.generators == ["single Gaussian", "Gaussian mixture"]
    assert result.verdict.sentence.startswith("No network was trained.")
    assert "The budget is too short for a network" in str(result.concerns[0])
    made = gradatim.load_model(result.folder).sample(7, which="Gaussian mixture", label="cat")
    assert made.labels.tolist() == [0] * 7


def test_copies_are_warned_of(folder, tmp_path, monkeypatch):
    train = read_medium(folder, GenerativeOptions()).train

    def copy(self, network, num_samples, asked, *, generator):
        return train[torch.arange(num_samples) % len(train)].float() / 255

    monkeypatch.setattr(PictureDiffusion, "draw", copy)
    result = fit(folder, tmp_path)
    told = "16 of 16 images of the network repeat one that stands in the data once"
    assert any(told in str(own) for own in result.concerns)
    figures = result.player.figures["network"]
    nearer = figures.judged | {"copying": Estimate(0.62, 0.55, 0.7)}
    result.player.figures["network"] = figures._replace(judged=nearer)
    first = str(result.player.worries(NETWORK)[0])
    assert (
        "The images of the network lie too near to training images: 62 % have a training image nearest"
        in first
    )
    nearer = figures.judged | {"copying": Estimate(0.62, 0.49, 0.7)}
    result.player.figures["network"] = figures._replace(judged=nearer, repeats=None)
    assert not result.player.worries(NETWORK)
    simple = result.player.figures["Gaussian mixture"]
    nearer = simple.judged | {"copying": Estimate(0.62, 0.55, 0.7)}
    result.player.figures["Gaussian mixture"] = simple._replace(judged=nearer)
    (told,) = result.player.worries("Gaussian mixture")
    assert str(told).endswith("More images would help; do not take them for new.")


def test_images_without_classes_learn_unconditionally(tmp_path):
    flat = make_pictures(tmp_path / "pets", count=90, classes=("",))
    result = fit(flat, tmp_path)
    assert result.model.classes == ()
    made = result.model.sample(5, which="network")
    assert made.labels is None
    with pytest.raises(InvalidValue, match="guidance must be 0 for a generator that learned no"):
        result.model.sample(5, which="network", guidance=2.0)
    with pytest.raises(InvalidValue, match="label must be left out for a generator that learned"):
        result.model.sample(5, which="network", label="cat")
    assert any("quarter turns" in getattr(s, "text", "") for s in result.report.sections)
    assert not result.report.left_out


def test_arrays_of_images(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.random((90, 1, 8, 8)), np.arange(90) % 2
    result = fit((X, y), tmp_path)
    assert result.model.classes == ("0", "1")
    assert result.model.sample(2, which="network", label=1).images.shape == (2, 8, 8, 1)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        (
            {"target": "cat"},
            "target must be left out for images, got 'cat'. Subfolders are classes",
        ),
        ({"drop": ["cat"]}, "drop must be left out for images, got 'cat'"),
        ({"test": "more"}, "test must be a share between 0 and 1 for a generative model"),
        ({"rows": 30}, "the folder must have at least 80 images to make more of them, got 30"),
        ({"model": "flow"}, "model must be one of .*vae, .*got 'flow'"),
    ],
)
def test_settings_that_make_no_sense(folder, tmp_path, how, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        fit(folder, tmp_path, **how)
    assert [path.name for path in tmp_path.iterdir()] == ["pets"]
