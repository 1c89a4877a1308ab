"""The records of the kinds of data, and what is made from them."""

import subprocess
import sys
from dataclasses import dataclass, fields

import pandas as pd
import pytest

import gradatim
from gradatim.cli import main
from gradatim.errors import InvalidType, InvalidValue
from gradatim.fitting.kind import Kind
from gradatim.fitting.kinds import KINDS, find_kind, listed, make_options
from gradatim.fitting.options import Options
from gradatim.fitting.options import option as declare
from gradatim.model_folder import save_model


@pytest.mark.parametrize(
    ("data", "given", "name"),
    [
        ("iris", {}, "table"),
        ("houses.csv", {"target": "price"}, "table"),
        (pd.DataFrame({"a": [1]}), {}, "table"),
        ("reviews.csv", {"text": "review"}, "text"),
        ("imdb", {}, "text"),
        ("sales.csv", {"forecast": 12}, "series"),
        ("sales.csv", {"forecast": 12, "text": "a"}, "series"),
        (".", {}, "image"),
        ("mnist", {}, "image"),
        ("book.txt", {"language_model": True}, "language"),
        ("pairs.tsv", {"translate": True}, "translation"),
        ("pairs.tsv", {"translate": False}, "table"),
    ],
)
def test_the_kind_is_recognised(data, given, name):
    assert find_kind(data, given).name == name
    assert find_kind(data, {}, "language").name == "language"


def test_a_kind_that_is_not_known_and_two_flags_are_refused():
    with pytest.raises(InvalidValue, match=r"fit: kind must be one of image, .*got 'images'"):
        find_kind(".", {}, "images")
    with pytest.raises(InvalidValue, match="language_model and translate must not be given together"):  # fmt: skip
        find_kind("a.txt", {"language_model": True, "translate": True})


def test_an_option_of_another_kind_is_refused_with_the_kinds_it_is_for():
    for kind in KINDS.values():
        foreign = {n: o.words for o in KINDS.values() for n in o.names - kind.names}
        for name in foreign:
            owners = [other.words for other in KINDS.values() if name in other.names]
            with pytest.raises(InvalidValue) as caught:
                make_options(kind, {name: "x"})
            message = f"fit: {name} must not be given for {kind.words}, got 'x'. It is for {listed(owners)}."
            assert str(caught.value) == message


def test_an_unknown_option_is_refused_with_the_nearest():
    with pytest.raises(InvalidValue, match=r"got 'trails'\. Try 'trials'\."):
        make_options(KINDS["series"], {"forecast": 2, "trails": 3})


def test_words_and_values_become_the_same_options():
    typed = {"budget": "2m", "test": "30%", "drop": ["a", "b"], "trials": 3, "output": "m"}
    given = {"budget": 120, "test": 0.3, "drop": ("a", "b"), "trials": 3, "output": "m"}
    assert make_options(KINDS["table"], typed) == make_options(KINDS["table"], given)
    assert make_options(KINDS["table"], {"drop": "a", "target": None}).drop == ("a",)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"trials": "3"}, "fit: trials must be a whole number, got '3'."),
        ({"trials": True}, "fit: trials must be a whole number, got True."),
        ({"seed": 1.5}, "fit: seed must be a whole number, got 1.5."),
        ({"resume": 1}, "fit: resume must be True or False, got 1."),
        ({"target": 3}, "fit: target must be a name, got 3."),
        ({"drop": [3]}, "fit: drop must be names, got [3]."),
    ],
)
def test_values_of_another_type_are_refused(given, sentence):
    with pytest.raises(InvalidType) as caught:
        make_options(KINDS["table"], given)
    assert str(caught.value) == sentence


def test_a_series_needs_a_horizon():
    with pytest.raises(InvalidValue, match="forecast must be a number of steps for series, got None"):  # fmt: skip
        make_options(KINDS["series"], {})


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_records_are_whole(kind):
    assert KINDS[kind.name] is kind
    for option in fields(kind.options):
        assert option.metadata["help"].endswith(".")
        for choice in option.metadata["choices"]:
            assert choice in option.metadata["help"]
    assert not set(kind.own) & {option.name for option in fields(Options)}
    assert kind.title[0].isupper()


def test_records_need_no_library():
    heavy = ("torch", "numpy", "pandas", "matplotlib", "sklearn", "scipy")
    script = (
        "import sys; from gradatim.cli import main; main(['fit', '--help']);"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "[]"


@dataclass(frozen=True, kw_only=True)
class CoinOptions(Options):
    sides: int = declare(2, help="Sides of the coin.")


COIN = Kind(
    name="coin",
    words="tosses of a coin",
    title="Coins",
    options=CoinOptions,
    read=lambda tosses, job: (tosses, job.sides),
    load=lambda description, tensors: description["share"],
    course=lambda read, job, **how: read(),
    flag="coin",
    flag_help="DATA are tosses.",
)


def test_a_new_kind_is_one_record(monkeypatch, tmp_path, capsys):
    """Python, the command line, its help, refusals and stored models follow from a line in ``KINDS``."""
    monkeypatch.setitem(KINDS, "coin", COIN)
    assert gradatim.fit("0110", coin=True, sides=3) == ("0110", 3)
    assert gradatim.fit("0110", kind="coin") == ("0110", 2)
    with pytest.raises(InvalidValue, match=r"for a table, got 3\. It is for tosses of a coin\."):  # fmt: skip
        gradatim.fit("iris", sides=3)
    assert main(["fit", "--help"]) == 0
    text = capsys.readouterr().out
    assert "Coins:" in text
    assert "--sides" in text
    assert main(["fit", "iris", "--sides", "3"]) == 2
    save_model(tmp_path / "m", "coin", {"share": 0.5}, {})
    assert gradatim.load_model(tmp_path / "m") == 0.5
