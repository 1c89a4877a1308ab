"""Images pressed into a square, and the way back."""

import numpy as np
import pytest
from PIL import Image

from gradatim.data.whole_images import enlarge, image_size, press, read_whole, shrink


def test_nothing_is_cut_off(tmp_path):
    pixels = np.zeros((20, 60, 3), np.uint8)
    pixels[:, :30], pixels[10:, 30:] = (255, 0, 0), (0, 0, 255)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    found = read_whole(tmp_path / "a.png", 16)
    assert (found.size, found.is_grey) == ((20, 60), False)
    assert found.picture[0, 0].tolist() == [255, 0, 0]
    assert found.picture[-1, -1].tolist() == [0, 0, 255]
    assert found.picture[0, -1].tolist() == [0, 0, 0]
    assert (press(pixels[None], 16)[0] == found.picture).all()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_images_stand_upright(tmp_path, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.new("L", (32, 16)).save(tmp_path / "a.jpg", exif=exif)
    size = (32, 16) if orientation >= 5 else (16, 32)
    found = read_whole(tmp_path / "a.jpg", 8)
    assert (found.size, found.is_grey) == (size, True)
    with Image.open(tmp_path / "a.jpg") as image:
        assert image_size(image) == size


def test_a_large_photo_keeps_its_size_in_mind(tmp_path):
    Image.new("RGB", (900, 700), "red").save(tmp_path / "a.jpg")
    assert read_whole(tmp_path / "a.jpg", 16).size == (700, 900)


def test_faults(tmp_path):
    (tmp_path / "a.png").write_bytes(b"none")
    assert read_whole(tmp_path / "a.png", 8) == "cannot be read"


@pytest.mark.parametrize("size", [(8, 8), (5, 31), (64, 40), (1, 1)])
def test_classes_survive_the_way_there_and_back(size):
    """Halves stay halves, whatever the size; no class comes up that was not there."""
    mask = np.zeros(size, dtype=int)
    mask[size[0] // 2 :] = 2
    small = shrink(mask, 16)
    assert set(np.unique(small)) <= {0, 2}
    odds = np.stack([small == k for k in range(3)]).astype(float)
    back = enlarge(odds, size)
    assert back.shape == size
    assert (back == mask).mean() >= (0.75 if size[0] > 1 else 0)


def test_a_square_of_its_own_size_stays():
    mask = np.random.default_rng(0).integers(0, 4, (16, 16))
    assert (shrink(mask, 16) == mask).all()
    assert (enlarge(np.stack([mask == k for k in range(4)]), (16, 16)) == mask).all()
    pictures = np.random.default_rng(1).integers(0, 256, (2, 16, 16, 3), dtype=np.uint8)
    assert press(pictures, 16) is pictures
