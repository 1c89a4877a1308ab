import numpy as np
import pytest
from PIL import Image

from gradatim.errors import InvalidValue, OutputRefused
from gradatim.fitting.generative.images.made import MadeImages, folder_names


def made(count=12, classes=("a", "b")):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (count, 8, 8, 3), dtype=np.uint8)
    labels = np.arange(count) % len(classes) if classes else None
    return MadeImages(images, labels, classes)


def test_a_folder_holds_every_image_below_its_class(tmp_path):
    own = made()
    own.write(tmp_path / "out", [])
    files = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.png"))  # fmt: skip
    assert files == sorted(f"{'ab'[k % 2]}/{k + 1:02d}.png" for k in range(12))
    picture = np.asarray(Image.open(tmp_path / "out" / "b" / "04.png"))
    assert np.array_equal(picture, own.images[3])


def test_without_classes_they_lie_side_by_side(tmp_path):
    made(3, ()).write(tmp_path / "out", [])
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["1.png", "2.png", "3.png"]


def test_a_grid_of_ours_is_replaced_and_no_other_picture(tmp_path):
    grid = tmp_path / "g.png"
    made().write(grid, [])
    first = grid.read_bytes()
    made(20).write(grid, [])
    assert grid.read_bytes() != first
    Image.new("L", (4, 4)).save(grid)
    before = grid.read_bytes()
    with pytest.raises(OutputRefused, match="output must be new, or written by the same command"):
        made().write(grid, [])
    assert grid.read_bytes() == before


def test_a_grid_is_sorted_by_class(tmp_path):
    shades = np.array([200, 10, 250, 60], np.uint8)  # of classes b, a, b, a
    images = np.broadcast_to(shades[:, None, None, None], (4, 32, 32, 1))
    MadeImages(images, np.array([1, 0, 1, 0]), ("a", "b")).write(tmp_path / "g.png", [])
    grid = np.asarray(Image.open(tmp_path / "g.png"))
    assert grid[::40, ::40].ravel().tolist() == [10, 60, 200, 250]


def test_a_folder_that_holds_anything_is_refused(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(OutputRefused, match="output must be a folder that is new or empty"):
        made().write(tmp_path, [])
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    (tmp_path / "empty").mkdir()
    made(2).write(tmp_path / "empty", [])


def test_a_grid_has_an_end(tmp_path):
    many = MadeImages(np.zeros((2_501, 8, 8, 1), np.uint8))
    with pytest.raises(InvalidValue, match="num_samples must be at most 2,500 for a grid, got 2,501"):  # fmt: skip
        many.write(tmp_path / "g.png", [])
    assert not list(tmp_path.iterdir())


def test_names_of_classes_lead_nowhere_and_meet_nobody():
    names = folder_names(["../../etc", "a/b", "B", "b", "", "..", "ok", "n" * 400])
    assert len({name.casefold() for name in names}) == 8
    assert all("/" not in name and name.strip(". ") and len(name) <= 110 for name in names)
    assert names[0] == "etc"
