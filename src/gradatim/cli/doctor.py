"""``gradatim doctor``: why a training run does not learn, and what to change."""

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from gradatim.cli.echo import echo
from gradatim.errors import InvalidValue


def doctor(
    script: Annotated[
        Path | None,
        typer.Argument(
            metavar="SCRIPT",
            help="A Python file to run, or a record (.json) to show again.",
            show_default=False,
        ),
    ] = None,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- ARGS...]", help="The script's own arguments.", show_default=False
        ),
    ] = None,
    record_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write the record there, also after a crash."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write an HTML page there.")
    ] = None,
    max_steps: Annotated[
        int | None, typer.Option(help="End the script after so many steps.")
    ] = None,
    max_seconds: Annotated[float | None, typer.Option(help="End the script after so long.")] = None,
    stop_early: Annotated[
        bool, typer.Option("--stop-early", help="End the script once the verdict is certain.")
    ] = False,
    trials: Annotated[float, typer.Option(help="Seconds for trying repairs; 0 for none.")] = 20.0,
    every: Annotated[
        int, typer.Option(help="Look at the first 16 steps, then at every so many-th.")
    ] = 20,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 on a warning or worse.")
    ] = False,
    explain: Annotated[
        str | None, typer.Option(metavar="CODE", help="Say what a code means, and end.")
    ] = None,
    show_codes: Annotated[bool, typer.Option("--list", help="List every code, and end.")] = False,
) -> None:
    """Run a training script and say why it does not learn, and what to change.

    The script runs as it is, with the same results; the diagnosis follows its own output. The exit code is the script's.
    """  # fmt: skip
    from gradatim.doctor.codes import find_code
    from gradatim.doctor.showing import show_code, show_list, show_record

    if show_codes:
        show_list()
    elif explain is not None:
        show_code(find_code(explain))
    elif script is None:
        raise InvalidValue("doctor: SCRIPT must be given, got none. Try: gradatim doctor train.py.")
    elif script.suffix == ".json":
        _check_outputs(script, record_file, report)
        record = read_record(script)
        if record_file is not None:
            _writer(record_file)(record)
        show_record(record)
        _leave(record, 0, report, check=check)
    else:
        from gradatim.doctor.supervising import check_script, run_script

        check_script(script)
        _check_outputs(script, record_file, report)
        tell = None if record_file is None else _writer(record_file)
        seen = run_script(
            script, arguments, every=every, max_steps=max_steps, max_seconds=max_seconds, trials=trials,
            stop_early=stop_early, tell=tell,
        )  # fmt: skip
        show_record(seen.record)
        _leave(seen.record, seen.exit_code, report, check=check)


def read_record(path: Path) -> dict[str, Any]:
    """Read a record, or say why it is none."""
    from gradatim.doctor.record import check_record
    from gradatim.files import or_unavailable

    with or_unavailable(f"doctor: '{path}' cannot be read"):
        text = path.read_text(encoding="utf-8", errors="replace")
    try:
        return check_record(json.loads(text), str(path))
    except json.JSONDecodeError as error:
        raise InvalidValue(f"doctor: '{path}' must be a record, got no JSON: {error}.") from None


def _check_outputs(script: Path, record_file: Path | None, report: Path | None) -> None:
    """Say before a long run, not after it, that its result could not be written."""
    from gradatim.files import check_output, or_unavailable

    for path, option, words in ((record_file, "--json", b'"gradatim-doctor/'), (report, "--report", b"<title>Diagnosis of ")):  # fmt: skip
        if path is None:
            continue
        is_ours = partial(_holds, words)
        real = check_output(path, f"doctor: {option}", inputs=[script], is_ours=is_ours)
        with or_unavailable(f"doctor: {path} cannot be written"):
            real.parent.mkdir(parents=True, exist_ok=True)


def _holds(words: bytes, own: Path) -> bool:
    """Whether a file says in its head that we wrote it."""
    return words in own.read_bytes()[:4096]


def _writer(path: Path) -> Any:
    from gradatim.files import write_atomically

    def write(record: dict[str, Any]) -> None:
        write_atomically(path, (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode())

    return write


def _leave(record: dict[str, Any], code: int, report: Path | None, *, check: bool) -> None:
    if report is not None:
        from gradatim.doctor.page import record_page
        from gradatim.files import write_atomically

        write_atomically(report, record_page(record).encode())
        echo(f"\n{report}")
    if check and any(f["severity"] != "note" for f in record["findings"]):
        raise typer.Exit(1)
    if code:
        raise typer.Exit(code if code > 0 else 128 - code)
