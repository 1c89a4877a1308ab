"""Files are written whole or not at all; trees come back as they were."""

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import zlib

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from gradatim.errors import GradatimError, InvalidValue, OutputRefused, Unavailable
from gradatim.files import (
    check_output,
    is_result,
    load_tree,
    open_atomically,
    pack_tree,
    probe_folder,
    report_files,
    save_tree,
    scratch_folder,
    settle,
    sweep,
    tree_kind,
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


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_folder_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    folder = write_files(tmp_path / "m", {"a": b"old", "b": b"old"})
    (folder / "mine").write_bytes(b"mine")
    before = contents(folder)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        for place in (folder, tmp_path / "new"):
            with pytest.raises(
                Unavailable, match=r": cannot be written: No space left on device\.$"
            ):
                write_files(place, {"a": b"new"}, ours=("a", "b"))
    assert contents(folder) == before
    write_files(folder, {"a": b"new"}, ours=("a", "b"))
    assert contents(folder) == {"a": b"new", "mine": b"mine"}
    assert names(tmp_path) == ["m"]


def test_files_of_others_are_never_replaced(tmp_path):
    folder = write_files(tmp_path / "m", {"a": b"old"})
    (folder / "b").write_bytes(b"mine")
    (folder / "c").symlink_to("nowhere")
    for name in ("b", "c"):
        with pytest.raises(OutputRefused, match=rf"m: must not hold files of others .* '{name}' is not ours\. Move"):  # fmt: skip
            write_files(folder, {"a": b"new", name: b"new"}, ours=["a"])
    assert (folder / "a").read_bytes() == b"old"
    assert (folder / "b").read_bytes() == b"mine"


KILLED = """
import os, sys
from gradatim.files import write_files

replace, count = os.replace, [0]

def kill(*arguments):
    if count[0] == int(sys.argv[2]):
        os.kill(os.getpid(), 9)
    count[0] += 1
    replace(*arguments)

os.replace = kill
write_files(sys.argv[1], {"a": b"new", "b": b"new", "d": b"new"}, ours=["a", "b", "c"])
"""


@pytest.mark.parametrize("moment", range(5))
def test_a_writer_killed_between_two_renames_is_finished_or_undone_at_the_next_start(tmp_path, moment):  # fmt: skip
    folder = write_files(tmp_path / "m", {"a": b"old", "b": b"old", "c": b"old"})
    (folder / "mine").write_bytes(b"mine")
    old, new = contents(folder), {"a": b"new", "b": b"new", "d": b"new", "mine": b"mine"}
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder), str(moment)])
    assert done.returncode == (-9 if moment < 4 else 0)
    assert len(names(folder)) > 4 or moment == 4
    settle(folder)
    assert contents(folder) == (old if moment == 0 else new)
    assert names(tmp_path) == ["m"]


@pytest.mark.parametrize("moment", [0, 1])
def test_a_new_folder_is_there_whole_or_not_at_all(tmp_path, moment):
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "m"), str(moment)])
    assert (tmp_path / "m").exists() == (moment == 1)
    settle(tmp_path / "m")
    assert names(tmp_path) == ["m"] * moment


def test_a_writer_that_fails_half_way_is_finished_at_the_next_start(tmp_path, monkeypatch):
    folder = write_files(tmp_path / "m", {"a": b"old", "b": b"old"})
    replace = os.replace

    def fails(source, target):
        if str(source).endswith("ready/b"):
            raise OSError(5, "Input/output error")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(Unavailable, match=r"Input/output error"):
        write_files(folder, {"a": b"new", "b": b"new"}, ours=("a", "b"))
    monkeypatch.undo()
    settle(folder)
    assert contents(folder) == {"a": b"new", "b": b"new"}


def test_a_plan_from_a_stranger_reaches_nothing_outside(tmp_path):
    (tmp_path / "secret").write_bytes(b"mine")
    place = tmp_path / "m" / ".m.gradatim-x"
    (place / "ready").mkdir(parents=True)
    (place / "ready" / "evil").write_bytes(b"")
    plan = {"files": ["../m2", "/tmp/evil", 3], "gone": ["../secret", str(tmp_path / "secret")]}
    (place / "plan.json").write_text(json.dumps(plan))
    settle(tmp_path / "m")
    assert names(tmp_path) == ["m", "secret"]


