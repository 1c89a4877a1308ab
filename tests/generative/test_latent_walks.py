import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.generative import interpolate, latent_plane


def test_the_plane_has_equal_shares_of_the_prior():
    codes = latent_plane(10)
    assert codes.shape == (100, 2)
    chances = torch.special.ndtr(codes)
    expected = (torch.arange(10) + 0.5) / 10
    torch.testing.assert_close(chances[:10, 0], expected)
    torch.testing.assert_close(chances[::10, 1], expected.flip(0))


def test_a_large_plane_has_the_variance_of_the_prior():
    assert latent_plane(200).var(0).tolist() == pytest.approx([1, 1], abs=0.02)


def test_the_way_is_straight_and_has_both_ends():
    start, end = torch.randn(2, 3, 4)
    way = interpolate(start, end, 5)
    assert torch.equal(way[0], start)
    torch.testing.assert_close(way[-1], end)
    torch.testing.assert_close(way[1], 0.75 * start + 0.25 * end)


def test_errors():
    with pytest.raises(
        InvalidValue, match="latent_plane: side must be a whole number from 1, got 0"
    ):
        latent_plane(0)
    with pytest.raises(InvalidValue, match="interpolate: steps must be at least 2, got 1"):
        interpolate(torch.zeros(1), torch.ones(1), 1)
    with pytest.raises(InvalidValue, match=r"one shape, got \(1,\) and \(2,\)"):
        interpolate(torch.zeros(1), torch.ones(2), 2)
