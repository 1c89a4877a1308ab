"""Pictures as networks take them: tiles, views, batches, distortions on the scale of the inputs."""

import numpy as np
import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.fitting.images.distortions import distortions
from gradatim.fitting.images.fitted import ImageAnswer, ImageNetwork
from gradatim.fitting.images.inputs import PictureBatches, as_inputs, cut_tiles, look
from gradatim.models import MobileNetV2

RNG = np.random.default_rng(0)
IMAGES = RNG.integers(0, 256, (4, 12, 12, 3), dtype=np.uint8)
MEAN, STD = [120.0, 110.0, 100.0], [60.0, 50.0, 40.0]


def test_tiles_tile():
    tiles = cut_tiles(IMAGES, 3)
    assert tiles.shape == (36, 4, 4, 3)
    for n in range(4):
        for i in range(3):
            for j in range(3):
                whole = IMAGES[n, 4 * i : 4 * i + 4, 4 * j : 4 * j + 4]
                np.testing.assert_array_equal(tiles[9 * n + 3 * i + j], whole)


def test_inputs_channel_by_channel():
    x = as_inputs(IMAGES, MEAN, STD)
    for c in range(3):
        np.testing.assert_allclose(x[:, c], (IMAGES[..., c] - MEAN[c]) / STD[c], rtol=1e-5)
    grey = as_inputs(IMAGES[..., :1], MEAN, STD)
    assert grey.shape == (4, 3, 12, 12)
    flat = as_inputs(np.full((1, 12, 12, 3), 120, np.uint8), 20.0, 10.0, 7)
    torch.testing.assert_close(flat, torch.full((1, 3, 7, 7), 10.0))


class Means(nn.Module):
    """Says the mean of each channel, so that tiles and views can be told by hand."""

    def forward(self, x):
        return x.mean((2, 3)) + x[:, :, 0, 0]  # not the same after a flip


def network(tiles=1, views=1, classes=3, **more):
    settings = {"mean": MEAN, "spread": STD, "tiles": tiles, "views": views, **more}
    return ImageNetwork(Means(), classes, settings)


@pytest.mark.parametrize("tiles", [1, 2])
@pytest.mark.parametrize("views", [1, 2, 4])
def test_answers_are_means_over_tiles_and_views(tiles, views):
    said = network(tiles, views).outputs(IMAGES)
    for n in range(4):
        answers = []
        for view in look(IMAGES[n : n + 1], views):
            for piece in cut_tiles(np.ascontiguousarray(view), tiles):
                z = Means()(as_inputs(piece[None], MEAN, STD))[0].double()
                answers.append(torch.softmax(z, 0).numpy())
        np.testing.assert_allclose(said[n], np.mean(answers, axis=0), atol=1e-6)


def test_more_images_than_a_pass_takes():
    many = np.tile(IMAGES, (40, 1, 1, 1))  # a whole pass of them is read as it lies
    said = network(1, 4).outputs(many)
    np.testing.assert_allclose(said[:4], said[-4:])


@pytest.mark.parametrize(
    ("classes", "more"),
    [
        (3, {}),
        (3, {"is_tagged": True}),
        (0, {"center": 5.0, "scale": 2.0, "low": 4.5, "high": 5.5}),
    ],
)
def test_the_module_answers_as_the_network_does(classes, more):
    fitted = network(2, 4, classes, **more)
    said = ImageAnswer(fitted)(torch.from_numpy(IMAGES)).numpy()
    np.testing.assert_allclose(said, fitted.outputs(IMAGES), atol=1e-5)
    if not classes:
        assert said.shape == (4,)
        assert said.min() >= 4.5
        assert said.max() <= 5.5


def test_batches_hold_everything_once_in_a_new_order():
    torch.manual_seed(0)
    source = PictureBatches(IMAGES, np.arange(4), 3, lambda part: as_inputs(part, 0.0, 1.0))
    assert len(source) == 2
    orders = []
    for _ in range(6):
        batches = list(source)
        rows = torch.cat([y for _, y in batches])
        for x, y in batches:
            torch.testing.assert_close(x, as_inputs(IMAGES[y.numpy()], 0.0, 1.0))
        assert sorted(rows.tolist()) == [0, 1, 2, 3]
        orders.append(tuple(rows.tolist()))
    assert len(set(orders)) > 1


@pytest.mark.parametrize("name", ["colour", "stain", "flip", "random"])
def test_distortions_keep_to_the_scale(name):
    torch.manual_seed(0)
    x = as_inputs(RNG.integers(0, 256, (40, 16, 16, 3), dtype=np.uint8), MEAN, STD)
    changed = x
    for change in distortions(name, 16, MEAN, STD):
        changed = change(changed)
    assert changed.shape == x.shape
    assert not torch.equal(changed, x)
    mean, std = torch.tensor(MEAN)[:, None, None], torch.tensor(STD)[:, None, None]
    pixels = changed * std + mean
    if name != "random":  # which knows one range for all channels
        assert pixels.min() > -0.01
        assert pixels.max() < 255.01


def test_colours_change_without_moving_and_stains_turn():
    torch.manual_seed(0)
    x = as_inputs(np.full((8, 8, 8, 3), 140, np.uint8), MEAN, STD)
    jitter = distortions("colour", 8, MEAN, STD)[0](x)
    assert (jitter.amax((2, 3)) - jitter.amin((2, 3))).max() < 1e-5  # flat stays flat
    assert len({round(float(v), 4) for v in jitter[:, 0, 0, 0]}) == 8
    assert len(distortions("stain", 8, MEAN, STD)) == 3


def test_sizes_of_strangers_are_refused():
    facts, tensors = ImageNetwork(MobileNetV2(2, width=0.1), 2, {"mean": MEAN, "spread": STD}).store()  # fmt: skip
    for change, message in (
        ({"side": 10**6}, "side must be a whole number from 0 to 2048"),
        ({"side": 0}, "side must be positive"),
        ({"tiles": 9}, "tiles must be a whole number from 0 to 4"),
        ({"views": 3}, r"views must be one of \(1, 2, 4\), got 3"),
    ):
        wrong = facts | {"settings": facts["settings"] | change}
        with pytest.raises(InvalidValue, match=message):
            ImageNetwork.restore(wrong, tensors)
