"""Flips, turns, crops and holes move or remove pixels and invent none."""

import pytest
import torch

from gradatim.data import cutout, flip_pairs, quarter_turns, random_crop, random_flip
from gradatim.errors import GradatimError, InvalidValue


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


X = torch.rand(300, 2, 6, 6, generator=seeded())


@pytest.mark.parametrize(("vertical", "axis"), [(False, 3), (True, 2)])
def test_flips_are_half_and_exact(vertical, axis):
    out = random_flip(X, vertical=vertical, generator=seeded(1))
    same = (out == X).flatten(1).all(1)
    mirrored = (out == X.flip(axis)).flatten(1).all(1)
    assert (same ^ mirrored).all()
    assert 0.4 < mirrored.float().mean() < 0.6


def test_turns_image_by_image():
    turns = torch.randint(-4, 9, (300,), generator=seeded(1))
    out = quarter_turns(X, turns)
    slow = torch.stack([x.rot90(int(k), (1, 2)) for x, k in zip(X, turns, strict=True)])
    assert torch.equal(out, slow)


def test_crops_are_windows_of_the_padded_image_at_every_place():
    out = random_crop(X, padding=1, generator=seeded(1))
    padded = torch.nn.functional.pad(X, [1] * 4)
    windows = torch.stack([padded[:, :, i : i + 6, j : j + 6] for i in range(3) for j in range(3)])
    hits = (windows == out).flatten(2).all(2)  # (9, B)
    assert (hits.sum(0) == 1).all()
    assert (hits.float().mean(1) > 0.05).all()


def test_cutout_blanks_one_square_in_every_channel():
    out = cutout(X + 1, size=3, generator=seeded(1))
    hole = out == 0
    assert torch.equal(hole[:, 0], hole[:, 1])
    assert torch.equal(out[~hole], (X + 1)[~hole])
    sizes = hole[:, 0].flatten(1).sum(1)
    assert set(sizes.tolist()) == {4, 6, 9}
    height, width = hole[:, 0].any(2).sum(1), hole[:, 0].any(1).sum(1)
    assert torch.equal(height * width, sizes)


@pytest.mark.parametrize("change", [random_flip, random_crop, cutout])
def test_generators_fix_the_result_and_shapes_are_checked(change):
    assert torch.equal(change(X, generator=seeded(3)), change(X, generator=seeded(3)))
    with pytest.raises(GradatimError, match=r"images must have shape \(B, C, H, W\), got \(6, 6\)"):
        change(torch.zeros(6, 6))


def test_errors():
    with pytest.raises(GradatimError, match="images must be square, got 2 × 3"):
        quarter_turns(torch.zeros(1, 1, 2, 3), torch.zeros(1))
    with pytest.raises(GradatimError, match="padding must be at least 0, got -1"):
        random_crop(X, padding=-1)


@pytest.mark.parametrize("vertical", [False, True])
def test_pairs_are_mirrored_together_and_in_every_way(vertical):
    images = torch.arange(400 * 6.0).view(400, 1, 2, 3)
    turned, masks = flip_pairs(images, images[:, 0].long(), vertical=vertical, generator=seeded(2))
    assert torch.equal(turned[:, 0].long(), masks)
    ways = [images, images.flip(3), *([images.flip(2), images.flip(2, 3)] if vertical else [])]
    found = torch.stack([(turned == way).all((1, 2, 3)) for way in ways])
    assert found.any(0).all()
    shares = found.float().mean(1)
    assert (shares - 1 / len(ways)).abs().max() < 0.08


def test_masks_must_be_of_the_pixels():
    with pytest.raises(InvalidValue, match="flip_pairs: masks must have a value for every pixel"):
        flip_pairs(torch.zeros(2, 1, 3, 3), torch.zeros(2, 3, 4))
