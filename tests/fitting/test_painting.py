"""A folder of predicted files: whole, and nobody's file is lost."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import gradatim
from gradatim.errors import InvalidValue, OutputRefused
from gradatim.fitting import write_predictions
from gradatim.fitting.painting import LIST, TABLE, write_painted

from .test_stored import mask_model


def piece(*names, content=b"x"):
    return pd.DataFrame({"file": names}), [(f"{name}.png", content) for name in names]


def names(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_files_of_all_pieces_and_one_table(tmp_path):
    table = write_painted(iter([piece("a", "sub/b"), piece("c")]), tmp_path / "out", [])
    assert table["file"].tolist() == ["a", "sub/b", "c"]
    assert names(tmp_path / "out") == ["a.png", TABLE, "c.png", LIST, "sub/b.png"]


def test_what_we_wrote_is_replaced_and_what_is_no_more_goes(tmp_path):
    write_painted(iter([piece("a", "sub/b")]), tmp_path / "out", [])
    (tmp_path / "out" / "mine.txt").write_text("mine")
    write_painted(iter([piece("a", "sub/c", content=b"new")]), tmp_path / "out", [])
    assert names(tmp_path / "out") == ["a.png", TABLE, LIST, "mine.txt", "sub/c.png"]
    assert (tmp_path / "out" / "a.png").read_bytes() == b"new"


def test_a_mask_that_the_user_has_corrected_is_never_lost(tmp_path):
    write_painted(iter([piece("a", "b")]), tmp_path / "out", [])
    (tmp_path / "out" / "a.png").write_bytes(b"corrected by hand")
    with pytest.raises(OutputRefused, match=r"'a\.png' is not ours"):
        write_painted(iter([piece("a", "b", content=b"new")]), tmp_path / "out", [])
    assert (tmp_path / "out" / "a.png").read_bytes() == b"corrected by hand"
    assert (tmp_path / "out" / "b.png").read_bytes() == b"x"
    write_painted(iter([piece("b")]), tmp_path / "out", [])
    assert (tmp_path / "out" / "a.png").read_bytes() == b"corrected by hand"


def test_nothing_is_written_where_a_later_piece_fails(tmp_path):
    def pieces():
        yield piece("a")
        raise InvalidValue("predict: no.")

    with pytest.raises(InvalidValue, match="no"):
        write_painted(pieces(), tmp_path / "out", [])
    assert list(tmp_path.iterdir()) == []


def test_a_list_that_leads_out_of_the_folder_removes_nothing(tmp_path):
    write_painted(iter([piece("a")]), tmp_path / "out", [])
    (tmp_path / "precious.png").write_bytes(b"x")
    path = tmp_path / "out" / LIST
    path.write_bytes(path.read_bytes().replace(b'"a.png"', b'"../precious.png"'))
    with pytest.raises(OutputRefused, match="not ours"):
        write_painted(iter([piece("a")]), tmp_path / "out", [])
    assert (tmp_path / "precious.png").exists()


def test_places_that_are_refused(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x.txt").write_text("x")
    (tmp_path / "file").write_text("x")
    for place, words in {"full": "must be new, empty or a folder of predictions", "file": "must be a folder for masks"}.items():  # fmt: skip
        with pytest.raises(OutputRefused, match=words):
            write_painted(iter([piece("a")]), tmp_path / place, [])
    with pytest.raises(OutputRefused, match="must not be what is read"):
        write_painted(iter([piece("a")]), tmp_path / "images", [tmp_path / "images"])


def test_images_of_one_name_are_refused(tmp_path):
    with pytest.raises(InvalidValue, match=r"names of their own, whatever the ending, got two for 'a\.png'"):  # fmt: skip
        write_painted(iter([piece("a"), piece("a")]), tmp_path / "out", [])
    with pytest.raises(InvalidValue, match="got two for"):
        write_painted(iter([piece("a", "a")]), tmp_path / "out", [])


@pytest.fixture
def model():
    return mask_model()


def test_a_model_predicts_files_folders_and_arrays(model, tmp_path):
    rng = np.random.default_rng(0)
    (tmp_path / "new" / "sub").mkdir(parents=True)
    for name, size in {"a.png": (30, 20), "sub/b.jpg": (9, 14)}.items():
        Image.fromarray(rng.integers(0, 256, (*size, 3), dtype=np.uint8)).save(tmp_path / "new" / name)  # fmt: skip
    (tmp_path / "new" / "torn.png").write_bytes(b"torn")
    result = write_predictions(model, tmp_path / "new", tmp_path / "out")
    assert (result.rows, result.things) == (2, "masks")
    assert result.notes == ["'torn.png' cannot be read and is skipped."]
    assert names(tmp_path / "out") == ["a.png", TABLE, LIST, "sub/b.png"]
    areas = pd.read_csv(tmp_path / "out" / TABLE)
    assert areas.columns.tolist() == ["file", "pixels", "area 0 black", "area 1 red", "area 9 #010203"]  # fmt: skip
    assert areas["pixels"].tolist() == [600, 126]
    assert (areas.iloc[:, 2:].sum(axis=1) == areas["pixels"]).all()
    with Image.open(tmp_path / "out" / "a.png") as image:
        assert image.mode == "P"
        assert image.getpalette()[3:6] == [255, 0, 0]
        mask = np.asarray(image)
    said = model.predict(tmp_path / "new" / "a.png")
    assert (said == mask).all()
    assert set(np.unique(said)) <= {0, 1, 9}
    assert [(said == v).sum() for v in (0, 1, 9)] == areas.iloc[0, 2:].tolist()
    table = gradatim.predict(model, tmp_path / "new", output=tmp_path / "areas.csv")
    pd.testing.assert_frame_equal(table, areas)
    assert (tmp_path / "areas.csv").read_bytes() == (tmp_path / "out" / TABLE).read_bytes()


def test_arrays_give_arrays(model):
    images = np.random.default_rng(0).integers(0, 256, (2, 11, 7, 3), dtype=np.uint8)
    both = model.predict(images)
    assert both.shape == (2, 11, 7)
    assert (model.predict(images[0]) == both[0]).all()
    assert model.predict(images[0, ..., 0]).shape == (11, 7)
    assert model.predict_proba(images).shape == (2, 3, 8, 8)
    assert len(gradatim.predict(model, images)) == 2
    for wrong in (images.astype(float), images[0, 0, 0], np.zeros((2, 11, 7, 4), np.uint8)):
        with pytest.raises(InvalidValue, match="predict: images must"):
            model.predict(wrong)


def test_files_that_cannot_be_read(model, tmp_path):
    (tmp_path / "a.png").write_bytes(b"torn")
    with pytest.raises(InvalidValue, match=r"'.*a\.png' cannot be read"):
        model.predict(tmp_path / "a.png")
    with pytest.raises(InvalidValue, match=r"none can be read: 'a\.png' cannot be read"):
        write_predictions(model, tmp_path, tmp_path / "out")
