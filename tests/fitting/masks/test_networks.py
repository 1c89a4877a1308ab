import numpy as np
import pytest
import torch

from gradatim.evaluation import count_pixels, measure_overlap
from gradatim.fitting.masks.networks import (
    MaskNetwork,
    MaskSettings,
    _objective,
    build_network,
    draw_settings,
    fit_network,
    hold_back,
    relative_cost,
)
from gradatim.models import UNet

from .test_simple import scenes

SMALL = MaskSettings(width=8, depth=2)


def test_a_network_learns_what_no_pixel_tells():
    """Rings and full squares of one brightness: the middle of a square is told by what lies around it."""
    rng = np.random.default_rng(0)
    images = rng.integers(0, 40, (48, 16, 16, 1), dtype=np.uint8)
    y = np.zeros((48, 16, 16), np.uint8)
    for k in range(48):
        top, left = rng.integers(0, 8, 2)
        place = np.s_[top : top + 8, left : left + 8]
        images[k][place] += 180
        if k % 2:
            images[k][top + 2 : top + 6, left + 2 : left + 6] -= 170
        y[k][place] = 1 + k % 2
    model, history = fit_network(images[:40], y[:40], 3, SMALL, 30, 0)
    said = model.outputs(images[40:]).argmax(1)
    assert measure_overlap(count_pixels(y[40:], said, 3).sum(0)).mean_iou > 0.8
    assert model.settings["epochs"] <= len(history) <= 30


def test_the_best_epoch_is_taken_and_said():
    images, y = scenes(20)
    model, history = fit_network(images, y, 2, SMALL, 12, 0)
    losses = history["validation_loss"]
    assert model.settings["epochs"] == int(np.argmin(losses)) + 1
    whole, plain = fit_network(images, y, 2, SMALL, 3, 0, stops_early=False)
    assert "validation_loss" not in plain.records[0]
    assert whole.settings["epochs"] == 3


def test_who_tells_when_to_stop_is_not_learned_from():
    for count in (6, 20, 100):
        learn, look = hold_back(count, 1)
        assert not set(learn) & set(look)
        assert len(learn) + len(look) == count
    assert len(hold_back(5, 0)[1]) == 0


def test_outputs_do_not_depend_on_mates():
    images, _ = scenes(7)
    with torch.random.fork_rng():
        model = MaskNetwork(build_network(SMALL, 3, 1), 3, {"mean": 50.0, "spread": 40.0})
    said = model.outputs(images)
    assert said.shape == (7, 3, 16, 16)
    np.testing.assert_allclose(said.sum(1), 1.0, rtol=1e-5)
    for k in range(7):
        np.testing.assert_array_equal(model.outputs(images[k : k + 1])[0], said[k])


def test_settings():
    assert [draw_settings(k, 0).depth for k in range(3)] == [3, 3, 4]
    assert draw_settings(9, 0) == draw_settings(9, 0) != draw_settings(9, 1)
    for trial in range(20):
        settings = draw_settings(trial, 3)
        assert isinstance(build_network(settings, 2, 3), UNet)
        assert 0.5 <= relative_cost(settings) <= 3


@pytest.mark.parametrize(("flips", "ways"), [("none", 1), ("horizontal", 2), ("both", 4)])
def test_images_and_masks_are_mirrored_together_in_training_only(flips, ways):
    seen = []

    class Spy(torch.nn.Module):
        def forward(self, x):
            seen.append(x[:, 0])
            return torch.stack([x[:, 0], -x[:, 0]], 1).requires_grad_()

    x = torch.arange(6.0).view(1, 1, 2, 3).repeat(64, 1, 1, 1)
    y = torch.tensor([[0, 1, 1], [1, 1, 0]]).repeat(64, 1, 1)
    objective, spy = _objective(MaskSettings(flips=flips)), Spy()
    objective(spy, (x, y))
    assert len({tuple(own.flatten().tolist()) for own in seen[0]}) == ways
    objective(spy.eval(), (x, y))
    assert torch.equal(seen[1], x[:, 0])


def test_groups_are_held_back_whole():
    groups = np.arange(30) // 5
    learn, look = hold_back(30, 0, groups)
    assert len(look) == 5
    assert not set(groups[learn]) & set(groups[look])
    assert len(hold_back(30, 0, np.zeros(30))[1]) == 0
