"""A report on the terminal."""

from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table as Grid
from rich.text import Text as Words

from gradatim.reports.console import PlainConsole
from gradatim.reports.sections import Claim, Code, Section, Table, Text
from gradatim.reports.values import format_column, format_value, is_number

if TYPE_CHECKING:
    from gradatim.reports.report import Report

GAP = 3  # blanks between two columns


def show_report(report: "Report", console: Console | None = None) -> None:
    """Print title, summary, verdicts, then words, tables and code in their order."""
    console = console or PlainConsole(highlight=False)
    console.print(Words(report.title, style="bold"))
    if report.summary:
        console.print(Words(report.summary))
    if report.claims:
        console.print()
        console.print(_claims(report.claims))
    for section in report.sections:
        for shown in _section(section, console.width):
            console.print()
            console.print(shown)


def show_table(table: Table, console: Console | None = None) -> None:
    """Print one table, in parts where it is wider than the console."""
    console = console or PlainConsole(highlight=False)
    for k, part in enumerate(_tables(table, console.width)):
        if k:
            console.print()
        console.print(part)


def _claims(claims: list[Claim]) -> Grid:
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=3, overflow="fold")
    grid.add_column(ratio=2, overflow="fold")
    grid.add_column(ratio=3, overflow="fold", style="dim")
    for claim in claims:
        mark = Words("✓", style="bold green") if claim.holds else Words("✗", style="bold red")
        measured = Words(format_value(claim.measured), style="" if claim.holds else "red")
        grid.add_row(mark, Words(claim.name), measured, Words(f"expected {claim.expected}"))
    return grid


def _section(section: Section, width: int) -> list[RenderableType]:
    if isinstance(section, Text):
        return [Words(section.text.strip())]
    if isinstance(section, Table):
        return _tables(section, width)
    if isinstance(section, Code):
        code = Syntax(section.source.rstrip(), section.language, background_color="default")
        return [Padding(code, (0, 2))]
    return []  # a terminal shows no pictures


def _tables(table: Table, width: int) -> list[RenderableType]:
    """One grid, or several under one title where the columns do not fit side by side."""
    cells = [format_column([row[k] for row in table.rows]) for k in range(len(table.columns))]
    needed = [
        max(map(cell_len, [column, *texts]))
        if _is_numeric(table, k)
        else _words_width(column, texts)
        for k, (column, texts) in enumerate(zip(table.columns, cells, strict=True))
    ]
    groups = _groups(needed, width)
    return [
        _grid(
            table.title if i == 0 else f"{table.title} (continued)",
            table,
            cells,
            group,
            needed,
            width,
        )
        for i, group in enumerate(groups)
    ]


def _is_numeric(table: Table, k: int) -> bool:
    return any(is_number(row[k]) for row in table.rows)


def _words_width(column: str, texts: list[str]) -> int:
    """Width below which a column of words breaks inside words or into many lines."""
    words = [word for text in (column, *texts) for word in text.split()]
    longest = max(map(cell_len, words), default=1)
    return max(longest, min(12, max(map(cell_len, (column, *texts)))))


def _groups(needed: list[int], width: int) -> list[list[int]]:
    """Columns that fit side by side in ``width``; the first column heads every group."""
    groups: list[list[int]] = [[0]]
    used = needed[0] + GAP
    for k in range(1, len(needed)):
        if used + needed[k] > width and len(groups[-1]) > 1:
            groups.append([0])
            used = needed[0] + GAP
        groups[-1].append(k)
        used += needed[k] + GAP
    return groups


def _grid(
    title: str,
    table: Table,
    cells: list[list[str]],
    group: list[int],
    needed: list[int],
    width: int,
) -> Grid:
    grid = Grid(
        title=Words(title, style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
    )
    # one column beside the first may still be too wide, and then words are broken
    fits = sum(needed[k] + GAP for k in group) - GAP <= width
    for k in group:
        numeric = _is_numeric(table, k)
        grid.add_column(
            Words(table.columns[k]),
            justify="right" if numeric else "left",
            overflow="fold",
            no_wrap=numeric,
            min_width=needed[k] if fits else None,
        )
    for row in range(len(table.rows)):
        grid.add_row(*(Words(cells[k][row]) for k in group))
    return grid
