"""Texts that are wrong or odd."""

import pytest

from .inputs import ROWS, csv, file, folder, nothing, parquet, reviews
from .trial import trial

FIT = "fit t.csv --text text --target c --trials 1 -o m"
CELLS = {
    "empty": ([""] * ROWS, "text must hold texts, got only empty cells in 'text'"),
    "missing": ([None] * ROWS, "text must hold texts, got only empty cells in 'text'"),
    "one missing": ([None, *reviews()["text"][1:]], ""),
    "all the same": (["same"] * ROWS, ""),
    "all different": ([f"w{k}" for k in range(ROWS)], ""),
    "numbers": (list(range(ROWS)), ""),
    "punctuation": (["!!! ... ???", "---"] * (ROWS // 2), ""),
    "single letters": (["a", "b"] * (ROWS // 2), ""),
    "emoji": (["🙂🙂", "🙁"] * (ROWS // 2), ""),
    "foreign scripts": (["身長 体重", "цена дома", "שלום"] * (ROWS // 3), ""),
    "control characters": (["\x1b[31mred", "\a\x7f"] * (ROWS // 2), ""),
    "line breaks": (["one\ntwo", "three\r\nfour"] * (ROWS // 2), ""),
    "one long word": (["x" * 50_000, "y" * 10] * (ROWS // 2), ""),
    "many words": (["word " * 5_000, "other"] * (ROWS // 2), ""),
    "markup": (["<p>good</p>", "&lt;bad&gt;"] * (ROWS // 2), ""),
    "mathematics": (["$20 to $30^", "\\frac{_{"] * (ROWS // 2), ""),
    "spaces": (["   ", "\t"] * (ROWS // 2), ""),
    "combining marks": (["é", "ñ"] * (ROWS // 2), ""),
    "quotes": (['say "a"', "it's; a, b"] * (ROWS // 2), ""),
}
TARGETS = {
    "missing": ([None] * ROWS, "at least 20 rows with a 'c', got 0"),
    "constant": (["up"] * ROWS, "at least two different values, got only 'up'"),
    "all different": ([f"k{k}" for k in range(ROWS)], "two classes of at least 3 rows"),
    "with a rare class": (["rare", *reviews()["c"][1:]], ""),
    "numbers": (reviews()["y"], ""),
    "infinite numbers": (["inf", *reviews()["y"][1:]], ""),
    "huge numbers": (reviews()["y"] * 1e200, "target must stay below 1e150"),
    "dates": ([f"{1500 + k}-01-01" for k in range(ROWS)], "got dates in 'c'"),
    "truth values": (["yes", "no"] * (ROWS // 2), ""),
    "long classes": (["n" * 400, "m" * 400] * (ROWS // 2), ""),
    "classes with escapes": (["\x1b[31m", "b"] * (ROWS // 2), ""),
}
OWN = f"{FIT} --test test.csv"
TRIALS = [
    *(trial(f"texts, {what}", csv(reviews().assign(text=cells)), FIT, 2 if says else 0, says or "Recommended") for what, (cells, says) in CELLS.items()),
    *(trial(f"target, {what}", csv(reviews().assign(c=cells)), FIT, 2 if says else 0, says or "Recommended") for what, (cells, says) in TARGETS.items()),
    *(trial(f"{rows} texts", csv(reviews(rows)), FIT, 2, "at least 20 rows with a 'c', got" if rows else "must have rows") for rows in (0, 1, 19)),
    trial("two columns of texts", csv(reviews().assign(title="on a day")), f"{FIT} --text title", 0, "Recommended"),
    trial("a column of texts twice", csv(reviews()), f"{FIT} --text text", 2, "text must name different columns, got 'text' twice"),
    trial("a second column that is missing", csv(reviews()), f"{FIT} --text essay", 2, "text must be a column of the table"),
    trial("two columns without a text", csv(reviews().assign(text="", title=None)), f"{FIT} --text title", 2, "got only empty cells in 'text' and 'title'"),
    trial("the target as a second text", csv(reviews()), f"{FIT} --text c", 2, "text must differ from the target, got 'c' for both"),
    trial("texts with columns", csv(reviews()), f"{FIT} --with-columns", 0, "Recommended"),
    trial("no columns beside the texts", csv(reviews()[["text", "c"]]), f"{FIT} --with-columns", 2, "must have a column beside texts and target that can be read"),
    trial("all columns dropped", csv(reviews()), f"{FIT} --with-columns --drop y", 2, "Leave --with-columns out"),
    trial("a column to drop that is missing", csv(reviews()), f"{FIT} --with-columns --drop z", 2, "drop must be a column of the table"),
    trial("columns of numbers that are missing", csv(reviews().assign(y=[None] * 30 + [1.0, 2.0] * 15)), f"{FIT} --with-columns", 0, "Recommended"),
    trial("columns for a table", csv(reviews()), "fit t.csv --target c --with-columns -o m", 2, "with_columns must not be given for a table"),
    trial("no such column of texts", csv(reviews()), FIT.replace("--text text", "--text essay"), 2, "text must be a column of the table"),
    trial("a column of numbers", csv(reviews()), FIT.replace("--text text", "--text y"), 0, "Recommended"),
    trial("a folder", folder("t.csv"), FIT, 2, "target must not be given for images"),
    trial("no file", nothing, FIT, 1, "there is no such file"),
    trial("binary data", file("t.csv", b"\0\1\2" * 99), FIT, 2, "holds binary data"),
    trial("a column of lists", parquet(reviews().assign(text=[["a"], ["b"]] * 30)), FIT.replace("csv", "parquet"), 0, "Recommended"),
    trial("repeated columns", file("t.csv", reviews().to_csv(index=False).replace("text,c,y", "text,c,text")), FIT, 0, "called 'text.1' here"),
    trial("a test without texts", (csv(reviews()), csv(reviews()[["c", "y"]], "test.csv")), OWN, 2, "the test table must have the column 'text'"),
    trial("a test of other classes", (csv(reviews()), csv(reviews().assign(c="other"), "test.csv")), OWN, 2, "got 60 and 0"),
    trial("a test of one row", (csv(reviews()), csv(reviews()[:1], "test.csv")), OWN, 2, "test must have at least 2 rows"),
    trial("no test", csv(reviews()), OWN, 1, "test.csv: there is no such file"),
]  # fmt: skip


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_texts(row, make_trial):
    make_trial(row)
