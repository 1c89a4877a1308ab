"""``gradatim generate``: a language model goes on with a text, as it is written."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from gradatim.cli.echo import echo


def generate(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A folder that 'fit --language-model' wrote.")
    ],
    prompt: Annotated[str, typer.Option(help="The text to go on with.")],
    num_tokens: Annotated[int, typer.Option(help="Tokens to write.")] = 200,
    temperature: Annotated[
        float, typer.Option(help="Below 1 is safer, above 1 wilder; 0 takes the likeliest token.")
    ] = 1.0,
    top_k: Annotated[
        int | None, typer.Option(help="Draw from so many of the likeliest tokens only.")
    ] = None,
    top_p: Annotated[
        float | None,
        typer.Option(help="Draw from the likeliest tokens that share this probability, in (0, 1]."),
    ] = None,
    beam: Annotated[
        int, typer.Option(help="From 2: search for the likeliest text among so many, draw nothing.")
    ] = 1,
    stop: Annotated[
        list[str] | None, typer.Option(help="Text behind which to end; may be given several times.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed: the same seed gives the same text.")] = 0,
) -> None:
    """Go on with a text, token by token.

    A prompt longer than the model's context slides: the model sees its last tokens. Beam search writes all at once.
    """
    from gradatim.errors import require, require_seed
    from gradatim.fitting.language.model import load_language_model

    require(num_tokens >= 1, "generate: num_tokens must be at least 1", num_tokens, "Try 200.")
    require_seed("generate", seed)

    writer, notes = load_language_model(model), list[str]()
    writer.encode(prompt, notes)
    how: dict[str, Any] = {
        "temperature": temperature,
        "top_k": top_k,
        "top_p": top_p,
        "stop": stop or (),
        "seed": seed,
    }
    if beam == 1:
        pieces = writer.stream(prompt, num_tokens, **how)
    else:
        pieces = iter([writer.generate(prompt, num_tokens, num_beams=beam, **how)])
    for note in notes:
        echo(f"generate: {note}", err=True)
    # a file gets the text as it is, a terminal without what would command it
    write = echo if sys.stdout.isatty() else typer.echo
    write(prompt, nl=False)
    for piece in pieces:
        write(piece, nl=False)
    echo()
