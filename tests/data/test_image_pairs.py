from pathlib import Path

import pytest

from gradatim.data.image_pairs import find_named, match_masks
from gradatim.errors import InvalidValue, Unavailable


def named(*names, ending=".png"):
    return {name: Path(f"{name}{ending}") for name in names}


def test_names_below_folders_without_endings(tmp_path):
    for name in ("b.jpg", "a.png", "sub/a.PNG", "sub/v1.2.png", "notes.txt", ".hidden.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    found = find_named("fit", "masks", tmp_path)
    assert list(found) == ["a", "b", "sub/a", "sub/v1.2"]


def test_two_files_of_a_name_are_refused(tmp_path):
    for name in ("a.jpg", "a.png"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(InvalidValue, match=r"fit: masks must hold one file of a name, got 'a\.jpg' and 'a\.png'"):  # fmt: skip
        find_named("fit", "masks", tmp_path)


def test_folders_that_are_none(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InvalidValue, match="must be a folder, got the file"):
        find_named("fit", "masks", tmp_path / "file")
    with pytest.raises(Unavailable, match="is not there"):
        find_named("fit", "masks", tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidValue, match=r"must hold images .* holds none"):
        find_named("fit", "masks", tmp_path / "empty")


def test_pairs_have_one_name_and_others_are_told():
    notes = []
    pairs = match_masks(named("a", "b", "c", ending=".jpg"), named("c", "a", "x", "y"), notes)
    assert [pair.name for pair in pairs] == ["a", "c"]
    assert [str(pair.mask) for pair in pairs] == ["a.png", "c.png"]
    assert notes == [
        "1 image has no mask and is left out: 'b.jpg'.",
        "2 masks have no image and are left out: 'x.png', 'y.png'.",
    ]


@pytest.mark.parametrize("ending", ["_mask", "-seg", ".labels"])
def test_an_ending_that_all_masks_add_is_left_off(ending):
    notes = []
    images = named("a", "ab", "b", ending=".jpg")
    masks = named(*(f"{name}{ending}" for name in ("ab", "b")))
    pairs = match_masks(images, masks, notes)
    assert [pair.name for pair in pairs] == ["ab", "b"]
    assert notes[0] == f"Masks are called as their images with {ending!r} behind."
    assert notes[1] == "1 image has no mask and is left out: 'a.jpg'."


@pytest.mark.parametrize("masks", [("x", "y"), ("a_mask", "b_seg"), ("1", "2", "3", "4")])
def test_other_names_are_refused(masks):
    with pytest.raises(InvalidValue, match=r"fit: masks must have the names of the images, got '.* for 'a\.png', 'b\.png'"):  # fmt: skip
        match_masks(named("a", "b"), named(*masks), [])
