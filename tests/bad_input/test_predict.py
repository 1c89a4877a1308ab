"""Models that are used on the wrong things, and model folders that are damaged."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

from .inputs import (
    ODD,
    UNREADABLE,
    change,
    classes,
    csv,
    file,
    folder,
    good,
    graph,
    link,
    model,
    months,
    nothing,
    pairs,
    parquet,
    picture,
    remove,
    reviews,
)
from .trial import trial

PREDICT = "predict m {} -o p.csv"
# what each model is for, and what a table without its column is told
GOOD = {
    "table": (csv(good()), "t.csv"),
    "regression": (csv(good()), "t.csv"),
    "text": (csv(reviews()), "t.csv"),
    "series": (csv(months()), "t.csv"),
    "image": (classes("x"), "pics"),
    "translation": (file("t.csv", pairs()), "t.csv"),
}
NO_COLUMN = "the table must have the column"
EMPTY = {"image": "none can be read", "translation": "must hold sentences"}

# --- every kind of model on every kind of wrong data: exit code and words, by kind where they differ
WRONG = {
    "nothing": (nothing, "t.csv", 1, {"image": "is not there"}, "there is no such file"),
    "an empty file": (file("t.csv", b""), "t.csv", 2, EMPTY, "but it is empty"),
    "a header": (file("t.csv", b"q,r\n"), "t.csv", 2, {"image": "none can be read", "translation": None}, NO_COLUMN),
    "another table": (csv(pd.DataFrame({"q": [1, 2]})), "t.csv", 2, {"image": "none can be read", "translation": None}, NO_COLUMN),
    "binary data": (file("t.csv", b"\0\xff" * 99), "t.csv", 2, {"image": "none can be read", "translation": "must be a text in UTF-8"}, "holds binary data"),
    "a spreadsheet": (file("t.xlsx", b"PK\3\4"), "t.xlsx", 2, {"image": "none can be read", "translation": None}, "must be CSV, TSV or Parquet"),
    "a folder of pictures": (classes("x", top="t"), "t", 2, {"image": None}, "is a folder"),
    "an empty folder": (folder("t"), "t", 2, {"image": "must hold images"}, "is a folder"),
    "a damaged Parquet file": (file("t.parquet", b"PAR1"), "t.parquet", 2, {"image": "none can be read", "translation": None}, "damaged or not a Parquet file"),
    "a damaged packed file": (file("t.csv.gz", b"junk"), "t.csv.gz", 2, {"image": "none can be read", "translation": None}, "cannot be unpacked"),
    "a link to itself": (link("t.csv", "t.csv"), "t.csv", 1, {}, "cannot be read"),
    "a name that is too long": (nothing, "n" * 300, 1, {}, "File name too long"),
    "an empty name": (nothing, "''", 2, {}, "must name a file or a folder"),
    "a device": (nothing, "/dev/null", 2, {}, "/dev/null: must be a file, and is a device"),
}  # fmt: skip
MISUSED = [
    trial(f"{kind}: {what}", (model(kind), put), PREDICT.format(name), 0 if says is None else code, says or ": p.csv")
    for kind, (what, (put, name, code, own, usual)) in product(GOOD, WRONG.items())
    for says in [own.get(kind, usual)]
]  # fmt: skip

# --- where nothing may be written, and models that are not there
PLACES = {
    "a folder": ("m", 1, "it is a folder"),
    "below a file": ("m/model.json/p.csv", 1, "cannot be written"),
    "a full device": ("/proc/p.csv", 1, "cannot be written"),
    "a name that is too long": ("n" * 300, 1, "cannot be written"),
}
WHERE = [
    trial(f"{kind}: predictions into {what}", (model(kind), put), f"predict m {name} -o {place}", code, says)
    for (kind, (put, name)), (what, (place, code, says)) in product(GOOD.items(), PLACES.items())
] + [
    trial(f"{kind}: no such model", (model(kind), put), f"predict m {name} --model forrest -o p.csv", 2, "model must be one of")
    for kind, (put, name) in GOOD.items()
]  # fmt: skip

# --- cells that the model has never seen
N = 48


def monthly(year):
    return [f"{year + k // 12:04}-{k % 12 + 1:02}-01" for k in range(N)]


ROWS = [
    trial("a header alone", (model("table"), file("t.csv", b"a,b\n")), PREDICT.format("t.csv"), 2, "must hold rows to predict, got none"),
    trial("Parquet without rows", (model("table"), parquet(good()[:0])), PREDICT.format("t.parquet"), 2, "must hold rows to predict, got none"),
    trial("texts without rows", (model("text"), file("t.csv", b"text\n")), PREDICT.format("t.csv"), 2, "must hold rows to predict, got none"),
    trial("a long row", (model("table"), file("t.csv", b"a,b\n1,2,3\n")), PREDICT.format("t.csv"), 2, "unequal length"),
    trial("a short row", (model("table"), file("t.csv", b"a,b\n1\n")), PREDICT.format("t.csv"), 0, "1 row: p.csv"),
    *(
        trial(f"cells, {what}", (model("regression"), csv(good()[:5].assign(a=cells))), PREDICT.format("t.csv"), 0, "5 rows: p.csv", *says)
        for what, cells, *says in [
            ("words", "word", "5 cells are not finite numbers"), ("missing", None), ("infinite", "inf", "5 cells are not finite numbers"),
            ("dates", "2000-01-01", "5 cells are not finite numbers"), ("dates before 1677", "1000-01-01"), ("huge", 1e308), ("tiny", 1e-320),
            ("beyond floats", "1e400"), ("whole numbers beyond 64 bits", str(2**80)), ("decimal commas", "1,5"), ("escapes", "\x1b[31m"), ("long", "x" * 10**5),
        ]
    ),
    trial("repeated columns", (model("table"), file("t.csv", b"a,b,a\n1,2,3\n")), PREDICT.format("t.csv"), 0, "the later one is called 'a.1' here"),
    trial("columns in another order", (model("table"), file("t.csv", b"b,z,a\n1,2,3\n")), PREDICT.format("t.csv"), 0, "1 row"),
    trial("columns in another case", (model("table"), file("t.csv", b"A,B\n1,2\n")), PREDICT.format("t.csv"), 2, "the columns 'a', 'b'", "nearest column is 'A'"),
    trial("texts that are missing", (model("text"), file("t.csv", b"text,c\n,a\n,b\n")), PREDICT.format("t.csv"), 0, "2 rows: p.csv"),
    *(
        trial(f"a past {what}", (model("series"), csv(frame)), PREDICT.format("t.csv"), code, says)
        for what, frame, code, says in [
            ("of one step", months(1), 2, "a series of numbers that change"), ("of two steps", months(2), 0, "2 rows"), ("of words", months(v="up"), 2, "predict: target must hold numbers, got words in 'v'"),
            ("that never changes", months(v=1.0), 2, "a series of numbers that change"), ("that is missing", months(v=None), 2, "a series of numbers that change"),
            ("without times", months(day=None), 2, "predict: time_column must have a time in every row"), ("of words for times", months(day="soon"), 2, "predict: time_column must hold dates or numbers"),
            ("before 1677", months(day=monthly(1000)), 0, "2 rows"), ("after 2262", months(day=monthly(2300)), 0, "2 rows"),
            ("at the end of time", months(day=monthly(9996)), 0, "2 rows"), ("of numbers for dates", months(day=range(N)), 2, "time_column must hold dates"),
            ("of huge numbers", months(v=np.linspace(1e300, 1.7e308, N)), 2, "predict: target must stay below 1e150"), ("with one far date", months(day=[*months()["day"][:-1], "9999-12-31"]), 2, "a series of numbers that change"),
            ("of one time", months(day="2000-01-01"), 2, "a series of numbers that change"),
        ]
    ),
    trial("sentences that are too long", (model("translation"), file("t.csv", "word " * 400 + "\n")), PREDICT.format("t.csv"), 0, "longer than"),
    trial("blank sentences", (model("translation"), file("t.csv", "\n \n\t\n")), PREDICT.format("t.csv"), 2, "must hold sentences"),
    trial("a blank first column", (model("translation"), file("t.csv", "\tb\n")), PREDICT.format("t.csv"), 2, "must not be empty"),
    trial("sentences with NUL", (model("translation"), file("t.csv", "a\0b\n")), PREDICT.format("t.csv"), 0, "1 row"),
    trial("a language model", (model("language"), csv(good())), PREDICT.format("t.csv"), 2, "Try 'gradatim generate'"),
]  # fmt: skip

# --- intervals that cannot be had
NO_SHARE = "coverage must be a share between 0 and 1, got {}"
UNKNOWN = "of whose errors the folder knows nothing"
INTERVALS = [
    *(
        trial(f"{kind}: intervals of {share}", (model(kind), put), f"predict m {name} -o p.csv --interval {share}", 2, NO_SHARE.format(said))
        for (kind, (put, name)), (share, said) in product(list(GOOD.items())[:5], {"90": "90.0. Try 0.9.", "0": "0.0.", "1": "1.0.", "-0.5": "-0.5.", "nan": "nan."}.items())
    ),
    *(
        trial(f"{kind}: more than its rows can promise", (model(kind), put), f"predict m {name} -o p.csv --interval 0.9999", 2, "coverage must be at most 0.9", "Fit more rows to promise more.")
        for kind, (put, name) in list(GOOD.items())[:3]
    ),
    trial("few pictures promise little", (model("image"), classes("x")), "predict m pics -o p.csv --interval 0.99", 2, "predict: coverage must be at most 0.9", "Fit more rows to promise more."),
    trial("a forecast at another level", (model("series"), csv(months())), "predict m t.csv -o p.csv --interval 0.8", 2, "coverage must be 0.9 for forecasts, for which alone their errors were measured, got 0.8."),
    trial("a forecast at its level", (model("series"), csv(months())), "predict m t.csv -o p.csv --interval 0.9", 0, "2 rows: p.csv"),
    trial("a share in words", (model("table"), csv(good())), "predict m t.csv -o p.csv --interval most", 2, "--interval"),
    trial("sentences have no intervals", (model("translation"), file("t.csv", pairs())), "predict m t.csv -o p.csv --interval 0.9", 2, "coverage must be left out for a TranslationModel"),
    trial("anomalies have no intervals", (model("anomaly"), csv(good()[["a", "b"]])), "predict m t.csv -o p.csv --interval 0.9", 2, UNKNOWN),
    trial("nodes have no intervals", (model("node"), graph()), "predict m g -o p.csv --interval 0.9", 2, UNKNOWN),
    trial("masks have no intervals", (model("mask"), classes("x")), "predict m pics -o p --interval 0.9", 2, UNKNOWN),
    trial("rows that nobody has seen", (model("regression"), csv(good()[:5].assign(a="word"))), "predict m t.csv -o p.csv --interval 0.5", 0, "5 rows: p.csv", "5 cells are not finite numbers"),
    *(
        trial(f"{kind}: intervals", (model(kind), put), f"predict m {name} -o p.csv --interval 0.5", 0, ": p.csv")
        for kind, (put, name) in list(GOOD.items())[:3]
    ),
]  # fmt: skip

# --- pictures
PICTURES = [
    *(trial(f"a picture {name!r}", (model("image"), file(f"new/{name}", content)), PREDICT.format(f"'new/{name}'"), 2, "none can be read") for name, content in UNREADABLE.items()),
    *(trial(f"a picture {name!r}", (model("image"), file(f"new/{name}", content)), PREDICT.format(f"'new/{name}'"), 0, "1 row: p.csv") for name, content in ODD.items()),
    trial("junk and a picture", (model("image"), file("new/a.png", b"junk"), file("new/b.png", picture())), PREDICT.format("new"), 0, "1 row: p.csv", "'a.png' cannot be read and is skipped"),
    trial("junk alone", (model("image"), file("new/a.png", b"junk"), file("new/b.png", b"junk")), PREDICT.format("new"), 2, "none can be read: 'a.png' cannot be read"),
    trial("a link to itself among pictures", (model("image"), file("new/b.png", picture()), link("new/a.png", "a.png")), PREDICT.format("new"), 0, "1 row: p.csv"),
    trial("hidden pictures alone", (model("image"), file("new/.b.png", picture())), PREDICT.format("new"), 2, "must hold images"),
]  # fmt: skip

# --- damaged folders
ABSENT = {
    "no folder": (nothing, 1, "is not a model folder"),
    "an empty folder": (folder("m"), 1, "is not a model folder"),
    "a file": (file("m", b"model"), 1, "is not a model folder"),
    "a link to itself": (link("m", "m"), 1, "cannot be read"),
    "another model.json": (file("m/model.json", b'{"name": "another"}'), 2, "must have format"),
    "half a model.json": (file("m/model.json", b'{"format": '), 2, "is damaged"),
    "a list in model.json": (file("m/model.json", b"[1]"), 2, "must have format"),
    "an empty model.json": (file("m/model.json", b""), 2, "is damaged"),
    "a binary model.json": (file("m/model.json", b"\xff\xfe\0"), 2, "is damaged"),
    "a folder called model.json": (folder("m/model.json"), 1, "is not a model folder"),
}


def described(**changes):
    """Another description of a model."""
    return change(
        "m/model.json", lambda content: json.dumps(json.loads(content) | changes).encode()
    )


CHANGED = "is not the file that was written with model.json"
HARM = {
    "no tensors": (remove("m/model.safetensors"), 1, "it has no model.safetensors"),
    "empty tensors": (change("m/model.safetensors", lambda c: b""), 2, CHANGED),
    "half of the tensors": (change("m/model.safetensors", lambda c: c[: len(c) // 2]), 2, CHANGED),
    "one bit of a tensor changed": (change("m/model.safetensors", lambda c: c[:-5] + bytes([c[-5] ^ 1]) + c[-4:]), 2, CHANGED),
    "tensors that are none": (change("m/model.safetensors", lambda c: b"junk" * 99), 2, CHANGED),
    "half of the description": (change("m/model.json", lambda c: c[: len(c) // 2]), 2, "is damaged"),
    "another format": (described(format=99), 2, "must have format"),
    "another kind": (described(kind="sculpture"), 2, "is damaged"),
    "no models": (described(models=None, network=None), 2, "is damaged"),
}  # fmt: skip
USES = {
    "predict": "predict m t.csv -o p.csv",
    "export": "export m --onnx -o x.onnx",
    "generate": "generate m --prompt a",
}
DAMAGED = [
    trial(f"{use} with {what} for a model", (csv(good()), put), typed, code, says)
    for (use, typed), (what, (put, code, says)) in product(USES.items(), ABSENT.items())
] + [
    trial(f"{kind} with {what}", (model(kind), put, csv(good())), USES["generate" if kind == "language" else "predict"], code, says)
    for kind, (what, (put, code, says)) in product([*GOOD, "language"], HARM.items())
    if kind in ("table", "language") or what == "one bit of a tensor changed"
]  # fmt: skip

TRIALS = [*MISUSED, *WHERE, *ROWS, *INTERVALS, *PICTURES, *DAMAGED]


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_predict(row, make_trial):
    make_trial(row)
