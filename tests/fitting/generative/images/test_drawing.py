import io

import numpy as np
from PIL import Image

from gradatim.files.signatures import is_signed
from gradatim.fitting.generative.images.drawing import grid_png, in_blocks, png_of, tile_pictures


def test_every_picture_stands_in_its_place():
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 256, (7, 5, 5, 3), dtype=np.uint8)
    page = tile_pictures(pictures, 3)
    assert page.shape == (17, 17, 3)
    for k, picture in enumerate(pictures):
        top, left = 6 * (k // 3), 6 * (k % 3)
        assert np.array_equal(page[top : top + 5, left : left + 5], picture)
    assert (page[5] == 128).all()


def test_a_grid_is_a_picture_that_we_signed(tmp_path):
    pictures = np.zeros((100, 8, 8, 1), np.uint8)
    content = grid_png(pictures)
    image = Image.open(io.BytesIO(content))
    assert image.mode == "L"
    assert image.size == (10 * 33 - 1, 10 * 33 - 1)  # enlarged four times
    (tmp_path / "g.png").write_bytes(content)
    assert is_signed(tmp_path / "g.png")
    assert Image.open(io.BytesIO(grid_png(np.zeros((3, 40, 40, 3), np.uint8)))).mode == "RGB"


def test_pixels_come_back_from_a_file():
    picture = np.random.default_rng(0).integers(0, 256, (9, 9, 3), dtype=np.uint8)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png_of(picture)))), picture)


def test_text_shows_bright_pixels_two_in_a_line():
    cross = np.zeros((4, 4), np.uint8)
    cross[1, :] = cross[:, 2] = 255
    assert in_blocks(cross[None, ..., None]).splitlines() == ["▄▄█▄", "  █"]
    twice = in_blocks(np.stack([cross, 255 - cross])[..., None]).splitlines()
    assert twice[1] == "  █   ██ █"
    large = in_blocks(np.zeros((12, 64, 64, 3), np.uint8))
    assert max(map(len, large.splitlines()), default=0) <= 76
