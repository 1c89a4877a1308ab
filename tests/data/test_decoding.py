import os
import shutil
import sys

import numpy as np
import pytest
from PIL import Image

from gradatim.data import decoding
from gradatim.data.decoding import decode_image, decode_images
from gradatim.errors import Unavailable


def save(path, size=(12, 10), mode="RGB", value=100):
    Image.new(
        mode, size, value if mode in ("L", "I;16") else (value, 0, 0)[: len(mode)] or value
    ).save(path)
    return path


def test_pictures_keep_their_middle_and_their_colour(tmp_path):
    wide = np.zeros((10, 30, 3), dtype=np.uint8)
    wide[:, 10:20] = (10, 200, 30)  # what lies outside the middle square is cut away
    Image.fromarray(wide).save(tmp_path / "wide.png")
    picture, is_grey = decode_image(tmp_path / "wide.png", 8)
    assert picture.shape == (8, 8, 3)
    assert (picture[:, 1:-1] == (10, 200, 30)).all()  # its edges mix with what lies outside
    assert not is_grey


def test_grey_transparent_and_deep_pictures(tmp_path):
    grey, is_grey = decode_image(save(tmp_path / "g.png", mode="L"), 4)
    assert is_grey
    assert (grey == 100).all()
    Image.new("RGBA", (6, 6), (0, 0, 0, 0)).save(tmp_path / "t.png")
    assert (decode_image(tmp_path / "t.png", 4)[0] == 255).all()  # transparent is white
    deep = Image.fromarray(np.full((6, 6), 65535, dtype=np.uint16))
    deep.save(tmp_path / "d.png")
    assert (decode_image(tmp_path / "d.png", 4)[0] == 255).all()


def test_photos_are_turned_upright(tmp_path):
    values = np.zeros((8, 8, 3), dtype=np.uint8)
    values[:4] = 255
    exif = Image.Exif()
    exif[0x0112] = 3  # upside down
    Image.fromarray(values).save(tmp_path / "r.png", exif=exif)
    picture, _ = decode_image(tmp_path / "r.png", 8)
    assert picture[0, 0, 0] == 0
    assert picture[-1, 0, 0] == 255


def test_damaged_and_huge_files_say_why(tmp_path, monkeypatch):
    (tmp_path / "b.jpg").write_bytes(b"\xff\xd8\xff\xe0 no picture")
    assert decode_image(tmp_path / "b.jpg", 4) == "cannot be read"
    whole = save(tmp_path / "w.png", size=(40, 40)).read_bytes()
    (tmp_path / "half.png").write_bytes(whole[: len(whole) // 2])
    assert decode_image(tmp_path / "half.png", 4) == "cannot be read"
    monkeypatch.setattr(decoding, "MOST_PIXELS", 100)
    assert decode_image(tmp_path / "w.png", 4) == "is too large (40 × 40 pixels)"


def test_a_picture_of_400_million_pixels_is_not_decoded(tmp_path):
    path = tmp_path / "vast.png"
    Image.new("1", (20_000, 20_000)).save(path)
    assert decode_image(path, 8).startswith("is too large")


@pytest.mark.parametrize("workers", [None, 2])
def test_workers_give_what_one_process_gives(tmp_path, workers):
    paths = [save(tmp_path / f"{k} ä.png", value=10 * k) for k in range(5)]
    paths.insert(2, tmp_path / "none.png")
    images, is_grey, faults = decode_images(paths, 4, workers=workers)
    assert images[:, 0, 0, 0].tolist() == [0, 10, 0, 20, 30, 40]
    assert faults == {2: "cannot be read"}
    assert not is_grey.any()


def test_a_process_that_dies_ends_with_one_sentence(tmp_path, monkeypatch):
    picture = save(tmp_path / "p.png")
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(
        Unavailable, match=r"2 images cannot be decoded: a process ended with code 1\."
    ):
        decode_images([picture, picture], 4, workers=2)


def test_a_full_disk_is_met_before_the_work_and_leaves_nothing(tmp_path, monkeypatch):
    def full(handle, start, size):
        raise OSError(28, "No space left on device")

    picture = save(tmp_path / "p.png")
    (tmp_path / "t").mkdir()
    monkeypatch.setattr(decoding.tempfile, "gettempdir", lambda: str(tmp_path / "t"))
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(Unavailable, match=r"^decode_images: 2 images cannot be decoded in '.*t': No space left on device\.$"):  # fmt: skip
        decode_images([picture, picture], 4, workers=2)
    assert list((tmp_path / "t").iterdir()) == []


def test_what_a_killed_run_left_is_swept(tmp_path, monkeypatch):
    picture = save(tmp_path / "p.png")
    (tmp_path / "t" / ".decoding.gradatim-dead").mkdir(parents=True)
    (tmp_path / "t" / "gradatim-notes").mkdir()  # of a user
    monkeypatch.setattr(decoding.tempfile, "gettempdir", lambda: str(tmp_path / "t"))
    decode_images([picture, picture], 4, workers=2)
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["gradatim-notes"]


def test_a_worker_whose_parent_is_gone_ends():
    with pytest.raises(SystemExit):
        next(decoding._while_wanted([(0, "a.png")], os.getpid()))
    assert list(decoding._while_wanted([(0, "a.png")], os.getppid())) == [(0, "a.png")]
