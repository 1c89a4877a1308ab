"""``gradatim sample``: new rows or images from a generative model."""

from pathlib import Path
from typing import Annotated

import typer

from gradatim.cli.echo import echo


def sample(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A folder that 'fit --generative' wrote.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="CSV or TSV file of rows; PNG file for a grid of images, or a folder of them.",
        ),
    ],
    num_samples: Annotated[int, typer.Option("--num-samples", "-n", help="How many.")] = 1000,
    label: Annotated[
        str | None,
        typer.Option("--class", metavar="CLASS", help="Class of every sample.", show_default=False),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=VALUE", help="Only rows with this value; may be repeated."),
    ] = None,
    guidance: Annotated[
        float,
        typer.Option(help="Above 0 samples agree better with their class, and differ less."),
    ] = 0.0,
    steps: Annotated[
        int | None,
        typer.Option(help="Evaluations of a diffusion model.", show_default=False),
    ] = None,
    which: Annotated[
        str,
        typer.Option(
            "--model", help="'recommended', or a generator of the folder such as 'network'."
        ),
    ] = "recommended",
    seed: Annotated[int, typer.Option(help="Random seed: the same seed gives the same file.")] = 0,
) -> None:
    """Make more rows in the form of a table, or more images.

    A value that the model learned as a class is asked of it; for any other, rows are drawn until enough have it.
    """
    import gradatim
    from gradatim.errors import require
    from gradatim.events import Event, Warned
    from gradatim.wording import numbered

    asked: dict[str, str] = {}
    for condition in where or []:
        name, equals, value = condition.partition("=")
        require(name and equals, "sample: where must be COLUMN=VALUE", repr(condition), "Try --where town=Bern.")  # fmt: skip
        require(name not in asked, "sample: where must name each column once", f"{name!r} twice")
        asked[name] = value

    def tell(event: Event) -> None:
        if isinstance(event, Warned):
            echo(f"sample: {event.message}", err=True)

    samples = gradatim.sample(
        model, num_samples, output=output, which=which, label=label, where=asked, guidance=guidance, steps=steps,
        seed=seed, tell=tell,
    )  # fmt: skip
    things = "images" if hasattr(samples, "images") else "rows"
    echo(f"{numbered(len(samples), things)}: {output}")
