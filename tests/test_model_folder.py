"""A model folder is what was written, or it is refused in one sentence."""

import json
import random
import shutil

import pytest
import torch

from gradatim.errors import GradatimError, InvalidValue, Unavailable
from gradatim.hashing import hash_bytes
from gradatim.model_folder import read_model, save_model

TENSORS = {"weight": torch.arange(6.0).view(2, 3), "bias": torch.tensor([0.5, -1.0])}


@pytest.fixture
def folder(tmp_path):
    return save_model(tmp_path / "m", "table", {"columns": ["é", "\udcff"], "depth": 3, "center": 0.1}, TENSORS, {"report.html": b"page"})  # fmt: skip


def test_the_folder_holds_the_fingerprint_of_every_file(folder):
    description, tensors = read_model(folder)
    assert description["columns"] == ["é", "\udcff"]
    assert description["files"] == {
        name: hash_bytes((folder / name).read_bytes()) for name in ("model.safetensors", "report.html")
    }  # fmt: skip
    assert all(torch.equal(tensors[name], tensor) for name, tensor in TENSORS.items())


@pytest.mark.parametrize("name", ["model.json", "model.safetensors"])
def test_one_flipped_bit_is_noticed(folder, name):
    before = read_model(folder)[0]
    content = (folder / name).read_bytes()
    draw = random.Random(0)
    for place in draw.sample(range(8 * len(content)), min(8 * len(content), 600)):
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << place % 8
        (folder / name).write_bytes(flipped)
        try:
            assert read_model(folder)[0] == before  # a space more or less says nothing
            assert name == "model.json"
        except GradatimError:
            continue


@pytest.mark.parametrize("name", ["model.json", "model.safetensors"])
def test_parts_of_two_folders_are_not_one(folder, tmp_path, name):
    other = save_model(tmp_path / "o", "table", {"columns": []}, {"weight": torch.ones(2, 3)})
    shutil.copy(other / name, folder / name)
    with pytest.raises(InvalidValue, match=r"model\.safetensors is not the file that was written with model\.json"):  # fmt: skip
        read_model(folder)


def test_a_page_that_the_user_changed_is_the_user_s_affair(folder):
    (folder / "report.html").unlink()
    assert read_model(folder)[0]["depth"] == 3


def test_a_folder_of_the_first_format_has_no_fingerprints(folder):
    document = json.loads((folder / "model.json").read_text("utf-8"))
    old = {k: v for k, v in document.items() if k not in ("files", "sha256")} | {"format": 1}
    (folder / "model.json").write_text(json.dumps(old))
    assert read_model(folder)[0] == old


def test_what_cannot_be_a_model_is_refused(folder):
    deep = b'{"a":' * 100_000 + b"0" + b"}" * 100_000
    for content in (deep, b"\xff\xfe", b"[]", b'{"format": true}', b'{"format": 3}', b"", b"NaN"):
        (folder / "model.json").write_bytes(content)
        with pytest.raises(InvalidValue, match=r"^load_model: .*(is damaged|must have format 1 or 2)"):  # fmt: skip
            read_model(folder)


def test_a_folder_without_weights_is_not_whole(folder):
    (folder / "model.safetensors").unlink()
    with pytest.raises(Unavailable, match=r"is not whole: it has no model\.safetensors"):
        read_model(folder)
