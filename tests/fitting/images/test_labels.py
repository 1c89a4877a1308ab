"""Tables that name images: classes, numbers, several labels, groups, and all that may be wrong with them."""

from pathlib import Path

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.fitting.images.labels import (
    Answers,
    Names,
    check_groups,
    read_groups,
    read_labels,
    settle,
)

FOLDER = Path("pics")
PATHS = [FOLDER / f"a{k}.png" for k in range(24)]


def write(tmp_path, *lines):
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def read(tmp_path, *lines, task="auto", group=None, notes=None):
    return read_labels(write(tmp_path, *lines), PATHS, FOLDER, task, group, [] if notes is None else notes)  # fmt: skip


def test_files_are_found_by_path_name_or_stem_and_never_by_a_name_of_two():
    paths = [Path("p/x/1.png"), Path("p/y/1.png"), Path("p/y/2.png"), Path("p/2.jpg")]
    names = Names(paths, Path("p"))
    assert [names.find(n) for n in ("x/1.png", "y/1", "./2.jpg", "y\\2.png", " 2.png ")] == [0, 1, 3, 2, 2]  # fmt: skip
    assert [names.find(n) for n in ("1.png", "1", "3.png", 7)] == [None] * 4
    assert names.find("2") == 3  # the path without its ending comes before the names of others


def test_classes_numbers_and_labels(tmp_path):
    classes = read(tmp_path, "file,kind", *(f"a{k}.png,{'ab'[k % 2]}" for k in range(24)))
    assert (classes.labels, classes.is_tagged) == (["a", "b"], False)
    np.testing.assert_array_equal(classes.y, np.arange(24) % 2)
    numbers = read(tmp_path, "kind,Image", *(f"{k / 7},a{k}" for k in range(24)))
    assert numbers.labels == []
    np.testing.assert_allclose(numbers.y, np.arange(24) / 7)
    several = read(tmp_path, "file,tags", *(f"a{k}.png,{['cat', 'cat; dog', '', 'dog'][k % 4]}" for k in range(24)))  # fmt: skip
    assert (several.labels, several.is_tagged) == (["cat", "dog"], True)
    assert several.y[:4].tolist() == [[1, 0], [1, 1], [0, 0], [0, 1]]
    marks = read(tmp_path, "file,cat,dog", *(f"a{k}.png,{k % 2},{'true' if k % 3 else 'False'}" for k in range(24)))  # fmt: skip
    assert marks.labels == ["cat", "dog"]
    assert marks.y[:3].tolist() == [[0, 0], [1, 1], [0, 1]]


def test_whole_numbers_are_numbers_where_that_is_asked_for(tmp_path):
    lines = ["file,stars", *(f"a{k}.png,{k % 5}" for k in range(24))]
    assert read(tmp_path, *lines).labels == [0, 1, 2, 3, 4]
    assert read(tmp_path, *lines, task="regression").labels == []


def test_what_is_left_out_is_said(tmp_path):
    notes = []
    rows = [f"a{k}.png,{'ab'[k % 2]}" for k in range(22)]
    found = read(tmp_path, "file,kind", *rows, "gone.png,a", rows[0], notes=notes)
    assert found.rows.tolist() == list(range(22))
    text = " ".join(notes)
    assert "1 row names no image of the folder" in text
    assert "such as 'gone.png'" in text
    assert "that stands there twice is left out" in text
    assert "2 images have no row" in text
    notes = []
    marks = [f"a{k}.png,{k % 2},{int(k < 3)}" for k in range(24)]
    assert read(tmp_path, "file,cat,yeti", *marks, notes=notes).labels == ["cat"]
    assert "Label 'yeti' is left out: 3 of 24 images have it." in notes


def test_a_column_of_the_table_may_hold_groups(tmp_path):
    lines = ["file,kind,who", *(f"a{k}.png,{'ab'[k % 2]},p{k // 3}" for k in range(24))]
    found = read(tmp_path, *lines, group="who")
    assert found.labels == ["a", "b"]
    assert found.groups.tolist() == [f"p{k // 3}" for k in range(24)]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["file,kind", *(f"x{k}.png,a" for k in range(9))], r"labels must name images of the folder in its column 'file', got 'x0.png'"),
        (["file", *(f"a{k}.png" for k in range(24))], "labels must have a column of labels beside the file names"),
        (["file,kind", *(f"a{k}.png,{'ab'[k % 2]}" for k in range(24)), "a0.png,b"], "labels must say one thing of each image, got two rows that differ for 'a0.png'"),
        (["file,kind", *(f"a{k}.png,a" for k in range(24))], "at least two different values, got only 'a'"),
        (["file,kind", *(f"a{k}.png,{'ab'[k % 2]}" for k in range(9))], "labels must tell of at least 20 images, got 9"),
        (["file,a,b", *(f"a{k}.png,{k % 2},maybe" for k in range(24))], "or several of 0 and 1, got 'maybe' in 'b'"),
        (["file,a,b", *(f"a{k}.png,1,0" for k in range(24))], "one that 5 images or more have and 5 or more have not"),
    ],
)  # fmt: skip
def test_wrong_tables_get_a_sentence(tmp_path, lines, message):
    with pytest.raises(InvalidValue, match=message):
        read(tmp_path, *lines)


def test_groups_by_table_folder_and_prefix(tmp_path):
    table = write(tmp_path, "file,who", *(f"a{k}.png,p{k // 6}" for k in range(24)))
    assert read_groups(table, PATHS, FOLDER, []).tolist() == [f"p{k // 6}" for k in range(24)]
    paths = [Path("p/cat/ann/1_a.png"), Path("p/dog/ann/2-b.png"), Path("p/dog/bob/2_c.png")]
    assert read_groups("folder", paths, Path("p"), [], has_classes=True).tolist() == ["ann", "ann", "bob"]  # fmt: skip
    assert read_groups("folder", paths, Path("p"), []).tolist() == ["cat/ann", "dog/ann", "dog/bob"]
    assert read_groups("prefix", paths, Path("p"), []).tolist() == ["1", "2", "2"]


def test_groups_that_do_not_tell_get_a_sentence(tmp_path):
    table = write(tmp_path, "file,who", *(f"a{k}.png,p{k}" for k in range(22)))
    with pytest.raises(InvalidValue, match=r"group must name the group of every image, and .* does not for 'a22.png' and 1 more"):  # fmt: skip
        read_groups(table, PATHS, FOLDER, [])
    with pytest.raises(InvalidValue, match="group must have a column of groups"):
        read_groups(write(tmp_path, "file", "a1.png"), PATHS, FOLDER, [])
    with pytest.raises(InvalidValue, match="group must have at least 4 different values, got 3"):
        check_groups(np.array(["a", "b", "c", "a"]))


def test_what_few_images_leave_is_settled():
    notes = []
    y = np.repeat([0, 1, 2], [20, 20, 2])
    left = settle(Answers(["a", "b", "c"], y, np.arange(42)), np.arange(5, 42), notes)
    assert left.labels == ["a", "b"]
    assert left.rows.tolist() == list(range(5, 40))
    assert "fewer than 3 are of class 'c': 2 are left out" in notes[0]
    with pytest.raises(InvalidValue, match="at least 20 images that can be read must have different labels"):  # fmt: skip
        settle(Answers(["a", "b"], y, np.arange(42)), np.arange(20), [])
