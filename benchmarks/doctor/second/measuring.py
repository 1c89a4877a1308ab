"""How often the doctor is right on programs it was never tuned on, and how often it cries wolf.

``python -m benchmarks.doctor.second.measuring [--set third] [--output FILE] [--only WORD] [--kind KIND]``
"""

import argparse
import itertools
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.doctor.measuring import judge, measure_healthy
from benchmarks.doctor.running import examine_program
from benchmarks.doctor.second import HERE, Program, read_programs

SETS = ("second", "third")
NOTE_ONLY = "fit.no-validation"  # never more than a note
BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 1.0)


def measure_faulty(program: Program, trials: float) -> dict[str, Any]:
    """Right code first, among three, in the right place; and how sure the doctor was."""
    diagnosis, facts, seconds = examine_program(program.path, trials=trials)
    result = judge(program, diagnosis, min(program.lines), max(program.lines))
    named = [f for f in diagnosis.findings if f.code == program.code]
    result["placed"] &= program.is_at(named[0].where.line if named else None)
    if program.layer and named:
        result["placed"] |= (named[0].where.layer or "").endswith(program.layer)
    if program.code == NOTE_ONLY:
        codes = [f.code for f in diagnosis.findings]
        result |= {"right": codes[:1] == [NOTE_ONLY], "top3": NOTE_ONLY in codes[:3]}
        result["placed"] = bool(named)  # what is missing has no line
    first = next((f for f in diagnosis.findings if f.severity != "note"), None)
    return result | {
        "kind": "faulty", "style": program.style, "confidence": first and (first.confidence or first.strength),
        "seconds": round(seconds, 1), "notes": facts.notes,
    }  # fmt: skip


def measure_sound(program: Program, trials: float) -> dict[str, Any]:
    """A healthy program, or the twin of a faulty one: a warning or worse is a false alarm."""
    if not program.is_faulty:
        return measure_healthy(program.path, trials) | {"kind": "healthy", "style": program.style}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / program.file
        path.write_text(program.repaired(), encoding="utf-8")
        result = measure_healthy(path, trials)
    return result | {"kind": "twin", "style": program.style, "twin of": program.code}


def shares(results: list[dict[str, Any]], family: Callable[[dict[str, Any]], str]) -> str:
    """Shares of the faulty programs that were named, and placed, by family."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for result in results:
        groups[family(result)].append(result)
    groups = dict(sorted(groups.items())) | {"all": results}
    lines = [f"{'family':<20} {'n':>4} {'right':>6} {'top 3':>6} {'placed':>6}"]
    for name, group in groups.items():
        columns = [sum(r[key] for r in group) / len(group) for key in ("right", "top3", "placed")]
        lines.append(f"{name:<20} {len(group):>4} " + " ".join(f"{c:>6.0%}" for c in columns))
    return "\n".join(lines)


def calibration(results: list[dict[str, Any]]) -> str:
    """Of the first findings of one confidence: the share that is right."""
    sure = [r for r in results if r["confidence"] is not None]
    lines = ["confidence     n   mean  right"]
    for low, high in itertools.pairwise(BINS):
        group = [r for r in sure if low < r["confidence"] <= high or r["confidence"] == low == 0]
        if group:
            mean = sum(r["confidence"] for r in group) / len(group)
            right = sum(r["right"] for r in group) / len(group)
            lines.append(f"{low:.1f} to {high:.1f} {len(group):>4} {mean:>6.2f} {right:>6.2f}")
    return "\n".join(lines)


def summary(results: list[dict[str, Any]]) -> str:
    """All figures."""
    faulty = [r for r in results if r["kind"] == "faulty"]
    parts = []
    if faulty:
        parts += [
            shares(faulty, lambda r: r["code"].partition(".")[0]),
            shares(faulty, lambda r: r["style"]),
            calibration(faulty),
        ]
    for kind in ("healthy", "twin"):
        runs = [r for r in results if r["kind"] == kind]
        if runs:
            parts.append(f"false alarms, {kind}: {sum(r['alarm'] for r in runs)} of {len(runs)}")
    return "\n\n".join(parts)


def main() -> None:
    """Measure one program after another, keep each result at once, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=SETS, default="second")
    parser.add_argument("--only", default="")
    parser.add_argument("--kind", choices=("all", "faulty", "healthy", "twin"), default="all")
    parser.add_argument("--trials", type=float, default=12.0)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    programs = [p for p in read_programs(HERE.parent / options.set) if options.only in p.name]
    runs = [
        (kind, measure, program)
        for kind, measure, faulty in (
            ("faulty", measure_faulty, True),
            ("healthy", measure_sound, False),
            ("twin", measure_sound, True),
        )
        for program in programs
        if options.kind in ("all", kind) and program.is_faulty == faulty
    ]
    results = []
    for _, measure, program in runs:
        results.append(measure(program, options.trials))
        if results[-1].get("alarm") or not results[-1].get("right", True):
            print(json.dumps(results[-1]), flush=True)
        if options.output:
            options.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(summary(results))


if __name__ == "__main__":
    main()
