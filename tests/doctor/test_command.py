"""``gradatim doctor SCRIPT`` on a whole script: its numbers stay as they were, and the cause is named with its line."""

import json
import subprocess
import sys

import pytest

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


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["missing.py"], "missing.py"),
        (["--explain", "loss.softmax-twise"], "loss.softmax-twice"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(place, words, sentence):
    done = run(place, "-m", "gradatim", "doctor", *words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