def test_scratch_of_the_living_is_let_be_and_that_of_the_dead_swept(tmp_path):
    with scratch_folder(tmp_path, "m") as place, open_atomically(tmp_path / "f", owner="me"):
        held = names(tmp_path)
        sweep(tmp_path, "m")
        sweep(tmp_path, "f")
        assert names(tmp_path) == held
        assert len(held) == 2
        shutil.copytree(place, tmp_path / ".m.gradatim-dead")
        (tmp_path / ".f.gradatim-dead").write_bytes(b"half")
        (tmp_path / ".g.gradatim-dead").write_bytes(b"of another file")
        sweep(tmp_path, "m")
        with open_atomically(tmp_path / "f", owner="me") as file:
            file.write(b"whole")
        assert names(tmp_path) == sorted([*held, ".g.gradatim-dead", "f"])
    assert names(tmp_path) == [".g.gradatim-dead", "f"]


def test_names_as_long_as_file_systems_allow_can_be_written(tmp_path):
    for name in ("n" * 255, "é" * 127, os.fsdecode(b"\xff" * 255)):
        assert write_atomically(tmp_path / name, b"whole").read_bytes() == b"whole"


@pytest.fixture
def kinds(tmp_path):
    """Outputs that may not be replaced, by name, with the words of the refusal."""
    for name in ("read", "twin", "other", "locked", "mine"):
        (tmp_path / name).write_bytes(b"ours" if name != "other" else b"theirs")
    (tmp_path / "twin").unlink()
    os.link(tmp_path / "read", tmp_path / "twin")
    (tmp_path / "link").symlink_to("read")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "locked").chmod(0o444)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
    return {
        "read": "must not be what is read",
        "twin": "must not be what is read",
        "link": "must not be what is read",
        "dangling": "must not be a link to nothing",
        "circle": "Too many levels of symbolic links",
        "other": "must be new, or written by the same command before",
        "locked": "cannot be written: it is read-only",
        "folder": "cannot be written: it is a folder",
        "pipe": "must be a regular file",
        "socket": "must be a regular file",
        "/dev/null": "must be a regular file",
        "a\0b": "cannot be written: embedded null",
    }


def test_an_output_never_costs_a_file(tmp_path, kinds):
    before = {path.name: path.lstat() for path in tmp_path.iterdir()}

    def is_ours(path):
        return path.read_bytes() == b"ours"

    for name, words in kinds.items():
        with pytest.raises(GradatimError, match=f"^me: .*{words}"):  # noqa: SIM117
            with open_atomically(tmp_path / name, owner="me", inputs=[tmp_path / "read", "none"], is_ours=is_ours) as file:  # fmt: skip
                file.write(b"new")
    after = {path.name: path.lstat() for path in tmp_path.iterdir()}
    assert {n: (s.st_ino, s.st_mtime_ns) for n, s in after.items()} == {
        n: (s.st_ino, s.st_mtime_ns) for n, s in before.items()
    }
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_link_is_followed_and_the_rights_stay(tmp_path):
    (tmp_path / "far").mkdir()
    target = tmp_path / "far" / "mine"
    target.write_bytes(b"old")
    target.chmod(0o640)
    (tmp_path / "link").symlink_to("far/mine")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640
    assert names(tmp_path / "far") == ["mine"]


def test_an_empty_file_is_free(tmp_path):
    (tmp_path / "f").touch()
    assert check_output(tmp_path / "f", "me: output", is_ours=lambda path: False) == tmp_path / "f"


def test_a_probe_leaves_nothing(tmp_path):
    (tmp_path / "file").touch()
    probe_folder(tmp_path / "a" / "b")
    with pytest.raises(OSError):
        probe_folder(tmp_path / "file" / "b")
    with pytest.raises(OSError):
        probe_folder(tmp_path / "a" / ("n" * 300) / "b")
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("content", ["[]", "{}", '{"versions": 3}', '{"versions": {"torch": "2"}}', "{", ""])  # fmt: skip
def test_a_folder_of_others_is_not_taken_for_ours(tmp_path, content):
    (tmp_path / "model.json").write_text(content)
    assert not is_result(tmp_path)
    assert report_files(tmp_path) == []


def test_the_kind_of_a_tree_is_read_from_its_header(tmp_path):
    assert tree_kind(save_tree(tmp_path / "f", {"a": torch.zeros(3)}, kind="test")) == "test"
    (tmp_path / "g").write_bytes(b"\xff" * 64)
    assert tree_kind(tmp_path / "g") is None
    assert tree_kind(tmp_path / "none") is None


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
