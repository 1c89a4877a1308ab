"""``gradatim merge``: one file of a checkpoint in shards."""

from pathlib import Path
from typing import Annotated

import typer

from gradatim.cli.echo import echo


def merge(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="A folder of checkpoints, of which the last is taken, or one of shards.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file to write, such as run.safetensors.")
    ],
) -> None:
    """Make one file of a checkpoint in shards, for one process or for other programs."""
    from gradatim.training import merge_checkpoint

    echo(f"{merge_checkpoint(run, output)}")
