"""The catalogue: complete, consistent, and free of what must not be in it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import gradatim.data
from gradatim.data import catalogue
from gradatim.data.entries import find
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
TASKS |= {"forecasting", "translation", "weights"}


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
    offline = "digits iris wine breast-cancer diabetes xor moons circles spirals sinusoid blobs"
    downloads = "mnist fashion-mnist cifar10 spam zip-code tiny-shakespeare imdb"
    downloads += " spoken-digits japanese-vowels tatoeba-spa airline sunspots co2 nile"
    downloads += " cifar10-resnets minilm"
    tables = "default hitters nyse smarket wage bikeshare boston"
    assert set(names) >= {*offline.split(), *downloads.split()}
    assert set(names) >= {f"islp-{table}" for table in tables.split()}


def test_every_pip_and_npm_package_has_an_exact_version():
    for entry in catalogue():
        for source in entry.archive.sources if entry.archive else ():
            pattern = {"pip": r"[\w-]+==[\d.]+", "npm": r"[\w-]+@[\d.]+", "apt": r"[\w-]+"}
            assert re.fullmatch(pattern[source.tool], source.package)


def test_no_host_is_named_and_nothing_is_unpickled():
    for file in Path(gradatim.data.__file__).parent.glob("*.py"):
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
