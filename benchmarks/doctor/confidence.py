"""Count how often findings are right, from what the measuring commands kept, and write it beside the rules.

``python -m benchmarks.doctor.confidence RESULTS.json …`` takes the ``--output`` files of
``benchmarks.doctor.measuring`` (with and without ``--healthy``) and of ``benchmarks.doctor.second.measuring``.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from gradatim.doctor.confidence import MEASURED
from gradatim.versions import versions


def count(results: list[dict[str, Any]]) -> dict[str, list[int]]:
    """Right and all findings by code; in a healthy run none is right.

    >>> count([{"code": "a.b", "found": ["a.b", "c.d+"]}, {"found": ["a.b"]}])
    {'a.b': [1, 2], 'c.d+': [0, 1]}
    """
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for result in results:
        for name in result["found"]:
            counts[name][0] += name.rstrip("+") == result.get("code")
            counts[name][1] += 1
    return dict(sorted(counts.items()))


def main() -> None:
    """Read, count, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="+", type=Path)
    options = parser.parse_args()
    results = [r for path in options.results for r in json.loads(path.read_text(encoding="utf-8"))]
    faulty = sum("code" in result for result in results)
    made = {
        "command": "python -m benchmarks.doctor.confidence RESULTS.json …",
        "faulty": faulty, "healthy": len(results) - faulty, "versions": versions(),
    }  # fmt: skip
    table = {"made": made, "findings": count(results)}
    text = json.dumps(table, indent=1, ensure_ascii=False)
    MEASURED.write_text(text + "\n", encoding="utf-8")
    print(f"{len(table['findings'])} kinds of findings in {len(results)} runs: {MEASURED.name}")


if __name__ == "__main__":
    main()
