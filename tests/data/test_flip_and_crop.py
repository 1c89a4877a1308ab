"""Flips, turns, crops and holes move or remove pixels and invent none."""

import pytest
import torch

from gradatim.data import cutout, quarter_turns, random_crop, random_flip
from gradatim.errors import GradatimError


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
