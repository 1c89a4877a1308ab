"""A fit ends within its budget and a fifth more, on the clock of the process, idle and beside two busy processes."""

import re
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from PIL import Image

from gradatim.data import get
from gradatim.timeseries import HMM

SLACK = 1.2
TABLES = [(10_000, 20), (100_000, 50), (10_000_000, 2), (60, 3000), (30, 10_000), (2000, 10_000)]


@contextmanager
def busy(count):
    """Others on the machine, who never rest as long as this process lives."""
    script = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
    others = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Writes tables of numbers, every second one with classes, once each."""
    place, made = tmp_path_factory.mktemp("tables"), {}

    def write(rows, columns):
        path = place / f"{rows}x{columns}.csv"
        if path in made:
            return path
        rng = np.random.default_rng(rows)
        weights = rng.normal(size=columns) / np.sqrt(columns)
        with open(path, "w") as file:
            file.write(",".join([f"x{k}" for k in range(columns)] + ["y"]) + "\n")
            for start in range(0, rows, 100_000):
                X = rng.normal(size=(min(100_000, rows - start), columns)).round(2)
                y = X @ weights + 0.3 * rng.normal(size=len(X))
                target = (y > 0)[:, None] if columns % 20 else y[:, None].round(3)
                np.savetxt(file, np.concatenate([X, target], axis=1), fmt="%g", delimiter=",")
        made[path] = True
        return path

    return write


@pytest.mark.parametrize("others", [0, 2])
@pytest.mark.parametrize("budget", [10, 60])
@pytest.mark.parametrize(("rows", "columns"), TABLES)
def test_ends_in_time_and_says_how_long_it_took(table, tmp_path, rows, columns, budget, others):
    path = table(rows, columns)
    words = ["fit", str(path), "--target", "y", "--budget", f"{budget}s", "-o", str(tmp_path / "m")]
    with busy(others):
        started = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "gradatim", *words], capture_output=True, text=True, check=True)  # fmt: skip
        seconds = time.perf_counter() - started
    assert seconds <= SLACK * budget, done.stdout
    told = int(re.search(r"in\s+(\d+)\s+s\n", done.stdout)[1])
    assert abs(told - seconds) <= 0.1 * budget


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    """Three hundred photographs of 300 × 260 pixels, in three classes."""
    place, rng = tmp_path_factory.mktemp("photos"), np.random.default_rng(0)
    for k in range(300):
        coarse = rng.integers(0, 256, (6, 5, 3), dtype=np.uint8)
        image = Image.fromarray(coarse).resize((300, 260))
        image.paste((255, 0, 0), (60, 60, 60 + 40 * (k % 3 + 1), 120))
        (place / f"{k % 3}").mkdir(exist_ok=True)
        image.save(place / f"{k % 3}" / f"{k}.jpg")
    return place


@pytest.mark.parametrize("others", [0, 2])
@pytest.mark.parametrize("budget", [10, 60])
@pytest.mark.parametrize("words", [["--pretrained", "mobilenet", "--tta"], []])
def test_photographs_end_in_time(photos, tmp_path, words, budget, others):
    get("mobilenet")
    asked = ["fit", str(photos), "--side", "224", *words, "--budget", f"{budget}s", "-o", str(tmp_path / "m")]  # fmt: skip
    with busy(others):
        started = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "gradatim", *asked], capture_output=True, text=True, check=True)  # fmt: skip
        seconds = time.perf_counter() - started
    assert seconds <= SLACK * budget, done.stdout


def test_small_steps_do_not_wait_for_a_second_thread():
    rows = torch.full((5, 5), 0.1, dtype=torch.float64) + 0.5 * torch.eye(5, dtype=torch.float64)
    model = HMM.categorical(torch.full((5,), 0.2), rows, torch.full((5, 10), 0.1))
    y = torch.randint(0, 10, (100, 200), generator=torch.Generator().manual_seed(0))

    def median():
        times = []
        for _ in range(100):
            started = time.perf_counter()
            model.viterbi(y)
            times.append(time.perf_counter() - started)
        return np.median(times)

    model.viterbi(y)
    alone = median()
    with busy(2):
        time.sleep(1.0)
        beside = median()
    assert beside <= 2.0 * alone
