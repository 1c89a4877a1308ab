import numpy as np
import pytest
from PIL import Image

from gradatim.errors import InvalidValue
from gradatim.fitting.generative.images.reading import read_arrays, read_folder, read_set
from gradatim.fitting.generative.kind import GenerativeOptions

from ..conftest import make_pictures

JOB = GenerativeOptions()


def save(path, size=(8, 8), mode="RGB"):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, size, 100).save(path)


def said(notes, words):
    return any(words in note for note in notes)


def test_subfolders_are_classes_and_every_image_is_in_one_part(folder):
    read = read_folder(folder, JOB)
    assert read.classes == ["cat", "dog"]
    assert read.images.shape == (90, 8, 8, 3)
    assert sorted(np.concatenate(read.places)) == list(range(90))
    halves = read.images[..., :].mean(3)
    assert ((halves[:, 4:].mean((1, 2)) > halves[:, :4].mean((1, 2))) == (read.codes == 1)).all()
    assert not read.notes


def test_sizes_are_said(tmp_path):
    for k in range(80):
        save(tmp_path / f"p/{k}.png", size=(100 + k, 90))
    read = read_folder(tmp_path / "p", JOB)
    assert read.images.shape[1:] == (64, 64, 3)
    assert said(read.notes, "Images of 100 × 90 to 179 × 90 pixels are cut to a square around their middle and scaled to 64 × 64.")  # fmt: skip
    assert said(read.notes, "No class can be asked for: the images do not lie in subfolders, one for each.")  # fmt: skip


@pytest.mark.parametrize(("side", "wanted"), [(3, 8), (8, 8), (30, 30), (64, 64), (80, 64)])
def test_sides_from_8_to_64_are_kept(tmp_path, side, wanted):
    for k in range(80):
        save(tmp_path / f"p/{k}.png", size=(side, side))
    read = read_folder(tmp_path / "p", JOB)
    assert read.images.shape[1] == wanted
    is_said = said(
        read.notes, f"Images of {side} × {side} pixels are scaled to {wanted} × {wanted}."
    )
    assert is_said == (side != wanted)


def test_mixed_modes_are_said(folder):
    save(folder / "cat" / "grey.png", mode="L")
    read = read_folder(folder, JOB)
    assert said(read.notes, "1 grey image is read as colour, as the other 90 are.")
    assert read.images.shape[3] == 3


def test_grey_images_have_one_channel(tmp_path):
    for k in range(80):
        save(tmp_path / f"p/{k}.png", mode="L")
    assert read_folder(tmp_path / "p", JOB).images.shape == (80, 8, 8, 1)


def test_small_classes_and_loose_images_are_left_out(folder):
    save(folder / "loose.png")
    for k in range(3):
        save(folder / "bird" / f"{k}.png")
    (folder / "dog" / "bad.png").write_bytes(b"no image")
    read = read_folder(folder, JOB)
    assert read.classes == ["cat", "dog"]
    assert said(read.notes, "1 image outside the subfolders has no class and is left out")
    assert said(read.notes, "Class 'bird' has only 3 images and is left out")
    assert said(read.notes, "'bad.png' cannot be read and is skipped")
    assert (read.codes[np.concatenate(read.places)] >= 0).all()


def test_classes_that_are_all_small_are_no_classes(tmp_path):
    for k in range(90):
        save(tmp_path / f"p/c{k}/1.png")
    read = read_folder(tmp_path / "p", JOB)
    assert read.classes == []
    assert len(np.concatenate(read.places)) == 90
    assert said(read.notes, "No class can be asked for: there are not two with 5 images or more.")


def test_a_sample_of_many(folder):
    read = read_folder(folder, GenerativeOptions(rows=80))
    assert len(read.images) == 80
    assert said(read.notes, "A random sample of 80 of 90 images is used")


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (0, "must hold images .PNG, JPEG., and holds none"),
        (1, "must have at least 80 images to make more of them, got 1"),
        (79, "must have at least 80 images to make more of them, got 79"),
    ],
)
def test_too_few(tmp_path, count, sentence):
    (tmp_path / "p").mkdir()
    for k in range(count):
        save(tmp_path / f"p/{k}.png")
    with pytest.raises(InvalidValue, match=sentence):
        read_folder(tmp_path / "p", JOB)


def test_none_that_can_be_read(tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.png").write_bytes(b"no image")
    with pytest.raises(InvalidValue, match=r"none can be read: 'a.png' cannot be read and is skipped"):  # fmt: skip
        read_folder(tmp_path / "p", JOB)


def test_the_digits_are_pictures():
    read = read_set("digits", JOB)
    assert read.images.shape == (1797, 8, 8, 1)
    assert read.classes == [str(k) for k in range(10)]
    assert len(read.places[2]) == 359
    ink = read.images[read.codes == 0].mean((0, 3))
    assert ink[3:5, 3:5].mean() < ink[3:5, 1:3].mean()  # a zero is empty within


def test_arrays_are_scaled_as_well():
    pictures = np.zeros((80, 70, 70, 3), np.uint8)
    read = read_arrays((pictures, np.arange(80) % 2), JOB)
    assert read.images.shape == (80, 64, 64, 3)
    assert said(read.notes, "Images of 70 × 70 pixels are scaled to 64 × 64.")
    tiny = read_arrays((np.full((80, 4, 4, 1), 9, np.uint8), np.zeros(80)), JOB)
    assert tiny.images.shape == (80, 8, 8, 1)
    assert (tiny.images == 9).all()


def test_equal_seeds_give_equal_parts_and_other_pixels_other_contents(folder, tmp_path):
    first, again = (b"".join(read_folder(folder, JOB).contents()) for _ in range(2))
    assert first == again
    assert first != b"".join(read_folder(folder, GenerativeOptions(seed=1)).contents())
    other = make_pictures(tmp_path / "other", seed=1)
    assert first != b"".join(read_folder(other, JOB).contents())


def test_every_class_is_learned_from(tmp_path):
    for k in range(20):
        for n in range(5):
            save(tmp_path / f"p/c{k:02d}/{n}.png")
    for seed in range(
        30
    ):  # of five images of a class none is in the training part by chance now and then
        read = read_folder(tmp_path / "p", GenerativeOptions(seed=seed, test=0.3))
        assert set(read.codes[read.places[0]]) == set(range(20))
        assert sorted(np.concatenate(read.places)) == list(range(100))


def test_enough_images_must_remain_in_classes(tmp_path):
    for k in range(90):
        save(tmp_path / f"p/c{k}/1.png")
    for k in range(12):
        save(tmp_path / f"p/{'ab'[k % 2]}/{k}.png")
    with pytest.raises(InvalidValue, match="must have at least 80 images to make more of them, got 12"):  # fmt: skip
        read_folder(tmp_path / "p", JOB)
