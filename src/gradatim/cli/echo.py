"""Words to the terminal: what came with the data is shown and commands nothing."""

import typer

from gradatim.wording import visible


def echo(message: object = "", *, nl: bool = True, err: bool = False) -> None:
    """Print a message, control characters within as what they are.

    Args:
        message: What to say.
        nl: Whether the line ends.
        err: Whether it goes to standard error.
    """
    typer.echo(visible(message), nl=nl, err=err)
