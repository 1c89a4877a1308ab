import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.models import ImageDecoder, ImageEncoder


@pytest.mark.parametrize(("side", "widths"), [(28, (4, 6)), (8, (3,)), (16, (2, 3, 4, 5))])
def test_each_width_halves_or_doubles_once(side, widths):
    encoder = ImageEncoder(side, 7, in_channels=3, widths=widths)
    code = encoder(torch.rand(2, 3, side, side))
    assert code.shape == (2, 7)
    assert encoder[-1].in_features == widths[-1] * (side // 2 ** len(widths)) ** 2
    decoder = ImageDecoder(7, side, out_channels=3, widths=widths[::-1])
    assert decoder(code).shape == (2, 3, side, side)


def test_a_pixel_is_seen_by_the_windows_above_it_only():
    encoder = ImageEncoder(8, 2, widths=(3,)).double()
    x = torch.zeros(1, 1, 8, 8, dtype=torch.float64)
    moved = x.clone()
    moved[0, 0, 0, 0] = 1.0
    changed = (encoder[0](moved) != encoder[0](x)).any(1)[0].nonzero()
    assert changed.tolist() == [[0, 0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ImageEncoder(30, 2), "ImageEncoder: image_size must be a multiple of 4, for 2 widths, got 30"),
        (lambda: ImageDecoder(2, 10), "ImageDecoder: image_size must be a multiple of 4, for 2 widths, got 10"),
        (lambda: ImageEncoder(8, 2, widths=()), r"ImageEncoder: widths must be one or more positive widths, got \(\)"),
        (lambda: ImageEncoder(8, 0), "ImageEncoder: output_dim must be at least 1, got 0"),
        (lambda: ImageDecoder(2, 8)(torch.rand(5, 3)), r"ImageDecoder: x must have shape \(B, 2\), got \(5, 3\)"),
        (lambda: ImageEncoder(8, 2)(torch.rand(5, 8, 8)), r"ImageEncoder: x must have shape \(B, 1, 8, 8\)"),
    ],
)  # fmt: skip
def test_errors(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
