"""The commands: fit, predict, generate, sample, export, doctor, plan, merge, list, run, data."""

import sys
import webbrowser
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from gradatim import __version__
from gradatim.cli.data import data_app
from gradatim.cli.doctor import doctor
from gradatim.cli.echo import echo
from gradatim.cli.fit import export, fit, predict
from gradatim.cli.fit_options import FitCommand
from gradatim.cli.generate import generate
from gradatim.cli.merge import merge
from gradatim.cli.plan import plan
from gradatim.cli.sample import sample
from gradatim.errors import require

app = typer.Typer(
    name="gradatim",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
)
app.command(name="fit", cls=FitCommand, help=fit.__doc__)(lambda: None)
for command in (predict, generate, sample, export, doctor, plan, merge):
    app.command()(command)
app.add_typer(data_app, name="data")


@app.callback()
def gradatim(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Deep learning, step by step: fit models to your data, run experiments, read reports.

    Start with 'gradatim fit iris', or with 'gradatim list' and 'gradatim run xor --quick'.
    """
    # main() acts on --debug wherever it stands; it is declared here for the help
    if version:
        echo(f"gradatim {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        echo(context.get_help())


@app.command(name="list")
def list_experiments(
    search: Annotated[
        str,
        typer.Option(
            metavar="WORD",
            help="Only those with these words in name, summary, chapter or keywords.",
            show_default=False,
        ),
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the list as JSON, for other programs.")
    ] = False,
) -> None:
    """List the experiments by chapter."""
    from gradatim import experiments

    entries = experiments.entries(search)
    if as_json:
        import json

        records = [entry._asdict() for entry in entries]
        echo(json.dumps(records, indent=2, ensure_ascii=False))
        return
    from rich.table import Table

    from gradatim.reports.console import PlainConsole

    console = PlainConsole(highlight=False, markup=False)
    width = max((len(entry.name) for entry in entries), default=0)
    for number, (title, group) in enumerate(groupby(entries, key=lambda entry: entry.title)):
        if number:
            console.print()
        console.print(title, style="bold underline")
        grid = Table.grid(padding=(0, 3, 0, 0))
        grid.add_column(no_wrap=True, style="bold", min_width=width)
        grid.add_column()
        for entry in group:
            grid.add_row(entry.name, entry.summary)
        console.print(grid)


@app.command()
def run(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="An experiment; 'gradatim list' shows them.")
    ],
    quick: Annotated[bool, typer.Option("--quick", help="A version that takes seconds.")] = False,
    seed: Annotated[
        int | None, typer.Option(help="Random seed: the same seed gives the same numbers.")
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for the report.  [default: runs/NAME]",
            show_default=False,
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
) -> None:
    """Run an experiment: print its verdicts and write its report.

    The folder gets report.html, report.json and the figures. The exit code is 1 where a claim does
    not hold.
    """
    from gradatim import experiments
    from gradatim.reports.console import PlainConsole

    folder = output or Path("runs") / name.replace("_", "-")
    if sys.stderr.isatty():
        echo(f"Running {name} …", err=True)
    overrides = _overrides(seed, change or [])
    report = experiments.run(name, quick=quick, overrides=overrides, output=folder)
    report.show(PlainConsole(highlight=False))
    page = folder / "report.html"
    echo(f"\n{page}")
    if show and not webbrowser.open(page.absolute().as_uri()):
        echo("gradatim: no browser was found to open the report.", err=True)
    if not report.holds:
        failing = sum(not claim.holds for claim in report.claims)
        echo(f"gradatim: {failing} of {len(report.claims)} claims do not hold.", err=True)
        raise typer.Exit(1)


def _overrides(seed: int | None, changes: list[str]) -> dict[str, str]:
    overrides = {} if seed is None else {"seed": str(seed)}
    for change in changes:
        key, equals, value = change.partition("=")
        rule = "run: --set must be KEY=VALUE"
        require(key.strip() and equals, rule, repr(change), "Try --set seed=1.")
        rule = "run: --set must name each setting once"
        require(key.strip() not in overrides, rule, f"{key.strip()!r} twice")
        overrides[key.strip()] = value
    return overrides
