import importlib

import numpy as np
import pandas as pd
import pytest

from gradatim.data.tables import reading
from gradatim.data.tables.reading import iterate, read_table
from gradatim.data.tables.sampled_lines import sample_lines
from gradatim.data.tables.text_files import sniff_delimiter
from gradatim.errors import InvalidValue
from gradatim.fitting.options import read_budget, read_test
from gradatim.fitting.tables.kind import TableOptions


def test_a_long_file_is_sampled_uniformly_in_bounded_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "CHUNK_ROWS", 500)
    path = tmp_path / "long.csv"
    pd.DataFrame({"n": np.arange(20_000), "m": 0}).to_csv(path, index=False)
    longest = 0
    concat = pd.concat

    def watched(parts, **arguments):
        nonlocal longest
        longest = max(longest, sum(map(len, parts)))
        return concat(parts, **arguments)

    monkeypatch.setattr(pd, "concat", watched)
    table = read_table(path, limit=lambda columns: 4000 // columns, seed=1)
    assert (len(table.frame), table.rows) == (2000, 20_000)
    assert longest <= 4500  # never more than twice the sample and a chunk
    kept = table.frame["n"].astype(int).to_numpy()
    assert (kept == table.frame.index).all()
    assert (np.diff(kept) > 0).all()
    tenths = np.bincount(kept // 2000, minlength=10)
    assert ((tenths > 150) & (tenths < 250)).all()
    assert table.notes == ["A random sample of 2,000 of 20,000 rows is used (a longer --budget or --rows takes more)."]  # fmt: skip
    again = read_table(path, limit=lambda columns: 4000 // columns, seed=1)
    pd.testing.assert_frame_equal(again.frame, table.frame)


def test_chunks_join_to_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "CHUNK_ROWS", 7)
    frame = pd.DataFrame({"a": [f"{k},{k}" for k in range(20)], "b": np.arange(20) / 3})
    frame.to_csv(tmp_path / "t.csv", index=False)
    whole = pd.concat(iterate(tmp_path / "t.csv"))
    assert whole["a"].tolist() == frame["a"].tolist()
    assert pd.to_numeric(whole["b"]).tolist() == frame["b"].tolist()


def test_parquet_keeps_its_types(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": [1, 2], "d": pd.date_range("2024", periods=2), "f": [True, None]})
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert table.frame["d"].dtype.kind == "M"
    assert len(table.frame) == 2
    frame.iloc[:0].to_parquet(tmp_path / "empty.parquet")
    with pytest.raises(
        InvalidValue, match=r"empty.parquet: must have rows under its header, got none"
    ):
        read_table(tmp_path / "empty.parquet")


@pytest.mark.parametrize(
    ("head", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb c\n1\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('"x;y",b\n"1;2",3\n', ","),
        ("alone\n1\n", ","),
    ],
)
def test_delimiters(head, delimiter):
    assert sniff_delimiter(head) == delimiter


def test_times_and_shares():
    assert [read_budget(t) for t in ("60s", "90", "5m", "1.5 h", "2min")] == [
        60,
        90,
        300,
        5400,
        120,
    ]
    assert (read_test("0.25"), read_test("25 %"), read_test("new.csv")) == (
        0.25,
        0.25,
        "new.csv",
    )


def test_more_time_allows_more_rows():
    for columns in (5, 500):
        rows = [
            job.most_rows(columns)
            for job in (
                TableOptions(budget=120.0),
                TableOptions(budget=60.0),
                TableOptions(trials=3),
            )
        ]
        assert rows[0] == 2 * rows[1] == 2 * rows[2]
    assert TableOptions(budget=5.0, rows=10**6).most_rows(5) == 10**6


def numbered(rows, end="\n", quote=False):
    cell = '"a ""b"", {k}"' if quote else "a {k}"
    return ("n,text,m" + end + "".join(f"{k},{cell.format(k=k)},0{end}" for k in range(rows))).encode()  # fmt: skip


SAMPLED = {
    "plain": numbered(6000),
    "windows line ends": numbered(6000, "\r\n"),
    "old Macintosh line ends": numbered(6000, "\r"),
    "quoted cells": numbered(6000, quote=True),
    "blank lines": numbered(6000).replace(b"\n77,", b"\n\n  \n77,"),
    "no last line end": numbered(6000).rstrip(),
    "a byte order mark": b"\xef\xbb\xbf" + numbered(6000),
    "Latin letters": numbered(6000).replace(b"a 7", b"\xe9 7"),
    # from here on lines are not rows, and the file is parsed as a whole
    "line breaks in quotes": numbered(6000, quote=True).replace(b", 55", b",\n 55"),
    "a lone quote": numbered(6000).replace(b"a 55,", b'5" pipe,'),
    "mixed line ends": numbered(6000).replace(b"\n55,", b"\r55,"),
    "UTF-16": numbered(6000).decode().encode("utf-16"),
}


@pytest.mark.parametrize("case", SAMPLED)
def test_a_sample_holds_the_rows_it_says(tmp_path, case):
    (tmp_path / "t.csv").write_bytes(SAMPLED[case])
    table = read_table(tmp_path / "t.csv", limit=lambda columns: 1000, seed=2)
    assert (len(table.frame), table.rows, list(table.frame)) == (1000, 6000, ["n", "text", "m"])
    assert table.frame["n"].astype(int).tolist() == table.frame.index.tolist()
    whole = pd.concat(iterate(tmp_path / "t.csv"))
    assert table.frame["text"].tolist() == whole["text"].iloc[table.frame.index].tolist()


def test_samples_are_uniform():
    blocks = [b"n\n", *(b"%d\n" % k for k in range(400))]
    counts = np.zeros(400)
    for seed in range(300):
        found = sample_lines(blocks, 40, 401, seed)
        assert len(found.rows) == 40
        counts[found.rows] += 1
    # each row is drawn 30 times in the mean, with a deviation of 5.2
    assert counts.mean() == 30
    assert abs(counts.std() - np.sqrt(300 * 0.1 * 0.9)) < 1.0
    assert counts.max() < 55


def test_a_long_row_in_a_sample_is_named_by_its_place(tmp_path):
    content = numbered(3000) + b"".join(b"%d,x,0,1\n" % k for k in range(3000, 6000))
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InvalidValue, match=r"row 30\d\d \(the header is row 1\) has more fields"):
        read_table(tmp_path / "t.csv", limit=lambda columns: 1000)
    (tmp_path / "t.csv").write_bytes(content.replace(b",x,0,1", b",x,0,1,2,3"))
    with pytest.raises(InvalidValue, match=r"row 30\d\d \(the header is row 1\) has more fields"):
        read_table(tmp_path / "t.csv", limit=lambda columns: 1000)


def test_repeated_columns_get_names_of_their_own_in_every_format(tmp_path):
    frame = pd.DataFrame([[1.5, 2.5, 3.5]] * 3, columns=["a", "a", ""])
    frame.to_csv(tmp_path / "t.csv", index=False)
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table([arrow.array([1.5])] * 3, names=["a", "a", ""])
    importlib.import_module("pyarrow.parquet").write_table(table, tmp_path / "t.parquet")
    for source in (frame, tmp_path / "t.csv", tmp_path / "t.parquet"):
        read = read_table(source)
        assert list(read.frame) == ["a", "a.1", "column 3"]
        assert read.notes == ["Two columns are called 'a'; the later one is called 'a.1' here."]
