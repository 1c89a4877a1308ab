"""Time Gradatim here and in another checkout, interleaved: ``python benchmarks/against.py OTHER JOB …``.

A ratio above 1 means that this checkout is faster. Both use the Python that runs this script.
"""

import argparse
import sys
from contextlib import ExitStack, closing
from pathlib import Path

if not __package__:  # run as a script
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.contestants.contestant import find_contestant
from benchmarks.jobs import REFERENCE, all_jobs
from benchmarks.remote import ROOT, Remote


def compare(name: str, other: Path, *, repeats: int) -> tuple[float, float]:
    """Best seconds of an epoch of a job, here and there, over all variants."""
    job = all_jobs()[name]
    variants = find_contestant(job.family, REFERENCE).VARIANTS
    roots = (ROOT, other)
    best = [float("inf")] * 2
    with ExitStack() as stack:
        remotes = [
            stack.enter_context(closing(Remote(name, REFERENCE, quick=False, root=root)))
            for root in roots
        ]
        for turn in range(repeats):
            for variant in variants:
                for side in (0, 1) if turn % 2 == 0 else (1, 0):
                    seconds = remotes[side].time(variant, job.epochs)
                    best[side] = min(best[side], *seconds)
    return best[0], best[1]


def main() -> int:
    """Print a line per job."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="root of the other checkout")
    parser.add_argument("jobs", nargs="+", choices=list(all_jobs()), metavar="JOB")
    parser.add_argument("--repeats", type=int, default=7, help="rounds, default 7")
    options = parser.parse_args()
    if not (options.other / "src" / "gradatim").is_dir():
        parser.error(f"OTHER must be a checkout with src/gradatim, got {str(options.other)!r}.")
    print(f"{'job':<20}{'here, ms':>12}{'there, ms':>12}{'there / here':>14}")
    for name in options.jobs:
        here, there = compare(name, options.other.resolve(), repeats=options.repeats)
        print(f"{name:<20}{1e3 * here:>12.2f}{1e3 * there:>12.2f}{there / here:>14.3f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
