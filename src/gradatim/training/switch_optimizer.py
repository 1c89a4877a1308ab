"""Go over from one rule of an optimizer to its next, at an epoch or on a plateau."""

import math
from typing import TYPE_CHECKING

from gradatim.errors import InvalidType, choose, require
from gradatim.optim import AdamThenSGD
from gradatim.training.callbacks import Callback
from gradatim.training.history import Record

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer


class SwitchOptimizer(Callback):
    """Call :meth:`~gradatim.optim.AdamThenSGD.switch` of the trainer's optimizer.

    Args:
        after_epoch: Switch at the end of this epoch; ``None`` waits for a plateau.
        monitor: Column of the history that should fall, ``"validation_loss"`` if ``None``.
        patience: Epochs without improvement that make a plateau, 5 if ``None``.
        min_delta: Smallest fall that counts, 0 if ``None``. These three are refused beside ``after_epoch``.

    Attributes:
        switched_at: Epoch at whose end the switch happened, or ``None``.

    Example:
        >>> import torch
        >>> from gradatim.training import Trainer
        >>> X = torch.linspace(-1, 1, 64).unsqueeze(1)
        >>> switch = SwitchOptimizer(after_epoch=3)
        >>> model = torch.nn.Linear(1, 1)
        >>> trainer = Trainer(model, "mse", "adam_then_sgd", epochs=5, callbacks=[switch])
        >>> history = trainer.fit((X, 3 * X))
        >>> switch.switched_at, trainer.optimizer.phase
        (3, 'sgd')
    """

    kept = ("best_value", "bad_epochs", "switched_at")

    def __init__(
        self,
        *,
        after_epoch: int | None = None,
        monitor: str | None = None,
        patience: int | None = None,
        min_delta: float | None = None,
    ) -> None:
        for name, given in (("monitor", monitor), ("patience", patience), ("min_delta", min_delta)):
            rule = f"SwitchOptimizer: {name} must be left out beside after_epoch"
            require(after_epoch is None or given is None, rule, repr(given))
        for name, value in (("after_epoch", after_epoch), ("patience", patience)):
            rule = f"SwitchOptimizer: {name} must be at least 1"
            require(value is None or value >= 1, rule, value)
        self.after_epoch, self.monitor = after_epoch, monitor or "validation_loss"
        self.patience = 5 if patience is None else patience
        self.min_delta = min_delta or 0.0
        self._reset()

    def _reset(self) -> None:
        self.best_value, self.bad_epochs = math.inf, 0
        self.switched_at: int | None = None

    def on_fit_start(self, trainer: "Trainer") -> None:
        if not isinstance(trainer.optimizer, AdamThenSGD):
            raise InvalidType(
                "SwitchOptimizer: the trainer's optimizer must be one that can switch, got "
                f"{type(trainer.optimizer).__name__}. Try optimizer='adam_then_sgd'."
            )
        if trainer.epoch == 0 and trainer.position == 0:
            self._reset()

    def on_epoch_end(self, trainer: "Trainer", record: Record) -> None:
        if self.switched_at is None and self._is_due(record):
            assert isinstance(trainer.optimizer, AdamThenSGD)
            trainer.optimizer.switch()
            self.switched_at = int(record["epoch"])

    def _is_due(self, record: Record) -> bool:
        if self.after_epoch is not None:
            return record["epoch"] >= self.after_epoch
        choose("SwitchOptimizer", "monitor", self.monitor, record)
        if record[self.monitor] < self.best_value - self.min_delta:
            self.best_value, self.bad_epochs = record[self.monitor], 0
        else:
            self.bad_epochs += 1
        return self.bad_epochs >= self.patience
