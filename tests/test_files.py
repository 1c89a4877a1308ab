"""Files are written whole or not at all; trees come back as they were."""

import json
import os
import zlib

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from gradatim.errors import GradatimError, InvalidValue, Unavailable
from gradatim.files import (
    load_tree,
    open_atomically,
    pack_tree,
    save_tree,
    write_atomically,
    write_files,
)
from gradatim.hashing import sign

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.text(max_size=5),
    st.floats(allow_nan=False),
)
KEYS = st.one_of(st.text(max_size=4), st.integers(0, 9))
TREES = st.recursive(
    LEAVES, lambda t: st.lists(t, max_size=3) | st.dictionaries(KEYS, t, max_size=3), max_leaves=8
)


@settings(max_examples=40, deadline=None)
@given(tree=TREES)
def test_plain_trees_come_back(tmp_path_factory, tree):
    path = tmp_path_factory.mktemp("tree") / "f"
    assert load_tree(save_tree(path, {"tree": tree}, kind="test"), kind="test") == {"tree": tree}


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool, torch.uint8]
)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_tensors_come_back(tmp_path, dtype, shape):
    tensor = (torch.randn(shape) * 3).to(dtype)
    path = save_tree(tmp_path / "f", {"a": [tensor, tensor]}, kind="test")
    for again in load_tree(path, kind="test")["a"]:
        assert again.dtype == dtype
        assert torch.equal(again, tensor)


def test_transposed_and_shared_tensors_come_back(tmp_path):
    base = torch.arange(6.0).view(2, 3)
    tree = load_tree(save_tree(tmp_path / "f", {"a": base.t(), "b": base[0]}, kind="t"), kind="t")
    assert torch.equal(tree["a"], base.t())
    assert torch.equal(tree["b"], base[0])


def test_the_kind_must_match(tmp_path):
    save_tree(tmp_path / "f", {}, kind="one")
    with pytest.raises(GradatimError, match="must be a two, got a one"):
        load_tree(tmp_path / "f", kind="two")


def test_unknown_objects_are_refused(tmp_path):
    with pytest.raises(GradatimError, match=r"a\.0 must be a tensor, number.*got set"):
        save_tree(tmp_path / "f", {"a": [set()]}, kind="test")
    assert not list(tmp_path.iterdir())


def full(*_):
    raise OSError(28, "No space left on device")


def test_a_stream_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    path = write_atomically(tmp_path / "f", b"old")
    with pytest.raises(ZeroDivisionError), open_atomically(path) as file:
        file.write(b"%d" % (1 // 0))
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_a_writer_may_give_its_name(tmp_path):
    with pytest.raises(Unavailable, match=r"^me: .* cannot be written: it is a folder\.$"):
        open_atomically(tmp_path, owner="me").__enter__()
    with pytest.raises(Unavailable, match=r"^.*: cannot be written: it is a folder\.$"):
        write_atomically(tmp_path, b"")


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_folder_is_written_whole_or_not_at_all(tmp_path, monkeypatch, is_replaced):
    folder = write_files(tmp_path / "m", {"a": b"old", "b": b"old"})
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(Unavailable, match=r"m: cannot be written: No space left on device\.$"):
            write_files(folder, {"a": b"new"}, is_replaced=is_replaced)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == {"a": b"old", "b": b"old"}
    write_files(folder, {"a": b"new"}, is_replaced=is_replaced)
    found = {p.name: p.read_bytes() for p in folder.iterdir()}
    assert found == ({"a": b"new"} if is_replaced else {"a": b"new", "b": b"old"})
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_a_folder_that_cannot_be_exchanged_comes_back(tmp_path, monkeypatch):
    folder = write_files(tmp_path / "m", {"a": b"old"})
    replace = os.replace

    def fails_once(source, target):
        if source.name == "new":
            raise OSError(5, "Input/output error")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fails_once)
    with pytest.raises(Unavailable, match=r"Input/output error"):
        write_files(folder, {"a": b"new"}, is_replaced=True)
    assert (folder / "a").read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = write_atomically(tmp_path / "f", b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Unavailable, match="No space left on device"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_a_file_of_the_version_before_is_read(tmp_path):
    """Whose checksum looked at the tensors alone."""
    tensors, tree = {}, {"a": torch.arange(3.0), "b": [1, "x"]}
    packed = pack_tree(tree, tensors)
    crc = zlib.crc32(tensors[".a"].numpy().tobytes(), zlib.crc32(b".a"))
    for checksum in (crc, crc + 1):
        description = {"kind": "test", "tree": packed, "checksum": checksum}
        save_file(tensors, tmp_path / "f", {"gradatim": json.dumps(description)})
        if checksum == crc:
            assert load_tree(tmp_path / "f", kind="test")["b"] == [1, "x"]
        else:
            with pytest.raises(InvalidValue, match="is damaged: its checksum differs"):
                load_tree(tmp_path / "f", kind="test")


@pytest.mark.parametrize("tree", [None, 5, [], {}, {"items": 3}, {"items": [[1]]}, {"tensor": "absent"}, {"list": [[]]}, {"a": 1, "b": 2}])  # fmt: skip
def test_a_signed_tree_that_is_none_is_refused(tmp_path, tree):
    description = sign({"kind": "test", "tree": tree, "tensors": {}})
    save_file({}, tmp_path / "f", {"gradatim": json.dumps(description)})
    with pytest.raises(InvalidValue, match="is damaged or not a test of Gradatim"):
        load_tree(tmp_path / "f", kind="test")
