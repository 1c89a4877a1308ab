"""The options of ``gradatim fit`` are those of the records."""

from dataclasses import fields

from gradatim.cli.fit_options import contest_title, sections
from gradatim.fitting.kinds import KINDS
from gradatim.fitting.options import Options


def test_help_has_a_heading_for_every_kind_with_its_options(call):
    code, out, err = call("fit", "--help")
    assert (code, err) == (0, "")
    heads = [line.removesuffix(":") for line in out.splitlines() if line.endswith(":") and line[0] != " "]  # fmt: skip
    shared = contest_title()
    assert heads == ["Arguments", "Options", shared, *(kind.title for kind in KINDS.values())]
    parts = dict(zip(heads, out.split("Arguments:")[1].split("\n\n"), strict=False))
    for kind in KINDS.values():
        words = {f"--{name.replace('_', '-')}" for name in kind.names}
        own, common = (_options_in(parts[title]) for title in (kind.title, shared))
        assert own <= words <= own | common
    for option in fields(Options):
        assert f"--{option.name} " in parts["Options"]
    assert "--open" in parts["Options"]
    assert "--help" in parts["Options"]


def _options_in(text: str) -> set[str]:
    return {word for word in text.split() if word.startswith("--")}


def test_defaults_are_shown_as_people_write_them():
    told = sections()["Options"]
    assert told["budget"].endswith("[default: 60s]")
    assert told["seed"].endswith("[default: 0]")
    assert told["output"].endswith("[default: runs/fit-NAME]")
    assert "default" not in told["trials"] + told["resume"]
    assert sections()["Tables"]["task"].endswith("[default: auto]")


def test_a_kind_has_its_own_words_for_an_option_that_others_have_too():
    told = sections()
    assert told["Tables"]["target"] == told["Texts"]["target"] != told["Series"]["target"]


def test_refusals_are_those_of_python(call):
    code, out, err = call("fit", "iris", "--tokenizer", "byte", "--rows", "40")
    assert (code, out) == (2, "")
    assert err == "fit: tokenizer must not be given for a table, got 'byte'. It is for a language model.\n"  # fmt: skip
    code, out, err = call("fit", "a.txt", "--language-model", "--translate")
    assert (code, err) == (2, "fit: language_model and translate must not be given together. Choose one.\n")  # fmt: skip
