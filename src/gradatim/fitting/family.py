"""A family of networks of one kind of data: those that begin from nothing, or those with published weights."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import torch

from gradatim.events import Stage, Tell
from gradatim.files import load_tree, save_tree
from gradatim.fitting.work import Work
from gradatim.training import History


class Family(Protocol):
    """What the contest asks of the network; settings are a data class of the family's own."""

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Measure and plan before the first fold."""

    def draw(self, trial: int) -> Any:
        """Return the settings of a trial."""

    def cost(self, settings: Any) -> float:
        """Return the training time in units of that of trial 0, about."""

    def fit(self, settings: Any, rows: np.ndarray, seed: int, judge: np.ndarray | None = None) -> tuple[Any, History | None]:  # fmt: skip
        """Learn from ``rows``, watched on the rows ``judge``."""

    def outputs(self, model: Any, rows: np.ndarray) -> np.ndarray:
        """Return what a model says of rows."""

    def describe(self, settings: Any) -> list[tuple[str, object]]:
        """Return the settings, for people."""


def recall_vectors(work: Work, read: Callable[[slice], np.ndarray], count: int, *, part: int, things: str, tell: Tell, name: str = "vectors") -> np.ndarray:  # fmt: skip
    """Vectors of all rows that a published network reads; a run that was killed goes on with the first part it has not read.

    Args:
        work: Where every part is kept as soon as it is read.
        read: Reads a stretch of rows.
        count: Rows there are.
        part: Rows that are read at a time.
        things: What rows are called.
        tell: Called with how far it is.
        name: Begins the names of the files.
    """
    parts = []
    for start in range(0, count, part):
        tell(Stage(f"the encoder has read {start:,} of {count:,} {things}", start / count))
        path = work.folder / f"{name}-{start}.safetensors"
        if not path.is_file():
            work.cancel.check()
            vectors = read(slice(start, start + part))
            save_tree(path, {"vectors": torch.from_numpy(vectors)}, kind="vectors")
        parts.append(load_tree(path, kind="vectors")["vectors"].numpy())
    return np.concatenate(parts)
