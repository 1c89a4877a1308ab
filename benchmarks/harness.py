"""Run a job: every contestant in turn, again and again, and the best epoch of each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Protocol

from benchmarks.contestants.contestant import find_contestant, missing_packages, package_versions
from benchmarks.jobs import MEMORY, REFERENCE, SECONDS, Job
from benchmarks.remote import ContestantFailed, Remote


class Entrant(Protocol):
    """A contestant that is ready: a :class:`Remote`, or a fake one in tests."""

    source: str
    flops: float

    def time(self, variant: str, epochs: int) -> list[float]: ...

    def check(self, variant: str) -> float: ...

    def memory(self) -> float: ...

    def close(self) -> None: ...


@dataclass
class Row:
    """What one contestant did.

    Args:
        name: Its name.
        title: Its name in print.
        versions: Versions of its packages.
        samples: Seconds of every timed epoch, by variant.
        check: Its figure of the work done.
        memory: Bytes that it took at most, where that is measured.
        problem: Why it has no times, if it has none.
        is_skipped: Whether that is because something is not installed.
    """

    name: str
    title: str
    versions: dict[str, str] = field(default_factory=dict)
    samples: dict[str, list[float]] = field(default_factory=dict)
    check: float = float("nan")
    memory: float = float("nan")
    problem: str = ""
    is_skipped: bool = False

    @property
    def variant(self) -> str:
        """The fastest variant."""
        return min(self.samples, key=lambda variant: min(self.samples[variant]))

    @property
    def seconds(self) -> float | None:
        """Its best epoch; ``None`` without times."""
        return None if self.problem else min(self.samples[self.variant])


@dataclass
class Result:
    """What came out of a job.

    Args:
        job: The job.
        source: What the data were.
        flops: Multiplications and additions of an epoch.
        rows: One per contestant, in the order of the job.
    """

    job: Job
    source: str
    flops: float
    rows: list[Row]

    def seconds(self, name: str) -> float | None:
        """Best epoch of a contestant; ``None`` if it has none."""
        return next((row.seconds for row in self.rows if row.name == name), None)

    def memory(self, name: str) -> float | None:
        """Bytes that a contestant took at most; ``None`` if they were not counted."""
        found = next((row.memory for row in self.rows if row.name == name), float("nan"))
        return found if found > 0 else None

    def ratio(self, name: str, figure: str = SECONDS) -> float | None:
        """Seconds of a contestant for one second of Gradatim, or its bytes for one byte."""
        measure = self.memory if figure == MEMORY else self.seconds
        found, reference = measure(name), measure(REFERENCE)
        return None if found is None or reference is None else found / reference


def turns(variants: Mapping[str, Sequence[str]], repeats: int) -> Iterator[tuple[str, str]]:
    """Yield contestants and variants in the order A B C A B C …."""
    for _ in range(repeats):
        for name, choices in variants.items():
            for variant in choices:
                yield name, variant


def run_job(
    job: Job,
    *,
    repeats: int,
    quick: bool = False,
    start: Callable[..., Entrant] = Remote,
    say: Callable[[str], None] = lambda text: None,
) -> Result:
    """Time all contestants of ``job`` that are installed.

    Args:
        job: What to do.
        repeats: Rounds; in each, every contestant trains ``job.epochs`` timed epochs per variant.
        quick: Whether to take the small task and one timed epoch.
        start: Makes an entrant from the names of job and contestant.
        say: Is told what happens now.
    """
    modules = {name: find_contestant(job.family, name) for name in job.contestants}
    rows = {name: Row(name, module.TITLE) for name, module in modules.items()}
    with ExitStack() as stack:
        entrants: dict[str, Entrant] = {}
        for name, module in modules.items():
            say(f"{job.name}: starting {module.TITLE}")
            with _failures_noted(rows[name]):
                if _is_ready(rows[name], module):
                    entrant = stack.enter_context(closing(start(job.name, name, quick=quick)))
                    entrants[name] = entrant
        order = list(turns({name: modules[name].VARIANTS for name in entrants}, repeats))
        for number, (name, variant) in enumerate(order, start=1):
            row = rows[name]
            say(f"{job.name}: {row.title}, {variant} ({number} of {len(order)})")
            with _failures_noted(row):
                if not row.problem:
                    seconds = entrants[name].time(variant, 1 if quick else job.epochs)
                    row.samples.setdefault(variant, []).extend(seconds)
        for name, entrant in entrants.items():
            with _failures_noted(rows[name]):
                if not rows[name].problem:
                    rows[name].check = entrant.check(rows[name].variant)
                    if job.measures_memory:
                        rows[name].memory = entrant.memory()
        source, flops = next(((e.source, e.flops) for e in entrants.values()), ("no data", 0.0))
    return Result(job, source, flops, list(rows.values()))


def _is_ready(row: Row, module: ModuleType) -> bool:
    absent = missing_packages(module)
    if absent:
        row.problem, row.is_skipped = f"{', '.join(absent)} not installed", True
        return False
    row.versions = package_versions(module)
    return True


@contextmanager
def _failures_noted(row: Row) -> Iterator[None]:
    try:
        yield
    except ContestantFailed as error:
        row.problem = f"failed: {error}"
