"""Training in rounds: a look at the validation part after each, a file to go on from, an end in time."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from torch import Tensor

from gradatim.reports import Concern
from gradatim.training import Callback, History, Trainer

OUT_OF_TIME = "out of time"


class Size(NamedTuple):
    """Width, depth and heads of a network."""

    dim: int
    num_layers: int
    num_heads: int


class Deadline(Callback):
    """Ask the trainer to stop when the time is over."""

    any_layout = True

    def __init__(self, is_over: Callable[[], bool]) -> None:
        self.is_over = is_over

    def on_batch_end(self, trainer: Trainer, loss: Tensor | None) -> None:
        if self.is_over():
            trainer.stop(OUT_OF_TIME)


def train_in_rounds(
    trainer: Trainer, train: object, validation: object, *, checkpoint: Path
) -> History:
    """Train, or go on from the file that an earlier run left.

    Args:
        trainer: Writes ``checkpoint`` after every epoch.
        train: Batches to learn from.
        validation: Batches to choose the best round by.
        checkpoint: If it is there, training goes on from it.

    Raises:
        KeyboardInterrupt: Half a training must not pass for a result.
    """
    if checkpoint.is_file():
        trainer.resume(checkpoint)
    history = trainer.fit(train, validation)
    if history.stopped == "interrupted":
        raise KeyboardInterrupt
    return history


def early_end(history: History, rounds: int, remedy: str) -> list[Concern]:
    """Say, if so, that training did not take all its rounds, and why.

    Example:
        >>> print(*early_end(History([{"epoch": 1}], stopped="out of time"), 5, "More pairs"))
        The machine was slower than measured: training ended after 1 of 5 rounds.
    """
    done = f"training ended after {len(history.records)} of {rounds} rounds"
    if history.stopped is None or (history.stopped == OUT_OF_TIME and len(history) == rounds):
        return []
    if history.stopped == OUT_OF_TIME:
        return [Concern("The machine was slower than measured", done)]
    remedy = f"{remedy} would help more than time"
    return [Concern("Learning came to an end early", f"{done}, {history.stopped}", remedy)]
