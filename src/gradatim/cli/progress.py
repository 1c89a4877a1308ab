"""What a long command is doing: a bar on a terminal, a line now and then elsewhere."""

import time
from typing import Self

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from gradatim.events import Event, Sample, Stage, Warned
from gradatim.reports.console import PlainConsole

_QUIET = 10.0  # seconds between two lines where there is no terminal


class StageBar:
    """Shows the stage of a job and the share of it that is done, on standard error."""

    def __init__(self) -> None:
        self.console = PlainConsole(stderr=True)
        self.last = time.monotonic()
        self.bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )
        self.task = self.bar.add_task("", total=1.0)

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.bar.stop()

    def tell(self, event: Event) -> None:
        """Show an event: a stage moves the bar, a sample stays on a terminal above it, a warning stays anywhere."""
        if isinstance(event, Stage):
            self.bar.update(self.task, description=event.what, completed=event.share)
            if not self.console.is_terminal and time.monotonic() - self.last > _QUIET:
                self.last = time.monotonic()
                self._print(event.what)
        elif isinstance(event, Sample) and self.console.is_terminal:
            self._print(f"{event.title}\n{event.content}\n")
        elif isinstance(event, Warned):
            self._print(event.message)

    def _print(self, text: str) -> None:
        self.console.print(text, highlight=False, markup=False)
