"""``gradatim doctor`` as other programs call it: exit codes, and a record however the script ends."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

LOOP = """\
import sys, time
import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(256, 4)
y = (X[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range({steps}):
    rows = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(X[rows]), y[rows])
    {zero}
    loss.backward()
    optimizer.step()
    {more}
"""
ZERO = "optimizer.zero_grad()"


def script(folder, steps=60, zero=ZERO, more="pass"):
    path = folder / "train.py"
    path.write_text(LOOP.format(steps=steps, zero=zero, more=more), encoding="utf-8")
    return path.name


def doctor(folder, *words):
    command = [sys.executable, "-m", "gradatim", "doctor", *words, "--json", "out/r.json", "--trials", "0"]  # fmt: skip
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def record(folder):
    return json.loads((folder / "out/r.json").read_text(encoding="utf-8"))


def test_a_crash_keeps_traceback_exit_code_and_record(tmp_path):
    name = script(tmp_path, more="assert step < 20, 'twenty is enough'")
    done = doctor(tmp_path, name)
    assert done.returncode == 1
    assert "AssertionError: twenty is enough" in done.stderr
    assert "gradatim" not in done.stderr
    known = record(tmp_path)
    assert known["exit"]["code"] == 1
    assert known["exit"]["exception"]["type"] == "AssertionError"
    assert known["findings"][0]["code"] == "crash.other"
    assert known["findings"][0]["where"]["line"] == 16
    assert known["steps"] == 21


def test_an_exit_code_of_the_script_is_handed_on(tmp_path):
    assert doctor(tmp_path, script(tmp_path, more="step < 30 or sys.exit(7)")).returncode == 7
    assert record(tmp_path)["exit"] == {"code": 7, "exception": None}


def test_check_turns_a_finding_into_exit_code_1(tmp_path):
    assert doctor(tmp_path, script(tmp_path), "--check").returncode == 0
    sick = script(tmp_path, zero="pass")
    assert doctor(tmp_path, sick).returncode == 0
    assert doctor(tmp_path, sick, "--check").returncode == 1
    assert record(tmp_path)["findings"][0]["code"] == "optim.no-zero-grad"


def test_limits_end_what_never_ends(tmp_path):
    name = script(tmp_path, steps=10**9)
    assert doctor(tmp_path, name, "--max-steps", "40").returncode == 0
    known = record(tmp_path)
    assert (known["steps"], known["stopped"]) == (40, "after 40 steps (--max-steps)")
    assert doctor(tmp_path, name, "--max-seconds", "3").returncode == 0
    assert record(tmp_path)["stopped"] == "after 3 s (--max-seconds)"


def test_a_script_that_catches_everything_ends_too(tmp_path):
    text = LOOP.format(steps=10**9, zero=ZERO, more="pass").replace(
        "    optimizer.step()\n", "    try:\n        optimizer.step()\n    except:\n        pass\n"
    )
    (tmp_path / "train.py").write_text(text, encoding="utf-8")
    assert doctor(tmp_path, "train.py", "--max-steps", "20").returncode == 0
    assert record(tmp_path)["stopped"] == "after 20 steps (--max-steps)"


def test_a_certain_verdict_may_end_a_run(tmp_path):
    name = script(tmp_path, steps=4000, zero="pass", more="loss = -loss")
    text = (tmp_path / name).read_text(encoding="utf-8").replace("lr=0.1", "lr=50.0")
    (tmp_path / name).write_text(text, encoding="utf-8")
    doctor(tmp_path, name, "--stop-early")
    assert record(tmp_path)["steps"] < 4000
    assert "certain" in record(tmp_path)["stopped"]


def test_what_trains_nothing_is_said_in_a_sentence(tmp_path):
    (tmp_path / "plain.py").write_text("print('hello')\n", encoding="utf-8")
    done = doctor(tmp_path, "plain.py")
    assert done.returncode == 0
    assert "No backward pass was seen" in done.stdout
    assert record(tmp_path)["steps"] == 0


@pytest.mark.parametrize(
    ("number", "to_group", "code", "why"),
    [(signal.SIGINT, True, 130, "by Ctrl-C"), (signal.SIGTERM, False, 143, "by SIGTERM")],
)
def test_a_signal_leaves_a_record(tmp_path, number, to_group, code, why):
    name = script(tmp_path, steps=10**9, more="print(step, flush=True); time.sleep(0.01)")
    command = [sys.executable, "-m", "gradatim", "doctor", name, "--json", "out/r.json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:  # fmt: skip
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip() == "30":
                break
        (os.killpg if to_group else os.kill)(process.pid, number)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == code
    known = record(tmp_path)
    assert known["stopped"] == why
    assert known["exit"]["code"] == code
    assert known["steps"] >= 30
    assert "Diagnosis" in output


def test_the_record_is_there_while_the_script_runs(tmp_path):
    name = script(tmp_path, steps=10**9, more="time.sleep(0.01)")
    command = [sys.executable, "-m", "gradatim", "doctor", name, "--json", "out/r.json", "--trials", "0"]  # fmt: skip
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as process:  # fmt: skip
        until = time.monotonic() + 60
        while not (tmp_path / "out/r.json").exists() and time.monotonic() < until:
            time.sleep(0.2)
        assert record(tmp_path)["steps"] > 0
        os.killpg(process.pid, signal.SIGINT)
        process.wait(60)
