"""Tables that are wrong or odd, through every encoding, packing and format."""

import bz2
import codecs
import gzip
import lzma
import shlex
from datetime import date, time
from decimal import Decimal
from itertools import product

import numpy as np
import pandas as pd
import pytest

from .inputs import (
    change,
    csv,
    file,
    folder,
    good,
    link,
    nothing,
    parquet,
    rename,
    repeated_columns,
    table,
)
from .trial import trial

FIT = "fit t.csv --target y --trials 1 -o m"
CLASSES = "fit t.csv --target c --drop y --trials 1 -o m"

# --- a fault must be seen, and columns named, however the text is written

ENCODINGS = {
    "UTF-8": "utf-8",
    "UTF-8 with a mark": "utf-8-sig",
    "UTF-16 of little ends": ("utf-16-le", codecs.BOM_UTF16_LE),
    "UTF-16 of big ends": ("utf-16-be", codecs.BOM_UTF16_BE),
    "Windows-1252": "cp1252",
}
DELIMITERS = {"commas": ",", "semicolons": ";", "tabs": "\t", "bars": "|"}
WIDE = good().rename(columns={"a": "größe", "y": "prêt"}).to_dict("list")
FAULTS = {
    "no such target": (pd.DataFrame(WIDE), "", "größe", "target must be a column of the table (", "prêt"),
    "few rows": (pd.DataFrame(WIDE)[:12], "", "prêt", "at least 20 rows with a 'prêt', got 12"),
    "one class": (pd.DataFrame(WIDE | {"prêt": "é"}), "", "prêt", "at least two different values, got only 'é' in 'prêt'"),
    "long row": (pd.DataFrame(WIDE), "1{0}2{0}3{0}4{0}é\n", "prêt", "unequal length: row 62"),
    "no rows": (pd.DataFrame(WIDE)[:0], "", "prêt", "must have rows under its header, got none"),
}  # fmt: skip


def written(frame, delimiter, encoding, more=""):
    text = frame.to_csv(index=False, sep=delimiter) + more.format(delimiter)
    name, mark = encoding if isinstance(encoding, tuple) else (encoding, b"")
    return file("t.csv", mark + text.encode(name))


WRITTEN = [
    trial(
        f"{fault}, {encoding}, {delimiter}",
        written(frame, DELIMITERS[delimiter], ENCODINGS[encoding], more),
        f"fit t.csv --target {'preis' if fault == 'no such target' else target} --trials 1 -o m",
        2,
        *says,
    )
    for encoding, delimiter, (fault, (frame, more, target, *says)) in product(
        ENCODINGS, DELIMITERS, FAULTS.items()
    )
]

# --- what is packed

PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
GOOD = good().to_csv(index=False).encode()
PACKED = [
    trial(f"{what} .{ending}", file(f"t.csv.{ending}", content), f"fit t.csv.{ending} --target y --drop c --trials 1 -o m", code, *says)
    for ending, pack in PACKERS.items()
    for what, content, code, *says in [
        ("nothing in a", b"", 2, "t.csv"),
        ("not packed", GOOD, 2, "damaged: it cannot be unpacked"),
        ("cut off", pack(GOOD)[: len(pack(GOOD)) // 2], 2, "damaged: it cannot be unpacked"),
        ("one byte changed in a", pack(GOOD)[:-30] + b"\x00" + pack(GOOD)[-29:], 2, "damaged: it cannot be unpacked"),
        ("nothing packed as", pack(b""), 2, "but it is empty"),
        ("packed twice as", pack(pack(GOOD)), 2, "must be a text table, but it holds binary data"),
        ("header alone as", pack(b"a,b,y\n"), 2, "must have rows under its header"),
        ("two parts as", pack(GOOD[:500]) + pack(GOOD[500:]), 0, "Recommended"),
        ("good", pack(GOOD), 0, "Recommended"),
    ]
]  # fmt: skip

# --- what is no table

TEXT = [
    trial("empty file", file("t.csv", b""), FIT, 2, "t.csv: must be a table with a header and rows, but it is empty"),
    trial("blank lines", file("t.csv", b"\n \n\r\n"), FIT, 2, "but it is empty"),
    trial("a mark alone", file("t.csv", codecs.BOM_UTF8), FIT, 2, "but it is empty"),
    trial("a mark of UTF-16 alone", file("t.csv", codecs.BOM_UTF16_LE), FIT, 2, "but it is empty"),
    trial("NUL bytes", file("t.csv", b"\0" * 100), FIT, 2, "holds binary data"),
    trial("a NUL in a late cell", file("t.csv", GOOD + b"1,2,\0,up\n" * 1), FIT, 2, "t.csv"),
    trial("half a letter of UTF-16", file("t.csv", codecs.BOM_UTF16_LE + GOOD.decode().encode("utf-16-le")[:-1]), FIT, 0, "Recommended"),
    trial("UTF-16 without a mark", file("t.csv", GOOD.decode().encode("utf-16-le")), FIT, 2, "holds binary data"),
    trial("UTF-32", file("t.csv", GOOD.decode().encode("utf-32")), FIT, 2, "t.csv"),
    trial("two encodings in one file", file("t.csv", GOOD + "1,2,3,é\n".encode() + "1,2,3,é\n".encode("cp1252")), FIT, 0, "it was read as Windows-1252"),
    trial("a letter that Windows-1252 lacks", file("t.csv", GOOD + b"1,2,3,\x81\xff\n"), FIT, 0, "it was read as Windows-1252"),
    trial("a quote never closed", file("t.csv", b'a,b,y\n"1,2,3\n' + b"1,2,3\n" * 40), FIT, 2, "t.csv"),
    trial("a quote closed in the header only", file("t.csv", b'"a,b,y\n' + b"1,2,3\n" * 40), FIT, 2, "a quote that is opened in row 1 and never closed"),
    trial("quotes within cells", file("t.csv", b'a,b,y\n' + b'1,2"3,3\n' * 40), FIT, 2, "at least two different values"),
    trial("another delimiter", file("t.csv", GOOD.replace(b",", b"~")), FIT, 2, "target must be a column of the table"),
    trial("two delimiters", file("t.csv", GOOD.replace(b",", b";", 60)), FIT, 2, "at least 20 rows with a 'y', got 19"),
    trial("short rows", file("t.csv", GOOD + b"1\n2,3\n"), FIT, 0, "2 rows have no (finite) target"),
    trial("spaces around names", file("t.csv", GOOD.replace(b"a,b,y,c", b" a , b ,  y,c ")), FIT, 0, "Recommended"),
    trial("a web page", file("t.csv", "<!DOCTYPE html>\n<html><body><p>Not found</p></body></html>\n"), FIT, 2, "target must be a column of the table"),
    trial("JSON", file("t.csv", '{"a": [1, 2], "y": [3, 4]}'), FIT, 2, "t.csv: must have rows under its header, got none"),
    trial("one word", file("t.csv", "y"), FIT, 2, "must have rows under its header"),
    trial("target alone", csv(good()[["y"]]), FIT, 2, "and none is left"),
    trial("no name for a column", file("t.csv", GOOD.replace(b"a,b,y,c", b",,y,c")), "fit t.csv --target y --drop c --trials 1 -o m", 0, "Recommended"),
    trial("no name for the target", file("t.csv", GOOD.replace(b"a,b,y,c", b"a,b,,c")), "fit t.csv --target '' --trials 1 -o m", 2, "target must name a column: a, b, column 3, c"),
    trial("repeated columns", file("t.csv", GOOD.replace(b"a,b,y,c", b"a,a,y,a")), FIT, 0, "the later one is called 'a.1' here", "'a.2'"),
    trial("repeated target", file("t.csv", GOOD.replace(b"a,b,y,c", b"a,y,y,c")), FIT, 0, "called 'y.1' here"),
    trial("a name as pandas numbers it", file("t.csv", GOOD.replace(b"a,b,y,c", b"a,a,y,a.1")), FIT, 0, "is called 'a.1' here"),
    trial("the name of the spare column", file("t.csv", GOOD.replace(b"a,b,y,c", b"spare,b,y,c")), FIT, 0, "Recommended"),
    trial("old Macintosh line ends", file("t.csv", GOOD.replace(b"\n", b"\r")), FIT, 0, "Recommended"),
    trial("mixed line ends", file("t.csv", GOOD.replace(b"\n", b"\r\n", 20)), FIT, 0, "Recommended"),
    trial("no end of the last line", file("t.csv", GOOD.rstrip()), FIT, 0, "Recommended"),
    trial("comment lines", file("t.csv", b"# made by a machine\n" + GOOD), FIT, 2, "t.csv"),
    trial("a folder", folder("t.csv"), "fit t.csv --trials 1 -o m", 2, "must hold images"),
    trial("no file", nothing, FIT, 1, "t.csv: there is no such file. Check the path."),
    trial("no file in no folder", nothing, "fit no/where.csv --target y -o m", 1, "there is no such file"),
    trial("a file below a file", file("t.csv", GOOD), "fit t.csv/x.csv --target y -o m", 1, "t.csv/x.csv"),
    trial("a link to nothing", link("t.csv", "gone.csv"), FIT, 1, "there is no such file"),
    trial("a link to itself", link("t.csv", "t.csv"), FIT, 1, "t.csv"),
    trial("the null device", nothing, "fit /dev/null --target y --trials 1 -o m", 2, "/dev/null"),
    trial("a name near a built-in set", nothing, "fit irs -o m", 1, "The nearest built-in name is 'iris'"),
    trial("an empty name", nothing, "fit '' --target y -o m", 2, ""),
    *(
        trial(f"a .{ending} file", file(f"t.{ending}", b"PK\3\4"), f"fit t.{ending} --target y -o m", 2, "must be CSV, TSV or Parquet")
        for ending in ("xlsx", "xls", "ods", "json", "jsonl", "pkl", "npy", "h5", "feather", "sqlite")
    ),
]  # fmt: skip

# --- cells, in every part that a column can play

DAYS = pd.date_range("2000-01-01", periods=60).strftime("%Y-%m-%d")
NONE, WORDS = (
    "at least 20 rows with a 'x', got 0",
    "time_column must hold dates or numbers, got categorical",
)
GAPS, DATES = "time_column must have a time in every row, got {} row", "got dates in 'x'"
UNLIKE, FEW = (
    "two classes of at least 3 rows, got 60 different",
    "group must have at least 4 different values, got {}",
)
# cells, and what is said of them as a feature, the target, the group, the time; nothing where they can be used
CELLS = {
    "dates before 1677": ([f"{1000 + k}-01-31" for k in range(60)], "", DATES, "", ""),
    "dates after 2262": ([f"{2300 + k}-06-30" for k in range(60)], "", DATES, "", ""),
    "dates of all ages": ([f"{1 + 160 * k:04}-02-28" for k in range(60)], "", DATES, "", ""),
    "one date out of reach": (["9999-12-31", *DAYS[1:]], "", DATES, "", ""),
    "days that are none": (["2001-02-30", *DAYS[1:]], "", DATES, "", GAPS.format(1)),
    "dates with zones": ([f"2000-01-01T{k % 24:02}:00:00+{k % 12:02}:00" for k in range(60)], "", DATES, "", ""),
    "infinities": (["inf", "-inf", *np.arange(58.0)], "", "", "", GAPS.format(2)),
    "only infinities": (["inf", "-inf"] * 30, "", NONE, FEW.format(2), GAPS.format(60)),
    "huge numbers": (np.linspace(1e300, 1.7e308, 60), "", "target must stay below 1e150", "", ""),
    "tiny numbers": (np.linspace(1e-320, 1e-310, 60), "", "target must vary by 1e-150 or more", "", ""),
    "whole numbers beyond 64 bits": ([str(2**70 + 7 * k) for k in range(60)], "", UNLIKE, "", ""),
    "numbers beyond floats": ([f"1e{400 + k}" for k in range(60)], "", NONE, "", GAPS.format(60)),
    "no cell": ([None] * 60, "", NONE, FEW.format(0), GAPS.format(60)),
    "one cell": (["x"] + [None] * 59, "", "at least 20 rows with a 'x', got 1", FEW.format(1), WORDS),
    "a constant": (["same"] * 60, "", "at least two different values, got only 'same'", FEW.format(1), WORDS),
    "mixed types": (["1", "two", "3.5", "2000-01-01", "yes", ""] * 10, "", "", "", WORDS),
    "long texts": (["x" * 100_000, "y" * 100_000, "z"] * 20, "", "", FEW.format(3), WORDS),
    "different texts": ([f"text {k}" for k in range(60)], "", UNLIKE, "", WORDS),
    "control characters": (["\x1b[31mred\x1b[0m", "\a", "b\x7f"] * 20, "", "", FEW.format(3), WORDS),
    "formulas": (["=1+1", "+cmd", "@sum", "-2-3"] * 15, "", "", "", WORDS),
    "mathematics": (["$20 to $30^", "\\frac{", "_{", "a_b"] * 15, "", "", "", WORDS),
    "markup": (["<script>alert(1)</script>", "&amp;", "[red]x[/red]"] * 20, "", "", FEW.format(3), WORDS),
    "foreign letters": (["身長", "🙂", "цена", "é"] * 15, "", "", "", WORDS),
    "percentages": ([f"{k} %" for k in range(60)], "", UNLIKE, "", WORDS),
    "currency": ([f"${k}.50" for k in range(60)], "", UNLIKE, "", WORDS),
    "decimal commas": ([f"{k},5" for k in range(60)], "", "", "", ""),
    "words for nothing": (["NA", "null", "?", "None"] * 15, "", NONE, FEW.format(0), GAPS.format(60)),
    "truth values of two kinds": (["yes", "true", "no", "false"] * 15, "", "", "", WORDS),
}  # fmt: skip
ROLES = {
    "a feature": "fit t.csv --target y --drop c --trials 1 -o m",
    "the target": "fit t.csv --target x --drop c --trials 1 -o m",
    "the group": "fit t.csv --target y --group x --drop c --trials 1 -o m",
    "the time": "fit t.csv --target y --time-column x --drop c --trials 1 -o m",
}
PLAYED = [
    trial(f"{what} as {role}", table(x=cells), typed, 2 if says else 0, says or "Recommended")
    for what, (cells, *said) in CELLS.items()
    for (role, typed), says in zip(ROLES.items(), said, strict=True)
]

# --- columns of Parquet, which has types of its own

# cells, and what is said of them as the target; nothing where they can be used
TYPED = {
    "nested lists": (pd.Series([[k, k + 1] for k in range(60)]), UNLIKE),
    "records": (pd.Series([{"p": k} for k in range(60)]), UNLIKE),
    "bytes": (pd.Series([bytes([k]) for k in range(60)]), UNLIKE),
    "decimals": (pd.Series([Decimal(k) / 4 for k in range(60)]), ""),
    "times of day": (pd.Series([time(k % 24, k % 60) for k in range(60)]), UNLIKE),
    "spans of time": (pd.Series(pd.to_timedelta(np.arange(60), unit="h")), ""),
    "days": (pd.Series([date(1000 + 100 * (k % 60), 1, 1) for k in range(60)]), DATES),
    "seconds of far years": (pd.Series(np.arange(300_000_000_000, 300_000_000_060).astype("M8[s]")), DATES),
    "times with zones": (pd.Series(pd.date_range("2000", periods=60, tz="Asia/Tokyo")), DATES),
    "categories": (pd.Series(["u", "v", "w"] * 20, dtype="category"), ""),
    "categories of numbers": (pd.Series([3, 1, 2] * 20, dtype="category"), ""),
    "truth values with gaps": (pd.Series([True, None, False] * 20, dtype="boolean"), ""),
    "whole numbers with gaps": (pd.Series([1, None, 3] * 20, dtype="Int64"), ""),
    "numbers of half precision": (pd.Series(np.arange(60), dtype="float16"), ""),
    "unsigned numbers": (pd.Series([2**63 + k for k in range(60)], dtype="uint64"), UNLIKE),
    "nothing": (pd.Series([None] * 60), NONE),
    "spans of dates": (pd.Series(pd.period_range("2000", periods=60, freq="D")), ""),
    "intervals": (pd.Series(pd.interval_range(0, 60)), NONE),
}  # fmt: skip
PARQUET = "fit t.parquet --target {} --drop c --trials 1 -o m"
DAMAGED = "is damaged or not a Parquet file"
COLUMNAR = [
    *(
        trial(f"{what} as {role}", parquet(good().assign(x=cells)), PARQUET.format(column), 2 if says else 0, says or "Recommended")
        for what, (cells, target) in TYPED.items()
        for role, column, says in (("a feature of Parquet", "y", ""), ("the target of Parquet", "x", target))
    ),
    trial("an empty Parquet file", file("t.parquet", b""), PARQUET.format("y"), 2, DAMAGED),
    trial("Parquet without an end", (parquet(good()), change("t.parquet", lambda c: c[:-9])), PARQUET.format("y"), 2, DAMAGED),
    trial("Parquet with other bytes", (parquet(good()), change("t.parquet", lambda c: c[:4] + b"\xff" * 60 + c[64:])), PARQUET.format("y"), 2, DAMAGED),
    trial("text called Parquet", file("t.parquet", GOOD), PARQUET.format("y"), 2, DAMAGED),
    trial("Parquet called text", (parquet(good()), rename("t.parquet", "t.csv")), FIT, 2, "holds binary data"),
    trial("Parquet without rows", parquet(good()[:0]), PARQUET.format("y"), 2, "must have rows under its header, got none"),
    trial("Parquet without columns", parquet(good()[[]]), PARQUET.format("y"), 2, "t.parquet"),
    trial("repeated columns in Parquet", repeated_columns("t.parquet", ["a", "a", "y", "c"]), PARQUET.format("y"), 0, "the later one is called 'a.1' here"),
    trial("repeated target in Parquet", repeated_columns("t.parquet", ["a", "y", "y", "c"]), PARQUET.format("y"), 0, "the later one is called 'y.1' here"),
    trial("columns without names in Parquet", repeated_columns("t.parquet", ["a", "", "y", "c"]), PARQUET.format("y"), 0, "Recommended"),
]  # fmt: skip

# --- names, long and nasty, of columns, classes, files and folders

LONG = "long" * 100
NASTY = {
    "long": LONG, "mathematical": "$20 to $30^", "unfinished": "\\frac{", "foreign": "身長 🙂", "marked up": "<b>[red]{x}",
    "with a line break": "two\nlines", "with an escape": "\x1b[31mred", "with a quote": 'say "a, b"', "of a path": "../../a/b",
    "of the result": "prediction", "of a model": "network", "of a formula": "=1+1", "with a NUL's look": "\\0", "of spaces": "a  b",
}  # fmt: skip
NAMES = [
    *(
        trial(f"a column's name, {what}", csv(good().rename(columns={"a": name})), FIT, 0, "Recommended")
        for what, name in NASTY.items()
    ),
    *(
        trial(f"the target's name, {what}", csv(good().rename(columns={"c": name})), f"fit t.csv --target {shlex.quote(name)} --drop y --trials 1 -o m", 0, "Recommended")
        for what, name in NASTY.items()
    ),
    *(
        trial(f"a class's name, {what}", table(c=np.where(good()["y"] > 0, name, "other")), CLASSES, 0, "Recommended")
        for what, name in NASTY.items()
    ),
    *(
        trial(f"the folder's name, {what}", csv(good()), f"fit t.csv --target y --trials 1 -o {shlex.quote(name)}", 0, "Recommended")
        for what, name in NASTY.items() if what not in ("long", "of a path")
    ),
    *(
        trial(f"the file's name, {what}", csv(good(), f"{name}.csv"), f"fit {shlex.quote(name)}.csv --target y --trials 1 -o m", 0, "Recommended")
        for what, name in NASTY.items() if what not in ("long", "of a path")
    ),
    trial("a folder's name that is too long", csv(good()), f"fit t.csv --target y --trials 1 -o {LONG}", 1, "cannot be written: File name too long"),
    trial("a folder's name of 250 letters", csv(good()), f"fit t.csv --target y --trials 1 -o {'n' * 250}", 2, "output must have a name of at most 200 bytes, got 250"),
    trial("a file's name that is too long", nothing, f"fit {LONG} --target y -o m", 1, LONG),
    trial("a long file's name for the default folder", csv(good(), f"{'n' * 245}.csv"), f"fit {'n' * 245}.csv --target y --trials 1", 0, "Recommended"),
    trial("a target's name that is not there and long", csv(good()), f"fit t.csv --target {LONG} -o m", 2, "target must be a column of the table"),
]  # fmt: skip

# --- a test file of its own

OWN = "fit t.csv --target {} --trials 1 --test test.csv -o m"
GIVEN = csv(good().drop(columns="c"))
TESTS = [
    trial("no test file", GIVEN, OWN.format("y"), 1, "test.csv: there is no such file"),
    trial("an empty test file", (GIVEN, file("test.csv", b"")), OWN.format("y"), 2, "test.csv: must be a table with a header and rows"),
    trial("a test file without rows", (GIVEN, file("test.csv", b"a,b,y\n")), OWN.format("y"), 2, "test.csv: must have rows under its header"),
    trial("a test file of one row", (GIVEN, file("test.csv", b"a,b,y\n1,2,3\n")), OWN.format("y"), 2, "test must have at least 2 rows to judge by, got 1"),
    trial("a test file of three rows", (GIVEN, file("test.csv", b"a,b,y\n" + b"1,2,3\n" * 3)), OWN.format("y"), 0, "Little to judge by: 3 test rows"),
    trial("a share of one test row", csv(good()), "fit t.csv --target y --trials 1 --test 0.01 -o m", 2, "test must have at least 2 rows to judge by, got 1"),
    trial("a test file without the target", (GIVEN, file("test.csv", b"a,b\n1,2\n")), OWN.format("y"), 2, "the test table must have the column 'y'"),
    trial("a test file without a column", (GIVEN, file("test.csv", b"a,y\n1,2\n")), OWN.format("y"), 2, "the test table must have the column 'b'"),
    trial("a test file without a value of the target", (GIVEN, file("test.csv", b"a,b,y\n" + b"1,2,\n" * 20)), OWN.format("y"), 2, "got 60 and 0"),
    trial("a test file of another target", (GIVEN, csv(good().assign(y="word"), "test.csv")), OWN.format("y"), 2, "two classes of at least 3 rows, got 61 different values"),
    trial("a test file of other classes", (csv(good()), csv(good().assign(c="other"), "test.csv")), OWN.format("c"), 2, "a target that can be learned, got 60 and 0"),
    trial("a test file with another class", (csv(good()), csv(good().assign(c=["up", "other", "down"] * 20), "test.csv")), OWN.format("c"), 0, "20 test rows have a class that no training row has ('other') and are left out"),
    trial("a test file of one class", (csv(good()), csv(good().assign(c="up"), "test.csv")), OWN.format("c"), 0, "Recommended"),
    trial("a test file of words for numbers", (GIVEN, csv(good().assign(a="word"), "test.csv")), OWN.format("y"), 0, "60 cells are not finite numbers"),
    trial("the training file as the test file", GIVEN, OWN.format("y").replace("test.csv", "t.csv"), 0, "60 test rows (100 %) repeat a training row exactly"),
    trial("a test folder for a table", (GIVEN, folder("test.csv")), OWN.format("y"), 2, "must be a file, and is a folder"),
    trial("a damaged test file", (GIVEN, file("test.parquet", b"PAR1")), OWN.format("y").replace(".csv -o", ".parquet -o"), 2, DAMAGED),
]  # fmt: skip

TRIALS = [*WRITTEN, *PACKED, *TEXT, *PLAYED, *COLUMNAR, *NAMES, *TESTS]


@pytest.mark.parametrize("row", TRIALS, ids=lambda row: row.what)
def test_a_table(row, make_trial):
    make_trial(row)
