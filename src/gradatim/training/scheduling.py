"""Who sets the learning rate: a function of time, or one of PyTorch's schedulers, stepped as its author meant."""

from abc import ABC
from typing import Any

from torch.optim import Optimizer
from torch.optim.lr_scheduler import CyclicLR, LRScheduler, OneCycleLR, ReduceLROnPlateau

from gradatim.errors import InvalidValue, require
from gradatim.optim import Schedule, build_schedule
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


class Rate(ABC):  # noqa: B024
    """The learning rate of a run, at every moment that may change it.

    Args:
        optimizer: Whose rate is set.

    Attributes:
        scheduler: Scheduler of PyTorch's that sets it, if one does.
        note: Says who sets it and when, where that is not plain.
    """

    scheduler: LRScheduler | None = None
    note: str | None = None

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer

    @property
    def lr(self) -> float:
        """Rate of the batch last seen."""
        return self.optimizer.param_groups[0]["lr"]

    def check_length(self, steps: int) -> None:  # noqa: B027
        """Raise if it would end within a run of ``steps`` batches."""

    def before_batch(self, t: float, end: float) -> None:  # noqa: B027
        """Be told the time in epochs at which a batch begins, and that at which the run ends."""

    def after_batch(self) -> None:  # noqa: B027
        """Move on by a batch."""

    def after_epoch(self, record: Record) -> None:  # noqa: B027
        """Move on by an epoch, whose figures are ``record``."""


class TimedRate(Rate):
    """Follows a function of time, from the rate that each group of parameters has now.

    Args:
        schedule: Name or function ``(t, T) -> factor``; ``None`` leaves the rate constant.
        optimizer: Whose rate is set.

    Example:
        >>> import torch
        >>> rate = TimedRate("linear", torch.optim.SGD([torch.zeros(1)], lr=2.0))
        >>> rate.before_batch(5.0, 10.0)
        >>> rate.lr
        1.0
    """

    def __init__(self, schedule: str | Schedule | None, optimizer: Optimizer) -> None:
        super().__init__(optimizer)
        self.schedule = build_schedule(schedule)
        self.base_lrs = [group["lr"] for group in optimizer.param_groups]

    def before_batch(self, t: float, end: float) -> None:
        factor = self.schedule(t, end)
        for group, lr in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
            group["lr"] = lr * factor


class SteppedRate(Rate):
    """Steps a scheduler of PyTorch's.

    Args:
        scheduler: What sets the rate.
        optimizer: Whose rate should be set.
    """

    def __init__(self, scheduler: LRScheduler, optimizer: Optimizer) -> None:
        name = type(scheduler).__name__
        rule = "Trainer: schedule must be a scheduler of the trainer's own optimizer"
        got = f"{name} of another {type(getattr(scheduler, 'optimizer', None)).__name__}"
        remedy = "Pass its optimizer as optimizer=."
        require(getattr(scheduler, "optimizer", None) is optimizer, rule, got, remedy)
        super().__init__(optimizer)
        self.scheduler: LRScheduler = scheduler
        self.name, self.pace = name, pace_of(scheduler)
        self.note = f"{name}, {_PACES[self.pace]}"
        self._seen: float | None = None

    @property
    def lr(self) -> float:
        return super().lr if self._seen is None else self._seen

    def check_length(self, steps: int) -> None:
        total = getattr(self.scheduler, "total_steps", None)
        if self.pace == "batch" and total is not None and total < steps:
            self._refuse_length(total, f"{steps} batches")

    def after_batch(self) -> None:
        if self.pace == "batch":
            self._seen = super().lr
            try:
                self.scheduler.step()
            except ValueError as error:
                self._refuse_length(getattr(self.scheduler, "total_steps", 0), "more", error)

    def after_epoch(self, record: Record) -> None:
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


def make_rate(schedule: str | Schedule | LRScheduler | None, optimizer: Optimizer) -> Rate:
    """Let the rate of ``optimizer`` follow ``schedule``, whatever it is.

    >>> import torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1)], lr=1.0)
    >>> make_rate(ReduceLROnPlateau(optimizer), optimizer).note
    'ReduceLROnPlateau, told the loss after every epoch'
    """
    if isinstance(schedule, LRScheduler):
        return SteppedRate(schedule, optimizer)
    return TimedRate(schedule, optimizer)
