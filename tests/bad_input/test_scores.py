"""Scores, weights and costs that are wrong."""

import numpy as np
import pytest

from .inputs import csv, file, good, reviews
from .trial import trial

FIT = "fit t.csv --target y --drop c --trials 1 -o m"
CLASSES = "fit t.csv --target c --drop y --trials 1 -o m"
TEXTS = "fit t.csv --text text --target c --trials 1 -o m"
TABLE = csv(good())


def weights(**cells):
    """A table with a column of weights, some of them changed."""
    frame = good().assign(w=1.0).astype({"w": object})
    for row, value in cells.items():
        frame.loc[int(row[1:]), "w"] = value
    return csv(frame)


def costs(text):
    return TABLE, file("costs.csv", text)


NAMES = sorted(map(str, good()["c"].unique()))
SCORES = [
    trial("a score of classes for values", TABLE, f"{FIT} --score auc", 2, "score must suit a regression (", "got 'auc'", "Try 'r2'"),
    trial("a score of values for classes", TABLE, f"{CLASSES} --score rmse", 2, "score must suit classes (", "Try 'log-loss'"),
    trial("a quantile of classes", TABLE, f"{CLASSES} --score quantile:0.9", 2, "got 'quantile:0.9', which is for values"),
    trial("a quantile past 1", TABLE, f"{FIT} --score quantile:1.2", 2, "must name a quantile between 0 and 1", "Try 'quantile:0.9'"),
    trial("a quantile without a number", TABLE, f"{FIT} --score quantile:", 2, "must name a quantile between 0 and 1"),
    trial("no such score", TABLE, f"{CLASSES} --score balanced", 2, "score must be one of log-loss", "Try 'balanced-accuracy'"),
    trial("no score at all", TABLE, f"{CLASSES} --score ''", 2, "score must be one of log-loss"),
    trial("a scorer of many labels", TABLE, f"{CLASSES} --score f1_samples", 2, "one that these targets can be judged by"),
    trial("shares of a target that is 0", csv(good().assign(y=np.arange(60) % 7)), f"{FIT} --task regression --score mape", 2, "must not be 'mape' where the target is 0"),
    trial("a score of classes for texts of numbers", csv(reviews().assign(n=np.arange(len(reviews())) / 7)), "fit t.csv --text text --target n --trials 1 -o m --score accuracy", 2, "score must suit a regression"),
]  # fmt: skip
WEIGHTS = [
    trial("no such weight", TABLE, f"{FIT} --weight heavy", 2, "weight must be a column of the table"),
    trial("the target as weight", TABLE, f"{FIT} --weight y", 2, "weight must differ from the target"),
    trial("a negative weight", weights(r3=-2.0), f"{FIT} --weight w", 2, "weight must be 0 or more, got '-2.0' in row 4 of 'w'"),
    trial("a missing weight", weights(r0=None), f"{FIT} --weight w", 2, "weight must be a number in every row", "in row 1 of 'w'"),
    trial("a word as weight", weights(r5="much"), f"{FIT} --weight w", 2, "weight must be a number in every row, got 'much' in row 6"),
    trial("an infinite weight", weights(r5="inf"), f"{FIT} --weight w", 2, "weight must be a number in every row, got 'inf'"),
    trial("weights of nothing", csv(good().assign(w=0)), f"{FIT} --weight w", 2, "weight must be more than 0 for some rows, got zeros only"),
    trial("a negative weight of a text", csv(reviews().assign(w=-1)), f"{TEXTS} --weight w", 2, "weight must be 0 or more"),
    trial("a missing weight beside a published encoder", csv(reviews().assign(w=None)), f"{TEXTS} --weight w --pretrained minilm", 2, "weight must be a number in every row"),
    trial("a few rows that weigh", csv(good().assign(w=(np.arange(60) < 5).astype(int))), f"{FIT} --weight w", 2, "at least 20 rows"),
]  # fmt: skip
COSTS = [
    trial("no such file", TABLE, f"{CLASSES} --costs costs.csv", 2, "costs must be a CSV file, got 'costs.csv'. It is not there."),
    trial("costs of values", costs("t,a,b\na,0,1\nb,2,0\n"), f"{FIT} --costs costs.csv", 2, "costs must be given for classes, got values to predict"),
    trial("a class that is not there", costs("t,x,z\nx,0,1\nz,2,0\n"), f"{CLASSES} --costs costs.csv", 2, "costs must name classes of the target"),
    trial("no square", costs("t,a\na,0\nb,1\n"), f"{CLASSES} --costs costs.csv", 2, "costs must be a square table"),
    trial("one class only", costs(f"t,{NAMES[0]}\n{NAMES[0]},0\n"), f"{CLASSES} --costs costs.csv", 2, "costs must be a square table"),
    trial("a negative cost", costs("t,a,b\na,0,-1\nb,2,0\n"), f"{CLASSES} --costs costs.csv", 2, "costs must not be negative, got -1 for 'b' said of 'a'"),
    trial("a missing cost", costs("t,a,b\na,0,\nb,2,0\n"), f"{CLASSES} --costs costs.csv", 2, "costs must be a number for every pair of classes"),
    trial("a word as cost", costs("t,a,b\na,0,much\nb,2,0\n"), f"{CLASSES} --costs costs.csv", 2, "got 'much' for 'b' said of 'a'"),
    trial("mistakes that cost nothing", costs("t,a,b\na,0,0\nb,0,0\n"), f"{CLASSES} --costs costs.csv", 2, "costs must be more than 0 for some mistake"),
    trial("an empty file", costs(""), f"{CLASSES} --costs costs.csv", 2, "costs must be "),
    trial("a class twice", costs("t,a,a\na,0,1\na,2,0\n"), f"{CLASSES} --costs costs.csv", 2, "costs must be a square table"),
]  # fmt: skip


@pytest.mark.parametrize("row", [*SCORES, *WEIGHTS, *COSTS], ids=lambda row: row.what)
def test_scores(row, make_trial):
    make_trial(row)
