"""Every experiment with several seeds, and what became of its claims: ``python -m benchmarks.seeds``.

The record beside this file grows from run to run: what is there is not done again while the experiment's own text stays as it
was. ``--table`` prints it. Exit code 1 means that a claim failed or a run gave no report.
"""

import argparse
import ast
import fcntl
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gradatim import experiments
from gradatim.files import write_atomically

RECORD = Path(__file__).with_name("seeds.json")
FORMS = ("quick", "full")
Runs = dict[str, Any]  # of every experiment and form: its fingerprint, and by seed what came out


def fingerprint(name: str) -> str:
    """What tells whether an experiment is still the one that was run: its code, whatever it says of itself."""
    file = experiments.load(name).__file__
    assert file is not None
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    code = [part for part in tree.body if not _is_about_itself(part)]
    text = ast.dump(ast.Module(code, []), annotate_fields=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _is_about_itself(part: ast.stmt) -> bool:
    """Whether a statement is the docstring, or a constant by which experiments are found."""
    if isinstance(part, ast.Assign):
        return [ast.unparse(target) for target in part.targets] in (["COVERS"], ["KEYWORDS"])
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)


def run(name: str, form: str, seed: int, seconds: float) -> dict[str, Any]:
    """Run an experiment in a process of its own.

    Args:
        name: Of the experiment.
        form: ``"quick"`` or ``"full"``.
        seed: Of its settings.
        seconds: After which it is stopped.

    Returns:
        Number of claims, those that failed, and seconds of processors at work; or why there is no report.
    """
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "report"
        words = ["run", name, "--seed", str(seed), "-o", str(output)]
        words += ["--quick"] if form == "quick" else []
        began = _work()
        try:
            done = subprocess.run([sys.executable, "-m", "gradatim", *words], capture_output=True, text=True, timeout=seconds)  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"missing": f"not done in {seconds:.0f} s"}
        spent = _work() - began
        if not (output / "report.json").exists():
            return {"missing": (done.stderr.strip().splitlines() or ["no words"])[-1]}
        claims = json.loads((output / "report.json").read_text(encoding="utf-8"))["claims"]
    failed = {c["name"]: f"{c['measured']}, expected {c['expected']}" for c in claims if not c["holds"]}  # fmt: skip
    return {"claims": len(claims), "failed": failed, "seconds": round(spent)}


def _work() -> float:
    """Seconds that processors worked for processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def is_good(result: Mapping[str, Any]) -> bool:
    """Whether there is a report and all its claims hold."""
    return "claims" in result and not result["failed"]


def table(record: Mapping[str, Runs], names: list[str]) -> str:
    """A line for each experiment: with how many seeds all its claims held, quick and in full."""
    lines = ["| experiment | quick | full | CPU minutes of a full run |", "|---|---|---|---:|"]
    for name in names:
        found = {form: list(_known(record, name, form).values()) for form in FORMS}
        shares = [f"{sum(map(is_good, runs))} of {len(runs)}" for runs in found.values()]
        seconds = [result["seconds"] for result in found["full"]]
        minutes = f"{sum(seconds) / len(seconds) / 60:.1f}" if seconds else "–"
        lines.append(f"| {name} | {' | '.join(shares)} | {minutes} |")
    return "\n".join(lines)


def _known(record: Mapping[str, Runs], name: str, form: str) -> dict[str, Any]:
    """What came out of the text that the experiment has now, by seed."""
    runs = record.get(f"{name} {form}", {})
    return dict(runs["seeds"]) if runs.get("text") == fingerprint(name) else {}


def read_record() -> dict[str, Runs]:
    """What was run so far."""
    return json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}


def keep(name: str, form: str, seed: str, result: Mapping[str, Any]) -> None:
    """Write what came out, beside what other processes have written meanwhile."""
    if "claims" not in result:
        return
    with RECORD.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        record = read_record()
        seeds = {**_known(record, name, form), seed: dict(result)}
        record[f"{name} {form}"] = {"text": fingerprint(name), "seeds": seeds}
        text = json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False)
        write_atomically(RECORD, f"{text}\n".encode())


def main(arguments: list[str] | None = None) -> int:
    """Run what is not in the record yet and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.seeds", description=__doc__)
    parser.add_argument("names", nargs="*", help="experiments; default: all")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--quick", action="store_true", help="with the short settings")
    parser.add_argument("--seconds", type=float, default=1800.0, help="the most a run may take")
    parser.add_argument("--table", action="store_true", help="print the record and run nothing")
    options = parser.parse_args(arguments)
    names, form = options.names or experiments.names(), FORMS[not options.quick]
    if options.table:
        print(table(read_record(), names))
        return 0
    results = []
    for seed in map(str, options.seeds):
        for name in names:
            known = _known(read_record(), name, form)
            if seed not in known:
                known[seed] = run(name, form, int(seed), options.seconds)
                print(name, form, seed, known[seed], flush=True)
                keep(name, form, seed, known[seed])
            results.append(known[seed])
    return int(not all(map(is_good, results)))


if __name__ == "__main__":
    sys.exit(main())
