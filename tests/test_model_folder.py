"""A model folder is what was written, or it is refused in one sentence."""

import json
import random
import shutil

import pytest
import torch

from gradatim.errors import GradatimError, InvalidValue, OutputRefused, Unavailable
from gradatim.hashing import hash_bytes
from gradatim.model_folder import check_folder, read_model, save_model

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


def save(folder, extra=None):
    return save_model(folder, "table", {}, TENSORS, extra or {"report.html": b"page"})


def test_an_older_model_is_replaced_and_what_is_not_ours_stays(tmp_path):
    folder = save(tmp_path / "m", {"report.html": b"old", "curve.png": b"old"})
    (folder / "train.csv").write_bytes(b"mine")
    (folder / "notes").mkdir()
    (folder / "notes" / "a.txt").write_bytes(b"mine")
    save(folder, {"report.html": b"new"})
    assert sorted(p.name for p in folder.iterdir()) == ["model.json", "model.safetensors", "notes", "report.html", "train.csv"]  # fmt: skip
    assert (folder / "report.html").read_bytes() == b"new"
    assert (folder / "train.csv").read_bytes() == (folder / "notes" / "a.txt").read_bytes() == b"mine"  # fmt: skip
    assert read_model(folder)


def test_a_link_to_a_folder_is_followed(tmp_path):
    folder = save(tmp_path / "m")
    (tmp_path / "link").symlink_to("m")
    save(tmp_path / "link", {"report.html": b"new"})
    assert (tmp_path / "link").is_symlink()
    assert (folder / "report.html").read_bytes() == b"new"


def test_a_changed_file_is_the_user_s(folder):
    (folder / "report.html").write_bytes(b"page, with my notes")
    with pytest.raises(OutputRefused, match=r"save: folder must hold the files that were written, got .*m', where 'report.html' was changed\. Choose"):  # fmt: skip
        save(folder)
    (folder / "report.html").unlink()
    (folder / "report.html").symlink_to(folder / "model.json")
    with pytest.raises(OutputRefused, match=r"'report\.html' was changed"):
        save(folder)
    (folder / "report.html").unlink()
    save(folder)


def test_a_file_of_the_user_in_the_way_is_refused(folder):
    (folder / "curve.png").write_bytes(b"mine")
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    with pytest.raises(OutputRefused, match=r"'curve\.png' is not ours"):
        save(folder, {"curve.png": b"ours"})
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


@pytest.mark.parametrize("content", ["{}", '{"format": 1, "kind": "table"}', '{"versions": {"gradatim": "1"}}', "[]"])  # fmt: skip
def test_a_foreign_folder_with_a_model_json_is_not_ours(tmp_path, content):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "model.json").write_text(content)
    with pytest.raises(OutputRefused, match="must be new, empty or a model folder"):
        save(tmp_path / "m")
    assert (tmp_path / "m" / "model.json").read_text() == content


def test_a_folder_of_the_first_format_is_replaced_by_known_names(folder):
    document = json.loads((folder / "model.json").read_text("utf-8"))
    old = {k: v for k, v in document.items() if k not in ("files", "sha256")} | {"format": 1}
    (folder / "model.json").write_text(json.dumps(old))
    report = {"versions": {"gradatim": "0"}, "figures": [{"file": "curve.png"}, {"file": "../up"}]}
    (folder / "report.json").write_text(json.dumps(report))
    for name in ("predictions.csv", "curve.png", "mine.png"):
        (folder / name).write_bytes(b"old")
    (folder.parent / "up").write_bytes(b"mine")
    save(folder)
    assert sorted(p.name for p in folder.iterdir()) == ["mine.png", "model.json", "model.safetensors", "report.html"]  # fmt: skip
    assert (folder.parent / "up").exists()


def test_names_in_a_stranger_s_list_reach_nothing_outside(folder):
    (folder.parent / "mine").write_bytes(b"mine")
    document = json.loads((folder / "model.json").read_text("utf-8"))
    document["files"] |= {"../mine": hash_bytes(b"mine"), str(folder.parent / "mine"): ""}
    (folder / "model.json").write_text(json.dumps(document))
    save(folder)
    assert (folder.parent / "mine").read_bytes() == b"mine"


@pytest.mark.parametrize("name", [".", "..", "/", "dangling"])
def test_a_folder_that_is_not_its_own_is_refused(tmp_path, monkeypatch, name):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here" / "dangling").symlink_to("nowhere")
    with pytest.raises(OutputRefused, match="fit: output must be a folder of its own"):
        check_folder(name, "fit: output")


def test_what_is_read_is_not_replaced(folder):
    for inputs in ([folder], [folder / "report.html"], [folder / "." / "model.safetensors"]):
        with pytest.raises(OutputRefused, match="fit: output must not hold what is read"):
            check_folder(folder, "fit: output", inputs)
    check_folder(folder, "fit: output", [folder / "train.csv", "iris"])


def test_a_kill_between_two_files_is_mended_when_the_folder_is_read(folder):
    new = save(folder.parent / "new", {"report.html": b"new"})
    place = folder / ".m.gradatim-dead"
    shutil.copytree(new, place / "ready")
    plan = {"files": ["model.safetensors", "report.html", "model.json"], "gone": []}
    (place / "plan.json").write_text(json.dumps(plan))
    (place / "ready" / "model.safetensors").replace(folder / "model.safetensors")
    assert read_model(folder)[0] == read_model(new)[0]
    assert sorted(p.name for p in folder.iterdir()) == ["model.json", "model.safetensors", "report.html"]  # fmt: skip
