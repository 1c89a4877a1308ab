"""Tables to make more of, and models that make it, that are wrong or odd."""

import numpy as np
import pandas as pd
import pytest

from .inputs import csv, file, folder, good, model, nothing
from .trial import trial

MAKE = "fit t.csv --generative -o m"
ROWS = 80


def many(**columns):
    """Rows enough, with the columns given."""
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=ROWS).round(3), **columns})


def texts(count=ROWS):
    return [f"n{k}" for k in range(count)]


TABLES = {
    "one column": many(),
    "a constant column": many(k="same"),
    "an empty column": many(k=None),
    "mostly missing": many(k=[1.0] + [None] * (ROWS - 1)),
    "two values": many(k=[0, 1] * (ROWS // 2)),
    "huge numbers": many(k=np.linspace(1e300, 1.7e308, ROWS)),
    "tiny numbers": many(k=np.linspace(1e-300, 1e-290, ROWS)),
    "one category that is rare": many(k=["a"] * (ROWS - 1) + ["b"]),
    "an odd name": many(**{"=1+1": ["u", "v"] * (ROWS // 2)}),
    "foreign scripts": many(身長=["高い", "低い"] * (ROWS // 2)),
    "equal rows": pd.DataFrame({"x": [1, 2] * (ROWS // 2), "c": ["u", "v"] * (ROWS // 2)}),
}
LEARNED = "must have columns that a generator can learn, and all of them identify rows or hold one value only"
TRIALS = [
    *(trial(f"rows, {what}", csv(table), MAKE, 0, "Recommended") for what, table in TABLES.items()),
    trial("only identifiers", csv(pd.DataFrame({"id": range(ROWS), "name": texts()})), MAKE, 2, LEARNED),
    trial("only constants", csv(pd.DataFrame({"a": [1] * ROWS, "b": ["u"] * ROWS})), MAKE, 2, LEARNED),
    trial("too few rows to make more", csv(good()[:40]), MAKE, 2, "must have at least 80 rows to make more of them, got 40"),
    trial("a target that is not there", csv(many()), f"{MAKE} --target y", 2, "target must be a column of the table"),
    trial("an unknown kind of generator", csv(many()), f"{MAKE} --model flow", 2, "model must be one of", "got 'flow'"),
    trial("a kind of generator for a contest", csv(many(c=["u", "v"] * 40)), "fit t.csv --target c --model vae -o m", 2, "model must not be given for a table"),
    trial("a table of test rows for a generator", (csv(many()), file("n.csv", "x\n1\n")), f"{MAKE} --test n.csv", 2, "test must be a share between 0 and 1"),
    trial("trials of a generator", csv(many()), f"{MAKE} --trials 3", 2, "trials must not be given for a generative model"),
    trial("no table to make more of", nothing, MAKE, 1, "there is no such file"),
    trial("rows", model("rows"), "sample m -n 5 -o rows.csv", 0, "5 rows: rows.csv"),
    trial("one row", model("rows"), "sample m -n 1 -o rows.csv", 0, "1 row: rows.csv"),
    trial("no rows", model("rows"), "sample m -n 0 -o rows.csv", 2, "num_samples must be a whole number from 1", "got 0"),
    trial("less than no rows", model("rows"), "sample m -n -3 -o rows.csv", 2, "got -3"),
    trial("an unknown class", model("rows"), "sample m -n 5 -o rows.csv --model network --class w", 2, "label must be one of u, v, got 'w'"),
    trial("a class of a simple generator", model("rows"), "sample m -n 5 -o rows.csv --model 'Gaussian copula' --class u", 2, "label must be left out"),
    trial("guidance of a simple generator", model("rows"), "sample m -n 5 -o rows.csv --model 'Gaussian copula' --guidance 2", 2, "guidance must be 0"),
    trial("an unknown column", model("rows"), "sample m -n 5 -o rows.csv --where z=1", 2, "where must name a column of the table, got 'z'"),
    trial("an unknown value", model("rows"), "sample m -n 5 -o rows.csv --where c=w", 2, "where c must be one of u, v, got 'w'"),
    trial("a number outside", model("rows"), "sample m -n 5 -o rows.csv --where x=99", 2, "where x must be from"),
    trial("no value", model("rows"), "sample m -n 5 -o rows.csv --where c", 2, "where must be COLUMN=VALUE, got 'c'"),
    trial("an unknown generator", model("rows"), "sample m -n 5 -o rows.csv --model copula", 2, "which must be one of Gaussian copula"),
    trial("a picture of rows", model("rows"), "sample m -n 5 -o rows.png", 2, "output must end with .csv or .tsv for rows, got 'rows.png'"),
    trial("rows into a folder", (model("rows"), folder("rows.csv")), "sample m -n 5 -o rows.csv", 1, "it is a folder"),
    trial("rows over a file", (model("rows"), file("rows.csv", "x,c\n1,u\n")), "sample m -n 5 -o rows.csv", 2, "output must be new"),
    trial("rows over the model", model("rows"), "sample m -n 5 -o m/model.json", 2, "output must end with .csv"),
    trial("rows of another kind of model", model("table"), "sample m -n 5 -o rows.csv", 2, "model must be one that 'gradatim fit --generative' wrote"),
    trial("rows of no model", nothing, "sample m -n 5 -o rows.csv", 1, "is not a model folder"),
    trial("predictions of a generator", (model("rows"), csv(many())), "predict m t.csv", 2, "model must be a folder written by 'gradatim fit'"),
]  # fmt: skip


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_generative(row, make_trial):
    make_trial(row)
