"""The comparison with other automatic learners, on a table made up for it."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from benchmarks.automl import run, tables
from benchmarks.automl.scoring import Answer, describe, row_errors, summary, why_behind
from benchmarks.automl.tables import TABLES, WHEELS, Source, is_number, write_split


@pytest.fixture
def wheels(tmp_path):
    """A folder with a wheel that holds one table of each task."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=160), "word": rng.choice(["a", "b"], 160)})
    frame["y"] = 3 * frame["x"] + (frame["word"] == "a") + 0.01 * rng.normal(size=160)
    frame["kind"] = np.where(frame["x"] > 0, "up", "down")
    frame.loc[0, "y"] = np.nan
    with zipfile.ZipFile(tmp_path / f"islp-{WHEELS['islp']}-py3-none-any.whl", "w") as archive:
        archive.writestr("own/table.csv", frame.to_csv(index=False))
    return tmp_path


def test_tables_are_real_ones_by_name_and_member():
    assert len(TABLES) >= 20
    assert all(source.wheel in WHEELS and source.member.endswith(".csv") for source in TABLES.values())  # fmt: skip
    assert len({(s.wheel, s.member) for s in TABLES.values()}) == len(TABLES)


def test_one_split_for_everybody(wheels, tmp_path):
    source = Source("islp", "own/table.csv", "y", drop=("kind",))
    train, test = write_split("t", source, wheels, tmp_path / "a")
    again = write_split("t", source, wheels, tmp_path / "b")
    assert [p.read_bytes() for p in (train, test)] == [p.read_bytes() for p in again]
    rows = pd.concat([pd.read_csv(train), pd.read_csv(test)])
    assert len(rows) == 159  # one has no target
    assert list(rows.columns) == ["x", "word", "y"]
    assert len(pd.read_csv(test)) == 39
    assert is_number(rows["y"])
    assert not is_number(rows["word"])


def test_everybody_is_judged_alike(wheels, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "TABLES", {})
    monkeypatch.setattr(run, "TABLES", {"made-up": Source("islp", "own/table.csv", "y", ("kind",))})
    folder = tmp_path / "w"
    (folder / "wheels").mkdir(parents=True)
    wheel = next(wheels.glob("*.whl"))
    (folder / "wheels" / wheel.name).write_bytes(wheel.read_bytes())
    found = run.main(["--tables", "made-up", "--seconds", "3", "--folder", str(folder), "--output", str(tmp_path / "o.json")])  # fmt: skip
    assert json.loads((tmp_path / "o.json").read_text()) == found
    scores = found["scores"]["made-up"]
    assert set(scores) == {"constant", "hgb", "gradatim"}
    assert scores["constant"] == 0.0
    assert scores["gradatim"] == 1.0  # a line
    assert found["behind"] == {}
    assert "made-up" in describe(found)


def test_classes_are_judged_by_the_probability_of_the_right_one(tmp_path):
    pd.DataFrame({"probability a": [0.5, 0.25], "probability b": [0.5, 0.75]}).to_csv(tmp_path / "p.csv", index=False)  # fmt: skip
    errors = row_errors(tmp_path / "p.csv", pd.Series(["a", "c"]), "classes")
    assert errors == pytest.approx([np.log(2.0), -np.log(1e-6)])


def test_who_is_behind_is_named_with_a_reason():
    rng = np.random.default_rng(0)
    few = rng.uniform(0.9, 1.1, 50)
    answers = {"constant": Answer(few + 1, 0.0), "gradatim": Answer(few * 1.2, 9.0, "recommended trees"), "hgb": Answer(few, 1.0)}  # fmt: skip
    reason = why_behind(answers, "classes")
    assert reason.startswith("20 % behind hgb, beyond the noise of 50 test rows")
    assert reason.endswith("Ours: recommended trees")
    noisy = answers | {"gradatim": Answer(few + 0.06 + rng.normal(size=50), 9.0)}
    assert "within the noise of 50" in why_behind(noisy, "classes")
    assert why_behind(answers | {"gradatim": Answer(few * 1.04, 9.0)}, "classes") is None
    found = summary({"t": ("classes", answers), "u": ("classes", answers)})
    assert list(found["behind"]) == ["t", "u"]
    assert found["means"]["hgb"] == 1.0
    assert found["means"]["constant"] == 0.0
    assert "- t: 20 % behind hgb" in describe(found)
