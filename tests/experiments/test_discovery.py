import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from gradatim import experiments
from gradatim.errors import InvalidValue
from gradatim.experiments import Entry
from gradatim.experiments._discovery import ORDER


def test_experiments_are_found_by_their_files(coin_toss):
    names = experiments.names()
    assert coin_toss in names
    assert names == sorted(names)
    assert not any(name.startswith(("-", "_")) for name in names)


def test_summary_is_the_first_line(coin_toss):
    assert experiments.summary(coin_toss) == "Coins land on both sides."


def test_entries_say_what_the_text_says(coin_toss):
    assert experiments.entries("coins") == [
        Entry(
            *(coin_toss, "chance", "Games of chance", "Coins land on both sides."),
            *({"throws": 10}, ("A0",), "heads or tails, Bernoulli"),
        )
    ]


def test_entries_are_all_experiments_by_chapter_and_name(coin_toss):
    entries = experiments.entries()
    assert sorted(entry.name for entry in entries) == experiments.names()
    assert list(dict.fromkeys(entry.chapter for entry in entries)) == [*ORDER, "chance"]
    for _, group in groupby(entries, key=lambda entry: entry.chapter):
        found = [entry.name for entry in group]
        assert found == sorted(found)


def test_no_two_files_share_a_name():
    root = Path(experiments.__file__).parent
    files = [file for file in root.rglob("*.py") if not file.name.startswith("_")]
    assert sorted(file.stem.replace("_", "-") for file in files) == experiments.names()


@pytest.mark.parametrize(
    "words", ["COINS", "chance", "games of", "toss", "both coins", " coin-toss ", "bernoulli coin"]
)
def test_search_reads_name_summary_chapter_and_keywords(coin_toss, words):
    assert [entry.name for entry in experiments.entries(words)] == [coin_toss]


def test_an_empty_search_finds_all(coin_toss):
    assert experiments.entries(" ") == experiments.entries()


def test_a_search_without_result_says_so_in_one_sentence(coin_toss, monkeypatch):
    with pytest.raises(
        InvalidValue,
        match=r"^experiments: search must be words of an experiment's name, summary, chapter or keywords, "
        r"got 'coinn'\. Try 'coin', or see them all with 'gradatim list'\.$",
    ):
        experiments.entries("coinn")
    with pytest.raises(InvalidValue, match=r"got 'coin perceptron'"):
        experiments.entries("coin perceptron")
    monkeypatch.setattr(experiments, "__path__", [])
    with pytest.raises(InvalidValue, match=r"got 'coin'\. See them all with 'gradatim list'\.$"):
        experiments.entries("coin")


def test_a_folder_without_a_title_is_no_chapter(coin_toss, tmp_path):
    stray = tmp_path / "more_experiments" / "stray"
    stray.mkdir()
    (stray / "lost.py").write_text("raise AssertionError")
    assert "lost" not in experiments.names()


def test_reading_imports_neither_experiments_nor_torch():
    script = (
        "import sys; from gradatim import experiments as e; e.entries(); [e.summary(n) for n in e.names()];"
        "loaded = [m for m in sys.modules if m.startswith('gradatim.experiments.')];"
        "print(sorted(m for m in loaded if not m.split('.')[-1].startswith('_')), 'torch' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[] False"


@pytest.mark.parametrize("name", ["coin-toss", "coin_toss"])
def test_dashes_and_underscores_are_the_same(coin_toss, name):
    assert experiments.load(name).QUICK.throws == 10


def test_unknown_name_gets_the_nearest(coin_toss):
    with pytest.raises(
        InvalidValue,
        match=r"^experiments: name must be one of coin-toss.*, got 'coin-tos'\. Try 'coin-toss'",
    ):
        experiments.load("coin-tos")
    with pytest.raises(InvalidValue, match=r"got '../secret'"):
        experiments.summary("../secret")


def test_without_experiments_the_message_says_so(monkeypatch):
    monkeypatch.setattr(experiments, "__path__", [])
    with pytest.raises(InvalidValue, match=r"name must be an experiment, got 'a'; there are none"):
        experiments.load("a")
