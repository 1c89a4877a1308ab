"""Tables and images to make more of, and models that make it, that are wrong or odd."""

import numpy as np
import pandas as pd
import pytest

from .inputs import (
    UNREADABLE,
    black,
    classes,
    csv,
    file,
    folder,
    good,
    link,
    model,
    nothing,
    picture,
)
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
PICS = "fit pics --generative -o m"
SAMPLE = "sample m -n 4 -o out.png"


def mixed(place):
    """Images of several modes and sizes in two subfolders."""
    kinds = [("RGB", (16, 16)), ("L", (12, 20)), ("RGBA", (30, 9)), ("P", (16, 16)), ("I;16", (70, 70)), ("1", (5, 5))]  # fmt: skip
    for k in range(90):
        mode, size = kinds[k % len(kinds)]
        place.write(f"pics/{'ab'[k // 45]}/{k}.png", picture(mode, size, seed=k))


def equal(place):
    """Black images."""
    for k in range(80):
        place.write(f"pics/{k}.png", black())


def unreadable(place):
    """Files that are no images, beside enough that are."""
    classes("a", "b", count=40)(place)
    for name, content in UNREADABLE.items():
        place.write(f"pics/a/{name}", content)


def strange_classes(place):
    """Names of classes that lead elsewhere, or are odd."""
    for k, name in enumerate(("=1+1", "ü/..", "…")):
        for n in range(30):
            place.write(f"pics/{name.partition('/')[0]}/{n}.png", picture(seed=2 * n + k % 2))


TRIALS = [
    trial("images", classes("dark", "light", count=40), PICS, 0, "Recommended"),
    trial("images of mixed modes and sizes", mixed, PICS, 0, "grey images are read as colour", "are cut to a square around their middle and scaled to"),
    trial("equal images to make more of", equal, PICS, 0, "Recommended", "No class can be asked for"),
    trial("images among other files", unreadable, PICS, 0, "cannot be read and is skipped"),
    trial("odd names of classes", strange_classes, PICS, 0, "of 3 classes"),
    trial("one image to make more of", file("pics/a/1.png", picture()), PICS, 2, "the folder must have at least 80 images to make more of them, got 1"),
    trial("few images to make more of", classes("a", "b", count=20), PICS, 2, "must have at least 80 images to make more of them, got 40"),
    trial("an empty folder to make more of", folder("pics"), PICS, 2, "must hold images (PNG, JPEG), and holds none"),
    trial("a folder of texts to make more of", file("pics/a.txt", "a"), PICS, 2, "must hold images (PNG, JPEG), and holds none"),
    trial("no image that can be read", file("pics/a.png", b"no"), PICS, 2, "none can be read: 'a.png' cannot be read"),
    trial("a link round in circles", (classes("a", "b", count=40), link("pics/a/up", "..")), PICS, 0, "80 images"),
    trial("a target of images", classes("a", "b", count=40), f"{PICS} --target a", 2, "target must be left out for images, got 'a'"),
    trial("a column of images", classes("a", "b", count=40), f"{PICS} --drop a", 2, "drop must be left out for images, got 'a'"),
    trial("a game for a table", csv(many()), f"{MAKE} --model gan", 2, "model must be vae or diffusion for a table, got 'gan'"),
    trial("a grid", model("pictures"), SAMPLE, 0, "4 images: out.png"),
    trial("a grid of one", model("pictures"), "sample m -n 1 -o out.png", 0, "1 image: out.png"),
    trial("a folder of images that were made", model("pictures"), "sample m -n 4 -o out", 0, "4 images: out"),
    trial("images by class", model("pictures"), f"{SAMPLE} --model network --class light --guidance 2 --steps 2", 0, "4 images"),
    trial("no images", model("pictures"), "sample m -n 0 -o out.png", 2, "num_samples must be a whole number from 1", "got 0"),
    trial("a grid that is too large", model("pictures"), "sample m -n 2501 -o out.png", 2, "num_samples must be at most 2,500 for a grid, got 2,501"),
    trial("images past all room", model("pictures"), "sample m -n 999999999 -o out", 2, "num_samples must be at most 100,000 for images"),
    trial("an unknown class of images", model("pictures"), f"{SAMPLE} --model network --class cow", 2, "label must be one of", "got 'cow'"),
    trial("a class where there are none", model("classless"), f"{SAMPLE} --model network --class cow", 2, "label must be left out for a generator that learned no classes"),
    trial("guidance where there are no classes", model("classless"), f"{SAMPLE} --model network --guidance 2", 2, "guidance must be 0 for a generator that learned no classes by diffusion, got 2"),
    trial("guidance of a simple generator of images", model("pictures"), f"{SAMPLE} --model 'Gaussian mixture' --guidance 2", 2, "guidance must be 0"),
    trial("steps of a simple generator of images", model("pictures"), f"{SAMPLE} --model 'Gaussian mixture' --steps 5", 2, "steps must be left out"),
    trial("a condition on images", model("pictures"), f"{SAMPLE} --where a=b", 2, "where must be left out for images, got 'a=b'"),
    trial("an unknown generator of images", model("pictures"), f"{SAMPLE} --model vae", 2, "which must be one of"),
    trial("images as a table", model("pictures"), "sample m -n 4 -o rows.csv", 2, "output must end with .png for a grid of images, or be a folder, got 'rows.csv'"),
    trial("a grid over a picture of the user's", (model("pictures"), file("out.png", picture())), SAMPLE, 2, "output must be new, or written by the same command before"),
    trial("a grid over a folder", (model("pictures"), folder("out.png")), SAMPLE, 1, "it is a folder"),
    trial("images into a folder that holds some", (model("pictures"), file("out/a.png", picture())), "sample m -n 4 -o out", 2, "output must be a folder that is new or empty, got 'out'"),
    trial("images into the model", model("pictures"), "sample m -n 4 -o m", 2, "output must be a folder that is new or empty, got 'm'"),
    trial("images over a file", (model("pictures"), file("out", "x")), "sample m -n 4 -o out", 2, "or be a folder, got 'out'"),
    trial("predictions of a generator of images", (model("pictures"), classes("a")), "predict m pics", 2, "model must be a folder written by 'gradatim fit'"),
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
    trial("rows past all room", model("rows"), "sample m -n 1000001 -o rows.csv", 2, "num_samples must be at most 1,000,000 for rows, got 1,000,001"),
    trial("less than no rows", model("rows"), "sample m -n -3 -o rows.csv", 2, "got -3"),
    trial("an unknown class", model("rows"), "sample m -n 5 -o rows.csv --model network --class w", 2, "label must be one of u, v, got 'w'"),
    trial("a class of a simple generator", model("rows"), "sample m -n 5 -o rows.csv --model 'Gaussian copula' --class u", 0, "rows were drawn to find 5 where c=u"),
    trial("guidance of a simple generator", model("rows"), "sample m -n 5 -o rows.csv --model 'Gaussian copula' --guidance 2", 2, "guidance must be 0"),
    trial("an unknown column", model("rows"), "sample m -n 5 -o rows.csv --where z=1", 2, "where must name a column that the model learned, got 'z'. It has x, c"),
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
