"""Real processes that fail, are killed, hang, or are asked to end."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

SCRIPT = """
import json, os, signal, sys, time
import torch
from gradatim.models import MLP
from gradatim.training import Callback, Checkpoint, Trainer

fault, rank = sys.argv[1], int(os.environ.get("RANK", 0))
attempt = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0))

class Fault(Callback):
    def on_batch_end(self, trainer, loss):
        if trainer.steps != 12 or attempt:
            time.sleep(0.3 if fault == "wait" else 0)
            return
        if fault == "kill" and rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "raise" and rank == 1:
            raise ZeroDivisionError("no such luck")
        if fault == "hang" and rank == 1:
            time.sleep(1000)
        if fault == "wait":
            open(f"at12-{rank}", "w").write(str(os.getpid()))

torch.manual_seed(1)
X = torch.randn(43, 6, dtype=torch.float64)
y = X[:, :3].argmax(1)
if fault == "late" and rank == 1:
    time.sleep(1000)
trainer = Trainer(
    MLP((6, 8, 3)).double(), epochs=8, batch_size=10, progress=False, engine="general",
    timeout=6.0 if fault in ("hang", "late") else 60.0, callbacks=[Checkpoint("run", keep=2, every_steps=5), Fault()],
)
if os.path.isdir("run"):
    trainer.resume("run")
trainer.fit((X, y))
if trainer.rank == 0:
    weights = [p.detach().flatten().tolist() for p in trainer.model.parameters()]
    json.dump(weights, open("weights.json", "w"))
"""


def command(*options, fault="none", processes=2):
    options = options or ("--standalone",)
    return [sys.executable, "-m", "torch.distributed.run", *options, "--nproc-per-node", str(processes), "train.py", fault]  # fmt: skip


def start(folder, *options, fault="none", processes=2, **how):
    (folder / "train.py").write_text(SCRIPT)
    return subprocess.Popen(
        command(*options, fault=fault, processes=processes), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, **how,
    )  # fmt: skip


def finish(process, seconds=120):
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calm")
    (folder / "train.py").write_text(SCRIPT)
    subprocess.run([sys.executable, "train.py", "none"], cwd=folder, check=True)
    return json.loads((folder / "weights.json").read_text())


def assert_same(folder, weights):
    found = json.loads((folder / "weights.json").read_text())
    for a, b in zip(found, weights, strict=True):
        assert a == pytest.approx(b, rel=1e-9, abs=1e-9)


def test_a_killed_process_is_started_again_and_the_run_ends_as_if_undisturbed(tmp_path, undisturbed):  # fmt: skip
    code, _, err = finish(start(tmp_path, "--standalone", "--max-restarts", "2", fault="kill"))
    assert code == 0, err
    assert_same(tmp_path, undisturbed)


def test_a_process_that_raises_ends_the_job_with_its_own_traceback(tmp_path):
    began = time.monotonic()
    code, _, err = finish(start(tmp_path, fault="raise", processes=3))
    assert time.monotonic() - began < 60  # 10 s after it raised, on a busy machine
    assert code == 1
    assert "ZeroDivisionError: no such luck" in err
    assert err.count("Traceback (most recent call last)") <= 2  # its own, and that of torchrun
    assert "Trainer: rank 1 failed: ZeroDivisionError: no such luck" in err


def test_a_process_that_hangs_is_named(tmp_path):
    code, _, err = finish(start(tmp_path, fault="hang", processes=3))
    assert code == 1
    assert "rank 1 has ended without a word, or does not answer within 6 seconds (timeout)" in err


def test_a_process_that_never_comes_is_named(tmp_path):
    code, _, err = finish(start(tmp_path, fault="late", processes=3))
    assert code == 1
    assert "all 3 processes must come within 6 seconds (timeout), but rank 1 did not" in err


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_to_one_process_saves_and_ends_all(tmp_path, undisturbed, number, expected):
    process = start(tmp_path, fault="wait")
    place = tmp_path / "at12-1"
    while not place.exists() or not place.read_text():
        time.sleep(0.05)
        assert process.poll() is None
    os.kill(int(place.read_text()), number)
    code, _, err = finish(process)
    assert code != 0
    assert f"exitcode  : {expected}" in err or f"exitcode: {expected}" in err, err
    assert err.count("Traceback (most recent call last)") <= 1  # that of torchrun
    saved = sorted(path.name for path in (tmp_path / "run").glob("step-*"))
    assert int(saved[-1][5:13]) > 12
    code, _, err = finish(start(tmp_path, fault="none", processes=3))
    assert code == 0, err
    assert_same(tmp_path, undisturbed)


def test_ctrl_c_at_the_launcher_saves_and_ends_all(tmp_path):
    process = start(tmp_path, fault="wait", start_new_session=True)
    while not (tmp_path / "at12-0").exists():
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    code, _, _ = finish(process)
    assert code != 0
    saved = sorted(path.name for path in (tmp_path / "run").glob("step-*"))
    assert int(saved[-1][5:13]) > 12


def test_two_agents_over_loopback_are_one_run(tmp_path, undisturbed):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = "--nnodes", "2", "--rdzv-backend", "c10d", "--rdzv-id", "one", "--rdzv-endpoint", f"127.0.0.1:{port}"  # fmt: skip
    agents = [start(tmp_path, *options, processes=1) for _ in range(2)]
    for code, _, err in map(finish, agents):
        assert code == 0, err
    assert_same(tmp_path, undisturbed)


def test_a_rendezvous_that_nobody_holds_is_said(tmp_path):
    (tmp_path / "train.py").write_text(SCRIPT.replace("60.0", "2.0"))
    place = {"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}
    done = subprocess.run([sys.executable, "train.py", "none"], cwd=tmp_path, env={**os.environ, **place}, capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 1
    assert "process 0 must be reachable at 127.0.0.1:1, but process 1 does not reach it" in done.stderr  # fmt: skip
