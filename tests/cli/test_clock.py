import importlib
import re
import subprocess
import sys
import time

import pytest

from gradatim.cli import main
from gradatim.cli.clock import STARTED, process_seconds

entry = importlib.import_module("gradatim.cli.main")


def test_the_process_is_as_old_as_it_is():
    code = "import time; time.sleep(0.6); from gradatim.cli.clock import process_seconds; print(process_seconds())"
    started = time.perf_counter()
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0.6 <= float(out.stdout) <= time.perf_counter() - started + 0.05


def test_without_a_process_table_nothing_is_counted(monkeypatch):
    monkeypatch.setattr("pathlib.Path.read_text", lambda path: "nothing to see")
    assert process_seconds() == 0.0


def test_only_a_process_of_its_own_counts_what_was_before(monkeypatch):
    monkeypatch.setattr(entry, "process_seconds", lambda: 1000.0)
    main(["--version"])
    assert STARTED.get() == pytest.approx(time.perf_counter(), abs=60)
    monkeypatch.setattr(sys, "argv", ["gradatim", "--version"])
    main()
    assert STARTED.get() == pytest.approx(time.perf_counter() - 1000, abs=60)


def test_the_time_that_is_printed_is_that_of_the_process(tmp_path):
    started = time.perf_counter()
    command = [sys.executable, "-m", "gradatim", "fit", "iris", "--budget", "1s", "-o", str(tmp_path / "m")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    whole = time.perf_counter() - started
    told = int(re.search(r"in\s+(\d+)\s+s\n", done.stdout)[1])
    assert whole - 2.0 - 0.3 * whole <= told <= whole + 0.5
