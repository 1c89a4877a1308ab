import json
import webbrowser

import pytest

import gradatim


@pytest.mark.parametrize("words", [[], ["--help"]])
def test_help_names_the_commands(call, words):
    code, out, err = call(*words)
    assert (code, err) == (0, "")
    assert out.startswith("Usage: gradatim ")
    for command in ("list", "run", "data"):
        assert f"\n  {command} " in out


def test_version(call):
    assert call("--version") == (0, f"gradatim {gradatim.__version__}\n", "")


def test_list_shows_names_and_summaries(call, parity):
    code, out, err = call("list")
    assert (code, err) == (0, "")
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert "even-numbers Numbers are even." in rows


def test_list_is_grouped_by_chapter(call, parity):
    lines = [" ".join(line.split()) for line in call("list")[1].splitlines()]
    assert lines[0] == "Neurons and memories"
    assert lines[-3:] == ["", "Whole numbers", "even-numbers Numbers are even."]


def test_list_shows_what_a_search_finds(call, parity):
    code, out, err = call("list", "--search", "WHOLE even")
    assert (code, err) == (0, "")
    assert out.split() == ["Whole", "numbers", "even-numbers", "Numbers", "are", "even."]


def test_list_says_that_a_search_finds_nothing(call, parity):
    code, out, err = call("list", "--search", "evven")
    assert (code, out) == (2, "")
    assert "got 'evven'. Try 'even', or see them all with 'gradatim list'." in err
    assert err.count("\n") == 1


def test_list_for_programs(call, parity):
    code, out, err = call("list", "--json", "--search", parity)
    assert (code, err) == (0, "")
    assert json.loads(out) == [
        {
            "name": "even-numbers",
            "chapter": "numbers",
            "title": "Whole numbers",
            "summary": "Numbers are even.",
            "quick": {"number": 4},
            "covers": [],
            "keywords": "",
        }
    ]


def test_run_prints_verdicts_and_ends_with_the_path(call, parity, tmp_path):
    code, out, err = call("run", parity)
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "✓ even 0 expected no rest" in lines
    assert lines[-1] == "runs/even-numbers/report.html"
    assert (tmp_path / lines[-1]).is_file()


def test_failing_claim_exits_with_1(call, parity):
    code, out, err = call("run", parity, "--set", "number=3")
    assert code == 1
    assert "✗" in out
    assert err == "gradatim: 1 of 1 claims do not hold.\n"
    assert out.splitlines()[-1] == "runs/even-numbers/report.html"


def test_options_reach_the_settings(call, parity, tmp_path):
    words = ("--quick", "--seed", "9", "--set", "fault=none", "--output", "here")
    code, out, _ = call("run", "even_numbers", *words)
    assert code == 0
    assert out.splitlines()[-1] == "here/report.html"
    data = json.loads((tmp_path / "here" / "report.json").read_text("utf-8"))
    assert data["settings"] == {"seed": 9, "number": 4, "fault": "none"}


@pytest.mark.parametrize("found", [True, False])
def test_open_shows_the_report_in_the_browser(call, parity, tmp_path, monkeypatch, found):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or found)
    code, _, err = call("run", parity, "--open")
    assert code == 0
    assert opened == [(tmp_path / "runs" / "even-numbers" / "report.html").as_uri()]
    assert err == ("" if found else "gradatim: no browser was found to open the report.\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "number"], "run: --set must be KEY=VALUE, got 'number'. Try --set seed=1.\n"),
        (["--set", "=3"], "run: --set must be KEY=VALUE, got '=3'. Try --set seed=1.\n"),
        (
            ["--seed", "1", "--set", "seed=2"],
            "run: --set must name each setting once, got 'seed' twice.\n",
        ),
        (
            ["--set", "number=x"],
            "even-numbers: number must be an integer, got 'x'. Try number=2.\n",
        ),
        (
            ["--set", "numbr=1"],
            "even-numbers: setting must be one of number, fault, seed, got 'numbr'. Try 'number'.\n",
        ),
    ],
)
def test_mistakes_in_settings_exit_with_2(call, parity, tmp_path, words, message):
    assert call("run", parity, *words) == (2, "", message)
    assert not (tmp_path / "runs").exists()


def test_unknown_experiment_names_the_nearest(call, parity):
    code, out, err = call("run", "even-number")
    assert (code, out) == (2, "")
    assert "got 'even-number'. Try 'even-numbers', or see them with 'gradatim list'." in err


def test_unwritable_output_exits_with_1(call, parity, tmp_path):
    (tmp_path / "file").write_text("")
    code, out, err = call("run", parity, "--output", "file")
    assert (code, out) == (1, "")
    assert err.startswith("Report.write: folder must be writable, got 'file' (")
    assert err.count("\n") == 1
