"""What an entry says of itself."""

from dataclasses import FrozenInstanceError

import pytest

from gradatim.data.entries import find
from gradatim.data.entry import Source


def test_an_offline_set_is_always_cached_and_costs_nothing(home):
    entry = find("test", "iris")
    assert entry.is_cached
    assert entry.size_bytes == 0
    assert entry.members == ()


def test_a_set_is_cached_once_its_own_files_are_whole(home, register):
    entry = register({"a": b"12", "b": b"345"}, (Source("pip", "p", "{}", 99),))
    assert entry.size_bytes == 99
    assert not entry.is_cached
    (home / "toy").mkdir(parents=True)
    entry.path("a").write_bytes(b"12")
    assert not entry.is_cached
    entry.path("b").write_bytes(b"34")
    assert not entry.is_cached
    entry.path("b").write_bytes(b"345")
    assert entry.is_cached


def test_sets_of_one_archive_share_a_folder_and_need_only_their_files(home):
    default, wage = find("test", "islp-default"), find("test", "islp-wage")
    assert [member.name for member in default.members] == ["Default.csv"]
    assert default.path("Default.csv").parent == wage.path("Wage.csv").parent
    assert default.archive is wage.archive


def test_an_entry_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        find("test", "iris").name = "rose"
