import gzip
import importlib.util
import json
import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gradatim
from gradatim.cli import progress
from gradatim.events import Cancelled
from gradatim.fitting import contest
from gradatim.fitting.tables import networks, player
from gradatim.reports import report as report_module

PIXEL = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000")


@pytest.fixture(autouse=True)
def short(monkeypatch, tmp_path):
    """A folder of one's own, two simple models, a network of a few steps, and no drawing."""
    monkeypatch.chdir(tmp_path)
    simple, draw = player.simple_models, networks.draw_settings
    monkeypatch.setattr(player, "simple_models", lambda classes: simple(classes)[:2])
    tiny = {"steps": 8, "hidden": (4,), "members": 1}
    monkeypatch.setattr(player, "draw_settings", lambda *a: replace(draw(*a), **tiny))
    monkeypatch.setattr(report_module, "_png", lambda figure: PIXEL)
    monkeypatch.setattr(progress, "_QUIET", float("inf"))  # a slow machine says nothing either


def good(rows=60, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=rows), "b": rng.normal(size=rows)})
    frame["y"] = np.round(frame["a"] + rng.normal(size=rows), 6)
    frame["c"] = np.where(frame["y"] > 0, "up", "down")
    return frame


def text(frame, **arguments):
    return frame.to_csv(index=False, **arguments).encode()


def left_over(folder):
    """Everything in the working folder but the input, as a user would find it."""
    return sorted(
        p.name for p in folder.iterdir() if p.name not in ("t.csv", "t.parquet", "t.csv.gz")
    )


# --- bad input: exit code 2 (1 where a file is not to be had), one sentence, nothing left behind

