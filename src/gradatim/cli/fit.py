"""``gradatim fit``, ``predict`` and ``export``: the main job on the command line."""

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gradatim.cli.clock import STARTED
from gradatim.cli.echo import echo

if TYPE_CHECKING:
    from gradatim.fitting import FitResult


def fit(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A CSV, TSV or Parquet file, a file of series (.ts, .tsv, .npz), a folder of images or of tables with one subfolder per class, or a built-in name.",
        ),
    ],
    show: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
    processes: Annotated[
        int, typer.Option("--processes", metavar="N", help="Processes that share the work.")
    ] = 1,
    **given: Any,
) -> None:
    """Fit models to a table, texts, series, images or masks and say honestly whether a network beats the simple ones.

    Compares simple models with networks by cross-validation, tunes the network within the budget,
    judges once on test rows, and writes a model folder with a report.
    """
    if processes != 1:
        from gradatim.cli.launching import start_processes

        raise typer.Exit(start_processes(processes))
    from gradatim.cli.progress import StageBar
    from gradatim.events import Stage

    with StageBar() as bar:
        bar.tell(Stage("starting"))
        import gradatim

        result = gradatim.fit(data, tell=bar.tell, started=STARTED.get(None), **given)
    _show_fit(result)
    page = result.folder / "report.html"
    if show and not webbrowser.open(page.absolute().as_uri()):
        echo("gradatim: no browser was found to open the report.", err=True)


def _show_fit(result: "FitResult") -> None:
    from gradatim.reports.console import PlainConsole
    from gradatim.reports.terminal import show_table

    console = PlainConsole(highlight=False, markup=False)
    console.print(result.headline, style="bold")
    for note in result.notes:
        console.print(f"· {note}")
    for concern in result.concerns:
        console.print(f"! {concern}", style="yellow")
    for table in result.tables:
        console.print()
        show_table(table, console)
    console.print()
    console.print(result.verdict.sentence, style="bold")
    if result.after:
        console.print(result.after)
    console.print()
    echo(f"Report: {result.folder / 'report.html'}")
    predicting = f"gradatim predict {result.folder} NEW_DATA -o predictions.csv"
    echo(f"Use it: {result.command or predicting}")


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A folder that 'fit' wrote.")],
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A CSV, TSV or Parquet file, a file or folder of series, a folder of images, or a built-in name.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="CSV file of predictions; a folder for masks.")
    ] = Path("predictions.csv"),
    which: Annotated[
        str,
        typer.Option("--model", help="'recommended', or a model of the folder such as 'network'."),
    ] = "recommended",
    interval: Annotated[
        float | None,
        typer.Option(
            "--interval",
            metavar="SHARE",
            help="Add columns 'low' and 'high', or 'set' for classes, that hold this share of new cases, such as 0.9.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Predict every row of a table, whose columns are found by name, or every image of a folder."""
    from gradatim.fitting import write_predictions
    from gradatim.wording import numbered

    result = write_predictions(model, data, output, which=which, coverage=interval)
    for note in result.notes:
        echo(f"predict: {note}", err=True)
    echo(f"{numbered(result.rows, result.things)}: {result.path}")


def export(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A folder that 'fit' wrote.")],
    onnx: Annotated[
        bool,
        typer.Option("--onnx", help="Write ONNX, preprocessing included where ONNX can hold it."),
    ] = False,
    program: Annotated[
        bool, typer.Option("--torch", help="Write a program of torch.export.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write.  [default: MODEL/model.onnx or MODEL/model.pt2]",
            show_default=False,
        ),
    ] = None,
    which: Annotated[
        str,
        typer.Option("--model", help="'network', 'recommended', or another model of the folder."),
    ] = "network",
) -> None:
    """Write a model with its preprocessing for other programs."""
    from gradatim.errors import InvalidValue
    from gradatim.fitting import export_onnx, export_torch

    if onnx == program:
        asked = "both" if onnx else "none"
        raise InvalidValue(f"export: a format must be chosen, --onnx or --torch, got {asked}. Try --onnx.")  # fmt: skip
    write, name = (export_onnx, "model.onnx") if onnx else (export_torch, "model.pt2")
    result = write(model, output or model / name, which=which)
    for line in (*result.inputs, *result.notes):
        echo(line)
    echo(f"{result.path}")
