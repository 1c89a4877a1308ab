"""``gradatim data``: the catalogue of data sets and the cache."""

import re
from typing import TYPE_CHECKING, Annotated

import typer

from gradatim.cli.echo import echo

if TYPE_CHECKING:
    from gradatim.data import Entry

SHARED = 5  # sets of one download that have a table of their own
data_app = typer.Typer(rich_markup_mode=None, invoke_without_command=True)


@data_app.callback()
def data(context: typer.Context) -> None:
    """List and download data sets."""
    if context.invoked_subcommand is None:
        echo(context.get_help())


@data_app.command(name="list")
def list_data() -> None:
    """List the data sets and whether they are on this machine."""
    from gradatim import data
    from gradatim.reports.console import PlainConsole
    from gradatim.reports.sections import Table
    from gradatim.reports.terminal import show_table

    every = data.catalogue()
    folders = [e.archive.folder if e.archive else "" for e in every]
    large = [f for f in dict.fromkeys(folders) if f and folders.count(f) >= SHARED]
    columns = ["name", "task", "samples", "download", "here", "licence"]
    alone = [e for e, folder in zip(every, folders, strict=True) if folder not in large]
    tables = [
        Table("Data sets", columns, [
            [e.name, e.task, e.samples, _size(e.size_bytes), _here(e), _short(e.licence)]
            for e in alone
        ])
    ]  # fmt: skip
    for name in large:
        own = [e for e, folder in zip(every, folders, strict=True) if folder == name]
        size, licence = _size(own[0].size_bytes), _short(own[0].licence)
        title = f"{len(own)} sets in one download of {size}; licence: {licence}"
        columns = ["name", "task", "samples", "here"]
        tables.append(Table(title, columns, [[e.name, e.task, e.samples, _here(e)] for e in own]))
    for k, table in enumerate(tables):
        if k:
            echo("")
        show_table(table, PlainConsole(highlight=False))


def _here(entry: "Entry") -> str:
    return "yes" if entry.is_cached else "no"


@data_app.command(name="get")
def get_data(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="One or more data sets.")],
) -> None:
    """Download data sets and print their folders.

    Each set is downloaded once, checked by its hashes, and kept in the cache.
    """
    from gradatim import data

    for name in names:
        folder = data.get(name, progress=lambda line: echo(line, err=True))
        echo(folder)


@data_app.command(name="path")
def show_path() -> None:
    """Print the folder of downloaded data sets."""
    from gradatim import data

    echo(data.cache_folder())


def _short(licence: str) -> str:
    """The name of a licence without its story."""
    return re.split(r"[;:,(]", licence)[0].strip()


def _size(count: int) -> str:
    """Bytes in the unit that people use.

    Example:
        >>> [_size(n) for n in (0, 512, 459334, 64662072)]
        ['–', '512 B', '459 kB', '65 MB']
    """
    if not count:
        return "–"
    size, units = float(count), ["B", "kB", "MB", "GB"]
    while size >= 1000 and len(units) > 1:
        size, units = size / 1000, units[1:]
    return f"{size:.0f} {units[0]}"
