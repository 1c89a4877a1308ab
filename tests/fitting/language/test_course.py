"""From a text file to a model folder."""

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim.errors import InvalidType, InvalidValue
from gradatim.events import Sample, Stage
from gradatim.experiments._characters import made_up_text
from gradatim.fitting import write_predictions
from gradatim.fitting.language import course as language_course
from gradatim.fitting.language import sections
from gradatim.fitting.language.kind import LanguageOptions
from gradatim.fitting.rounds import Plan, Size
from gradatim.reports import report as report_module

PLAN = Plan(Size(32, 2, 2), context=32, batch_size=16, steps=15, rounds=3)
JOB = {"language_model": True, "budget": 3600.0}  # time plays no part: the plan is fixed


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Seconds instead of a minute: a small network, a short context, no drawing."""
    monkeypatch.setattr(language_course, "choose_context", lambda budget: 32)
    monkeypatch.setattr(
        language_course, "make_plan", lambda *a, seed, **k: replace(PLAN, seed=seed)
    )
    monkeypatch.setattr(report_module, "_png", lambda figure: b"")
    monkeypatch.setattr(language_course, "SHOWN", 20)
    monkeypatch.setattr(sections, "WRITTEN", 20)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "tales.txt"
    path.write_text(made_up_text(12_000, 0))
    return path


def fit(path, job=JOB, **arguments):
    return gradatim.fit(path, **job, output=path.parent / "m", **arguments)


def test_a_text_becomes_a_folder_that_writes(corpus):
    told = []
    result = fit(corpus, tell=told.append)
    folder = result.folder
    assert {"model.json", "model.safetensors", "report.html"} <= {p.name for p in folder.iterdir()}
    assert sorted(p.name for p in corpus.parent.iterdir()) == ["m", "tales.txt"]
    rounds = [event.what for event in told if isinstance(event, Stage) and event.what.startswith("round")]  # fmt: skip
    assert len(rounds) == 3
    samples = [event for event in told if isinstance(event, Sample)]
    assert [sample.title for sample in samples] == rounds
    assert all(sample.title.endswith("bits per character") and sample.content for sample in samples)
    model = gradatim.load_model(folder)
    assert model.generate("the king ", 30, seed=3) == result.model.generate("the king ", 30, seed=3)
    assert result.headline.startswith("Language model of tales, 12,000 characters in ")
    assert result.command.startswith("gradatim generate ")
    word = result.command.split('"')[1]
    assert word in corpus.read_text()
    lines = next(s.source for s in result.report.sections if getattr(s, "language", "") == "python")
    assert word in lines
    with pytest.raises(InvalidType, match=r"got a LanguageModel\. Try 'gradatim generate'\."):
        write_predictions(folder, corpus, corpus.parent / "out.csv")


def test_contestants_are_judged_by_the_same_rule(corpus):
    result = fit(corpus)
    test = json.loads((result.folder / "model.json").read_text())["about"]["test"]
    bits = {name: figures["bits per character"] for name, figures in test.items()}
    assert list(bits)[:2] == ["characters equally likely", "frequencies"]
    alphabet = len(set(corpus.read_text()))
    assert bits["characters equally likely"] == pytest.approx(math.log2(alphabet))
    assert bits["frequencies"] < bits["characters equally likely"]
    best = min(value for name, value in bits.items() if name.endswith("-gram"))
    assert best < bits["frequencies"]
    assert result.verdict.network_wins == (result.verdict.difference.high < 0)
    if not result.verdict.network_wins:
        assert "no better than counting" in str(result.concerns[0])


def test_a_killed_run_goes_on_to_the_same_model(corpus):
    whole = fit(corpus)

    def kill(event):
        if event[0].startswith("round 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(corpus, tell=kill)
    told = []
    again = fit(corpus, tell=lambda event: told.append(event[0]), resume=True)
    assert not any(stage.startswith("round 1") for stage in told)
    for a, b in zip(whole.model.network.parameters(), again.model.network.parameters(), strict=True):  # fmt: skip
        assert a.equal(b)
    assert [row[0] for row in again.player.watched] == [1, 2, 3]


def test_byte_pairs_are_scored_per_character(corpus):
    result = fit(corpus, {**JOB, "tokenizer": "byte-pair"})
    assert result.model.tokenizer.name == "byte_pair"
    uniform = math.log2(len(set(corpus.read_text())))
    assert result.player.scores["characters equally likely"][0] == pytest.approx(uniform)
    assert np.mean(result.player.scores["frequencies"]) < uniform
    written = "".join(result.model.stream("the ghost", 20, seed=1))
    assert written == result.model.generate("the ghost", 20, seed=1)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"target": "y"}, "target must not be given for a language model, got 'y'"),
        ({"trials": 3}, "trials must not be given for a language model, got 3"),
        ({"test": "other.txt"}, "test must be a share between 0 and 1 for a language model"),
        ({"test": 0.001}, "tales: must hold at least"),
        ({"rows": 100}, "tales: must hold at least"),
    ],
)
def test_settings_that_make_no_sense(corpus, change, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        fit(corpus, {**JOB, **change})
    assert [p.name for p in corpus.parent.iterdir()] == ["tales.txt"]


def test_a_table_is_no_text(tmp_path):
    with pytest.raises(InvalidValue, match="data must be a text file for a language model, got a DataFrame"):  # fmt: skip
        gradatim.fit(pd.DataFrame({"a": [1]}), **JOB, output=tmp_path / "m")
    with pytest.raises(InvalidValue, match="tokenizer must not be given for"):
        gradatim.fit("iris", tokenizer="byte", output=tmp_path / "m")
    with pytest.raises(InvalidValue, match="tokenizer must be one of byte"):
        LanguageOptions(tokenizer="bytes")
