"""Does the doctor change anything? Every program of both sets prints the same, to the last bit, alone and under observation.

``python -m benchmarks.doctor.sameness [--only WORD]``
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.doctor.beside import alone, observed
from benchmarks.doctor.faults import BASES, FAULTS
from benchmarks.doctor.second import read_programs


def programs(folder: Path) -> Iterator[tuple[str, Path]]:
    """Bases, their faults and the second set."""
    for path in sorted(BASES.glob("*.py")):
        yield path.stem, path
    for fault in FAULTS:
        path = folder / f"{fault.base}.py"
        path.write_text(fault.plant()[0], encoding="utf-8")
        yield fault.name, path
    for program in read_programs():
        yield program.name, program.path


def main() -> None:
    """Compare one program after another, and say which differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    same, differ, restless = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in programs(Path(folder)):
            if options.only not in name:
                continue
            plain, seen = alone(path), observed(path)
            if (plain.output, plain.code) == (seen.output, seen.code):
                same += 1
            elif alone(path).output != plain.output:
                restless.append(name)  # it prints the time, or a folder's name
            else:
                differ.append(name)
                print("differs:", name, flush=True)
    print(f"{same} programs print the same, {len(differ)} differ, {len(restless)} differ from themselves: {' '.join(restless)}")  # fmt: skip


if __name__ == "__main__":
    main()
