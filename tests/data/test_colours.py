import re

import pytest
import torch

from gradatim.data import colour_jitter


def test_the_equation_pixel_by_pixel():
    x = torch.rand(3, 3, 4, 5, dtype=torch.float64) * 0.4 + 0.3
    found = colour_jitter(x, brightness=0.1, contrast=0.2, saturation=0.3, generator=torch.Generator().manual_seed(5))  # fmt: skip
    draws = torch.rand(3, 3, 1, 1, 1, generator=torch.Generator().manual_seed(5), dtype=x.dtype)
    for n in range(3):
        b, c, s = (float(2 * draws[k, n] - 1) * limit for k, limit in enumerate((0.1, 0.2, 0.3)))
        bright = [[[float(x[n, k, i, j]) * (1 + b) for j in range(5)] for i in range(4)] for k in range(3)]  # fmt: skip
        mean = sum(v for plane in bright for row in plane for v in row) / 60
        for i in range(4):
            for j in range(5):
                pixel = [mean + (1 + c) * (bright[k][i][j] - mean) for k in range(3)]
                grey = sum(pixel) / 3
                for k in range(3):
                    expected = min(max(grey + (1 + s) * (pixel[k] - grey), 0.0), 1.0)
                    assert float(found[n, k, i, j]) == pytest.approx(expected, abs=1e-12)


def test_grey_stays_grey_and_all_stays_in_range():
    x = torch.rand(20, 1, 6, 6).expand(-1, 3, -1, -1)
    found = colour_jitter(x, brightness=1, contrast=1, saturation=1)
    torch.testing.assert_close(found[:, 0], found[:, 2])
    assert found.min() >= 0
    assert found.max() <= 1
    assert not torch.equal(found, x)


@pytest.mark.parametrize("name", ["brightness", "contrast", "saturation"])
def test_refuses_by_message(name):
    message = f"colour_jitter: {name} must be from 0 to 1, got -1. Try 0.2."
    with pytest.raises(ValueError, match=re.escape(message)):
        colour_jitter(torch.rand(1, 3, 2, 2), **{name: -1})
    with pytest.raises(ValueError, match="colour_jitter: images must have shape"):
        colour_jitter(torch.rand(3, 2, 2))
