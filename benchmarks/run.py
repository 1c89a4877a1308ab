"""Train the same job with Gradatim and with each installed peer, interleaved, and compare.

Exit code 1 means that a claim does not hold or a contestant failed.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

if not __package__:  # run as a script
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rich.console import Console

from benchmarks.harness import Result, run_job
from benchmarks.jobs import all_jobs
from benchmarks.machine import describe_machine, matmul_peak, other_load
from benchmarks.remote import Remote
from benchmarks.report import (
    as_json,
    as_markdown,
    busy_note,
    is_busy,
    print_result,
    write_markdown,
)
from benchmarks.verdicts import Verdict, judge

REPEATS, QUICK_REPEATS = 7, 2


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    names = list(all_jobs())
    parser = argparse.ArgumentParser(prog="benchmarks/run.py", description=__doc__)
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=f"{', '.join(names)}; default: all")
    parser.add_argument("--repeats", type=int, help=f"rounds, default {REPEATS}")
    parser.add_argument("--quick", action="store_true", help="less data, 2 rounds, 1 epoch each")
    parser.add_argument("--work", action="store_true", help="count seconds of processors at work, for a busy machine")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="PATH", help="write all samples")
    parser.add_argument("--markdown", type=Path, metavar="PATH", help="write the tables")
    options = parser.parse_args(arguments)
    options.jobs = [own for name in options.jobs for own in members(name, names)] or names
    unknown = [name for name in options.jobs if name not in names]
    if unknown:
        parser.error(f"JOB must be one of {', '.join(names)}, got {', '.join(unknown)}.")
    options.repeats = options.repeats or (QUICK_REPEATS if options.quick else REPEATS)
    return options


def members(name: str, names: list[str]) -> list[str]:
    """The jobs that a name means: one, or all of several whose names begin with it, as ``scaling`` means ``scaling-mlp`` and others.

    >>> members("scaling", ["scaling-gpt", "scaling-mlp", "million"]), members("none", ["million"])
    (['scaling-gpt', 'scaling-mlp'], ['none'])
    """
    alike = [each for each in names if each.startswith(f"{name}-")]
    return alike if name not in names and len(alike) > 1 else [name]


def main(arguments: list[str] | None = None) -> int:
    """Run the jobs, print and write what came out; return the exit code."""
    options = parse(arguments)
    console, results = Console(width=None if sys.stdout.isatty() else 120), list[Result]()
    load, peak = other_load(), matmul_peak()
    aside = Console(stderr=True)
    with aside.status("starting") as status:
        say = status.update if aside.is_terminal else aside.print
        for name in options.jobs:
            job = all_jobs()[name]
            start = partial(Remote, counts_work=options.work)
            results.append(
                run_job(job, repeats=options.repeats, quick=options.quick, start=start, say=say)
            )
            peak = max(peak, matmul_peak())
            print_result(console, results[-1], peak)
    machine = describe_machine(peak, load)
    verdicts = [verdict for result in results for verdict in judge(result)]
    console.print(
        f"{machine['cpu']}, {machine['threads']} threads, {peak / 1e9:.0f} GFLOP/s at best"
    )
    if is_busy(machine):
        console.print(busy_note(machine), style="yellow")
    print_verdicts(console, verdicts)
    if options.json:
        options.json.write_text(as_json(results, verdicts, machine), encoding="utf-8")
    if options.markdown:
        write_markdown(options.markdown, as_markdown(results, verdicts, machine))
    return exit_code(results, verdicts)


def print_verdicts(console: Console, verdicts: list[Verdict]) -> None:
    """Print one line per claim."""
    for verdict in verdicts:
        style = {True: "green", False: "red", None: "yellow"}[verdict.holds]
        console.print(str(verdict), style=style, highlight=False, soft_wrap=True)


def exit_code(results: list[Result], verdicts: list[Verdict]) -> int:
    """Return 1 if a claim does not hold or a contestant that is installed has no times."""
    failed = [
        row for result in results for row in result.rows if row.problem and not row.is_skipped
    ]
    return int(bool(failed) or any(v.holds is False and not v.is_goal for v in verdicts))


if __name__ == "__main__":
    sys.exit(main())
