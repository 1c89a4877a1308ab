"""Tables and series in which anomalies are looked for, wrong or odd."""

import numpy as np
import pandas as pd
import pytest

from .inputs import change, csv, file, good, model, months, nothing
from .trial import trial

FIT = "fit t.csv --anomaly --trials 1 -o m"
STEPS = "fit t.csv --anomaly --time-column t --trials 1 -o m"
PREDICT = "predict m new.csv -o out.csv"
N = 120


def rows(count=N, **columns):
    return good(count)[["a", "b"]].assign(**columns)


def steps(count=N, **columns):
    x = np.sin(np.arange(count) / 3) + 0.1 * good(count)["a"]
    return pd.DataFrame({"t": np.arange(count), "x": x.round(4)}).assign(**columns)


TRIALS = [
    trial("a table", csv(rows()), FIT, 0, "Recommended", "Made-up anomalies", "The share of alarms is 0.02, not 0.01"),
    trial("a constant column", csv(rows(k=7)), FIT, 0, "Column 'k' is left out: it has one value only", "Recommended"),
    trial("all rows equal", csv(rows(a=1, b="x")), FIT, 2, "must have a column that changes from row to row, and none is left"),
    trial("many rows equal", csv(rows(a=[1] * 118 + [2, 3], b=[0, 1] * 60)), FIT, 0, "Recommended"),
    trial("few rows", csv(rows(9)), FIT, 2, "must have at least 20 normal rows, got 9"),
    trial("one row", csv(rows(1)), FIT, 2, "must have at least 20 normal rows, got 1"),
    trial("a header alone", file("t.csv", "a,b\n"), FIT, 2, "must have rows under its header"),
    trial("no file", nothing, FIT, 1, "there is no such file"),
    trial("a column without numbers", csv(rows(n=np.nan)), FIT, 0, "it has no value at all"),
    trial("NaN and infinity", csv(rows(a=[np.inf, -np.inf, None, 1e300] * 30)), FIT, 0, "not finite numbers and count as missing"),
    trial("huge numbers", csv(rows(a=np.linspace(-1.0, 1.0, N) * 1.7e308)), FIT, 0, "Recommended"),
    trial("one column of truth values", csv(rows(b=["yes", "no"] * 60)[["b"]]), FIT, 0, "Recommended"),
    trial("one column of categories", csv(rows(b=["u", "v", "w"] * 40)[["b"]]), FIT, 0, "Recommended"),
    trial("identifiers", csv(rows(id=range(N))[["id"]]), FIT, 2, "none is left. Column 'id' is left out"),
    *(trial(f"alarms of {share}", csv(rows()), f"{FIT} --alarms {share}", 2, "alarms must be a share between 0 and 1", f"got '{share}'") for share in ("0", "1", "100%", "2", "many", "nan")),
    trial("alarms that the rows do not allow", csv(rows()), f"{FIT} --alarms 0.001", 2, "alarms must be at least 1 in 49 where 48 rows can set the threshold, got 0.001"),
    trial("half of three rows", csv(rows(3)), f"{FIT} --alarms 0.5", 2, "must have at least 20 normal rows, got 3"),
    trial("half of the rows", csv(rows(40)), f"{FIT} --alarms 50%", 0, "Recommended"),
    trial("labels of one class", csv(rows(y=0)), f"{FIT} --target y", 2, "target must mark normal rows and anomalies, got only '0'"),
    trial("labels of three values", csv(rows(y=["a", "b", "c"] * 40)), f"{FIT} --target y", 2, "target must have two values, normal and not, got 3", "--normal"),
    trial("labels of three values, one normal", csv(rows(y=["a", "a", "c", "d"] * 30)), f"{FIT} --target y --normal a", 0, "60 labelled anomalies"),
    trial("labels as often", csv(rows(y=["a", "b"] * 60)), f"{FIT} --target y", 2, "target must tell which value is normal"),
    trial("labels missing", csv(rows(y=[0] * 100 + [1] * 10 + [None] * 10)), f"{FIT} --target y", 0, "10 rows have no mark in 'y' and are left out"),
    trial("no normal rows to speak of", csv(rows(y=[0] * 10 + [1] * 110)), f"{FIT} --target y", 2, "must have at least 20 normal rows, got 10"),
    trial("no such label", csv(rows()), f"{FIT} --target y", 2, "target must be a column of the table"),
    trial("no such normal value", csv(rows(y=[0, 1] * 60)), f"{FIT} --target y --normal ok", 2, "normal must be a value of 'y'"),
    trial("a normal value of nothing", csv(rows()), f"{FIT} --normal 0", 2, "normal must come with a target"),
    trial("a group without times", csv(rows(g="u")), f"{FIT} --group g", 2, "group must come with a time_column"),
    trial("a window without times", csv(rows()), f"{FIT} --window 4", 2, "window must come with a time_column"),
    trial("alarms of a table to predict", csv(good()), "fit t.csv --target y --alarms 0.1 -o m", 2, "alarms must not be given for a table", "It is for anomalies"),
    trial("two flags", csv(rows()), f"{FIT} --translate", 2, "must not be given together"),
    trial("a test that takes all", csv(rows()), f"{FIT} --test 0.99", 2, "test must leave at least 10 normal rows to learn from"),
    trial("a test table", (csv(rows()), csv(rows(40), "u.csv")), f"{FIT} --test u.csv", 0, "40 test rows"),
    trial("a test table of other columns", (csv(rows()), csv(rows(40)[["a"]], "u.csv")), f"{FIT} --test u.csv", 2, "the test table must have the column 'b'"),
    trial("costs", (csv(rows()), file("c.csv", "true,a,b\na,0,1\nb,1,0\n")), f"{FIT} --costs c.csv", 2, "costs must"),
    trial("a score of classes", csv(rows()), f"{FIT} --score accuracy", 2, "score must be one of"),
    trial("a series", csv(steps()), STEPS, 0, "Recommended", "Dependent steps"),
    trial("no such time", csv(steps()), STEPS.replace("-column t", "-column when"), 2, "time_column must be a column of the table"),
    trial("times that are words", csv(steps(t="now")), STEPS, 2, "time_column must hold dates or numbers"),
    trial("times that are missing", csv(steps(t=[None] * 60 + [*range(60)])), STEPS, 2, "must have a time in every row, got 60"),
    trial("times twice", csv(steps(t=np.arange(N) // 2)), STEPS, 2, "time_column must name a time once in every series", "Name the column of the series with --group"),
    trial("times twice in a group", csv(steps(t=np.arange(N) // 2, g="u")), f"{STEPS} --group g", 2, "Look for rows that are there twice"),
    trial("a time twice", csv(steps(t=[*range(119), 118])), STEPS, 0, "1 row has the time of another"),
    trial("times in disorder", csv(steps(t=np.arange(N)[::-1])), STEPS, 0, "Recommended"),
    trial("irregular times", csv(steps(t=np.arange(N) ** 2)), STEPS, 0, "The times are not regular"),
    trial("dates", csv(months(N).rename(columns={"day": "t"})), STEPS, 0, "Recommended"),
    trial("a short series", csv(steps(30)), STEPS, 2, "the series must have at least 60 normal steps", "Use longer ones"),
    trial("a long window", csv(steps()), f"{STEPS} --window 100", 2, "the series must have at least 60 normal steps", "Try a smaller --window"),
    trial("a window of one step", csv(steps()), f"{STEPS} --window 1", 2, "window must be from 2 to 1,000 steps, got 1"),
    trial("no numbers", csv(steps(x="a")), STEPS, 2, "must have a column of numbers that change, and have none"),
    trial("a channel that never changes", csv(steps(k=3)), STEPS, 0, "Column 'k' is left out: it never changes"),
    trial("a channel with gaps", csv(steps(y=[1.0, None, 2.0, 5.0] * 30)), STEPS, 0, "Recommended"),
    trial("huge values", csv(steps(x=np.linspace(1e300, 1e308, N))), STEPS, 2, "numbers of a series must stay below 1e150"),
    trial("a test file for a series", (csv(steps()), csv(steps(), "u.csv")), f"{STEPS} --test u.csv", 2, "test must be a share for series, got a file"),
    trial("the time as a mark", csv(steps()), f"{STEPS} --target t", 2, "time_column must differ from the target"),
    trial("a fault in every window", csv(steps(y=[0, 0, 0, 1] * 30)), f"{STEPS} --target y", 2, "the series must have at least 60 normal steps"),
    trial("predict a table", (model("anomaly"), csv(rows(5, a=[99, None, 1, "x", 1]), "new.csv")), PREDICT, 0, "1 cell is not a finite number"),
    trial("predict without a column", (model("anomaly"), csv(rows(5)[["a"]], "new.csv")), PREDICT, 2, "the table must have the column 'b', and has not"),
    trial("predict too few steps", (model("steps"), csv(steps(5), "new.csv")), PREDICT, 2, "predict: a series must have at least"),
    trial("predict without times", (model("steps"), csv(steps()[["x"]], "new.csv")), PREDICT, 2, "predict: the table must have the column 't', and has not"),
    trial("predict other times", (model("steps"), csv(steps(t="now"), "new.csv")), PREDICT, 2, "predict: time_column must hold dates or numbers"),
    trial("predict words", (model("steps"), csv(steps(x="a"), "new.csv")), PREDICT, 2, "predict: a channel must hold numbers, got words in 'x'"),
    trial("predict by a model that is not there", (model("anomaly"), csv(rows(), "new.csv")), f"{PREDICT} --model trees", 2, "predict: model must be one of"),
    trial("a folder that was changed", (model("anomaly"), change("m/model.json", lambda b: b.replace(b'"alarms": 0.', b'"alarms": 9.')), csv(rows(), "new.csv")), PREDICT, 2, "load_model"),
]  # fmt: skip


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_anomalies(row, make_trial):
    make_trial(row)
