"""How far a run is: a bar with epoch, loss, validation metric, rate and time left, or events for somebody else's."""

import time
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from gradatim.events import Figure, Stage, Tell
from gradatim.training.totals import Totals

_REFRESH = 0.1  # seconds


class TrainingBar:
    """Shows one run on a terminal, or tells of it. ``advance`` costs nothing between two refreshes.

    Args:
        epochs: Epochs of the run.
        steps: Batches per epoch, if known.
        progress: Whether to show a bar, or a function to tell instead.
    """

    def __init__(self, epochs: int, steps: int | None, *, progress: bool | Tell) -> None:
        self.epochs, self.steps = epochs, steps
        console = Console(stderr=True)
        self.tell = None if isinstance(progress, bool) else progress
        self.is_shown = progress is True and console.is_terminal
        self.is_quiet = not (self.is_shown or self.tell)
        self.validation = ""
        self.due = self.epoch_started = self.rate = 0.0
        self.epoch, self.rows_before = -1, 0
        if self.is_shown:
            self.bar = Progress(
                TextColumn("epoch {task.fields[epoch]}"),
                BarColumn(),
                TextColumn("{task.fields[figures]}"),
                TimeRemainingColumn(),
                console=console,
                transient=True,
            )
            self.task = self.bar.add_task(
                "", total=epochs * (steps or 1), epoch=f"0/{epochs}", figures=""
            )

    def __enter__(self) -> Self:
        if self.is_shown:
            self.bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.is_shown:
            self.bar.stop()

    def advance(self, epoch: int, position: int, totals: Totals) -> None:
        """Report that ``position`` batches of ``epoch`` are done."""
        if self.is_quiet or time.perf_counter() < self.due:
            return
        now = time.perf_counter()
        completed = epoch * (self.steps or 1) + (position if self.steps else 0)
        if epoch != self.epoch:
            self.epoch, self.epoch_started, self.rows_before = epoch, now, totals.rows
        else:  # validation between two epochs does not count as training time
            self.rate = (totals.rows - self.rows_before) / (now - self.epoch_started)
        self.due = now + _REFRESH
        if self.tell is not None:
            share = completed / (self.epochs * (self.steps or 1))
            self.tell(Stage(f"epoch {epoch + 1} of {self.epochs}", share))
            return
        self.bar.update(
            self.task,
            completed=completed,
            epoch=f"{epoch + 1}/{self.epochs}",
            figures=f"loss {totals.loss / max(totals.rows, 1):.4f}{self.validation} · {self.rate:,.0f} rows/s",
        )

    def validated(self, figures: dict[str, float], epoch: int) -> None:
        """Show the newest validation figures from now on."""
        if self.tell is not None:
            for name, value in figures.items():
                self.tell(Figure(name, value, epoch + 1))
        self.validation = "".join(f" · {k.replace('_', ' ')} {v:.4f}" for k, v in figures.items())
