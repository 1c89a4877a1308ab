"""Seconds instead of minutes: networks of a few steps, few trees, no drawing."""

from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from gradatim.fitting.generative import course
from gradatim.fitting.generative.images import judging as pictures
from gradatim.fitting.generative.images import medium
from gradatim.fitting.generative.rows import judging
from gradatim.fitting.rounds import Plan, Size
from gradatim.generative import telling_apart
from gradatim.reports import report


def small_plan(data, maker, seed, seconds):
    return asdict(Plan(Size(16, 1, 1), 1, 32, steps=4, rounds=2, seed=seed))


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(course, "_plan", small_plan)
    monkeypatch.setattr(telling_apart, "TREES", 4)
    monkeypatch.setattr(judging, "FOLDS", 2)
    monkeypatch.setattr(report, "_png", lambda figure: b"")


def make_table(rows=120):
    rng = np.random.default_rng(0)
    x = rng.normal(size=rows)
    return pd.DataFrame(
        {
            "id": np.arange(rows) + 1,
            "height": (170 + 9 * x).round(1),
            "children": rng.poisson(1.5, rows),
            "town": rng.choice(["Bern", "Genf", "Chur"], rows),
            "born": (pd.Timestamp("1980-01-01") + pd.to_timedelta(rng.integers(0, 9000, rows), "D")).strftime("%d.%m.%Y"),
            "land": "CH",
            "smokes": pd.Series(np.where(x > 0, "yes", "no")).mask(rng.random(rows) < 0.2),
        }
    )  # fmt: skip


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    make_table().to_csv(path, index=False)
    return path


@pytest.fixture
def quick_eye(monkeypatch):
    """A classifier of one step, and few samples."""
    monkeypatch.setattr(pictures, "STEPS", (1, 1))
    monkeypatch.setattr(medium, "FEWEST_MADE", 16)
    monkeypatch.setattr(medium, "MOST_MADE", 16)
    monkeypatch.setattr(medium, "LOOKED", 8)


def make_pictures(folder, count=45, side=8, classes=("cat", "dog"), seed=0):
    """Bright above or below, with noise, in a subfolder for each class."""
    rng = np.random.default_rng(seed)
    for k, name in enumerate(classes):
        (folder / name).mkdir(parents=True)
        for number in range(count):
            pixels = rng.integers(0, 90, (side, side, 3), dtype=np.uint8)
            pixels[k * side // 2 : (k + 1) * side // 2, :, k % 3] += 150
            Image.fromarray(pixels).save(folder / name / f"{number}.png")
    return folder


@pytest.fixture
def folder(tmp_path):
    return make_pictures(tmp_path / "pets")
