"""``gradatim fit --processes``: the verdict and the figures of one process."""

import json
import subprocess
import sys


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


def test_two_processes_reach_the_verdict_of_one(tmp_path):
    words = ["fit", "iris", "--trials", "2"]
    done = run(tmp_path, *words, "--processes", "2", "-o", "two")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Recommended:") == 1
    done = run(tmp_path, *words, "-o", "one")
    assert done.returncode == 0, done.stderr
    assert figures(tmp_path / "two") == figures(tmp_path / "one")
    assert {path.name for path in tmp_path.iterdir()} == {"one", "two"}
