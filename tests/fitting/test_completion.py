"""After the test the models learn all rows: what changes, what stays, and when it is not done."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from gradatim import fit
from gradatim.cli import main
from gradatim.fitting import contest
from gradatim.fitting.completion import DONE
from gradatim.fitting.tables import networks
from gradatim.fitting.tables import player as tables
from gradatim.fitting.work import Work
from gradatim.reports import report as report_module

SETTINGS = {"trials": 1, "drop": ["price"]}


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Two simple models, small networks of a few steps, and no drawing."""
    simple, draw = tables.simple_models, networks.draw_settings
    monkeypatch.setattr(tables, "simple_models", lambda classes: simple(classes)[:2])
    tiny = {"steps": 20, "hidden": (4,)}
    monkeypatch.setattr(tables, "draw_settings", lambda *a: replace(draw(*a), **tiny))
    header = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000")
    monkeypatch.setattr(report_module, "_png", lambda figure: header)


def content(folder, name):
    return (folder / name).read_bytes()


def about(folder):
    return json.loads(content(folder, "model.json"))["about"]


def test_the_models_change_and_the_figures_stay(frame, tmp_path):
    fit(frame, "kind", output=tmp_path / "a", **SETTINGS)
    fit(frame, "kind", output=tmp_path / "b", keep_test_out=True, **SETTINGS)
    assert content(tmp_path / "a", "predictions.csv") == content(tmp_path / "b", "predictions.csv")
    assert content(tmp_path / "a", "model.safetensors") != content(tmp_path / "b", "model.safetensors")  # fmt: skip
    one, other = about(tmp_path / "a"), about(tmp_path / "b")
    assert (one["learned_test_rows"], other["learned_test_rows"]) == (True, False)
    assert (one["figures"], one["test"]) == (DONE.format("rows"), other["test"])
    assert DONE.format("rows") in content(tmp_path / "a", "report.html").decode()
    assert other["figures"] == "The test rows were kept out of the models, as asked."


def test_levels_that_only_the_test_has_are_learned(frame, tmp_path):
    frame["town"] = ["Bern", "Genf"] * 50 + ["Chur"] * 20
    frame.iloc[:100].to_csv(tmp_path / "a.csv", index=False)
    frame.iloc[100:].to_csv(tmp_path / "b.csv", index=False)
    found = {}
    for kept in (True, False):
        result = fit(tmp_path / "a.csv", "kind", test=tmp_path / "b.csv", output=tmp_path / "m", keep_test_out=kept, **SETTINGS)  # fmt: skip
        found[kept] = result.model.preprocessing.names
    assert not any("Chur" in name for name in found[True])
    assert "town = Chur" in found[False]


@pytest.mark.parametrize("stop", ["test-rows-added", "completing"])
def test_a_run_that_is_killed_after_the_test_resumes_to_the_same_model(frame, tmp_path, monkeypatch, stop):  # fmt: skip
    fit(frame, "kind", output=tmp_path / "whole", **SETTINGS)
    put, complete = Work.put, tables.TablePlayer.complete

    def die_putting(self, key, value, *beside):
        if key == stop:
            raise KeyboardInterrupt
        return put(self, key, value, *beside)

    def die_completing(self, *arguments):
        if stop == "completing":
            raise KeyboardInterrupt
        return complete(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Work, "put", die_putting)
        patch.setattr(tables.TablePlayer, "complete", die_completing)
        with pytest.raises(KeyboardInterrupt):
            fit(frame, "kind", output=tmp_path / "m", **SETTINGS)
    assert not (tmp_path / "m").exists()
    fit(frame, "kind", output=tmp_path / "m", resume=True, **SETTINGS)
    for name in ("model.safetensors", "predictions.csv"):
        assert content(tmp_path / "m", name) == content(tmp_path / "whole", name)


def test_without_time_it_is_not_done_and_said(frame, tmp_path, monkeypatch):
    train = contest._train

    def slowly(player, candidates, work):
        work.spent += 100.0
        return train(player, candidates, work)

    monkeypatch.setattr(contest, "_train", slowly)
    result = fit(frame, "kind", output=tmp_path / "m", drop=["price"], budget=3.0)
    assert result.after.startswith("The models have not learned the test rows: the budget leaves no time.")  # fmt: skip
    assert not about(tmp_path / "m")["learned_test_rows"]


def test_a_course_that_trains_once_refuses_the_wish(tmp_path, capsys):
    pd.Series(["ab cd"] * 50).to_csv(tmp_path / "a.txt", index=False, header=False)
    code = main(["fit", str(tmp_path / "a.txt"), "--language-model", "--keep-test-out"])
    assert code == 2
    message = "fit: keep_test_out must not be given for a text to continue, got True. It is for"
    assert message.split(" for ")[0] in capsys.readouterr().err
