import io

import pytest
from rich.console import Console

from gradatim.reports import Report
from gradatim.reports.sections import Table
from gradatim.reports.terminal import show_table


def shown(report, width=80):
    stream = io.StringIO()
    report.show(Console(file=stream, width=width, highlight=False))
    return stream.getvalue()


@pytest.fixture
def report():
    report = Report(title="XOR", summary="A hidden layer [bold]is[/bold] needed.")
    report.claim("MLP learns", expected="accuracy = 1", measured=1.0, holds=True)
    report.claim("line fails", expected="accuracy <= 0.75", measured=0.9, holds=False)
    report.text("Some words.")
    report.table("Errors", columns=["model", "error %"], rows=[["MLP", 1.8], ["line", 25.0]])
    report.code("python", "print(1)")
    return report


def test_plain_stream_gets_no_escape_codes(report):
    assert "\x1b" not in shown(report)


def test_words_are_not_taken_for_markup(report):
    assert "[bold]is[/bold]" in shown(report)


def test_verdicts_precede_tables(report):
    lines = [" ".join(line.split()) for line in shown(report).splitlines()]
    good = lines.index("✓ MLP learns 1 expected accuracy = 1")
    bad = lines.index("✗ line fails 0.9 expected accuracy <= 0.75")
    assert good < bad < lines.index("Some words.") < lines.index("Errors") < lines.index("print(1)")
    assert "line 25.0" in lines


def test_terminal_gets_colour(report):
    stream = io.StringIO()
    report.show(Console(file=stream, width=80, force_terminal=True, color_system="standard"))
    assert "\x1b[1;32m✓" in stream.getvalue()
    assert "\x1b[1;31m✗" in stream.getvalue()


def test_wide_table_is_split_and_no_number_is_broken():
    rows = [[f"model {i}", *(i + k / 7 for k in range(11))] for i in range(2)]
    report = Report(title="Wide")
    report.table("T", columns=["model", *(f"column {k}" for k in range(11))], rows=rows)
    text = shown(report)
    assert max(map(len, text.splitlines())) <= 80
    assert "T (continued)" in text
    assert text.count("model 1") == text.count("continued") + 1
    for k in range(11):
        assert f"column {k}" in text
        assert f"{1 + k / 7:.4g}" in text
    assert "…" not in text


def test_long_words_are_kept_whole_in_narrow_tables():
    stream = io.StringIO()
    table = Table("T", ["name", "note"], [["a", "some words that have to be broken into lines"]])
    show_table(table, Console(file=stream, width=24))
    assert all(word in stream.getvalue() for word in ("some", "words", "broken", "lines"))
    assert max(map(len, stream.getvalue().splitlines())) <= 24


def test_names_are_not_broken_when_another_column_can_give_way():
    stream = io.StringIO()
    note = "a long remark of many short words, which can go over as many lines as it takes"
    table = Table("T", ["name", "size", "note"], [["tiny-shakespeare", 1115394, note]])
    show_table(table, Console(file=stream, width=50))
    assert "tiny-shakespeare   1,115,394   " in stream.getvalue()


def test_default_console_is_standard_output(report, capsys):
    report.show()
    show_table(Table("T", ["a"], [[1]]))
    assert capsys.readouterr().out.startswith("XOR\n")


def test_table_without_rows_shows_its_head():
    report = Report(title="t")
    report.table("Nothing", columns=["a", "b"], rows=[])
    assert "a   b" in shown(report)
