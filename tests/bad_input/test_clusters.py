"""Tables in which clusters are looked for, wrong or odd."""

import numpy as np
import pytest

from .inputs import change, csv, file, good, model, nothing
from .trial import trial

FIT = "fit t.csv --clusters 2 -o m"
AUTO = "fit t.csv --clusters auto -o m"
PREDICT = "predict m new.csv -o out.csv"


def rows(count=40, **columns):
    return good(count)[["a", "b"]].assign(**columns)


TRIALS = [
    trial("a table", csv(rows()), FIT, 0, "2 clusters, as asked", "Clusters"),
    trial("a table without groups", csv(rows()), AUTO, 0, "No clusters here"),
    trial("one cluster", csv(rows()), "fit t.csv --clusters 1 -o m", 0, "1 cluster, as asked"),
    trial("more clusters than rows", csv(rows()), "fit t.csv --clusters 41 -o m", 2, "clusters must be at most the number of rows, 40, got 41"),
    trial("more clusters than different rows", csv(rows(a=[1, 2, 3, 4] * 10, b=0)), "fit t.csv --clusters 5 -o m", 2, "clusters must be at most the number of different rows, 4, got 5"),
    trial("as many clusters as rows", csv(rows(12)), "fit t.csv --clusters 12 -o m", 0, "12 clusters, as asked"),
    *(trial(f"{count} clusters", csv(rows()), f"fit t.csv --clusters={count} -o m", 2, "clusters must be from 1 to 1,000, or auto", f"got {count}") for count in (0, -3, 1001)),
    *(trial(f"{words!r} clusters", csv(rows()), f"fit t.csv --clusters {words} -o m", 2, "clusters must be a whole number from 1, or auto", f"got '{words}'") for words in ("many", "2.5", "nan", "1e3")),
    trial("a constant column", csv(rows(k=7)), FIT, 0, "Column 'k' is left out: it has one value only"),
    trial("constant columns only", csv(rows(a=1, b="x")), FIT, 2, "must have a column that differs from row to row, and none is left"),
    trial("an empty column", csv(rows(n=np.nan)), FIT, 0, "Column 'n' is left out: it has no value at all"),
    trial("empty columns only", csv(rows(a=np.nan, b=None)), FIT, 2, "must have a column that differs from row to row, and none is left"),
    trial("a column with one value and gaps", csv(rows(g=[1.0, None] * 20)), FIT, 0, "2 clusters"),
    trial("identifiers", csv(rows(id=range(40))[["id"]]), FIT, 2, "none is left. Column 'id' is left out"),
    trial("categories only", csv(rows(b=["u", "v", "w", "w"] * 10)[["b"]]), AUTO, 0, "clusters"),
    trial("truth values only", csv(rows(b=["yes", "no"] * 20)[["b"]]), FIT, 0, "2 clusters"),
    trial("dates", csv(rows(day=[f"2024-{1 + k % 12:02d}-{1 + k % 28:02d}" for k in range(40)])), FIT, 0, "2 clusters"),
    trial("NaN, infinity and huge numbers", csv(rows(a=[np.inf, -1.7e308, None, 1e300] * 10)), FIT, 0, "not finite numbers"),
    trial("few rows", csv(rows(19)), AUTO, 2, "the table must have at least 20 rows to tell how many clusters there are, got 19", "--clusters 3"),
    trial("two rows", csv(rows(2)), FIT, 0, "2 clusters, as asked"),
    trial("one row", csv(rows(1)), "fit t.csv --clusters 1 -o m", 2, "must have a column that differs from row to row, and none is left"),
    trial("a header alone", file("t.csv", "a,b\n"), FIT, 2, "must have rows under its header"),
    trial("no file", nothing, FIT, 1, "there is no such file"),
    trial("a target", csv(good()), f"{FIT} --target c", 0, "Clusters and c"),
    trial("no such target", csv(rows()), f"{FIT} --target q", 2, "target must be a column of the table"),
    trial("a target of numbers", csv(good()), f"{FIT} --target y", 0, "2 clusters"),
    trial("a target that is empty", csv(rows(y=None)), f"{FIT} --target y", 0, "2 clusters"),
    trial("no such column to drop", csv(rows()), f"{FIT} --drop q", 2, "drop must be a column of the table"),
    trial("all columns dropped", csv(rows()), f"{FIT} --drop a --drop b", 2, "none is left"),
    trial("a test share", csv(rows()), f"{FIT} --test 0.4", 2, "test must be left out where clusters are looked for"),
    trial("trials", csv(rows()), f"{FIT} --trials 3", 2, "trials must be left out where clusters are looked for"),
    trial("a score", csv(rows()), f"{FIT} --score auc", 2, "score must not be given for clusters"),
    trial("anomalies too", csv(rows()), f"{FIT} --anomaly", 2, "clusters must not be given for anomalies", "It is for clusters"),
    trial("predict a table", (model("cluster"), csv(good().assign(a=99.0), "new.csv")), PREDICT, 0, "60 rows: out.csv", "far from all clusters"),
    trial("predict without a column", (model("cluster"), csv(rows()[["a"]], "new.csv")), PREDICT, 2, "the table must have the column"),
    trial("predict by a model that is not there", (model("cluster"), csv(good(), "new.csv")), f"{PREDICT} --model network", 2, "predict: model must be one of k-means"),
    trial("predict with intervals", (model("cluster"), csv(good(), "new.csv")), f"{PREDICT} --interval 0.9", 2, "coverage must be left out"),
    trial("export", model("cluster"), "export m --torch -o net.pt2", 0, "net.pt2", "The least of a row"),
    trial("a folder that was changed", (model("cluster"), change("m/model.json", lambda b: b.replace(b'"weights": [', b'"weights": [9,')), csv(good(), "new.csv")), PREDICT, 2, "load_model"),
]  # fmt: skip


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_clusters(row, make_trial):
    make_trial(row)
