"""What observation costs: CPU time over 1,000 steps, under observation and alone, in turns, the least of each.

``python -m benchmarks.doctor.overhead.measuring [--only WORD] [--repeats N]``
"""

import argparse
from pathlib import Path

from benchmarks.doctor.beside import alone, observed

PROGRAMS = ("mlp", "transformer", "resnet20")


def main() -> None:
    """Measure each program and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    for name in PROGRAMS:
        if options.only not in name:
            continue
        path = Path(__file__).with_name(f"{name}.py")
        turns = [(alone(path), observed(path)) for _ in range(options.repeats)]
        if any(plain.output != seen.output for plain, seen in turns):
            raise SystemExit(f"{name}: its loss is another under observation")
        plain, seen = min(p.seconds for p, _ in turns), min(s.seconds for _, s in turns)
        print(f"{name:<12} alone {plain:6.2f} s  observed {seen:6.2f} s  {seen / plain - 1:+.1%}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
