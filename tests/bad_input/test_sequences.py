"""Series with labels that are wrong or odd."""

import numpy as np
import pandas as pd
import pytest

from .inputs import change, csv, file, folder, link, model, nothing, npz, runs, series_folder, ts
from .trial import trial

FIT = "fit t.csv --series run --target c --drop y --trials 1 -o m"
TIMED = f"{FIT} --time-column t"
LABELLED = "fit t.csv --series run --labels l.csv --target c --drop y --trials 1 -o m"
TS, TSV, NPZ, DIR = (f"fit {name} --trials 1 -o m" for name in ("t.ts", "t.tsv", "t.npz", "runs-of"))  # fmt: skip
STEPS = runs().drop(columns="c")
NAMES = [f"r{k}" for k in range(24)]
CLASSES = ["low", "high"] * 12
X = np.random.default_rng(0).normal(size=(24, 5, 2))
Y = np.array(CLASSES)
UCR = "".join(f"{k % 2 + 1}\t{k}\t{k % 5}\t1\t0\n" for k in range(24))


def first(**cells):
    """The good series, the first row with other cells."""
    frame = runs()
    return csv(frame.assign(**{n: [v, *frame[n][1:]] for n, v in cells.items()}))


def timed(second, last="", few=2):
    """A file of series with times, the second of which is written so."""
    lines = [f"(1,{k}),({second},{k % 5}):{'ab'[k % 2]}\n" for k in range(few)]
    return "@classLabel true a b\n@data\n" + "".join(lines) + last


def labels(**columns):
    return csv(pd.DataFrame({"run": NAMES, "c": CLASSES}).assign(**columns), "l.csv")


