import pytest
import torch

from gradatim.data import stroke_points
from gradatim.errors import InvalidValue

IMAGE = torch.tensor([[[0.0, 1.0, 0.0], [3.0, 0.0, 0.0]]])  # 2 × 3


def draw(images, size, seed=0):
    return stroke_points(images, size, generator=torch.Generator().manual_seed(seed))


def test_points_lie_in_inked_pixels_as_often_as_there_is_ink():
    points = draw(IMAGE, 20_000)[0]
    is_top = points[:, 1] > 0
    top, bottom = points[is_top], points[~is_top]
    assert is_top.float().mean().item() == pytest.approx(0.25, abs=0.01)
    # the longer side, of three pixels, runs from -1 to 1: a pixel is two thirds wide
    for cell, low, high in ((top, (-1 / 3, 0.0), (1 / 3, 2 / 3)), (bottom, (-1.0, -2 / 3), (-1 / 3, 0.0))):  # fmt: skip
        low, high = torch.tensor(low), torch.tensor(high)
        assert (cell >= low - 1e-6).all()
        assert (cell <= high + 1e-6).all()
        assert torch.allclose(cell.mean(0), (low + high) / 2, atol=0.01)  # anywhere in it
        assert torch.allclose(cell.var(0), (high - low) ** 2 / 12, atol=2e-3)


def test_scale_of_ink_and_channel_axis_do_not_matter():
    images = torch.rand(3, 5, 4)
    expected = draw(images, 7)
    assert torch.equal(draw(8 * images, 7), expected)
    assert torch.equal(draw(images[:, None], 7), expected)
    whole = torch.randint(1, 9, (3, 5, 4))
    assert torch.equal(draw(whole, 7), draw(whole.float(), 7))


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (torch.zeros(1, 4, 4), "images must hold some ink each, and none below 0"),
        (-torch.ones(1, 4, 4), "images must hold some ink each, and none below 0"),
        (torch.ones(1, 3, 4, 4), r"images must have shape \(B, 1, H, W\) or \(B, H, W\), got \(1, 3, 4, 4\)"),
    ],
)  # fmt: skip
def test_mistakes_are_explained(images, message):
    with pytest.raises(InvalidValue, match=f"stroke_points: {message}"):
        stroke_points(images, 3)
    with pytest.raises(InvalidValue, match="stroke_points: cloud_size must be a whole number"):
        stroke_points(torch.ones(1, 4, 4), 0)
