"""``gradatim fit --processes``: the verdict and the figures of one process."""

import json
import subprocess
import sys

import pytest

from gradatim.cli.launching import without_option


def run(folder, *words):
    command = [sys.executable, "-m", "gradatim", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)  # fmt: skip


def figures(folder):
    report = json.loads((folder / "report.json").read_text())
    tables = {
        table["title"]: [[cell for cell, name in zip(row, table["columns"], strict=True) if name != "seconds"] for row in table["rows"]]
        for table in report["tables"]
    }  # fmt: skip
    return report["summary"], tables


def test_two_processes_reach_the_verdict_of_one(tmp_path, call):
    words = ["fit", "iris", "--trials", "2"]
    done = run(tmp_path, *words, "--processes", "2", "-o", "two")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Recommended:") == 1
    code, _, err = call(*words, "-o", str(tmp_path / "one"))
    assert code == 0, err
    assert figures(tmp_path / "two") == figures(tmp_path / "one")
    assert {path.name for path in tmp_path.iterdir()} == {"one", "two"}


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["fit", "a", "--processes", "3", "-o", "m"], ["fit", "a", "-o", "m"]),
        (["fit", "--processes=3", "a"], ["fit", "a"]),
        (["fit", "a"], ["fit", "a"]),
    ],
)
def test_processes_that_are_started_do_not_start_more(words, kept):
    assert without_option(words) == kept


@pytest.mark.parametrize("count", ["0", "-2"])
def test_how_many_processes_must_be_a_number(call, count):
    code, _, err = call("fit", "iris", "--processes", count)
    assert (code, "processes must be" in err) == (2, True)


def test_torchrun_is_not_started_in_torchrun(call, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    code, _, err = call("fit", "iris", "--processes", "2")
    assert code == 2
    assert "processes must be left out where torchrun has started several, got 2" in err