TRIALS = [
    trial("good series", csv(runs()), FIT, 0, "Recommended"),
    trial("one series", csv(runs(1)), FIT, 2, "at least 12 series with a 'c', got 1"),
    trial("few series", csv(runs(8)), FIT, 2, "at least 12 series with a 'c', got 8"),
    trial("a series for every row", csv(runs(run=range(132))), FIT, 0, "1 step"),
    trial("one class", csv(runs(c="low")), FIT, 2, "at least two different values, got only 'low'"),
    trial("a class in every series", csv(runs(c=runs()["run"])), FIT, 2, "two classes of at least 3 rows"),
    trial("a label that changes", first(c="high"), FIT, 2, "'c' must have one value in each series, got 'high' and 'low' in series 'r0'"),
    trial("a label in one row of each", csv(runs(c=lambda f: f["c"].where(f["t"] == 2))), FIT, 0, "Recommended"),
    trial("no labels at all", csv(runs(c=None)), FIT, 2, "at least 12 series with a 'c', got 0"),
    trial("no such column of series", csv(runs()), FIT.replace("--series run", "--series ran"), 2, "series must be a column of the table", "Try 'run'"),
    trial("no such target", csv(runs()), FIT.replace("--target c", "--target d"), 2, "target must be a column of the table"),
    trial("no target named", csv(runs()), FIT.replace("--target c ", ""), 2, "target must name a column"),
    trial("no such time", csv(runs()), f"{FIT} --time-column when", 2, "time_column must be a column of the table"),
    trial("the series as target", csv(runs()), FIT.replace("--series run", "--series c"), 2, "series must differ from the target"),
    trial("the series as time", csv(runs()), f"{FIT} --time-column run", 2, "time_column must differ from series"),
    trial("the target dropped", csv(runs()), f"{FIT} --drop c", 2, "drop must not name the target"),
    trial("no channel left", csv(runs()), f"{FIT} --drop v --drop w --drop who", 2, "must have a channel to learn from, and none is left", "'t' is left out: it counts the steps"),
    trial("rows without a series", first(run=None), FIT, 0, "1 row has no series in 'run' and is left out"),
    trial("no row has a series", csv(runs(run=None)), FIT, 2, "'run' must name the series of rows, got none"),
    trial("an empty channel", csv(runs(v=None)), FIT, 0, "'v' is left out: it has no value at all"),
    trial("a channel of words", csv(runs(v=lambda f: np.where(f["v"] > 0, "up", "down"))), FIT, 0, "Recommended"),
    trial("a word among numbers", first(v="oops"), FIT, 0, "'v': 1 cell is not a finite number and counts as missing"),
    trial("an infinite value", first(v="inf"), FIT, 0, "counts as missing"),
    trial("a series without any value", csv(runs(v=lambda f: f["v"].where(f["run"] != "r3"))), FIT, 0, "without any value in their column"),
    trial("huge values", csv(runs(v=lambda f: f["v"] * 1e300)), FIT, 0, "Recommended"),
    trial("gaps", csv(runs(v=lambda f: f["v"].where(f["t"] != 2))), FIT, 0, "24 cells are missing and lie on a line"),
    trial("times in disorder", csv(runs().iloc[::-1]), TIMED, 0, "Rows are read in the order of 't'"),
    trial("times twice", csv(runs(t=lambda f: f["t"] // 2)), TIMED, 0, "rows share their time with another of the same series"),
    trial("missing steps", csv(runs().query("t != 2")), TIMED, 0, "24 steps are missing between others and are filled in"),
    trial("irregular times", csv(runs(t=lambda f: f["t"] ** 1.5)), TIMED, 0, "The times are not regular"),
    trial("times that are words", csv(runs(t="noon")), TIMED, 2, "time_column must hold dates or numbers"),
    trial("a row without a time", first(t=None), TIMED, 2, "must have a time in every row, got 1"),
    trial("few groups", csv(runs(who=lambda f: f["who"].str.replace("[2-9]", "0", regex=True))), f"{FIT} --group who", 2, "group must have at least 4 different values in 'who', got 2"),
    trial("a series of two groups", first(who="p5"), f"{FIT} --group who", 2, "'who' must have one value in each series, got 'p5' and 'p0'"),
    trial("no such group", csv(runs()), f"{FIT} --group whom", 2, "group must be a column of the table"),
    trial("groups beside times", csv(runs()), f"{TIMED} --group who", 0, "Recommended"),
    trial("no file of labels", csv(STEPS), LABELLED, 1, "l.csv: there is no such file"),
    trial("labels of other series", (csv(STEPS), labels(run=[f"x{k}" for k in range(24)])), LABELLED, 2, "l.csv must name the series in 'run', got 'x0'"),
    trial("labels of more series", (csv(STEPS.query("run != 'r7'")), labels()), LABELLED, 0, "l.csv has targets of 1 series that are not there"),
    trial("labels of fewer series", (csv(STEPS), labels(c=[None, *CLASSES[1:]])), LABELLED, 0, "1 row has no (finite) target and is left out"),
    trial("labels twice", (csv(STEPS), labels(run=["r1", *NAMES[1:]])), LABELLED, 2, "l.csv must have one row for each series"),
    trial("labels without the target", (csv(STEPS), csv(pd.DataFrame({"run": NAMES}), "l.csv")), LABELLED, 2, "target must be a column of the table"),
    trial("a good .ts", file("t.ts", ts()), TS, 0, "Recommended"),
    trial(".ts cut short", file("t.ts", ts()[:-9]), TS, 2, "line 26 of t.ts"),
    trial(".ts without data", file("t.ts", ts(0)), TS, 2, "t.ts must hold series behind a line '@data', got none"),
    trial(".ts with words", file("t.ts", ts().replace("5,1,2", "five,1,2")), TS, 2, "line 8 of t.ts must hold numbers", "'five'"),
    trial(".ts with time stamps", file("t.ts", ts(head="@timeStamps true\n@data\n")), TS, 2, "line 3 of t.ts must hold pairs such as (2024-12-31 23:59:59,1.5)"),
    trial(".ts with times that are words", file("t.ts", timed("noon")), TS, 2, "must hold dates or numbers, got categorical cells in 'time'"),
    trial(".ts with times in some series", file("t.ts", timed("2", "5,1,2:a")), TS, 2, "t.ts must have times in all series or in none, got 2 of 3 with times"),
    trial(".ts with times, test without", (file("t.ts", timed("2", few=24)), file("u.ts", ts())), f"{TS} --test u.ts", 2, "the test series must have times of the same kind, and have not"),
    trial(".ts and a column of times", file("t.ts", ts()), f"{TS} --time-column t", 2, "time_column must be left out where series have no columns, got 't'"),
    trial(".ts without labels", file("t.ts", ts(head="@classLabel false\n@data\n").replace(":a", "").replace(":b", "")), TS, 2, "series must have a target each, and nothing tells it"),
    trial(".ts of bytes", file("t.ts", b"\x00\xff\xfe"), TS, 2, "t.ts must be a text in UTF-8"),
    trial("an empty .ts", file("t.ts", ""), TS, 2, "t.ts must hold series"),
    trial("a good .tsv", file("t.tsv", UCR), TSV, 0, "classification"),
    trial("a word in a .tsv", file("t.tsv", UCR.replace("1\t6\t1", "1\tsix\t1")), TSV, 2, "line 7 of t.tsv must hold numbers", "'six'"),
    trial("a series of one value in a .tsv", file("t.tsv", UCR + "1\tNaN\tNaN\tNaN\tNaN\n"), TSV, 2, "got no value"),
    trial("a good .npz", npz(X=X, y=Y), NPZ, 0, "2 channels, 5 steps"),
    trial(".npz of objects", npz(X=np.array([np.zeros(2), np.zeros(3)] * 12, dtype=object), y=Y), NPZ, 2, "t.npz must hold plain arrays, got Python objects, which are not read"),
    trial(".npz without series", npz(Z=X, y=Y), NPZ, 2, "t.npz must hold an array 'X' of series, got Z, y"),
    trial(".npz without targets", npz(X=X), NPZ, 2, "series must have a target each"),
    trial(".npz of words", npz(X=np.array(["a"] * 24), y=Y), NPZ, 2, "'X' in t.npz must hold numbers"),
    trial(".npz of one axis", npz(X=X[:, 0, 0], y=Y), NPZ, 2, "(N, T) or (N, T, C)"),
    trial(".npz with fewer targets", npz(X=X, y=Y[:9]), NPZ, 2, "'y' in t.npz must have an entry for each of 24 series"),
    trial(".npz with lengths that do not add up", npz(X=X.reshape(-1, 2), y=Y, lengths=[5] * 23), NPZ, 2, "'lengths' in t.npz must add up to the 120 steps of 'X', got 115"),
    trial(".npz with a length of zero", npz(X=X.reshape(-1, 2), y=Y, lengths=[0, 10, *[5] * 22]), NPZ, 2, "'lengths' in t.npz must be whole numbers from 1"),
    trial("no .npz at all", file("t.npz", b"PK not an archive"), NPZ, 2, "t.npz must be an archive of NumPy arrays"),
    trial("channels and steps exchanged", npz(X=np.moveaxis(X, 1, 2), y=Y), NPZ, 0, "swap its last two axes"),
    trial("a good folder", series_folder(), DIR, 0, "2 channels"),
    trial("a folder without tables", folder("runs-of/a"), DIR, 2, "'runs-of' must hold images"),
    trial("a table that is empty", series_folder(a__0_csv=""), DIR, 0, "this file is skipped"),
    trial("tables of other columns", series_folder(a__0_csv="p,q\n1,2\n"), DIR, 0, "must have columns of the others, such as 'u'; this file is skipped"),
    trial("a table that lacks a column", series_folder(a__0_csv="u\n1\n2\n"), DIR, 0, "'v' is missing in 1 of 24 series"),
    trial("a table without rows", series_folder(a__0_csv="u,v\n"), DIR, 0, "this file is skipped"),
    trial("tables beside the classes", series_folder(loose_csv="u,v\n1,2\n"), DIR, 2, "series must have a target each"),
    trial("a link in circles", (series_folder(), link("runs-of/a/round", "..")), DIR, 0, "Recommended"),
    trial("classes of one series", series_folder(count=1), DIR, 2, "at least 12 series with a 'class', got 2"),
    trial("predict other channels", (model("sequence"), csv(runs().drop(columns="v"), "new.csv")), "predict m new.csv -o p.csv", 2, "the table must have the column 'v', and has not"),
    trial("predict without series", (model("sequence"), csv(runs().drop(columns="run"), "new.csv")), "predict m new.csv -o p.csv", 2, "series must be a column of the table"),
    trial("predict a folder", (model("sequence"), series_folder()), "predict m runs-of -o p.csv", 2, "the table must have the column"),
    trial("predict nothing", (model("sequence"), file("new.csv", "run,t,v,w,who\n")), "predict m new.csv -o p.csv", 2, "must have rows under its header"),
    trial("predict no file", (model("sequence"), nothing), "predict m new.csv -o p.csv", 1, "there is no such file"),
    trial("predict categories never seen", (model("sequence"), csv(runs(who="new"), "new.csv")), "predict m new.csv -o p.csv", 0, "24 rows"),
    trial("predict with a damaged folder", (model("sequence"), change("m/model.json", lambda b: b[:-40]), csv(runs(), "new.csv")), "predict m new.csv -o p.csv", 2, "m"),
    trial("a test file without labels", (csv(runs()), csv(STEPS, "new.csv")), f"{FIT} --test new.csv", 2, "target must be a column of the table"),
    trial("a test file of other columns", (csv(runs()), csv(runs().drop(columns="v"), "new.csv")), f"{FIT} --test new.csv", 2, "the test series must have the column 'v', and have not"),
    trial("a test file", (csv(runs()), csv(runs(), "new.csv")), f"{FIT} --test new.csv", 0, "24 of 24 test series stand in the training part too"),
    trial("a score for numbers", csv(runs()), f"{FIT} --score mae", 2, "score must suit classes"),
    trial("a task that it is not", csv(runs()), f"{FIT} --task regression", 2, "target must hold numbers for a regression"),
    trial("fewer series than asked", csv(runs()), f"{FIT} --rows 5", 2, "at least 12 series"),
    trial("an option of forecasts too", csv(runs()), f"{FIT} --forecast 3", 2, "must not be given for series"),
]  # fmt: skip


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_sequences(row, make_trial):
    make_trial(row)
