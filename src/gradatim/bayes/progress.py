"""How far a job is: a bar on a terminal, or events for somebody else's."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from gradatim.events import Event, Stage, Tell, tell_nobody

_REFRESH = 0.1  # seconds


@contextmanager
def telling(progress: bool | Tell) -> Iterator[Tell]:
    """A function that takes events, and shows stages as a bar where ``progress`` is true and there is a terminal."""
    console = Console(stderr=True)
    if not isinstance(progress, bool):
        yield _now_and_then(progress)
    elif not (progress and console.is_terminal):
        yield tell_nobody
    else:
        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("", total=1.0)

            def show(event: Event) -> None:
                if isinstance(event, Stage):
                    bar.update(task, description=event.what, completed=event.share)

            yield _now_and_then(show)


def _now_and_then(tell: Tell) -> Callable[[Event], None]:
    due = 0.0

    def told(event: Event) -> None:
        nonlocal due
        now = time.perf_counter()
        if now >= due or (isinstance(event, Stage) and event.share >= 1):
            due = now + _REFRESH
            tell(event)

    return told
