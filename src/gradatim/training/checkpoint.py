"""Save a run while it trains, so that a killed run goes on as if nothing had happened."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.files import load_tree, save_tree
from gradatim.training.callbacks import Callback
from gradatim.training.history import Record

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer


class Checkpoint(Callback):
    """Write model, optimizer, schedule, random state, epoch and position to ``path``, atomically.

    Args:
        path: File to write and overwrite.
        every_steps: Also write after this many batches.
        every_epochs: Write after this many epochs; ``None`` for never.

    Example:
        Train with ``Trainer(model, callbacks=[Checkpoint("run.safetensors")])``; after a crash build the
        same trainer and call ``trainer.resume("run.safetensors")``, then ``trainer.fit(data)``.
    """

    def __init__(
        self, path: str | Path, *, every_steps: int | None = None, every_epochs: int | None = 1
    ) -> None:
        for name, value in (("every_steps", every_steps), ("every_epochs", every_epochs)):
            if value is not None and value < 1:
                raise InvalidValue(f"Checkpoint: {name} must be at least 1 or None, got {value}.")
        self.path, self.every_steps, self.every_epochs = Path(path), every_steps, every_epochs

    def on_batch_end(self, trainer: "Trainer", loss: Tensor | None) -> None:
        if self.every_steps is not None and trainer.steps % self.every_steps == 0:
            save_checkpoint(self.path, trainer.state_dict())

    def on_epoch_end(self, trainer: "Trainer", record: Record) -> None:
        if self.every_epochs is not None and int(record["epoch"]) % self.every_epochs == 0:
            save_checkpoint(self.path, trainer.state_dict())


def save_checkpoint(path: str | Path, state: Mapping[str, Any]) -> Path:
    """Store the state of a trainer as one safetensors file."""
    return save_tree(path, state, kind="checkpoint")


def load_checkpoint(path: str | Path) -> dict[str, Any]:
    """Read the state of a trainer, whole and unharmed, or raise one clear sentence."""
    return load_tree(path, kind="checkpoint")
