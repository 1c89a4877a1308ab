"""What a run minimizes: a function of model and batch, with state and players of its own where it needs them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Literal

from torch import Tensor, nn
from torch.optim import Optimizer

from gradatim.errors import InvalidType
from gradatim.losses import Loss, build_loss
from gradatim.losses.counting import Counts
from gradatim.training.batches import Batch, weight_of
from gradatim.training.model_outputs import judge_rows

Figures = Mapping[str, Tensor | float]
ObjectiveFunction = Callable[[nn.Module, Batch], Tensor | Figures]
Phase = Literal["train", "evaluate"]


class Objective(ABC):
    """A call ``(model, batch) -> loss``, or a mapping with ``"loss"`` and other figures to record.

    The trainer descends on the loss. A mapping without ``"loss"`` means that the objective has moved the model
    itself, as the players of a game do; it does so only while ``model.training`` is true. A loss or figure that is
    not finite ends the run. Everything else here may be left as it is; a plain function is an objective too, and so
    is any other callable, such as an :class:`~torch.nn.Module` that holds a second player.

    Attributes:
        loss: The loss of outputs and targets, where one is used. Targets then get the type that it needs, and
            validation measures it on the outputs of the model as they are.
        inner: An objective that this one wraps; all but the call and :meth:`prepare` is then left to it.
        any_layout: Whether a class that defines ``__call__`` works in whatever order weights lie in memory.

    Example:
        >>> class Pull(Objective):
        ...     def __call__(self, model, batch):
        ...         return sum(p.square().sum() for p in model.parameters())
        >>> Pull().state_dict(), Pull().optimizers
        ({}, {})
    """

    any_layout = False
    loss: Loss | None = None
    inner: "Objective | None" = None
    _is_loss_open = False

    @abstractmethod
    def __call__(self, model: nn.Module, batch: Batch) -> Tensor | Figures: ...

    def prepare(self, model: nn.Module, batch: Batch) -> Batch:
        """Change a training batch once, before the loss of it is evaluated, however often that may be."""
        return batch

    def output(self, model: nn.Module, *inputs: Tensor) -> Any:
        """What metrics and predictions see of the model."""
        return model(*inputs) if self.inner is None else self.inner.output(model, *inputs)

    def start(self, phase: Phase, epoch: int) -> None:
        """Called before the batches of an epoch, and before those of an evaluation."""
        if self.inner is not None:
            self.inner.start(phase, epoch)

    @property
    def optimizers(self) -> Mapping[str, Optimizer]:
        """Optimizers of its own, by player: it steps them, and a checkpoint keeps them."""
        return {} if self.inner is None else self.inner.optimizers

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint must keep beside them: tensors and plain values."""
        return {} if self.inner is None else self.inner.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` gave."""
        if self.inner is not None:
            self.inner.load_state_dict(state)

    def counts(self, batch: Batch) -> Counts:
        """How much every row of a batch counts in the loss: processes that share a batch weigh their losses by it."""
        return "rows" if self.inner is None else self.inner.counts(batch)

    def error(self, model: nn.Module, batch: Batch) -> Tensor:
        """Return the loss of what ``model`` makes of the inputs of a batch, against its last part, the target."""
        assert self.loss is not None
        return judge_rows(self.loss, model(*batch[:-1]), batch[-1], weight_of(batch))

    def use_loss(self, loss: str | Loss | None) -> None:
        """Use a loss, or with ``None`` that of the trainer, and cross-entropy until there is one."""
        self._is_loss_open = loss is None
        self.loss = build_loss("cross_entropy" if loss is None else loss)

    def adopt(self, loss: Loss) -> bool:
        """Take the trainer's loss in the place of one that was left open; say whether there was such a place."""
        if self.inner is not None:
            is_adopted = self.inner.adopt(loss)
            self.loss = self.inner.loss
            return is_adopted
        if self._is_loss_open:
            self.loss = loss
        return self._is_loss_open


class FunctionObjective(Objective):
    """Any callable as an objective, with whatever it has of an objective's other parts.

    Args:
        function: A function, or an object that may have ``state_dict`` and ``load_state_dict``, ``optimizers`` and
            ``start``. A module follows the trainer into training and evaluation mode.
    """

    def __init__(self, function: ObjectiveFunction) -> None:
        self.function = function

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor | Figures:
        return self.function(model, batch)

    def start(self, phase: Phase, epoch: int) -> None:
        if isinstance(self.function, nn.Module):
            self.function.train(phase == "train")
        if hasattr(self.function, "start"):
            self.function.start(phase, epoch)

    @property
    def optimizers(self) -> Mapping[str, Optimizer]:
        return getattr(self.function, "optimizers", {})

    def state_dict(self) -> dict[str, Any]:
        return self.function.state_dict() if hasattr(self.function, "state_dict") else {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        if hasattr(self.function, "load_state_dict"):
            self.function.load_state_dict(state)


def as_objective(objective: ObjectiveFunction) -> Objective:
    """Return an objective as it is, and any other callable as one.

    >>> type(as_objective(lambda model, batch: model(batch).mean())).__name__
    'FunctionObjective'
    """
    if isinstance(objective, Objective):
        return objective
    if not callable(objective):
        raise InvalidType(
            "Trainer: objective must be a function (model, batch) -> loss or an Objective, "
            f"got {type(objective).__name__}."
        )
    return FunctionObjective(objective)


def loss_and_figures(
    objective: ObjectiveFunction, model: nn.Module, batch: Batch
) -> tuple[Tensor | None, Figures]:
    """Return the loss of a batch, if there is one, and the other figures of an objective.

    >>> loss_and_figures(lambda model, batch: {"game": 1.0}, nn.Identity(), ())
    (None, {'game': 1.0})
    """
    result = objective(model, batch)
    if isinstance(result, Tensor):
        return result, {}
    if not isinstance(result, Mapping):
        raise InvalidType(
            f"Trainer: objective must return a loss or a mapping of figures, got {type(result).__name__}."
        )
    figures = dict(result)
    loss = figures.pop("loss", None)
    return loss if isinstance(loss, Tensor) else None, figures
