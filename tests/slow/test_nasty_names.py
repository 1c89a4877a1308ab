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


def anomalies(place, rng):
    frame = pd.DataFrame({name: rng.normal(size=100) for name in NASTY})
    frame["t$^"] = np.where(np.arange(100) % 20, NASTY[0], NASTY[3])
    frame.to_csv(place / "t.csv", index=False)
    return ["t.csv", "--anomaly", "--target", "t$^", "--alarms", "0.1"]


def labelled_series(place, rng):
    runs = [
        pd.DataFrame({"s_{": f"{NASTY[0]} {k}", NASTY[1]: rng.normal(size=12) + k % 2, NASTY[3]: rng.normal(size=12), "t$^": NASTY[k % 2]})
        for k in range(30)
    ]  # fmt: skip
    pd.concat(runs).to_csv(place / "t.csv", index=False)
    return ["t.csv", "--target", "t$^", "--series", "s_{"]


def tags(place, rng):
    words = [
        "$20",
        "to$30^",
        "_{",
        "\\frac",
        "\x1b[31mred",
        "[bold]b[/]",
        "中\U0001f600",
        "x" * 500,
    ]
    sentences = []
    for _ in range(60):
        drawn = rng.integers(0, len(words), 6)
        sentences.append("".join(f"{words[k]}\t{NASTY[k % 3]}\n" for k in drawn))
    (place / "t.conll").write_text("\n".join(sentences), encoding="utf-8")
    return ["t.conll", "--tag"]


def masks(place, rng):
    for top in ("pics", "masks"):
        (place / top).mkdir()
    for k in range(12):
        name = os.fsencode(place) + b"/%s/" + b"$^_{\xff\x1b[31m%d.png" % k
        Image.fromarray(rng.integers(0, 256, (16, 16, 3), dtype=np.uint8)).save(
            os.fsdecode(name % b"pics")
        )
        Image.fromarray(rng.integers(0, 2, (16, 16), dtype=np.uint8)).save(
            os.fsdecode(name % b"masks")
        )
    return ["pics", "--masks", "masks"]


def nodes(place, rng):
    ids = [f"{NASTY[k % 5]} {k}" for k in range(60)]
    frame = pd.DataFrame({"id": ids, NASTY[0]: rng.normal(size=60), NASTY[3]: rng.choice(NASTY[:6], 60), "t$^": rng.choice(NASTY[:3], 60)})  # fmt: skip
    (place / "g").mkdir()
    frame.to_csv(place / "g" / "nodes.csv", index=False)
    ends = pd.DataFrame({"source": ids, "target": ids[1:] + ids[:1]})
    ends.to_csv(place / "g" / "edges.csv", index=False)
    return ["g", "--target", "t$^"]


def graphs(place, rng):
    records = [
        {
            "edges": [[0, 1], [1, 2], [2, 0]],
            "x": rng.normal(size=(3, 2)).tolist(),
            "y": NASTY[k % 2],
        }
        for k in range(40)
    ]
    text = "".join(json.dumps(record) + "\n" for record in records)
    (place / "graphs.jsonl").write_text(text, encoding="utf-8")
    return ["graphs.jsonl"]


KINDS = [table, texts, series, images, anomalies, labelled_series, tags, masks, nodes, graphs]


@pytest.mark.parametrize("kind", KINDS)
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
