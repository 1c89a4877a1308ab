"""Thresholds and pixels: against slow definitions, and on images made for them."""

import numpy as np
import pytest

from gradatim.evaluation import count_pixels, measure_overlap
from gradatim.fitting.masks.simple import (
    FREQUENCIES,
    PIXELS,
    SIMPLE,
    THRESHOLD,
    SimpleMasks,
    channel_of,
    fit_simple,
    otsu,
    pixel_features,
)


def scenes(count=8, seed=0, channels=1, classes=2):
    """Bright squares on dark ground, of their own brightness each."""
    rng = np.random.default_rng(seed)
    images = rng.integers(0, 60, (count, 16, 16, channels), dtype=np.uint8)
    y = np.zeros((count, 16, 16), dtype=np.uint8)
    for k in range(count):
        top, left = rng.integers(0, 10, 2)
        place = np.s_[top : top + 6, left : left + 6]
        kind = 1 + k % (classes - 1)
        images[k][place] += np.uint8(60 + 60 * kind)
        y[k][place] = kind
    return images, y


def iou(model, images, y):
    counts = count_pixels(y, model.outputs(images).argmax(1), model.classes)
    return float(measure_overlap(counts.sum(0)).mean_iou)


@pytest.mark.parametrize("seed", range(5))
def test_otsu_leaves_the_least_variance(seed):
    rng = np.random.default_rng(seed)
    values = np.concatenate([rng.normal(70, 20, 300), rng.normal(170, 25, 200)]).clip(0, 255)
    values = values.astype(int)

    def within(t):
        parts = [values[values <= t], values[values > t]]
        return sum(len(own) * own.var() for own in parts if len(own))

    best = min(within(t) for t in range(255))
    found = int(otsu(np.bincount(values, minlength=256)))
    assert within(found) == pytest.approx(best)


def test_otsu_of_one_brightness_is_some_threshold():
    counts = np.zeros((2, 256))
    counts[0, 9], counts[1, 255] = 5, 5
    assert otsu(counts).shape == (2,)


def test_a_threshold_follows_the_light_of_each_image_where_that_is_better():
    images, y = scenes(12)
    dim = images.copy()
    dim[::2] //= 3
    model = fit_simple(THRESHOLD, dim, y, 2, 0)
    assert model.settings["is_local"]
    assert iou(model, dim, y) > 0.95
    one = fit_simple(THRESHOLD, images, y, 2, 0)
    assert iou(one, images, y) > 0.95


def test_a_threshold_finds_the_channel_that_tells():
    images, y = scenes(8, channels=3)
    for channel in (0, 1):
        images[..., channel] = np.random.default_rng(channel).integers(0, 256, images.shape[:3])
    model = fit_simple(THRESHOLD, images, y, 2, 0)
    assert model.settings["channel"] == "blue"
    assert iou(model, images, y) > 0.95


def test_a_rare_class_is_said_of_a_side_where_overlap_gains():
    """Most bright pixels are ground, and still the bright side is best called by the class."""
    rng = np.random.default_rng(0)
    y = np.zeros((4, 32, 32), np.uint8)
    y[:, 4:10, 4:10] = 1
    bright = (y == 1) | (rng.random(y.shape) < 0.05)
    images = np.where(bright, 200, 20).astype(np.uint8)[..., None]
    model = fit_simple(THRESHOLD, images, y, 2, 0)
    assert (model.outputs(images).argmax(1) == bright).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_pixels_learn_brightness(classes):
    images, y = scenes(12, classes=classes)
    fresh, truth = scenes(12, seed=5, classes=classes)
    model = fit_simple(PIXELS, images, y, classes, 0)
    assert iou(model, fresh, truth) > 0.8


def test_features_are_the_pixel_its_surroundings_and_their_slope():
    image = np.zeros((16, 16, 1), np.uint8)
    image[:, 8:] = 255
    found = pixel_features(image)
    assert found[8, 12, 0] == 1.0
    assert 0.4 < found[8, 8, 1] < 0.9  # a little blurred
    flat, steep = found[8, 0, [2, 4, 6]], found[8, 8, [2, 4, 6]]
    assert (flat < 0.03).all()
    assert (steep > 0.05).all()


@pytest.mark.parametrize("name", SIMPLE)
def test_outputs_are_probabilities_that_mates_do_not_change(name):
    images, y = scenes(6, classes=3)
    model = fit_simple(name, images, y, 4, 0)  # the fourth class is never seen
    said = model.outputs(images)
    assert said.shape == (6, 4, 16, 16)
    np.testing.assert_allclose(said.sum(1), 1.0, rtol=1e-5)
    np.testing.assert_array_equal(model.outputs(images[2:3])[0], said[2])
    assert 3 not in said.argmax(1)
    again = SimpleMasks.restore(*model.store())
    np.testing.assert_array_equal(again.outputs(images), said)


def test_frequencies_are_those_of_pixels():
    images, y = scenes(6)
    model = fit_simple(FREQUENCIES, images, y, 2, 0)
    assert model.outputs(images)[0, 1, 0, 0] == pytest.approx((y == 1).mean(), abs=1e-3)


@pytest.mark.parametrize("name", [THRESHOLD, PIXELS])
def test_settings_stay_as_they_were_chosen(name):
    images, y = scenes(6, channels=3)
    odd = {"channel": "saturation", "is_local": True, "is_balanced": True}
    chosen = {k: odd[k] for k in fit_simple(name, images, y, 2, 0).settings}
    assert fit_simple(name, images, y, 2, 0, chosen).settings == chosen


def test_channels():
    red = np.array([[[200, 100, 40]]], np.uint8)
    found = {name: int(channel_of(red, name)[0, 0]) for name in ("red", "green", "blue", "saturation", "brightness")}  # fmt: skip
    assert found == {"red": 200, "green": 100, "blue": 40, "saturation": 160, "brightness": 123}


def test_images_of_one_class_can_be_learned_from():
    images, y = scenes(4)
    for name in SIMPLE:
        model = fit_simple(name, images, np.zeros_like(y), 2, 0)
        assert (model.outputs(images).argmax(1) == 0).all()
