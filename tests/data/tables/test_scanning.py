import gzip
import itertools

import pytest

from gradatim.data.tables import scanning
from gradatim.data.tables.reading import read_table
from gradatim.data.tables.scanning import scan
from gradatim.errors import InvalidValue


def look(*blocks, has_quotes=False, seconds=None):
    return scan(blocks, b"\n", owner="t.csv", has_quotes=has_quotes, seconds=seconds)


@pytest.mark.parametrize(
    ("blocks", "encoding"),
    [
        ([b"a\n1\n"], "utf-8"),
        (["ä\n".encode()[:1], "ä\n".encode()[1:]], "utf-8"),  # a letter across two blocks
        ([b"\xef\xbb\xbfa\n"], "utf-8-sig"),
        (["a\n".encode("utf-16")], "utf-16"),
        ([b"a\n", "ä\n".encode("cp1252")], "cp1252"),
    ],
)
def test_finds_the_encoding(blocks, encoding):
    assert look(*blocks).encoding == encoding


def test_a_line_without_end_is_refused_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr(scanning, "LONGEST", 1 << 20)
    seen = []
    endless = (seen.append(k) or b"x" * 1000 for k in itertools.count())
    with pytest.raises(InvalidValue, match=r"^t.csv: must be a table, but it has a line of more than 1 MB"):  # fmt: skip
        scan(endless, b"\n", owner="t.csv", has_quotes=False, seconds=None)
    assert len(seen) < 1100


def test_a_quoted_cell_without_end_is_refused_where_quotes_count(monkeypatch):
    monkeypatch.setattr(scanning, "LONGEST", 100)
    rows = [b'a,b\n1,"', *[b"many\nlines\n"] * 20, b'"\n']
    assert look(*rows).is_whole
    with pytest.raises(InvalidValue, match="a quoted cell of more than"):
        look(*rows, has_quotes=True)
    closed = [b'a,b\n1,"x"\n2,"y"\n', *[b"3,4\n"] * 50]
    assert look(*closed, has_quotes=True).lines == 54


def test_a_small_file_with_a_huge_cell_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(scanning, "LONGEST", 1 << 20)
    with gzip.open(tmp_path / "bomb.csv.gz", "wb") as file:
        file.write(b"a,b\n1,")
        for _ in range(50):
            file.write(b"0" * (1 << 20))
    with pytest.raises(InvalidValue, match="a line of more than 1 MB"):
        read_table(tmp_path / "bomb.csv.gz")


def test_looking_stops_in_time_at_the_end_of_a_line(tmp_path):
    found = look(b"a,b\n1,2\n3,", b"4\n5,6\n", seconds=-1.0)
    assert (found.read, found.lines, found.is_whole) == (8, 3, False)
    path = tmp_path / "long.csv"
    path.write_text("a,b\n" + "".join(f"{k},{2 * k}\n" for k in range(400_000)))
    table = read_table(path, limit=lambda columns: 1000, seconds=-1.0)
    assert (
        table.notes[0] == "Only the first 1.0 MB of long.csv were read, to keep within the budget."
    )
    assert 1000 == len(table.frame) < table.rows < 400_000
    assert (table.frame["a"].astype(int) == table.frame.index).all()  # rows keep their places


def test_rows_that_cannot_be_sampled_unread_are_read_in_time(tmp_path):
    path = tmp_path / "quoted.csv"
    path.write_text("a,b\n" + "".join(f'{k},"two\nlines"\n' for k in range(60_000)))
    table = read_table(path, limit=lambda columns: 1000, seconds=-1.0)
    assert table.notes[0] == "Only the first 16,383 rows were read, to keep within the budget."


def test_a_header_may_be_longer_than_the_first_look(tmp_path):
    names = [f"a rather long name of column number {k}" for k in range(5000)]
    (tmp_path / "wide.csv").write_text(",".join(names) + "\n" + (",".join(["1"] * 5000) + "\n") * 3)
    assert list(read_table(tmp_path / "wide.csv").frame.columns) == names
