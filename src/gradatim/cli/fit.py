"""``gradatim fit``, ``predict`` and ``export``: the main job on the command line."""

import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gradatim.fitting import FitResult


def fit(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A CSV, TSV or Parquet file, a folder of images with one subfolder per class, or a built-in name.",
        ),
    ],
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column to predict; built-in sets know it.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Model folder.  [default: runs/fit-NAME]", show_default=False
        ),
    ] = None,
    task: Annotated[
        str, typer.Option(help="auto, regression, binary, multiclass or classification.")
    ] = "auto",
    test: Annotated[
        str, typer.Option(help="Share of rows for the test, or a file with test rows.")
    ] = "0.2",
    time_column: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Times: the past predicts the future.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Groups that stay together.")
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Leave a column out; may be repeated."),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="A column of texts, to be read word by word."),
    ] = None,
    pretrained: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Read texts with a published encoder: minilm."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Network for images: cnn, resnet, vit or hybrid."),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Model folder whose network teaches that for images."),
    ] = None,
    forecast: Annotated[
        int | None,
        typer.Option(metavar="STEPS", help="Forecast the next steps of the series in the table."),
    ] = None,
    language_model: Annotated[
        bool,
        typer.Option(
            "--language-model", help="DATA is a text; train a network that goes on with it."
        ),
    ] = False,
    translate: Annotated[
        bool,
        typer.Option("--translate", help="DATA has a sentence, a tab and its translation a line."),
    ] = False,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            help="character, byte or byte-pair, for a language model.", show_default=False
        ),
    ] = None,
    budget: Annotated[
        str, typer.Option(help="Time for everything, such as 60s, 5m or 1h.")
    ] = "60s",
    trials: Annotated[
        int | None,
        typer.Option(
            help="Settings of the network to try, however long they take; replaces --budget."
        ),
    ] = None,
    rows: Annotated[int | None, typer.Option(help="Most rows to use.")] = None,
    seed: Annotated[
        int, typer.Option(help="Random seed: the same seed gives the same numbers.")
    ] = 0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that was killed.")
    ] = False,
    show: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
) -> None:
    """Fit models to a table, texts, series or images and say honestly whether a network beats the simple ones.

    Compares simple models with networks by cross-validation, tunes the network within the budget,
    judges once on test rows, and writes a model folder with a report.
    """
    started = time.perf_counter()
    from gradatim.cli.progress import StageBar

    folder = output or Path("runs") / f"fit-{Path(data).name.split('.')[0] or 'table'}"
    with StageBar() as bar:
        bar.tell("starting", 0.0)
        from gradatim.fitting import Job, fit_data
        from gradatim.fitting.job import parse_budget, parse_test

        job = Job(
            target=target, task=task, test=parse_test(test), time_column=time_column, group=group,
            drop=tuple(drop or ()), text=text, pretrained=pretrained, model=model, teacher=teacher, forecast=forecast, language_model=language_model, translate=translate, tokenizer=tokenizer, budget=parse_budget(budget), trials=trials, rows=rows, seed=seed,
        )  # fmt: skip
        result = fit_data(data, job, output=folder, resume=resume, tell=bar.tell, started=started)
    _show_fit(result)
    page = result.folder / "report.html"
    if show and not webbrowser.open(page.absolute().as_uri()):
        typer.echo("gradatim: no browser was found to open the report.", err=True)


def _show_fit(result: "FitResult") -> None:
    from rich.console import Console

    from gradatim.reports.terminal import show_table

    console = Console(highlight=False, markup=False)
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
    console.print()
    typer.echo(f"Report: {result.folder / 'report.html'}")
    predicting = f"gradatim predict {result.folder} NEW_DATA -o predictions.csv"
    typer.echo(f"Use it: {result.command or predicting}")


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A folder that 'fit' wrote.")],
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A CSV, TSV or Parquet file, a folder of images, or a built-in name.",
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="CSV file of predictions.")] = Path(
        "predictions.csv"
    ),
    which: Annotated[
        str,
        typer.Option("--model", help="'recommended', or a model of the folder such as 'network'."),
    ] = "recommended",
) -> None:
    """Predict every row of a table; columns are found by name."""
    from gradatim.fitting import write_predictions

    result = write_predictions(model, data, output, which=which)
    for note in result.notes:
        typer.echo(f"predict: {note}", err=True)
    typer.echo(f"{result.rows:,} rows: {result.path}")


def export(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A folder that 'fit' wrote.")],
    onnx: Annotated[
        bool, typer.Option("--onnx", help="Write ONNX, preprocessing included.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write.  [default: MODEL/model.onnx]", show_default=False
        ),
    ] = None,
    which: Annotated[
        str,
        typer.Option("--model", help="'network', 'recommended', or another model of the folder."),
    ] = "network",
) -> None:
    """Write a model with its preprocessing for other programs."""
    from gradatim.errors import InvalidValue
    from gradatim.fitting import export_onnx

    if not onnx:
        raise InvalidValue("export: a format must be chosen. Try --onnx.")
    result = export_onnx(model, output or model / "model.onnx", which=which)
    for line in result.inputs:
        typer.echo(line)
    typer.echo(f"{result.path}")
