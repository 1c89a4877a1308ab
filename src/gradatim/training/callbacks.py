"""Observers of a training run. They may ask the trainer to stop; they never change batch, loss or step."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import Tensor

from gradatim.errors import GradatimError, choose, require
from gradatim.files import or_unavailable, probe_folder
from gradatim.training.history import Record
from gradatim.training.metrics import is_higher_better

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer


class Callback:
    """Every moment of a run, doing nothing.

    Attributes:
        needs_autograd: Whether module hooks and an autograd graph are asked for.
        any_layout: Whether the class that defines :meth:`on_gradients` or :meth:`on_batch_end` works in whatever
            order weights and gradients lie in memory: it uses ``reshape`` or ``flatten`` where others ``view``.
            Convolutions train faster if everybody does.
        needs_whole: Whether the callback works on a copy of the model, which a model in shards does not give.
        once: Whether of several processes that train one model the first alone is observed: what is written or shown.
        kept: Names of the attributes that a checkpoint keeps.
    """

    once = False
    needs_whole = False
    needs_autograd = False
    any_layout = False
    kept: tuple[str, ...] = ()

    def on_fit_start(self, trainer: "Trainer") -> None:
        """Before the first batch."""

    def on_gradients(self, trainer: "Trainer", loss: Tensor) -> None:
        """After the backward pass of a batch, before the optimizer moves."""

    def on_batch_end(self, trainer: "Trainer", loss: Tensor | None) -> None:
        """After the optimizer has moved."""

    def on_epoch_end(self, trainer: "Trainer", record: Record) -> None:
        """After the epoch's record is complete."""

    def on_fit_end(self, trainer: "Trainer") -> None:
        """After the last batch, also when the run was stopped."""

    def on_fit_failed(self, trainer: "Trainer", error: BaseException) -> None:
        """When an exception ended the run."""

    def observes(self, moment: str) -> bool:
        """Whether something is done at the moment that a method is named after."""
        return getattr(type(self), moment) is not getattr(Callback, moment)

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint must keep: tensors and plain values."""
        return {name: getattr(self, name) for name in self.kept}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` gave."""
        for name in self.kept:
            setattr(self, name, state.get(name, getattr(self, name)))


class EarlyStopping(Callback):
    r"""Stop when a validation figure no longer improves, and give back the best weights.

    .. math:: k^* = \arg\min_k E_{\mathrm{val}}(k)

    Args:
        monitor: Column of the history to watch.
        patience: Epochs without improvement that are tolerated.
        reference: An epoch improves on the ``"best"`` so far or on the ``"previous"`` epoch.
        is_strict: Stop when bad epochs reach ``patience``; else only when they exceed it.
        min_delta: Smallest change that counts as an improvement.
        higher_is_better: Whether ``monitor`` should grow; by default as :data:`~gradatim.training.metrics.MEASURES` says.
        restore_best: Load the weights of the best epoch when the run ends.
    """

    kept = ("best_value", "previous_value", "best_epoch", "bad_epochs", "best_weights")

    def __init__(
        self,
        *,
        monitor: str = "validation_loss",
        patience: int = 10,
        reference: str = "best",
        is_strict: bool = True,
        min_delta: float = 0.0,
        higher_is_better: bool | None = None,
        restore_best: bool = True,
    ) -> None:
        require(patience >= 0, "EarlyStopping: patience must be at least 0", patience)
        self.monitor, self.patience, self.min_delta = monitor, patience, min_delta
        self.reference = choose("EarlyStopping", "reference", reference, ("best", "previous"))
        self.is_strict, self.restore_best = is_strict, restore_best
        if higher_is_better is None:
            higher_is_better = is_higher_better(monitor)
        self.higher_is_better = higher_is_better
        self._reset()

    def _reset(self) -> None:
        self.best_value = self.previous_value = math.inf
        self.best_epoch = self.bad_epochs = 0
        self.best_weights: dict[str, Tensor] = {}

    def on_fit_start(self, trainer: "Trainer") -> None:
        if trainer.epoch == 0 and trainer.position == 0:
            self._reset()

    def on_epoch_end(self, trainer: "Trainer", record: Record) -> None:
        choose("EarlyStopping", "monitor", self.monitor, record)
        value = -record[self.monitor] if self.higher_is_better else record[self.monitor]
        against = self.best_value if self.reference == "best" else self.previous_value
        self.bad_epochs = 0 if value < against - self.min_delta else self.bad_epochs + 1
        if value < self.best_value - (self.min_delta if self.reference == "best" else 0.0):
            self.best_value, self.best_epoch = value, int(record["epoch"])
            if self.restore_best:
                state = trainer.model.state_dict()
                self.best_weights = {name: tensor.clone() for name, tensor in state.items()}
        self.previous_value = value
        if self.bad_epochs >= max(self.patience + (not self.is_strict), 1):
            trainer.stop(f"no improvement of {self.monitor} since epoch {self.best_epoch}")

    def on_fit_end(self, trainer: "Trainer") -> None:
        if self.restore_best and self.best_weights:
            trainer.model.load_state_dict(self.best_weights)


class TensorBoard(Callback):
    """Write every column of the history to a TensorBoard log.

    Args:
        folder: Log folder; open it with ``tensorboard --logdir FOLDER``.
    """

    once = True

    def __init__(self, folder: str | Path) -> None:
        self.folder = folder

    def on_fit_start(self, trainer: "Trainer") -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise GradatimError(
                "TensorBoard: the package tensorboard must be installed, and is not. "
                "Try: pip install 'gradatim[tensorboard]'."
            ) from None
        with or_unavailable(f"TensorBoard: {self.folder} cannot be written"):
            probe_folder(self.folder)
        self.writer = SummaryWriter(str(self.folder))

    def on_epoch_end(self, trainer: "Trainer", record: Record) -> None:
        for name, value in record.items():
            if name != "epoch":
                self.writer.add_scalar(name, value, int(record["epoch"]))

    def on_fit_end(self, trainer: "Trainer") -> None:
        self.writer.close()
