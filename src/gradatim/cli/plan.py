"""``gradatim plan``: what a training run on many processes needs, before anybody pays for it."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from gradatim.cli.echo import echo

if TYPE_CHECKING:
    from gradatim.scaling import Plan


def plan(
    parameters: Annotated[float, typer.Option(metavar="P", help="Of the model, such as 7.5e9.")],
    processes: Annotated[int, typer.Option(metavar="N", help="How many.")] = 1,
    parallel: Annotated[
        str,
        typer.Option(help="'ddp': every process holds all; 'fsdp': each its share; 'none'."),
    ] = "ddp",
    precision: Annotated[str, typer.Option(help="'float32', 'bf16' or 'fp16'.")] = "float32",
    layers: Annotated[
        int | None, typer.Option(metavar="L", help="Of a Transformer.", show_default=False)
    ] = None,
    dim: Annotated[
        int | None, typer.Option(metavar="D", help="Its width.", show_default=False)
    ] = None,
    context: Annotated[
        int | None, typer.Option(metavar="T", help="Its positions.", show_default=False)
    ] = None,
    batch_tokens: Annotated[
        float | None,
        typer.Option(
            metavar="B", help="Tokens, or rows, of a step of the whole run.", show_default=False
        ),
    ] = None,
    peak_flops: Annotated[
        float | None,
        typer.Option(
            metavar="F",
            help="Operations per second of one process, such as 312e12.",
            show_default=False,
        ),
    ] = None,
    bandwidth: Annotated[
        float | None,
        typer.Option(
            metavar="W", help="Bytes per second that a process can send.", show_default=False
        ),
    ] = None,
    latency: Annotated[float, typer.Option(metavar="S", help="Seconds of a message.")] = 0.0,
    tokens_per_second: Annotated[
        float | None,
        typer.Option(
            metavar="R", help="Measured, of one process that computes.", show_default=False
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print numbers as JSON, for other programs.")
    ] = False,
) -> None:
    """Say what a run needs: memory and traffic of a process, arithmetic of a token, time of a step."""
    from gradatim import scaling

    found = scaling.plan(
        parameters,
        processes,
        parallel=parallel,
        precision=precision,
        num_layers=layers,
        dim=dim,
        context=context,
        batch_tokens=batch_tokens,
        peak_flops=peak_flops,
        bandwidth=bandwidth,
        latency=latency,
        tokens_per_second=tokens_per_second,
    )
    if as_json:
        echo(json.dumps(found.to_json(), indent=2))
    else:
        _show(found)


def _show(found: "Plan") -> None:
    from rich.table import Table

    from gradatim.reports.console import PlainConsole

    memory = found.memory_per_process
    lines = [
        ("memory per process", _amount(memory.total, "B")),
        *((f"  {name}", _amount(size, "B")) for name, size in memory._asdict().items()),
        ("sent per step", _amount(found.bytes_per_step, "B")),
        ("arithmetic per token", _amount(found.flops_per_token, "FLOP")),
        ("step", _seconds(found.step_seconds)),
        ("  arithmetic", _seconds(found.compute_seconds)),
        ("  messages", _seconds(found.communication_seconds)),
        ("efficiency", _percent(found.efficiency)),
        ("share of peak (MFU)", _percent(found.mfu)),
    ]
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    for name, value in lines:
        grid.add_row(name, value)
    console = PlainConsole(highlight=False, markup=False)
    console.print(grid)
    for line in _unknown(found):
        echo(line)


def _unknown(found: "Plan") -> list[str]:
    """What else to say, for the numbers that are missing."""
    lines = []
    if found.compute_seconds is None:
        lines.append("Time of a step: say --batch-tokens, and --tokens-per-second or --peak-flops.")
    if found.communication_seconds is None:
        lines.append("Time of messages: say --bandwidth.")
    if not found.memory_per_process.activations:
        lines.append("Activations: say --batch-tokens, --layers and --dim.")
    return [""] * bool(lines) + lines


def _amount(value: float, unit: str) -> str:
    for size, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {prefix}{unit}" if value < 1e18 else f"{value:.3g} {unit}"
    return f"{value:.3g} {unit}"


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g} s"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
