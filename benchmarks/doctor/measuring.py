"""How often the doctor is right: diagnosis recall, top 3, localization, false alarms, by family.

``python -m benchmarks.doctor.measuring [--only WORD] [--healthy] [--output FILE]``
"""

import argparse
import json
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.doctor.faults import BASES, FAULTS, Fault
from benchmarks.doctor.running import examine_program
from gradatim.doctor.findings import Diagnosis


def judge(fault: Fault, diagnosis: Diagnosis, first: int, last: int) -> dict[str, Any]:
    """Whether the first finding is right, whether one of three is, and whether it stands in the right place."""
    found = [f for f in diagnosis.findings if f.severity != "note"]
    names = [f.code for f in found]
    right = next((f for f in found if f.code == fault.code), None)
    line = right.where.line if right is not None else None
    return {
        "name": fault.name,
        "code": fault.code,
        "right": names[:1] == [fault.code],
        "top3": fault.code in names[:3],
        "placed": line is not None and first - 1 <= line <= last + 1,
        "lines": [first, last, line],
        "said": [f"{f.code} ({f.severity} {f.strength:.2f})" for f in diagnosis.findings[:5]],
        "found": found_codes(diagnosis),
        "symptoms": [s.name for s in diagnosis.symptoms],
        "trials": [f"{t.code} {t.repair}: {t.repaired} ({t.as_written}) {t.ended} {'+' if t.helped else '-'}" for t in diagnosis.trials],
    }  # fmt: skip


def found_codes(diagnosis: Diagnosis) -> list[str]:
    """Codes of all warnings; ``+`` stands behind those that a trial proved."""
    proved = {trial.code for trial in diagnosis.trials if trial.helped}
    return [f.code + "+" * (f.code in proved) for f in diagnosis.findings if f.severity != "note"]


def measure_fault(fault: Fault, trials: float) -> dict[str, Any]:
    """Plant a fault, run, judge."""
    text, first, last = fault.plant()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{fault.base}.py"
        path.write_text(text, encoding="utf-8")
        diagnosis, facts, seconds = examine_program(path, trials=trials)
    return judge(fault, diagnosis, first, last) | {"seconds": round(seconds, 1), "notes": facts.notes}  # fmt: skip


def measure_healthy(path: Path, trials: float) -> dict[str, Any]:
    """Run a healthy program; a warning or worse is a false alarm."""
    diagnosis, facts, seconds = examine_program(path, trials=trials)
    said = [
        f"{f.code} ({f.severity} {f.strength:.2f}) line {f.where.line}: {f.cause}"
        for f in diagnosis.findings
    ]
    return {"name": path.stem, "alarm": not diagnosis.is_healthy, "found": found_codes(diagnosis), "said": said, "symptoms": [s.name for s in diagnosis.symptoms], "seconds": round(seconds, 1), "notes": facts.notes, "failure": str(facts.failure)}  # fmt: skip


def summary(results: list[dict[str, Any]]) -> str:
    """The shares by family."""
    families: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for result in results:
        families[result["code"].partition(".")[0]].append(result)
    families["all"] = results
    lines = [f"{'family':<8} {'n':>4} {'right':>6} {'top 3':>6} {'placed':>6}"]
    for family, group in families.items():
        shares = [sum(r[key] for r in group) / max(len(group), 1) for key in ("right", "top3", "placed")]  # fmt: skip
        lines.append(f"{family:<8} {len(group):>4} " + " ".join(f"{share:>6.0%}" for share in shares))  # fmt: skip
    return "\n".join(lines)


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--trials", type=float, default=12.0)
    parser.add_argument("--output", type=Path, default=Path("/dev/null"))
    options = parser.parse_args()
    results = []
    if options.healthy:
        for path in sorted(BASES.glob("*.py")):
            if options.only in path.stem:
                results.append(measure_healthy(path, options.trials))
                print(json.dumps(results[-1]), flush=True)
        alarms = sum(result["alarm"] for result in results)
        print(f"false alarms: {alarms} of {len(results)}")
    else:
        for fault in FAULTS:
            if options.only in fault.name:
                results.append(measure_fault(fault, options.trials))
                if not (results[-1]["right"] and results[-1]["placed"]):
                    print(json.dumps(results[-1]), flush=True)
        print(summary(results))
    options.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
