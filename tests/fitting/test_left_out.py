"""Whatever goes wrong in a report, the model is written: what could not be made is left out and said, for every kind."""

import importlib
import json
import logging
import pkgutil
import subprocess
import sys
from dataclasses import replace

import pytest

import gradatim
from gradatim import fitting
from gradatim.errors import Unavailable
from gradatim.events import Cancelled
from gradatim.fitting.images.player import ImagePlayer
from gradatim.fitting.language import course as language_course
from gradatim.fitting.language import sections as language_sections
from gradatim.fitting.series.player import SeriesPlayer
from gradatim.fitting.tables import player as tables_player
from gradatim.fitting.tables.player import TablePlayer
from gradatim.fitting.texts.player import TextPlayer
from gradatim.fitting.translation import course as translation_course

from .conftest import make_frame
from .images.test_player import fill
from .language.test_course import PLAN as WRITING
from .language.test_course import made_up_text
from .series.test_player import monthly
from .texts.test_player import reviews
from .translation.test_translation import PLAN as TRANSLATING
from .translation.test_translation import count

LOST = {
    "table": {"part of the warnings", "the figure of the comparison", "the learning curve", "the residuals", "the importance of the columns"},
    "image": {"part of the warnings", "the samples", "the figure of the comparison", "the learning curve", "the confusion matrix", "the calibration"},
    "text": {"part of the warnings", "the figure of the comparison", "the learning curve", "the confusion matrix", "the telling words"},
    "series": {"part of the warnings", "the figure of the comparison", "the learning curve", "the forecast", "the errors by step"},
    "language": {"the figure of the test", "the learning curve"},
    "translation": {"the figure of the test", "where the network looks", "the learning curve"},
}  # fmt: skip


THINGS = {"table": "rows", "image": "images", "text": "texts", "series": "steps"}


def modules():
    """All modules of the fits."""
    found = pkgutil.walk_packages(fitting.__path__, "gradatim.fitting.")
    return [importlib.import_module(info.name) for info in found]


def fail(*arguments, **named):
    raise RuntimeError("no\nluck")


@pytest.fixture
def broken(monkeypatch):
    """Nothing can be drawn, no column weighed, no network watched; short courses."""
    for module in modules():
        for name, value in vars(module).copy().items():
            if getattr(value, "__module__", "").startswith("gradatim.plots") and callable(value):
                monkeypatch.setattr(module, name, value if isinstance(value, type) else fail)
    monkeypatch.setattr(tables_player, "permutation_importance", fail)
    for player in (TablePlayer, ImagePlayer, TextPlayer, SeriesPlayer):
        monkeypatch.setattr(player, "watch", fail)
        monkeypatch.setattr(player, "concerns", fail)
    monkeypatch.setattr(language_course, "choose_context", lambda budget: 32)
    monkeypatch.setattr(language_course, "make_plan", lambda *a, seed, **k: replace(WRITING, seed=seed))  # fmt: skip
    monkeypatch.setattr(language_sections, "WRITTEN", 5)
    monkeypatch.setattr(translation_course, "make_plan", lambda *a, seed, **k: replace(TRANSLATING, steps=20, seed=seed))  # fmt: skip


def fit_table(place):
    frame = make_frame(60).drop(columns=["kind", "day"])
    return gradatim.fit(frame, "price", output=place / "m", trials=1), frame


def fit_image(place):
    photos = fill(place / "photos", 12)
    return gradatim.fit(photos, trials=1, output=place / "m"), photos


def fit_text(place):
    frame = reviews(60)
    return gradatim.fit(frame, "label", text="review", trials=1, output=place / "m"), frame


def fit_series(place):
    frame = monthly(60)
    return gradatim.fit(frame, forecast=6, time_column="date", trials=1, output=place / "m"), frame


def fit_language(place):
    (place / "tales.txt").write_text(made_up_text(6_000, 0))
    return gradatim.fit(place / "tales.txt", language_model=True, budget=3600.0, output=place / "m"), "the king "  # fmt: skip


def fit_translation(place):
    text = "".join(f"{a}\t{b}\n" for a, b in count(200))
    (place / "numbers.tsv").write_text(text, encoding="utf-8")
    return gradatim.fit(place / "numbers.tsv", translate=True, budget=3600.0, output=place / "m"), ["eins zwei"]  # fmt: skip


def use(kind, model, data):
    if kind == "language":
        return model.generate(data, 5)
    return model.translate(data) if kind == "translation" else model.predict(data)


@pytest.mark.parametrize("kind", LOST)
@pytest.mark.filterwarnings("ignore:.*")  # of what could not be read in tiny tables
def test_a_model_is_written_whatever_its_report_lacks(kind, tmp_path, broken, caplog):
    result, data = globals()[f"fit_{kind}"](tmp_path)
    if kind in THINGS:  # every kind by its own word
        assert f"the test {THINGS[kind]} included" in result.after
        assert result.tables[-1].title.endswith(f" {THINGS[kind]}, used once")
    assert len(use(kind, gradatim.load_model(result.folder), data))
    reason = "could not be made and is left out (RuntimeError: no luck)."
    said = {f"Of the report, {part} {reason}" for part in LOST[kind]}
    assert said <= set(result.notes)
    page, facts = ((result.folder / f"report.{ending}").read_text() for ending in ("html", "json"))
    assert said <= set(json.loads(facts)["texts"])
    assert all(sentence in page for sentence in said)
    assert result.report.pictures == []
    logged = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert all(record.exc_info[0] is RuntimeError for record in logged)
    assert said <= {record.getMessage() for record in logged}


@pytest.mark.parametrize("error", [Cancelled(), KeyboardInterrupt(), Unavailable("a disk must be there, and is not.")])  # fmt: skip
def test_who_ends_a_fit_while_it_reports_is_heard(error, tmp_path, monkeypatch):
    def end(*arguments, **named):
        raise error

    monkeypatch.setattr(tables_player, "permutation_importance", end)
    frame = make_frame(60)[["x", "z", "price"]]
    with pytest.raises(type(error)):
        gradatim.fit(frame, "price", output=tmp_path / "m", trials=1)
    assert not (tmp_path / "m").exists()


CLI = """
import sys
from gradatim.cli.main import main
from gradatim.fitting.tables import player
def fail(*arguments, **named):
    raise RuntimeError("no luck")
player.permutation_importance = fail
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("debug", [[], ["--debug"]])
def test_the_terminal_says_what_is_missing_and_shows_why_when_asked(tmp_path, debug):
    make_frame(60)[["x", "z", "price"]].to_csv(tmp_path / "t.csv", index=False)
    words = ["fit", "t.csv", "--target", "price", "--trials", "1", "-o", "m", *debug]
    done = subprocess.run(
        [sys.executable, "-c", CLI, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "the importance of the columns could not be made and is left out" in " ".join(done.stdout.split())  # fmt: skip
    assert ("Traceback" in done.stderr) is bool(debug)
    assert "handlers" not in done.stderr
