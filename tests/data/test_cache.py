"""The cache folder: where it is, and that a file is whole or absent."""

import errno
import hashlib
import os
from pathlib import Path

import pytest

from gradatim.data import cache
from gradatim.data.cache import cache_folder, has_content, has_size, put


def test_the_variable_names_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    assert cache_folder() == tmp_path


def test_the_variable_may_be_relative_or_start_with_a_tilde(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRADATIM_HOME", "here")
    assert cache_folder() == tmp_path / "here"
    monkeypatch.setenv("GRADATIM_HOME", "~/there")
    assert cache_folder() == Path.home() / "there"


@pytest.mark.parametrize(
    ("platform", "variable", "value", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "/x", Path("/x/gradatim")),
        ("linux", "XDG_CACHE_HOME", "", Path.home() / ".cache/gradatim"),
        ("darwin", "XDG_CACHE_HOME", "/x", Path.home() / "Library/Caches/gradatim"),
        ("win32", "LOCALAPPDATA", "/local", Path("/local/gradatim")),
        ("win32", "LOCALAPPDATA", "", Path.home() / "AppData/Local/gradatim"),
    ],
)
def test_the_default_is_the_users_cache(platform, variable, value, expected, monkeypatch):
    monkeypatch.setenv("GRADATIM_HOME", "")
    monkeypatch.setenv(variable, value)
    monkeypatch.setattr(cache.sys, "platform", platform)
    assert cache_folder() == expected


def test_size_and_content_tell_whole_from_damaged(tmp_path):
    file = tmp_path / "f"
    digest = hashlib.sha256(b"abc").hexdigest()
    assert not has_size(file, 3)
    assert not has_content(file, 3, digest)
    file.write_bytes(b"abd")
    assert has_size(file, 3)
    assert not has_size(file, 4)
    assert not has_content(file, 3, digest)
    file.write_bytes(b"abc")
    assert has_content(file, 3, digest)


def test_a_folder_is_no_file(tmp_path):
    assert not has_size(tmp_path, tmp_path.stat().st_size)


def test_put_makes_the_folder_and_replaces(tmp_path):
    target = tmp_path / "set" / "file"
    put(b"old", target, tmp_path)
    put(b"new content", target, tmp_path)
    assert target.read_bytes() == b"new content"
    assert [path.name for path in tmp_path.iterdir()] == ["set"]


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "set" / "file"
    put(b"old", target, tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(cache.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        put(b"new", target, tmp_path)
    assert target.read_bytes() == b"old"
