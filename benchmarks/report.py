"""Results as a table for the terminal, as Markdown and as JSON."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.harness import Result, Row
from benchmarks.verdicts import Verdict

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def _header(result: Result) -> list[str]:
    """Names of the columns; the first and the last are text, the others numbers."""
    figures = [f"ms per {result.job.unit}", "× Gradatim", "% of peak", result.job.check]
    memory = ["GB at most"] if result.job.measures_memory else []
    return ["contestant", *figures, *memory, "fastest with"]


def _cells(result: Result, row: Row, peak: float) -> list[str]:
    has_memory = result.job.measures_memory
    if row.seconds is None:
        return [row.title, *["–"] * (5 if has_memory else 4), row.problem]
    ratio = result.ratio(row.name)
    return [
        row.title,
        f"{1e3 * row.seconds:,.1f}",
        "–" if ratio is None else f"{ratio:.2f}",
        f"{100 * result.flops / row.seconds / peak:.1f}",
        f"{row.check:.3f}",
        *([f"{row.memory / 1e9:.2f}"] if has_memory else []),
        row.variant,
    ]


def _ordered(result: Result) -> list[Row]:
    """Fastest first, those without times last."""
    return sorted(result.rows, key=lambda row: (row.seconds is None, row.seconds or 0.0))


def print_result(console: Console, result: Result, peak: float) -> None:
    """Print one job as a table."""
    table = Table(title=f"{result.job.name}: {result.job.title}", caption=result.source)
    first, *numbers, last = _header(result)
    table.add_column(first, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right")
    table.add_column(last)
    for row in _ordered(result):
        style = "bold" if row.name == "gradatim" else "dim" if row.problem else ""
        table.add_row(*_cells(result, row, peak), style=style)
    console.print(table)


def _versions(results: Sequence[Result]) -> dict[str, str]:
    found: dict[str, str] = {}
    for result in results:
        for row in result.rows:
            found |= row.versions
    return dict(sorted(found.items()))


def as_markdown(
    results: Sequence[Result], verdicts: Sequence[Verdict], machine: Mapping[str, Any]
) -> str:
    """Write results, verdicts and machine as Markdown."""
    peak = 1e9 * machine["matmul_peak_gflops"]
    lines: list[str] = []
    for result in results:
        header = _header(result)
        marks = ["---", *["---:"] * (len(header) - 2), "---"]
        lines += [f"### {result.job.name}", "", f"{result.job.title}. Data: {result.source}.", ""]
        lines += [f"| {' | '.join(cells)} |" for cells in (header, marks)]
        lines += [f"| {' | '.join(_cells(result, row, peak))} |" for row in _ordered(result)]
        lines.append("")
    lines += [f"- {' '.join(str(verdict).split())}" for verdict in verdicts]
    versions = ", ".join(f"{name} {number}" for name, number in _versions(results).items())
    lines += [
        "",
        f"{machine['cpu']}, {machine['threads']} threads, {machine['system']}, "
        f"matrix product {machine['matmul_peak_gflops']:g} GFLOP/s. "
        f"Python {machine['python']}, {versions}.",
    ]
    if is_busy(machine):
        lines += ["", busy_note(machine)]
    return "\n".join(lines) + "\n"


def is_busy(machine: Mapping[str, Any]) -> bool:
    """Whether others used more than a quarter of the machine before the run."""
    return bool(machine["load_before"] > 0.25 * machine["threads"])


def busy_note(machine: Mapping[str, Any]) -> str:
    """Say that times on a busy machine mean little."""
    return (
        f"The machine was busy (load {machine['load_before']:g} on {machine['threads']} processors): "
        "threads wait for each other then, and these times mean little. Run again when it is idle."
    )


def write_markdown(path: Path, text: str) -> None:
    """Write ``text``, or put it between the marks of a page that has them."""
    page = path.read_text(encoding="utf-8") if path.exists() else ""
    if BEGIN in page and END in page:
        before, after = page.partition(BEGIN)[0], page.partition(END)[2]
        text = f"{before}{BEGIN}\n\n{text}\n{END}{after}"
    path.write_text(text, encoding="utf-8")


def as_json(
    results: Sequence[Result], verdicts: Sequence[Verdict], machine: Mapping[str, Any]
) -> str:
    """Write everything that was measured, all samples included, as JSON."""
    jobs = [
        {
            "job": result.job.name,
            "title": result.job.title,
            "data": result.source,
            "flops_per_epoch": result.flops,
            "contestants": [_record(result, row) for row in result.rows],
        }
        for result in results
    ]
    claims = [{"claim": v.text, "measured": v.measured, "holds": v.holds} for v in verdicts]
    record = {"machine": machine, "versions": _versions(results), "jobs": jobs, "claims": claims}
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _record(result: Result, row: Row) -> dict[str, Any]:
    if row.problem:
        return {"name": row.name, "problem": row.problem}
    return {
        "name": row.name,
        "seconds_per_epoch": row.seconds,
        "ratio": result.ratio(row.name),
        "fastest_with": row.variant,
        **({"bytes": row.memory} if result.job.measures_memory else {}),
        result.job.check.replace(" ", "_"): row.check,
        "samples": row.samples,
    }
