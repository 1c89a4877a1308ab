"""What a benchmark job is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

REFERENCE, EVERYBODY = "gradatim", "everybody"
SECONDS, MEMORY = "seconds", "memory"


@dataclass(frozen=True)
class Claim:
    """Gradatim needs at most ``1 / factor`` of the seconds, or of the memory, of ``peer``.

    Args:
        peer: Name of a contestant, or :data:`EVERYBODY`, the fastest of the others.
        factor: How many times faster Gradatim must be; 1 means never slower.
        is_goal: Whether a failure is reported only, and does not make the run fail.
        figure: :data:`SECONDS` or :data:`MEMORY`.
    """

    peer: str
    factor: float = 1.0
    is_goal: bool = False
    figure: str = SECONDS


@dataclass(frozen=True)
class Job:
    """A job that several contestants do.

    Args:
        name: What the command line calls it.
        title: One line for the table.
        family: Folder of the contestants that can do it, below ``contestants``.
        contestants: Their names, in the order in which they run.
        load: Returns the task, in the form that the family expects; true asks for a small one. A task
            has ``flops``, the multiplications and additions of an epoch, and ``source``, what its data are.
        check: Name of the figure by which one sees that everybody did the same work.
        epochs: Timed epochs per repeat, after one that is not timed.
        claims: What must hold.
        unit: What lies between two ticks of the clock.
        most_gigabytes: Memory that Gradatim may take at most, if there is a limit.
        most_seconds: Seconds that Gradatim may take at most between two ticks, if there is a limit.
    """

    name: str
    title: str
    family: str
    contestants: tuple[str, ...]
    load: Callable[[bool], Any]
    check: str
    epochs: int
    claims: tuple[Claim, ...]
    unit: str = "epoch"
    most_gigabytes: float | None = None
    most_seconds: float | None = None

    @property
    def measures_memory(self) -> bool:
        """Whether something is claimed about memory."""
        of_peers = any(claim.figure == MEMORY for claim in self.claims)
        return of_peers or self.most_gigabytes is not None
