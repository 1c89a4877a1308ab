"""What a long command is doing: a bar on a terminal, a line now and then elsewhere."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

_QUIET = 10.0  # seconds between two lines where there is no terminal


class StageBar:
    """Shows the stage of a job and the share of it that is done, on standard error."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)
        self.last = time.monotonic()
        self.bar = Progress(
            TextColumn("{task.description}"),
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.bar.stop()

    def tell(self, stage: str, share: float) -> None:
        """Show what is being done and how much of it is done; further lines of ``stage`` stay on the terminal."""
        stage, _, shown = stage.partition("\n")
        if shown and self.console.is_terminal:
            self.console.print(f"{stage}\n{shown}\n", highlight=False, markup=False)
        self.bar.update(self.task, description=stage, completed=share)
        if not self.console.is_terminal and time.monotonic() - self.last > _QUIET:
            self.last = time.monotonic()
            self.console.print(stage, highlight=False, markup=False)
