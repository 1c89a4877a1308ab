"""The catalogue: complete, consistent, and free of what must not be in it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import gradatim.data
from gradatim.data import catalogue
from gradatim.data.entries import find, read_catalogue
from gradatim.data.entry import Member, Source
from gradatim.data.formats import FORMATS
from gradatim.errors import InvalidValue

TASKS = {
    "classification",
    "regression",
    "survival",
    "unsupervised",
    "text",
    "language",
    "vocabulary",
}
TASKS |= {
    "anomalies",
    "forecasting",
    "segmentation",
    "translation",
    "weights",
    "tagging",
    "vectors",
}

PINS = {entry.archive.folder: entry.archive.members for entry in catalogue() if entry.archive}
UCR_ENTRIES = [entry for entry in catalogue() if entry.name.startswith("ucr-")]
ISLP_ENTRIES = [entry for entry in catalogue() if entry.name.startswith("islp-")]

# Rows and responses as An Introduction to Statistical Learning states them.
BOOK = {
    "islp-default": (10000, "default"),
    "islp-hitters": (322, "Salary"),
    "islp-nyse": (6051, "log_volume"),
    "islp-smarket": (1250, "Direction"),
    "islp-wage": (3000, "wage"),
    "islp-bikeshare": (8645, "bikers"),
    "islp-boston": (506, "medv"),
    "islp-auto": (392, "mpg"),
    "islp-carseats": (400, "Sales"),
    "islp-weekly": (1089, "Direction"),
    "islp-oj": (1070, "Purchase"),
    "islp-caravan": (5822, "Purchase"),
    "islp-college": (777, "Apps"),
    "islp-credit": (400, "Balance"),
    "islp-khan": (83, "x"),
    "islp-nci60": (64, "label"),
}


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry.name)
def test_every_entry_is_complete(entry):
    assert entry.task in TASKS
    assert entry.format in FORMATS
    assert entry.samples > 0
    assert entry.origin
    assert entry.licence
    assert entry.summary
    assert not entry.summary.endswith(".")
    assert (entry.size_bytes > 0) == (entry.archive is not None)
    if entry.archive is not None:
        assert set(entry.files) <= {member.name for member in entry.archive.members}
        assert all(source.path.count("{}") == 1 for source in entry.archive.sources)


def test_names_are_distinct_and_the_promised_ones_are_there():
    names = [entry.name for entry in catalogue()]
    assert len(set(names)) == len(names)
    offline = "digits iris wine breast-cancer diabetes xor moons circles spirals sinusoid blobs waves karate"
    downloads = "mnist fashion-mnist cifar10 spam zip-code tiny-shakespeare imdb"
    downloads += " spoken-digits japanese-vowels basic-motions ucr-ECG5000 ucr-FordA tatoeba-spa airline sunspots co2 nile"
    downloads += " cora mutag qm9 cifar10-resnets minilm mobilenet"
    tables = "default hitters nyse smarket wage bikeshare boston"
    assert set(names) >= {*offline.split(), *downloads.split()}
    assert set(names) >= {f"islp-{table}" for table in tables.split()}


def test_every_pip_and_npm_package_has_an_exact_version():
    for entry in catalogue():
        for source in entry.archive.sources if entry.archive else ():
            pattern = {"pip": r"[\w-]+==[\d.]+", "npm": r"[\w-]+@[\d.]+", "apt": r"[\w-]+"}
            assert re.fullmatch(pattern[source.tool], source.package)


def test_no_host_is_named_and_nothing_is_unpickled():
    folder = Path(gradatim.data.__file__).parent
    for file in (*folder.glob("*.py"), folder / "catalogue.toml"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"https?:|\w\.(org|com|io|net)\b", text), file
        assert "import pickle" not in text
        assert "allow_pickle=True" not in text


def test_an_unknown_name_gets_the_nearest():
    with pytest.raises(
        InvalidValue, match=r"^load: name must be one of mnist, .* got 'mnits'\. Try 'mnist'\.$"
    ):
        find("load", "mnits")


def test_the_catalogue_waits_for_no_large_library():
    heavy = "{'numpy', 'pandas', 'sklearn', 'torch', 'PIL', 'scipy', 'matplotlib'}"
    code = f"import sys, gradatim.data as d; d.catalogue()[0].is_cached; print({heavy} & set(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "set()\n"


def test_rows_and_targets_are_those_of_the_book():
    known = {entry.name: (entry.samples, entry.target) for entry in ISLP_ENTRIES}
    assert {name: known[name] for name in BOOK} == BOOK


@pytest.mark.parametrize("entries", [ISLP_ENTRIES, UCR_ENTRIES], ids=["islp", "ucr"])
def test_every_file_of_the_archive_belongs_to_exactly_one_set(entries):
    used = [file for entry in entries for file in entry.files]
    assert sorted(used) == sorted(member.name for member in entries[0].archive.members)


def test_the_ucr_sets_read_their_own_parts():
    assert len(UCR_ENTRIES) == 51
    for entry in UCR_ENTRIES:
        name = entry.name.removeprefix("ucr-")
        assert entry.files == (f"{name}_TRAIN.tsv", f"{name}_TEST.tsv")


def test_columns_that_give_the_answer_away_are_announced():
    leaks = {"smarket": "Today", "weekly": "Today", "wage": "logwage", "bikeshare": "registered"}
    notes = {entry.name: entry.notes for entry in ISLP_ENTRIES}
    assert all(column in notes[f"islp-{name}"] for name, column in leaks.items())


def test_a_set_has_a_target_unless_it_is_unsupervised():
    for entry in ISLP_ENTRIES:
        assert (entry.target is None) == (entry.task == "unsupervised")


def test_every_pin_is_a_hash_a_size_and_a_plain_name():
    for table in PINS.values():
        assert len({member.name for member in table}) == len(table)
        for member in table:
            assert re.fullmatch(r"[0-9a-f]{64}", member.sha256)
            assert member.size > 0
            assert re.fullmatch(r"\w[\w.-]*", member.name)


def test_image_files_have_header_plus_pixels():
    for table in (PINS["mnist"], PINS["fashion-mnist"]):
        assert [member.size for member in table] == [
            16 + 60000 * 28 * 28,
            8 + 60000,
            16 + 10000 * 28 * 28,
            8 + 10000,
        ]
    assert {member.size for member in PINS["cifar10"][:6]} == {10000 * 32 * 32 * 3}


def test_label_lists_have_two_characters_per_label_and_one_bracket_more():
    assert [member.size for member in PINS["cifar10"][6:]] == [2 * 50000 + 1, 2 * 10000 + 1]


GROUP = """
[toys]
format = "text"
task = "language"
origin = "me"
licence = "free"
{shared}
[toys.abc]
samples = 3
summary = "Letters"
{own}
[toys.xyz]
samples = 4
summary = "Other letters"
licence = "dear"
"""
SOURCES = 'sources = [{ tool = "pip", package = "p==1", size = 7, path = "p/{set}/{}" }]'
MEMBERS = "members = '''\n" + "0f" * 32 + " 12 a.txt\n" + "f0" * 32 + "  3 b.txt\n'''"


def _read(shared="", own=""):
    return read_catalogue(GROUP.replace("{shared}", shared).replace("{own}", own))


def test_a_set_inherits_from_its_group_unless_it_says_otherwise():
    entries = _read()
    assert list(entries) == ["abc", "xyz"]
    assert [(e.licence, e.origin, e.samples) for e in entries.values()] == [
        ("free", "me", 3),
        ("dear", "me", 4),
    ]
    assert entries["abc"].archive is None


def test_members_of_a_group_are_one_archive_and_members_of_a_set_its_own():
    shared = _read(shared=f"{SOURCES}\n{MEMBERS}")
    assert shared["abc"].archive is shared["xyz"].archive
    assert shared["abc"].archive.folder == "toys"
    own = _read(own=f"{SOURCES}\n{MEMBERS}")["abc"]
    assert own.archive.folder == "abc"
    assert own.archive.sources == (Source("pip", "p==1", "p/abc/{}", 7),)
    assert own.archive.members == (
        Member("a.txt", 12, "0f" * 32),
        Member("b.txt", 3, "f0" * 32),
    )


def test_lists_become_tuples():
    entry = _read(own='classes = ["a", "b"]\nfiles = ["c"]')["abc"]
    assert (entry.classes, entry.files) == (("a", "b"), ("c",))


@pytest.mark.parametrize(
    ("shared", "own", "message"),
    [
        ("licens = 1", "", r"catalogue, abc: a key must be one of licence, .* got 'licens'\. Try 'licence'\."),
        ("", 'name = "d"', r"catalogue, abc: a key must be one of .* got 'name'"),
        ("", "archive = 1", r"catalogue, abc: a key must be one of .* got 'archive'"),
        (SOURCES.replace("size", "bytes"), MEMBERS, r"catalogue, abc: a key must be one of .* got 'bytes'"),
        (SOURCES, "", r"catalogue, abc: members must be given, got format, "),
        (MEMBERS, "", r"catalogue, toys: sources must be given, got format, "),
        ("", "[toys.empty]", r"catalogue, empty: (samples|summary) must be given, got format, "),
        ("", "[more.abc]", r"catalogue: abc must be in one group, got it in two\."),
    ],
)  # fmt: skip
def test_a_catalogue_with_an_unknown_a_missing_or_a_double_key_is_refused(shared, own, message):
    with pytest.raises(InvalidValue, match=f"^{message}"):
        _read(shared, own)
