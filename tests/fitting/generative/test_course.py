"""From a table to a model folder that makes rows."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim.errors import InvalidType, InvalidValue
from gradatim.events import Figure, Sample, Stage
from gradatim.fitting.generative import course
from gradatim.reports.sections import Table

pytestmark = pytest.mark.usefixtures("short")
JOB = {"generative": True, "budget": 3600.0}


def fit(path, **how):
    return gradatim.fit(path, **JOB, **how, output=path.parent / "m")


def test_a_table_becomes_a_folder_that_makes_rows(table):
    told = []
    result = fit(table, target="smokes", tell=told.append)
    names = {path.name for path in result.folder.iterdir()}
    assert {"model.json", "model.safetensors", "report.html"} <= names
    assert sorted(path.name for path in table.parent.iterdir()) == ["m", "people.csv"]
    model = gradatim.load_model(result.folder)
    assert model.generators == ["independent columns", "Gaussian copula", "network"]
    frame = pd.read_csv(table, dtype=str)
    for which in model.generators:
        rows = model.sample(50, which=which, seed=1)
        assert rows.equals(result.model.sample(50, which=which, seed=1))
        assert not rows.equals(model.sample(50, which=which, seed=2))
        assert list(rows) == ["height", "children", "town", "born", "land", "smokes"]
        assert set(rows["town"]) <= set(frame["town"])
        assert set(rows["land"]) == {"CH"}
        assert rows["children"].str.fullmatch(r"\d+").all()
        assert rows["height"].str.fullmatch(r"\d+(\.\d)?").all()
        assert rows["born"].str.fullmatch(r"\d\d\.\d\d\.\d{4}").all()
        assert set(rows["smokes"].dropna()) <= {"yes", "no"}
    rounds = [event.what for event in told if isinstance(event, Stage) and "round" in event.what]
    assert [each.split(":")[0] for each in rounds] == [f"{kind}, round {k} of 2" for kind in ("vae", "diffusion") for k in (1, 2)]  # fmt: skip
    samples = [event for event in told if isinstance(event, Sample)]
    assert [sample.title for sample in samples] == rounds
    assert all("town" in sample.content for sample in samples)
    assert {event.name for event in told if isinstance(event, Figure)} == {"vae: pair similarity", "diffusion: pair similarity"}  # fmt: skip
    assert result.command == f"gradatim sample {result.folder} -n 1000 -o rows.csv"


def test_all_generators_are_judged_by_the_same_figures(table):
    result = fit(table, target="smokes")
    about = json.loads((result.folder / "model.json").read_text())["about"]
    assert list(about["test"]) == [
        *("independent columns", "Gaussian copula", "network", "jittered training rows", "training rows"),
    ]  # fmt: skip
    for name, figures in about["test"].items():
        value, low, high = figures["two-sample AUC"]
        assert low <= value <= high
        assert 0 <= figures["column similarity"][0] <= 1
        assert (figures["copying"] is None) == (name == "training rows")
    assert about["test"]["training rows"]["teaching loss"][0] == pytest.approx(0, abs=0.1)
    assert result.verdict.metric == "two-sample AUC"
    assert result.verdict.recommended in ("independent columns", "Gaussian copula", "network")
    tables = {s.title: s for s in result.report.sections if isinstance(s, Table)}
    titles = list(tables)
    test = tables["Test, 24 held-out rows, used once, with 95 % intervals"]
    assert test.columns[1:4] == ["two-sample AUC", "columns alike", "pairs alike"]
    for row in test.rows:
        cells = [cell for cell in row[1:-1] if cell is not None]
        assert len(cells) == 5 + (row[0] != "training rows")
        assert all(re.fullmatch(r".+ \(.+ to .+\)", cell) for cell in cells)
    assert "Rows of the network" in titles
    assert any("nearest to a training row" in title for title in titles)
    assert any("no proof of privacy" in getattr(s, "text", "") for s in result.report.sections)
    assert not result.report.left_out


def test_a_killed_run_goes_on_to_the_same_rows(table):
    whole = fit(table).model.sample(30, which="network", seed=3)

    def kill(event):
        if isinstance(event, Stage) and event.what.startswith("diffusion, round 1"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(table, tell=kill)
    told = []
    again = fit(table, resume=True, tell=lambda event: told.append(event[0]))
    assert not any(str(what).startswith("vae, round") for what in told)
    assert again.model.sample(30, which="network", seed=3).equals(whole)


def test_one_kind_of_network_may_be_asked_for(table):
    result = fit(table, model="vae")
    assert result.model.maker == "vae"
    with pytest.raises(InvalidValue, match=r"model must be one of vae, .*got 'vea'"):
        fit(table, model="vea")


def test_a_budget_too_short_gives_the_simple_generator(table, monkeypatch):
    monkeypatch.setattr(course, "_plan", lambda *a: None)
    result = fit(table)
    assert result.model.generators == ["independent columns", "Gaussian copula"]
    assert result.verdict.sentence.startswith("No network was trained.")
    assert "The budget is too short for a network" in str(result.concerns[0])
    assert len(result.model.sample(7)) == 7
    assert gradatim.load_model(result.folder).sample(7).equals(result.model.sample(7))


def test_a_plan_keeps_the_time_that_is_left(table, monkeypatch):
    from gradatim.fitting.generative.kind import GenerativeOptions
    from gradatim.fitting.generative.media import read_medium

    monkeypatch.undo()
    medium = read_medium(table, GenerativeOptions())
    medium.prepare(None, lambda event: None)
    monkeypatch.setattr(course, "_seconds_per_step", lambda *a: 0.01)
    maker = medium.makers()[0]
    assert course._plan(medium, maker, 0, 0.5) is None
    assert course._plan(medium, maker, 0, -1.0) is None
    short = course._plan(medium, maker, 0, 2.0)
    assert short["steps"] * short["rounds"] == 150
    large = course._plan(medium, maker, 0, 1e6)
    assert large["steps"] * large["rounds"] <= medium.most_steps(course.Plan(**large))


def test_a_table_without_a_target_teaches_nothing(table):
    result = fit(table)
    assert result.model.classes is None
    assert result.player.figures["network"].teaching is None


def test_a_numeric_target_is_no_class(table):
    result = fit(table, target="height")
    assert result.model.classes is None
    assert result.player.figures["network"].teaching.metric == "R²"


@pytest.mark.parametrize(
    ("how", "error", "sentence"),
    [
        ({"target": "smoke"}, InvalidValue, "target must be a column of the table"),
        ({"drop": ["hight"]}, InvalidValue, "drop must be a column of the table"),
        ({"target": "town", "drop": ["town"]}, InvalidValue, "drop must not name the target, got 'town'"),
        ({"trials": 2}, InvalidValue, "trials must not be given for a generative model, got 2"),
        ({"test": "new.csv"}, InvalidValue, "test must be a share between 0 and 1 for a generative model"),
        ({"rows": 30}, InvalidValue, "must have at least 80 rows to make more of them, got 30"),
    ],
)  # fmt: skip
def test_settings_that_make_no_sense(table, how, error, sentence):
    with pytest.raises(error, match=sentence):
        fit(table, **how)
    assert [path.name for path in table.parent.iterdir()] == ["people.csv"]


def test_data_that_are_no_table():
    from gradatim.fitting.generative.kind import GenerativeOptions
    from gradatim.fitting.generative.media import read_medium

    with pytest.raises(InvalidType, match="data must be a table or images for a generative model, got a list"):  # fmt: skip
        read_medium([np.zeros((5, 2))], GenerativeOptions())


def test_a_game_is_for_images(table):
    with pytest.raises(InvalidValue, match="model must be vae or diffusion for a table, got 'gan'"):
        fit(table, model="gan")
