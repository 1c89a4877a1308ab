"""Folders of images to make more of: what is asked of them, and strangers' folders."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

import gradatim
from gradatim.errors import GradatimError, InvalidValue
from gradatim.fitting.generative.images.model import PictureGenerator, draw_labels
from gradatim.generative import Diffusion, ImageMixture
from gradatim.hashing import OWN, json_bytes, sign
from gradatim.models import TimeUNet

SHAPE = (1, 8, 8)


def draws(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def model():
    """A diffusion model of three classes that learned nothing, beside simple generators that did."""
    torch.manual_seed(0)
    images, labels = torch.rand(90, *SHAPE), torch.arange(90) % 3
    network = Diffusion(
        TimeUNet(*SHAPE[:2], 3, widths=(8,), num_blocks=1, patch=1), predict="v", clip=1.0
    ).eval()
    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    simple = {
        "single Gaussian": ImageMixture.learn(images, num_gaussians=1),
        "Gaussian mixture": ImageMixture.learn(images, labels),
    }
    classes, shares = ("cat", "dog", "owl"), (0.5, 0.3, 0.2)
    return PictureGenerator(8, 1, classes, shares, simple, "network", network, "diffusion")


@pytest.fixture
def saved(model, tmp_path):
    return model.save(tmp_path / "m")


def edit(folder, change):
    """Another description, signed anew as a stranger can."""
    path = folder / "model.json"
    document = json.loads(path.read_text())
    del document[OWN]
    change(document)
    path.write_bytes(json_bytes(sign(document)))


def test_a_folder_comes_back_as_it_was(model, saved):
    again = gradatim.load_model(saved)
    for which in model.generators:
        a, b = (own.sample(7, which=which, seed=4) for own in (model, again))
        assert np.array_equal(a.images, b.images)
    assert again.classes == model.classes


def test_classes_come_at_the_rate_of_the_data_or_as_asked(model):
    made = model.sample(400, steps=1)
    shares = np.bincount(made.labels, minlength=3) / 400
    assert np.abs(shares - model.shares).max() < 0.08
    assert model.sample(5, label="owl").labels.tolist() == [2] * 5
    assert model.sample(5, label="owl", which="Gaussian mixture").labels.tolist() == [2] * 5
    assert model.sample(5, which="single Gaussian").labels is None


def test_class_guidance_and_steps_reach_the_network(model):
    plain = model.sample(4, label="owl", seed=1).images
    for how in ({"guidance": 3.0}, {"steps": 3}, {"label": "cat"}, {"seed": 2}):
        other = model.sample(4, **{"label": "owl", "seed": 1, **how}).images
        assert not np.array_equal(plain, other), how


def test_many_are_the_same_as_in_one_piece_and_more(model, monkeypatch):
    from gradatim.fitting.generative.images import model as own

    monkeypatch.setattr(own, "AT_ONCE", 5)
    first, more = (model.sample(n, which="Gaussian mixture", seed=0).images for n in (5, 12))
    assert np.array_equal(first, more[:5])
    assert len(more) == 12


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"label": "cow"}, "label must be one of .*cat, .*got 'cow'"),
        ({"which": "vae"}, "which must be one of .*got 'vae'"),
        ({"which": "single Gaussian", "label": "cat"}, "label must be left out for a generator that learned no classes, got 'cat'. Try --model 'network'.$"),
        ({"which": "Gaussian mixture", "guidance": 2.0}, "guidance must be 0 for a generator that learned no classes by diffusion, got 2. Try --model network.$"),
        ({"which": "Gaussian mixture", "steps": 5}, "steps must be left out for a generator that is no diffusion model, got 5. Try --model network.$"),
        ({"guidance": -1.0}, "guidance must be from 0 to 100, got -1"),
        ({"guidance": float("nan")}, "guidance must be from 0 to 100, got nan"),
        ({"steps": 0}, "steps must be a whole number from 1 to 1,000, got 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked(model, how, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        model.sample(4, **how)


@pytest.mark.parametrize("count", [0, -1, 100_001, 10**12])
def test_counts_that_cannot_be(model, count):
    with pytest.raises(InvalidValue, match="num_samples must be"):
        model.sample(count)


def test_conditions_are_for_rows(saved):
    with pytest.raises(InvalidValue, match=r"where must be left out for images, got 'x=1'. Ask for a class by --class"):  # fmt: skip
        gradatim.sample(saved, 3, where={"x": 1})


def test_shares_decide():
    labels = draw_labels((0.0, 1.0), 20, draws())
    assert labels.tolist() == [1] * 20
    assert draw_labels((), 3, draws()).tolist() == [0, 0, 0]


def larger(document):
    document["network"]["arguments"]["network"]["arguments"]["image_size"] = 10**6


def deeper(document):
    document["network"]["arguments"]["network"]["arguments"]["patch"] = 512


def described(name, value):
    def change(document):
        document[name] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        larger,
        deeper,
        described("side", 10**6),
        described("side", 0),
        described("side", 16),
        described("channels", 2),
        described("channels", 3),
        described("classes", ["cat"]),
        described("classes", ["cat", "cat", "owl"]),
        described("shares", [0.5, 0.5, float("nan")]),
        described("shares", [2.0, 0.0, 0.0]),
        described("recommended", "vae"),
        described("maker", "gan"),
        described("maker", None),
        described("medium", "sound"),
    ],
)  # fmt: skip
def test_folders_of_strangers(saved, change):
    edit(saved, change)
    with pytest.raises(GradatimError, match=r"^load_model: .*\."):
        gradatim.load_model(saved)


@pytest.mark.parametrize("part", ["basis", "centers", "weights", "mean"])
def test_arrays_that_do_not_fit(model, tmp_path, part):
    own = model.mixtures["Gaussian mixture"]
    short = own.mean[:, :4] if part == "mean" else getattr(own, part)[:2]
    bad = replace(own, **{part: short})
    folder = replace(model, mixtures={**model.mixtures, "Gaussian mixture": bad}).save(tmp_path / "m")  # fmt: skip
    with pytest.raises(InvalidValue, match="the arrays of a simple generator must fit each other"):
        gradatim.load_model(folder)


def test_numbers_that_are_not_finite(model, tmp_path):
    own = model.mixtures["single Gaussian"]
    bad = replace(own, centers=own.centers * float("nan"))
    folder = replace(model, mixtures={**model.mixtures, "single Gaussian": bad}).save(tmp_path / "m")  # fmt: skip
    with pytest.raises(InvalidValue, match="numbers of the generator must be finite"):
        gradatim.load_model(folder)


def test_changed_tensors_are_noticed(saved):
    path = saved / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(InvalidValue, match="is damaged"):
        gradatim.load_model(saved)
