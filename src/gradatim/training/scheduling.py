"""When PyTorch's schedulers are stepped: each as its author meant."""

from typing import Any

from torch.optim import Optimizer
from torch.optim.lr_scheduler import CyclicLR, LRScheduler, OneCycleLR, ReduceLROnPlateau

from gradatim.errors import InvalidValue, require
from gradatim.training.history import Record
from gradatim.training.metrics import is_higher_better

_PACES = {
    "batch": "stepped after every batch",
    "epoch": "stepped after every epoch",
    "plateau": "told the loss after every epoch",
}


def pace_of(scheduler: LRScheduler) -> str:
    """Say when a scheduler is to be stepped: after every ``"batch"`` or ``"epoch"``, or at a ``"plateau"`` of the loss.

    One made of several goes at the pace of its parts.

    Args:
        scheduler: One of PyTorch's, or of that kind.

    Example:
        >>> import torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1)], lr=1.0)
        >>> pace_of(OneCycleLR(optimizer, 1.0, total_steps=9)), pace_of(ReduceLROnPlateau(optimizer))
        ('batch', 'plateau')
    """
    parts = getattr(scheduler, "_schedulers", None)
    if parts:
        paces = {pace_of(part) for part in parts}
        names = ", ".join(type(part).__name__ for part in parts)
        rule = (
            f"Trainer: schedule {type(scheduler).__name__} must have parts that are stepped alike"
        )
        require(len(paces) == 1 and "plateau" not in paces, rule, names, "Use one of them alone.")
        return paces.pop()
    if isinstance(scheduler, ReduceLROnPlateau):
        return "plateau"
    return "batch" if isinstance(scheduler, OneCycleLR | CyclicLR) else "epoch"


class Stepper:
    """Steps a scheduler as the run goes on.

    Args:
        scheduler: What sets the rate.
        optimizer: Whose rate should be set.

    Attributes:
        lr: Rate of the batch last seen, where it changes with batches.
    """

    def __init__(self, scheduler: LRScheduler, optimizer: Optimizer) -> None:
        name = type(scheduler).__name__
        rule = "Trainer: schedule must be a scheduler of the trainer's own optimizer"
        got = f"{name} of another {type(getattr(scheduler, 'optimizer', None)).__name__}"
        remedy = "Pass its optimizer as optimizer=."
        require(getattr(scheduler, "optimizer", None) is optimizer, rule, got, remedy)
        self.scheduler, self.optimizer, self.name = scheduler, optimizer, name
        self.pace = pace_of(scheduler)
        self.lr: float | None = None

    def __str__(self) -> str:
        return f"{self.name}, {_PACES[self.pace]}"

    def check_length(self, steps: int) -> None:
        """Raise if a scheduler that knows its end would reach it within a run of ``steps`` batches."""
        total = getattr(self.scheduler, "total_steps", None)
        if self.pace == "batch" and total is not None and total < steps:
            self._refuse_length(total, f"{steps} batches")

    def after_batch(self) -> None:
        """Move on by a batch."""
        if self.pace == "batch":
            self.lr = self.optimizer.param_groups[0]["lr"]
            try:
                self.scheduler.step()
            except ValueError as error:
                self._refuse_length(getattr(self.scheduler, "total_steps", 0), "more", error)

    def after_epoch(self, record: Record) -> None:
        """Move on by an epoch, whose figures are ``record``."""
        if self.pace == "epoch":
            self.scheduler.step()
        elif self.pace == "plateau":
            self.scheduler.step(record[self._figure(record)])  # type: ignore[arg-type]

    def _figure(self, record: Record) -> str:
        """Name what the plateau is looked for in: the loss, or with ``mode="max"`` the first figure that should grow."""
        grows = getattr(self.scheduler, "mode", "min") == "max"
        names = ["validation_loss", "train_loss"]
        if grows:
            names = [n for n in record if n.startswith("validation_") and is_higher_better(n)]
        found = next((name for name in names if name in record), None)
        if found is None:
            wanted = "a validation metric that should grow" if grows else "a loss"
            raise InvalidValue(
                f"Trainer: schedule {self.name} must have {wanted} to follow, got {', '.join(record)}."
            )
        return found

    def _refuse_length(self, total: int, wanted: str, cause: Exception | None = None) -> Any:
        raise InvalidValue(
            f"Trainer: schedule {self.name} must last for all batches of the run, {wanted}, got {total} steps. "
            f"Try {self.name}(…, epochs=E, steps_per_epoch=S)."
        ) from cause
