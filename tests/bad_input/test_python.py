"""What Python users pass in: wrong shapes, wrong types, nothing at all. An error is one sentence, as on the command line."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

import gradatim
from gradatim.errors import GradatimError

from .inputs import good, months, reviews
from .trial import check_sentence, snapshot

X, Y = good()[["a", "b"]].to_numpy(), good()["y"].to_numpy()
PICTURES, SHADES = np.zeros((20, 16, 16), np.uint8), np.arange(20) % 2
FRAME = good()


def repeated():
    return good().set_axis(["a", "a", "y", "c"], axis=1)


# what is passed to fit: data, options, words of the refusal; none where it can be used
FIT = {
    "nothing": (None, {}, "data must be a file, a data frame or arrays, got a NoneType"),
    "a number": (3, {}, "got a int"),
    "a dictionary": ({"a": [1]}, {}, "got a dict"),
    "an empty list": ([], {}, ""),
    "an empty text": ("", {}, "must name a file or a folder"),
    "a NUL in a name": ("a\0b", {"target": "y"}, "cannot be read"),
    "bytes for a path": (b"t.csv", {}, ""),
    "a path that is not there": (Path("no/where.csv"), {"target": "y"}, "there is no such file"),
    "an empty frame": (pd.DataFrame(), {"target": "y"}, ""),
    "a frame without rows": (good()[:0], {"target": "y"}, "must have rows under its header"),
    "a frame without columns": (good()[[]], {"target": "y"}, ""),
    "a frame of two heads": (good().set_axis(pd.MultiIndex.from_product([["p"], list("abyc")]), axis=1), {"target": "y"}, "target must be a column"),
    "a frame with repeated columns": (repeated(), {"target": "y", "drop": "c"}, None),
    "a frame with numbers for names": (good().set_axis([0, 1, 2, 3], axis=1), {"target": "2", "drop": "3"}, None),
    "a frame with repeated rows of the index": (good().set_axis([0] * 60, axis=0), {"target": "y", "drop": "c"}, None),
    "a frame of complex numbers": (good().assign(a=1j), {"target": "y", "drop": "c"}, None),
    "a frame of objects": (good().assign(a=[object()] * 60), {"target": "y", "drop": "c"}, None),
    "a frame of lists": (good().assign(a=[[k] for k in range(60)]), {"target": "y", "drop": "c"}, None),
    "a sparse frame": (good().assign(a=pd.arrays.SparseArray(np.arange(60.0))), {"target": "y", "drop": "c"}, None),
    "a target that is a number": (FRAME, {"target": 2}, "target must be a name, got 2"),
    "a target that is a list": (FRAME, {"target": ["y"]}, "target must be a name"),
    "no such kind": (FRAME, {"target": "y", "kind": "tabel"}, "kind must be one of table"),
    "no such option": (FRAME, {"target": "y", "trial": 1}, "option must be one of trials"),
    "an option of another kind": (FRAME, {"target": "y", "tokenizer": "byte"}, "tokenizer must not be given for a table"),
    "trials of half": (FRAME, {"target": "y", "trials": 1.5}, "trials must be a whole number, got 1.5"),
    "trials of truth": (FRAME, {"target": "y", "trials": True}, "trials must be a whole number, got True"),
    "a seed of text": (FRAME, {"target": "y", "seed": "1"}, "seed must be a whole number, got '1'"),
    "a budget of nan": (FRAME, {"target": "y", "budget": float("nan")}, "budget must be more than 0 seconds"),
    "a budget of infinity": (FRAME, {"target": "y", "budget": float("inf")}, "budget must be more than 0 seconds"),
    "a budget below zero": (FRAME, {"target": "y", "budget": -1.0}, "budget must be more than 0 seconds"),
    "a budget of nothing": (FRAME, {"target": "y", "budget": []}, "budget"),
    "a share of nan": (FRAME, {"target": "y", "test": float("nan")}, "test must be a share"),
    "a share of two": (FRAME, {"target": "y", "test": 2.0}, "test must be a share"),
    "a test that is a frame": (FRAME, {"target": "y", "test": good()}, "test"),
    "columns to drop that are numbers": (FRAME, {"target": "y", "drop": [1]}, "drop must be names"),
    "columns to drop that are no list": (FRAME, {"target": "y", "drop": 1}, "drop must be names"),
    "resume of a word": (FRAME, {"target": "y", "resume": "yes"}, "resume must be True or False"),
    "an output with a NUL": (FRAME, {"target": "y", "output": "a\0b"}, "cannot be written"),
    "an output that is a number": (FRAME, {"target": "y", "output": 3}, "output must be a name"),
    "three arrays": ((X, Y, Y), {}, "data must be a pair of rows and targets, got 3 things"),
    "targets that are too few": ((X, Y[:-1]), {}, "got 60 rows and 59 targets"),
    "targets in a matrix": ((X, np.stack([Y, Y], 1)), {}, "targets must be one for every row, got shape (60, 2)"),
    "a column of targets": ((X, Y[:, None]), {}, None),
    "no targets": ((X, None), {}, "targets must be one for every row, got shape ()"),
    "a number as rows": ((3.0, Y), {}, "data must be a file, a data frame or arrays"),
    "ragged rows": (([[1.0], [1.0, 2.0]] * 30, Y), {}, "rows of one length"),
    "rows of NaN": ((np.full((60, 2), np.nan), Y), {}, "none is left"),
    "rows of infinity": ((np.full((60, 2), np.inf), Y), {}, "none is left"),
    "rows of complex numbers": ((X + 1j, Y), {}, ""),
    "targets of NaN": ((X, np.full(60, np.nan)), {}, "at least 20 rows with a 'target', got 0"),
    "targets of complex numbers": ((X, Y + 1j), {}, ""),
    "targets of objects": ((X, [object()] * 60), {}, ""),
    "a tensor with a gradient": ((torch.tensor(X, requires_grad=True), torch.tensor(Y)), {}, None),
    "tensors of bfloat16": ((torch.tensor(X).bfloat16(), torch.tensor(Y).bfloat16()), {}, None),
    "rows of truth values": ((X > 0, Y), {}, None),
    "rows of times": ((np.arange(120).reshape(60, 2).astype("M8[D]"), Y), {}, None),
    "one row": ((X[:1], Y[:1]), {}, "at least 20 rows"),
    "rows without columns": ((X[:, :0], Y), {}, "none is left"),
    "five axes": ((np.zeros((20, 2, 2, 2, 2)), SHADES), {}, "images must be square with one or three channels"),
    "pictures alone": (PICTURES, {}, "images must come with their classes"),
    "pictures that are not square": ((PICTURES[:, :8], SHADES), {}, "images must be square"),
    "pictures of two channels": ((np.zeros((20, 16, 16, 2), np.uint8), SHADES), {}, "one or three channels"),
    "pictures of NaN": ((np.full((20, 16, 16), np.nan), SHADES), {}, "images must lie between 0 and 1"),
    "pictures below zero": ((np.full((20, 16, 16), -1.0), SHADES), {}, "images must lie between 0 and 1"),
    "pictures above 255": ((np.full((20, 16, 16), 300), SHADES), {}, "images must lie between 0 and 255"),
    "pictures of text": ((np.full((20, 16, 16), "a"), SHADES), {}, ""),
    "pictures of one class": ((PICTURES, SHADES * 0), {}, "two subfolders with 5 images or more"),
    "pictures of classes with NaN": ((PICTURES, np.where(SHADES, np.nan, 1.0)), {}, ""),
    "pictures of mixed classes": ((PICTURES, np.array(["a", 1] * 10, dtype=object)), {}, None),
    "pictures of no size": ((np.zeros((20, 0, 0), np.uint8), SHADES), {}, ""),
    "no pictures": ((PICTURES[:0], SHADES[:0]), {}, ""),
    "pictures with a target's name": ((PICTURES, SHADES), {"target": "y"}, "target must not be given for images"),
    "texts and numbers": ((list(reviews()["text"]), list(reviews()["y"])), {}, None),
    "texts with gaps": (([None, *reviews()["text"][1:]], list(reviews()["c"])), {}, None),
    "texts of mixed types": (([1, 2.5, *reviews()["text"][2:]], list(reviews()["c"])), {}, None),
    "a series of nothing": (np.empty(0), {"forecast": 2}, ""),
    "a series of NaN": (np.full(48, np.nan), {"forecast": 2}, "a series of numbers that change"),
    "a series of words": (["a"] * 48, {"forecast": 2}, "target must hold numbers"),
    "a series of complex numbers": (np.arange(48) * 1j, {"forecast": 2}, ""),
    "a series in a frame of dates": (months().assign(day=pd.date_range("2000", periods=48, freq="MS")), {"forecast": 2, "time_column": "day"}, None),
    "a frame for a language model": (FRAME, {"language_model": True}, "data must be a text file"),
    "a frame for a translator": (FRAME, {"translate": True}, "data must be a file of pairs"),
    "a frame for images": (FRAME, {"kind": "image"}, "data must be a folder of images"),
    "an array for a language model": (X, {"language_model": True}, "data must be a text file"),
}  # fmt: skip
# what is passed to predict: the kind of the model, data, words of the refusal
PREDICT = {
    "nothing": ("table", None, ""),
    "a number": ("table", 3, ""),
    "an empty frame": ("table", pd.DataFrame(), "must have the column"),
    "a frame without rows": ("table", good()[:0], "must hold rows to predict"),
    "another frame": ("table", pd.DataFrame({"q": [1]}), "must have the column"),
    "an array without names": ("table", X, "must have the column"),
    "a frame with repeated columns": ("table", good().set_axis(["a", "b", "a", "c"], axis=1), None),
    "a frame of objects": ("table", good().assign(a=[object()] * 60), None),
    "a frame of complex numbers": ("table", good().assign(a=1j), None),
    "pictures for a table": ("table", np.zeros((2, 8, 8), np.uint8), ""),
    "a frame for pictures": ("image", good(), "data must be a folder of images, got a table"),
    "pictures of another size": ("image", np.zeros((2, 8, 8), np.uint8), "images must be uint8 of shape (N, 16, 16, 3)"),
    "no pictures": ("image", np.zeros((0, 16, 16, 3), np.uint8), ""),
    "numbers for texts": ("text", np.arange(3.0), "must have the column"),
    "texts with gaps": ("text", ["a", None], None),
    "a short past": ("series", months(1), "a series of numbers that change"),
    "numbers for a past": ("series", np.arange(48.0), "must have the column 'day'"),
    "numbers for sentences": ("translation", pd.DataFrame({"t": [1, 2]}), None),
    "no sentences": ("translation", pd.DataFrame({"t": []}), ""),
    "no columns of sentences": ("translation", pd.DataFrame(index=[0]), ""),
    "empty sentences": ("translation", ["", "a"], "texts must not be empty"),
    "a frame for a language model": ("language", good(), "Try 'gradatim generate'"),
}  # fmt: skip
COUNT = len(FIT) + len(PREDICT)


def check(call, words):
    """The call is refused in one sentence with these words, or succeeds where there are none."""
    before = snapshot(Path())
    if words is None:
        call()
        return
    with pytest.raises(GradatimError) as caught:
        call()
    check_sentence(f"{caught.value}\n", str(caught.value))
    assert words in str(caught.value)
    assert snapshot(Path()) == before


@pytest.mark.parametrize("what", FIT)
def test_fit(what, place):
    data, options, words = FIT[what]
    clock = {} if {"trials", "language_model", "translate"} & set(options) else {"trials": 1}
    check(lambda: gradatim.fit(data, **clock, **{"output": "m"} | options), words)


@pytest.mark.parametrize("what", PREDICT)
def test_predict(what, place):
    kind, data, words = PREDICT[what]
    check(lambda: gradatim.predict(place.shelf(kind), data), words)


@pytest.mark.parametrize("what", ["nothing", "a number", "a frame", "an empty text", "a folder"])
def test_load_model(what, place):
    source = {"nothing": None, "a number": 3, "a frame": FRAME, "an empty text": "", "a folder": "."}[what]  # fmt: skip
    check(lambda: gradatim.load_model(source), "")