NONE = good().assign(y=np.nan)
BAD = {
    "empty file": (b"", "y", "t.csv: must be a table with a header and rows, but it is empty"),
    "blank lines": (b"\n\n \n", "y", "but it is empty"),
    "header only": (b"a,b,y\n", "y", "must have rows under its header, got none"),
    "one row": (b"a,b,y\n1,2,3\n", "y", "must have at least 20 rows with a 'y', got 1"),
    "two rows": (b"a,b,y\n1,2,3\n4,5,6\n", "y", "must have at least 20 rows with a 'y', got 2"),
    "few rows": (text(good(12)), "y", "must have at least 20 rows with a 'y', got 12"),
    "missing target": (text(good()), "yy", "target must be a column of the table (y, a, b, c), got 'yy'. Try 'y'."),
    "no target given": (text(good()), None, "target must name a column: a, b, y, c. Try --target 'c'."),
    "one class": (text(good().assign(c="up")), "c", "target must have at least two different values, got only 'up' in 'c'"),
    "constant number": (text(good().assign(y=2.5)), "y", "at least two different values, got only 2.5"),
    "target never there": (text(NONE), "y", "at least 20 rows with a 'y', got 0"),
    "target all different texts": (text(good().assign(c=[f"n{k}" for k in range(60)])), "c", "two classes of at least 3 rows"),
    "too many classes": (text(pd.concat([good(150).assign(c=[f"k{k}" for k in range(150)])] * 3)), "c", "at most 100 classes, got 150"),
    "date target": (text(good().assign(y=pd.date_range("2024-01-01", periods=60))), "y", "target must hold numbers or classes, got dates in 'y'"),
    "infinite target everywhere": (text(good().assign(y="inf")), "y", "at least 20 rows with a 'y', got 0"),
    "huge target": (text(good().assign(y=lambda f: f["y"] * 1e200)), "y", "target must stay below 1e150"),
    "all columns constant": (text(good().assign(a=1, b=2)[["a", "b", "y"]]), "y", "none is left. Column 'a' is left out: it has one value only."),
    "only an identifier": (text(good().assign(id=range(60))[["id", "y"]]), "y", "none is left. Column 'id' is left out: it numbers the rows."),
    "target alone": (text(good()[["y"]]), "y", "must have a column to predict 'y' from, and none is left"),
    "row too long": (text(good()) + b"1,2,3,up,5\n", "y", "has rows of unequal length: row 62 (the header is row 1)"),
    "row much too long": (text(good()) + b"1,2,3,up,5,6,7\n", "y", "has rows of unequal length: line 62 has 7 fields, the header has 4"),
    "binary file": (b"\x00\x01\x02\x00" * 50, "y", "must be a text table, but it holds binary data"),
    "wrong delimiter only": (b"no table here\n" * 30, "y", "target must be a column of the table"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_tables_end_with_one_sentence(call, tmp_path, case):
    content, target, sentence = BAD[case]
    (tmp_path / "t.csv").write_bytes(content)
    words = ["--target", target] if target else []
    code, out, err = call("fit", "t.csv", *words, "--trials", "1", "-o", "m")
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.startswith(("fit: ", "t.csv: "))
    assert err.count("\n") == 1
    assert left_over(tmp_path) == []


OPTIONS = {
    "unknown task": (["--task", "regresion"], "task must be one of regression,"),
    "regression of text": (["--target", "c", "--task", "regression"], "target must hold numbers for a regression, got "),
    "binary of numbers": (["--target", "y", "--task", "binary"], "two classes of at least 3 rows"),
    "budget in words": (["--budget", "abc"], "budget must be a time such as 60s, 5m or 1h, got 'abc'"),
    "budget zero": (["--budget", "0"], "budget must be a time such as 60s, 5m or 1h, got '0'"),
    "budget negative": (["--budget", "-5s"], "budget must be a time such as 60s, 5m or 1h, got '-5s'"),
    "trials zero": (["--trials", "0"], "trials must be at least 1, got 0"),
    "rows negative": (["--rows", "-1"], "rows must be at least 1, got -1"),
    "seed negative": (["--seed", "-1"], "seed must be a whole number from 0 to 4,294,967,295, got -1"),
    "time column missing": (["--time-column", "when"], "time_column must be a column of the table"),
    "time column of words": (["--time-column", "c"], "time_column must hold dates or numbers, got categorical cells in 'c'"),
    "time column with gaps": (["--time-column", "gap"], "time_column must have a time in every row, got 3 rows without one"),
    "group missing": (["--group", "who"], "group must be a column of the table"),
    "group of one": (["--group", "one"], "group must have at least 4 different values, got 1 in 'one'"),
    "group is the target": (["--group", "y"], "group must differ from the target, got 'y' for both"),
    "time is the target": (["--time-column", "y"], "time_column must differ from the target"),
    "group and time": (["--group", "g", "--time-column", "a"], "time_column and group must not be given together"),
    "drop the target": (["--drop", "y"], "drop must not name the target, got 'y'"),
    "drop unknown": (["--drop", "aa"], "drop must be a column of the table (a,"),
    "drop everything": ([w for n in ("a", "b", "c", "one", "gap", "g") for w in ("--drop", n)], "and none is left"),
    "test zero": (["--test", "0"], "test must be a share between 0 and 1 or a file, got 0.0"),
    "test one": (["--test", "1"], "test must be a share between 0 and 1 or a file, got 1.0"),
    "test too large": (["--test", "0.97"], "test must leave at least 10 rows to learn from"),
}  # fmt: skip


@pytest.mark.parametrize("case", OPTIONS)
def test_bad_options_end_with_one_sentence(call, tmp_path, case):
    words, sentence = OPTIONS[case]
    gap = np.where(np.arange(60) % 25 == 0, np.nan, np.arange(60))
    frame = good().assign(one="x", gap=gap, g=np.arange(60) % 7)
    (tmp_path / "t.csv").write_bytes(text(frame))
    base = {"--target": "y", "--trials": "1", "-o": "m"}
    pairs = [w for key, value in base.items() if key not in words for w in (key, value)]
    code, out, err = call("fit", "t.csv", *pairs, *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert left_over(tmp_path) == []


def test_files_that_are_not_to_be_had(call, tmp_path):
    (tmp_path / "t.csv").write_bytes(text(good()))
    (tmp_path / "folder").mkdir()
    (tmp_path / "sheet.xlsx").write_bytes(b"PK")
    (tmp_path / "t.csv.gz").write_bytes(b"not packed")
    (tmp_path / "t.parquet").write_bytes(b"PAR1 damaged")
    cases = [
        ("none.csv", 1, "none.csv: there is no such file. Check the path.\n"),
        ("irs", 1, "irs: there is no such file. The nearest built-in name is 'iris'.\n"),
        ("folder", 2, "fit: target must not be given for images, got 'y'. It is for a table, texts, series with labels, nodes of a graph, series, clusters, anomalies and a generative model.\n"),
        ("sheet.xlsx", 2, "sheet.xlsx: must be CSV, TSV or Parquet. Save the table as CSV first.\n"),
        ("t.csv.gz", 2, "t.csv.gz: is damaged: it cannot be unpacked"),
        ("t.parquet", 2, "t.parquet: is damaged or not a Parquet file ("),
        ("tiny-shakespeare", None, "fit: tiny-shakespeare must be a table, but it is one long text. Add --language-model.\n"),
    ]  # fmt: skip
    for data, expected, sentence in cases:
        code, out, err = call("fit", data, "--target", "y", "-o", "m")
        if expected is None:
            if code == 1:  # the set was never downloaded
                continue
            expected = 2
        assert (code, out) == (expected, "")
        assert err.startswith(sentence)
        assert not (tmp_path / "m").exists()


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(call, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(text(good()))
    path.chmod(0)
    code, _, err = call("fit", "t.csv", "--target", "y")
    assert (code, err) == (1, "t.csv: cannot be read: Permission denied.\n")


def test_output_that_is_something_else_stays_as_it_is(call, tmp_path):
    (tmp_path / "t.csv").write_bytes(text(good()))
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "thesis.txt").write_text("years of work")
    code, _, err = call("fit", "t.csv", "--target", "y", "-o", "m")
    assert (code, err) == (2, "fit: output must be new, empty or a model folder, got 'm'. Choose another name.\n")  # fmt: skip
    assert (tmp_path / "m" / "thesis.txt").read_text() == "years of work"
    code, _, err = call("fit", "t.csv", "--target", "y", "-o", "t.csv/m")
    assert (code, err) == (1, "fit: t.csv/m cannot be written: File exists.\n")
    code, _, err = call("fit", "t.csv", "--target", "y", "-o", "t.csv")
    assert code == 2
    assert "output must be new" in err


# --- odd input: a stated fallback and a model that predicts the same file


def with_cells(**columns):
    return text(good().assign(**columns))


ODD = {
    "byte order mark": ("t.csv", b"\xef\xbb\xbf" + text(good()), "y", ""),
    "UTF-16": ("t.csv", good().to_csv(index=False).encode("utf-16"), "y", ""),
    "not UTF-8": ("t.csv", good().assign(c=["é", "ü", "a"] * 20).to_csv(index=False).encode("latin-1"), "y", "t.csv is not UTF-8: it was read as Windows-1252"),
    "semicolons and decimal commas": ("t.csv", text(good(), sep=";", decimal=","), "y", ""),
    "old Macintosh line ends": ("t.csv", text(good(), lineterminator="\r"), "y", ""),
    "tabs": ("t.tsv", text(good(), sep="\t"), "y", ""),
    "gzip": ("t.csv.gz", gzip.compress(text(good())), "y", ""),
    "missing and infinite cells": ("t.csv", with_cells(a=lambda f: np.where(np.arange(60) % 9 == 0, np.inf, f["a"]), b=lambda f: f["b"].mask(np.arange(60) % 7 == 0)), "y", "Column 'a': 7 cells are not finite numbers and count as missing."),
    "missing and infinite targets": ("t.csv", with_cells(y=lambda f: f["y"].mask(np.arange(60) % 10 == 0).replace(f["y"][1], np.inf)), "y", "7 rows have no (finite) target and are left out."),
    "huge numbers": ("t.csv", with_cells(a=lambda f: f["a"] * 1e300), "y", ""),
    "two columns of one name": ("t.csv", text(good()).replace(b"a,b,y,c", b"a,a,y,c", 1), "y", "Two columns are called 'a'; the later one is called 'a.1' here."),
    "a nameless column": ("t.csv", text(good()).replace(b"a,b,y,c", b",b,y,c", 1), "y", ""),
    "identifier": ("t.csv", with_cells(id=range(1, 61)), "y", "Column 'id' is left out: it numbers the rows."),
    "constant column": ("t.csv", with_cells(k="same"), "y", "Column 'k' is left out: it has one value only."),
    "empty column": ("t.csv", with_cells(k=None), "y", "Column 'k' is left out: it has no value at all."),
    "names of people": ("t.csv", with_cells(who=[f"person {k}" for k in range(60)]), "y", "Column 'who' is left out: "),
    "many categories": ("t.csv", text(pd.concat([good(500).assign(k=[f"k{i}" for i in range(500)])] * 2)), "y", "test rows"),
    "dates": ("t.csv", with_cells(d=pd.date_range("2024-01-01", periods=60).strftime("%d.%m.%Y")), "y", ""),
    "dates with times": ("t.csv", with_cells(d=pd.date_range("2024-01-01", periods=60, freq="7h").strftime("%Y-%m-%dT%H:%M:%S")), "y", ""),
    "yes and no": ("t.csv", with_cells(f=lambda f: np.where(f["b"] > 0, "Yes", "no")), "y", ""),
    "yes and no as the target": ("t.csv", with_cells(c=lambda f: np.where(f["b"] > 0, "yes", "no")), "c", ""),
    "mixed types": ("t.csv", with_cells(a=lambda f: f["a"].astype(object).mask(np.arange(60) == 5, "broken")), "y", "Column 'a': 1 cell is not a finite number and counts as missing."),
    "foreign letters": ("t.csv", text(good().rename(columns={"a": "größe 身長", "y": "цена"})), "цена", ""),
    "quotes and line breaks": ("t.csv", with_cells(q=['x, "y"\nz', "plain"] * 30), "y", ""),
    "short rows": ("t.csv", text(good()) + b"1.5\n", "y", "1 row has no (finite) target and is left out."),
    "rare class": ("t.csv", with_cells(c=lambda f: f["c"].mask(np.arange(60) == 7, "sideways")), "c", "1 class with fewer than 3 rows cannot be learned and judged: 1 row is left out."),
    "whole numbers as classes": ("t.csv", with_cells(c=lambda f: np.arange(60) % 3), "c", "The target has 3 different whole numbers and is taken for classes"),
    "repeated rows": ("t.csv", text(pd.concat([good(30)] * 3)), "y", "repeat a training row exactly"),
    "wide table": ("t.csv", text(pd.concat([good(30), pd.DataFrame(np.random.default_rng(1).normal(size=(30, 80))).add_prefix("w")], axis=1)), "y", "Little data: 24 training rows for 82 columns."),
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_odd_tables_end_with_a_stated_fallback(call, tmp_path, case):
    name, content, target, sentence = ODD[case]
    (tmp_path / name).write_bytes(content)
    drop = {"y": "c", "c": "y"}.get(target)
    words = ["--drop", drop] if drop and case != "not UTF-8" else []
    code, out, err = call(
        "fit", name, "--target", target, *words, "--trials", "1", "--keep-test-out", "-o", "m"
    )
    assert (code, err) == (0, "")
    assert sentence in " ".join(out.split())
    assert "Recommended: " in " ".join(out.split())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m", name]
    code, out, err = call("predict", "m", name, "-o", "p.csv")
    assert code == 0
    reported = pd.read_csv("m/predictions.csv", dtype=str)
    again = pd.read_csv("p.csv", dtype=str)
    rows = reported.pop("row").astype(int) - 1
    pd.testing.assert_frame_equal(again.iloc[rows].reset_index(drop=True), reported)


# --- what the commands say


def test_fit_prints_the_table_the_verdict_and_how_to_go_on(call, tmp_path):
    code, out, err = call("fit", "iris", "--trials", "1")
    assert (code, err) == (0, "")
    assert out.startswith("iris: classification into 3 classes of 'species' (120 training rows,")
    assert "Cross-validation, 10 folds" in out
    assert "Test, 30 rows, used once" in out
    assert out.splitlines()[-2:] == [
        "Report: runs/fit-iris/report.html",
        "Use it: gradatim predict runs/fit-iris NEW_DATA -o predictions.csv",
    ]
    names = {p.name for p in (tmp_path / "runs" / "fit-iris").iterdir()}
    assert {
        "model.json",
        "model.safetensors",
        "report.html",
        "report.json",
        "predictions.csv",
    } <= names
    about = json.loads((tmp_path / "runs/fit-iris/model.json").read_text("utf-8"))["about"]
    assert about["verdict"] in " ".join(out.split())


@pytest.mark.parametrize("error", [KeyboardInterrupt, Cancelled])
def test_an_interrupted_fit_ends_with_130_and_can_be_resumed(call, tmp_path, monkeypatch, error):
    def stop(*arguments, **settings):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(contest, "tune", stop)
        assert call("fit", "iris", "--trials", "1", "-o", "m") == (130, "", "Interrupted.\n")
    assert [path.name for path in tmp_path.iterdir()] == [".m.work"]
    code, _, err = call("fit", "iris", "--trials", "1", "-o", "m", "--resume")
    assert (code, err) == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_predict_matches_columns_by_name_and_counts_fallbacks(call, tmp_path):
    frame = good(120).assign(k=["u", "v", "w"] * 40)
    (tmp_path / "t.csv").write_bytes(text(frame))
    call("fit", "t.csv", "--target", "c", "--drop", "y", "--trials", "1", "-o", "m")
    new = frame[["k", "b", "a"]].astype({"a": object}).assign(extra=1)
    new.loc[0, "a"], new.loc[1, "k"] = "many", "unseen"
    new.to_csv("new.csv", index=False)
    code, out, err = call("predict", "m", "new.csv", "-o", "p.csv")
    assert (code, out) == (0, "120 rows: p.csv\n")
    assert err.splitlines() == [
        "predict: Column 'a': 1 cell is not a finite number and counts as missing.",
        "predict: Column 'k': 1 row has a category that training never saw; no level is set there.",
    ]
    table = pd.read_csv("p.csv")
    assert list(table) == ["prediction", "probability down", "probability up"]
    np.testing.assert_allclose(table.iloc[:, 1:].sum(axis=1), 1.0)
    model = gradatim.load_model("m")
    assert model.predict(frame).tolist()[2:] == table["prediction"].tolist()[2:]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["m", "short.csv"], 2, "predict: the table must have the column 'b', and has not. The nearest column is 'bb'.\n"),
        (["m", "none.csv"], 1, "none.csv: there is no such file. Check the path.\n"),
        (["nowhere", "t.csv"], 1, "load_model: 'nowhere' is not a model folder: it has no model.json.\n"),
        (["m", "t.csv", "--model", "forest"], 2, "predict: model must be one of "),
        (["m", "t.csv", "-o", "m"], 1, "predict: m cannot be written: it is a folder.\n"),
        (["m", "t.csv", "-o", "t.csv/p.csv"], 1, "predict: t.csv/p.csv cannot be written: "),
    ],
)  # fmt: skip
def test_predict_says_what_is_wrong(call, tmp_path, words, code, sentence):
    (tmp_path / "t.csv").write_bytes(text(good()))
    (tmp_path / "short.csv").write_text("a,bb\n1,2\n")
    call("fit", "t.csv", "--target", "y", "--drop", "c", "--trials", "1", "-o", "m")
    found, out, err = call("predict", *words)
    assert (found, out) == (code, "")
    assert err.startswith(sentence)
    assert not (tmp_path / "predictions.csv").exists()


def snapshot(folder):
    """Kind and content of everything below a folder."""
    return {
        str(p): (p.lstat().st_mode, p.readlink() if p.is_symlink() else p.is_file() and p.read_bytes())
        for p in folder.rglob("*")
    }  # fmt: skip


def test_no_output_costs_the_user_a_file(call, tmp_path):
    (tmp_path / "t.csv").write_bytes(text(good()))
    call("fit", "t.csv", "--target", "y", "--drop", "c", "--trials", "1", "-o", "m")
    (tmp_path / "thesis.txt").write_text("years of work")
    (tmp_path / "locked.csv").write_text("prediction\n1\n")
    (tmp_path / "locked.csv").chmod(0o444)
    (tmp_path / "link.csv").symlink_to("t.csv")
    (tmp_path / "dangling.csv").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    parts = [f"m/{p.name}" for p in (tmp_path / "m").iterdir()]
    before = snapshot(tmp_path)
    for name in ("t.csv", "link.csv", "thesis.txt", "locked.csv", "dangling.csv", "pipe", "/dev/null", "m", *parts):  # fmt: skip
        code, out, err = call("predict", "m", "t.csv", "-o", name)
        assert (code in (1, 2), out, err.count("\n")) == (True, "", 1), name
        assert err.startswith(("predict: output must ", f"predict: {name} cannot be written: ")), err  # fmt: skip
        if importlib.util.find_spec("onnx") and name not in ("t.csv", "link.csv"):
            code, _, err = call("export", "m", "--onnx", "-o", name)
            assert code in (1, 2), name
            assert err.startswith(("export: output must ", f"export: {name} cannot be written: ")), err  # fmt: skip
    assert call("fit", "m/predictions.csv", "--target", "prediction", "-o", "m")[0] == 2
    assert call("run", "xor", "--quick", "-o", "m")[0::2] == (2, "Report.write: folder must not be that of a model, got 'm'. Choose another name.\n")  # fmt: skip
    assert snapshot(tmp_path) == before
    assert not os.path.isfile("/dev/null")


def test_predictions_of_the_same_columns_are_replaced_and_links_followed(call, tmp_path):
    (tmp_path / "t.csv").write_bytes(text(good()))
    call("fit", "t.csv", "--target", "y", "--drop", "c", "--trials", "1", "-o", "m")
    (tmp_path / "p.csv").write_text("prediction\n1\n")
    (tmp_path / "link.csv").symlink_to("p.csv")
    assert call("predict", "m", "t.csv", "-o", "link.csv")[0] == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 61
    pytest.importorskip("onnx")
    for _ in range(2):
        assert call("export", "m", "--onnx", "-o", "g.onnx")[0] == 0


def test_the_user_s_files_in_an_older_model_folder_stay(call, tmp_path):
    words = ("--target", "y", "--drop", "c", "--trials", "1", "-o", "m")
    (tmp_path / "t.csv").write_bytes(text(good()))
    call("fit", "t.csv", *words)
    (tmp_path / "t.csv").rename(tmp_path / "m" / "t.csv")
    (tmp_path / "m" / "notes.txt").write_text("mine")
    code, _, err = call("fit", "m/t.csv", *words)
    assert (code, err) == (0, "")
    assert (tmp_path / "m" / "t.csv").read_bytes() == text(good())
    assert (tmp_path / "m" / "notes.txt").read_text() == "mine"
    (tmp_path / "m" / "predictions.csv").write_text("my corrections")
    code, _, err = call("fit", "m/t.csv", *words)
    assert code == 2
    assert "where 'predictions.csv' was changed" in err
    assert (tmp_path / "m" / "predictions.csv").read_text() == "my corrections"


def test_export_asks_for_a_format_and_writes_the_graph(call, tmp_path):
    pytest.importorskip("onnx")
    (tmp_path / "t.csv").write_bytes(text(good()))
    call("fit", "t.csv", "--target", "y", "--drop", "c", "--trials", "1", "-o", "m")
    assert call("export", "m")[0::2] == (
        2,
        "export: a format must be chosen, --onnx or --torch, got none. Try --onnx.\n",
    )
    code, out, err = call("export", "m", "--onnx")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "a: number, NaN where missing",
        "b: number, NaN where missing",
        "m/model.onnx",
    ]
    assert (tmp_path / "m" / "model.onnx").stat().st_size > 100
