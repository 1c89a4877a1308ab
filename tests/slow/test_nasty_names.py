"""Names of columns, classes, series, groups, files and folders are text, whatever they hold, for every kind of data."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from PIL import Image

NASTY = [
    "$20 to $30^",
    "_{",
    "\\frac",
    "\x1b[31mred",
    "[bold]b[/]",
    "中\U0001f600",
    "שלום \u202e",
    "a\nb",
    "x" * 5000,
]
ROWS = 60


def table(place, rng):
    frame = pd.DataFrame({name: rng.normal(size=ROWS) for name in NASTY})
    frame["t$^"] = np.array(["$20 to $30^", "\x1b[31m_{", "中\U0001f600"])[rng.integers(0, 3, ROWS)]
    frame.to_csv(place / "t.csv", index=False)
    os.rename(place / "t.csv", os.fsencode(place) + b"/t\xff\x1b[31m.csv")
    return ["t\udcff\x1b[31m.csv", "--target", "t$^"]


def texts(place, rng):
    cells = [
        " ".join(rng.choice(["good", "bad", "$x^", "_{a", "\x1b[31m"], 6)) for _ in range(ROWS)
    ]
    classes = np.array(NASTY[:2])[rng.integers(0, 2, ROWS)]
    pd.DataFrame({"t$^": cells, "y_{": classes}).to_csv(place / "t.csv", index=False)
    return ["t.csv", "--text", "t$^", "--target", "y_{"]


def series(place, rng):
    days = pd.date_range("2020-01-01", periods=80).strftime("%Y-%m-%d")
    waves = [
        pd.DataFrame(
            {"day": days, "$g^": name, "v_{": np.sin(np.arange(80) / 3) + 0.1 * rng.normal(size=80)}
        )
        for name in (NASTY[0], NASTY[3], NASTY[5])
    ]
    pd.concat(waves).to_csv(place / "t.csv", index=False)
    return ["t.csv", "--forecast", "5", "--group", "$g^", "--target", "v_{", "--time-column", "day"]


def images(place, rng):
    for name in (b"$20 to $30^", b"\xff\x1b[31m", "中".encode()):
        folder = os.fsencode(place) + b"/photos/" + name
        os.makedirs(folder)
        for k in range(12):
            pixels = rng.integers(0, 256, (16, 16, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(os.fsdecode(folder + b"/%d\xff$^.png" % k))
    return ["photos"]


@pytest.mark.parametrize("kind", [table, texts, series, images])
def test_a_fit_ends_well_whatever_the_names(tmp_path, kind):
    words = kind(tmp_path, np.random.default_rng(0))
    command = [
        sys.executable,
        "-W",
        "default",
        "-m",
        "gradatim",
        "fit",
        *words,
        "--trials",
        "1",
        "-o",
        "m",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]|Warning", done.stdout + done.stderr
    )
    assert "could not be drawn" not in done.stdout
    report = json.loads((tmp_path / "m" / "report.json").read_text("utf-8"))
    assert {figure["file"] for figure in report["figures"]} <= {
        path.name for path in (tmp_path / "m").iterdir()
    }
    page = (tmp_path / "m" / "report.html").read_text("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", page)
    command[5:] = ["predict", "m", words[0], "-o", "p.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
