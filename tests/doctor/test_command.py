"""``gradatim doctor SCRIPT`` on a whole script: its numbers stay as they were, and the cause is named with its line."""

import json
import signal
import subprocess
import sys

import pytest

from gradatim.cli.main import main
from gradatim.doctor.codes import codes
from gradatim.doctor.showing import verdict
from gradatim.doctor.supervising import read_facts

SCRIPT = """\
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
X = torch.randn(256, 10)
y = (X[:, 0] > 0).long() + (X[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(60):
    rows = torch.randint(0, 256, (32,))
    outputs = torch.softmax(model(X[rows]), dim=1)
    loss = F.cross_entropy(outputs, y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(repr(loss.item()))
"""


def run(folder, *words):
    return subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=300)  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doctor")
    (folder / "train.py").write_text(SCRIPT, encoding="utf-8")
    return folder


def test_the_numbers_of_the_script_stay_as_they_were_and_the_cause_is_named(place):
    plain = run(place, "train.py")
    seen = run(place, "-m", "gradatim", "doctor", "train.py", "--trials", "0", "--json", "r.json")
    assert (plain.returncode, seen.returncode) == (0, 0), seen.stderr
    losses = plain.stdout.split()
    assert seen.stdout.split()[:60] == losses  # dropout and batches drawn alike, to the last bit
    record = json.loads((place / "r.json").read_text(encoding="utf-8"))
    assert record["schema"] == "gradatim-doctor/1"
    assert record["steps"] == 60
    first = record["findings"][0]
    assert (first["code"], first["where"]["line"]) == ("loss.softmax-twice", 12)

    keys = set(record["layers"]["0"])
    assert keys == {"step", "mean", "std", "zeros", "gradient_norm", "update_ratio"}
    assert all(isinstance(value, int | float) for value in record["layers"]["0"].values())


def test_a_record_is_shown_again_and_makes_a_page(place, capsys, monkeypatch):
    monkeypatch.chdir(place)
    assert main(["doctor", "r.json", "--report", "r.html"]) == 0
    assert "Softmax is applied to the outputs" in capsys.readouterr().out
    assert "<title>Diagnosis of train.py" in (place / "r.html").read_text(encoding="utf-8")
    assert main(["doctor", "r.json", "--check"]) == 1


def test_codes_are_listed_and_explained(capsys):
    assert main(["doctor", "--list"]) == 0
    assert set(codes()) <= set(capsys.readouterr().out.split())
    assert main(["doctor", "--explain", "loss.sign"]) == 0
    assert "Remove the minus" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["missing.py"], "missing.py"),
        (["."], "which is a folder"),
        (["broken.py"], "must be Python, got 'broken.py': line 2"),
        (["notes.ipynb"], "which is a notebook"),
        (["other.json"], "must be a record of schema gradatim-doctor/1"),
        (["train.py", "--json", "train.py"], "must not be what is read"),
        (["train.py", "--report", "other.json"], "must be new, or written by the same command"),
        (["train.py", "--trials", "-1"], "trials must be at least 0"),
        (["train.py", "--every", "0"], "every must be at least 1"),
        (["train.py", "--max-steps", "0"], "max_steps must be at least 1"),
        (["train.py", "--max-seconds", "0"], "max_seconds must be above 0"),
        ([], "SCRIPT must be given"),
        (["--explain", "loss.softmax-twise"], "loss.softmax-twice"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(place, words, sentence, capsys, monkeypatch):
    monkeypatch.chdir(place)
    (place / "broken.py").write_text("x = 1\nif x\n", encoding="utf-8")
    for name in ("notes.ipynb", "other.json"):
        (place / name).write_text("{}", encoding="utf-8")
    assert main(["doctor", *words]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


def test_a_script_that_is_ended_before_it_trains_is_not_said_to_train_nothing():
    ended = {"findings": [], "symptoms": [], "steps": 0, "stopped": "after 4 s (--max-seconds)"}
    assert verdict(ended) == "No backward pass was seen before the script was ended after 4 s (--max-seconds)."  # fmt: skip


def test_ctrl_c_before_anything_was_written_has_its_exit_code(tmp_path):
    order = {"facts": str(tmp_path / "none.json"), "script": "train.py", "arguments": []}
    facts = read_facts(order, -signal.SIGINT)
    assert (facts.code, facts.stopped, facts.failure) == (130, "by Ctrl-C", None)
