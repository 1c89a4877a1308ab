"""Outputs that would cost the user a file, and inputs that never end."""

import os
from itertools import product

import pytest

from .inputs import csv, file, folder, good, link, model, nothing
from .trial import trial

FIT = "fit t.csv --target y --trials 1 -o {}"
PREDICT = "predict m t.csv -o {}"
EXPORT = "export m --onnx -o {}"


def pipe(name):
    return lambda place: os.mkfifo(place.folder / name)


TABLE, MODEL = csv(good()), model("table")
INPUTS = [
    *(
        trial(f"{what} as {kind}", put, f"fit {name} {words} -o m", 2, says)
        for (kind, words), (what, put, name, says) in product(
            {"a table": "--target y", "a text": "--language-model", "pairs": "--translate", "series": "--forecast 2"}.items(),
            [
                ("a pipe", pipe("p"), "p", "must be a file, and is a pipe"),
                ("zeros without end", nothing, "/dev/zero", "must be a file, and is a device"),
                ("noise without end", nothing, "/dev/urandom", "must be a file, and is a device"),
            ],
        )
    ),
    trial("a pipe as new rows", (MODEL, pipe("t.csv")), PREDICT.format("p.csv"), 2, "must be a file, and is a pipe"),
    trial("a pipe as a test file", (TABLE, pipe("test.csv")), f"{FIT.format('m')} --test test.csv", 2, "must be a file, and is a pipe"),
    trial("a pipe that is called Parquet", pipe("t.parquet"), "fit t.parquet --target y -o m", 2, "must be a file, and is a pipe"),
    trial("a pipe that is called packed", pipe("t.csv.gz"), "fit t.csv.gz --target y -o m", 2, "must be a file, and is a pipe"),
]  # fmt: skip
# where, what lies there before, exit code, words
PLACES = {
    "fit": (FIT, TABLE, [
        ("its input", "t.csv", nothing, 2, "output"),
        ("the working folder", ".", nothing, 2, "output"),
        ("the folder above", "..", nothing, 2, "output"),
        ("a file of the user", "mine", file("mine", b"mine"), 2, "output"),
        ("a folder of the user", "mine", file("mine/thesis.txt", b"years"), 2, "output"),
        ("a foreign model.json", "mine", file("mine/model.json", b'{"model": "mine"}'), 2, "output"),
        ("a pipe", "p", pipe("p"), 2, "output"),
        ("a link to nothing", "l", link("l", "gone"), 2, "output"),
        ("a link to itself", "l", link("l", "l"), 1, "cannot be written"),
        ("the null device", "/dev/null", nothing, 2, "output"),
    ]),
    "predict": (PREDICT, (TABLE, MODEL), [
        ("its input", "t.csv", nothing, 2, "t.csv"),
        ("its input by another way", "./m/../t.csv", nothing, 2, "t.csv"),
        ("its input by a link", "l", link("l", "t.csv"), 2, "l"),
        ("the model's description", "m/model.json", nothing, 2, "model.json"),
        ("the model's weights", "m/model.safetensors", nothing, 2, "model.safetensors"),
        ("the model's report", "m/report.html", nothing, 2, "report.html"),
        ("a text of the user", "mine.txt", file("mine.txt", b"mine"), 2, "mine.txt"),
        ("a table of the user", "mine.csv", file("mine.csv", b"a,b\n1,2\n"), 2, "mine.csv"),
        ("a pipe", "p", pipe("p"), 2, "p"),
        ("the null device", "/dev/null", nothing, 2, "/dev/null"),
        ("a folder", "mine", folder("mine"), 1, "mine"),
    ]),
    "export": (EXPORT, MODEL, [
        ("the model's description", "m/model.json", nothing, 2, "model.json"),
        ("the model's weights", "m/model.safetensors", nothing, 2, "model.safetensors"),
        ("a text of the user", "mine.txt", file("mine.txt", b"mine"), 2, "mine.txt"),
        ("a pipe", "p", pipe("p"), 2, "p"),
        ("the null device", "/dev/null", nothing, 2, "/dev/null"),
    ]),
}  # fmt: skip
OUTPUTS = [
    trial(f"{command} onto {what}", (*(before if isinstance(before, tuple) else (before,)), put), typed.format(where), code, says)
    for command, (typed, before, places) in PLACES.items()
    for what, where, put, code, says in places
]  # fmt: skip

TRIALS = [*INPUTS, *OUTPUTS]


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_outputs(row, make_trial):
    make_trial(row)
