"""One training step: through autograd for any model, without it for plain chains."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidType
from gradatim.losses import cross_entropy
from gradatim.models import MLP
from gradatim.optim import needs_closure
from gradatim.training.batches import Batch, Batches, InMemory
from gradatim.training.engines.chain import SMALL_STEP, Chain, is_chain
from gradatim.training.engines.flat import FlatOptimizer, is_flattenable

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer

Attack = Callable[[nn.Module, Tensor, Tensor], Tensor]
StepFunction = Callable[[nn.Module, Batch], Tensor | Mapping[str, Tensor | float]]


class Step(Protocol):
    """Moves the model by one batch and returns its loss, detached; ``None`` where a step reports none."""

    threads: int

    def mode(self) -> AbstractContextManager[object]:
        """Entered once per epoch: entering it in every step would cost as much as three layers."""

    def __call__(self, batch: Batch) -> Tensor | None: ...

    def sync(self) -> None:
        """Make the optimizer's ``state_dict`` complete."""

    def close(self) -> None:
        """Leave model and optimizer as PyTorch expects them."""


def rows_of(batch: Batch) -> int:
    """Count the rows of the first tensor found in a batch."""
    if isinstance(batch, Tensor):
        return len(batch) if batch.ndim else 1
    values = batch.values() if isinstance(batch, Mapping) else batch
    return rows_of(next(iter(values))) if isinstance(batch, Mapping | tuple | list) and batch else 1


def forward(trainer: "Trainer", batch: Batch) -> tuple[Tensor | None, Mapping[str, Tensor | float]]:
    """Return the loss of a batch and the other figures of a custom step."""
    if trainer.step is None:
        if not isinstance(batch, tuple) or len(batch) < 2:
            raise InvalidType(
                f"Trainer: a batch must be a tuple (inputs, target), got {type(batch).__name__}. "
                "Pass step=, a function (model, batch) -> loss."
            )
        return trainer.loss(trainer.model(*batch[:-1]), batch[-1]), {}
    result = trainer.step(trainer.model, batch)
    if isinstance(result, Tensor):
        return result, {}
    if not isinstance(result, Mapping):
        raise InvalidType(
            f"Trainer: step must return a loss or a mapping of figures, got {type(result).__name__}."
        )
    loss = result.get("loss")
    return loss if isinstance(loss, Tensor) else None, {
        name: value for name, value in result.items() if name != "loss"
    }


Forward = Callable[["Trainer", Batch], tuple[Tensor | None, Mapping[str, Tensor | float]]]


def attacked(attack: Attack, model: nn.Module, batch: Batch) -> Batch:
    """Put the worst inputs that ``attack`` finds in the place of those of a batch."""
    if not isinstance(batch, tuple) or len(batch) != 2:
        size = f" of {len(batch)}" if isinstance(batch, tuple) else ""
        raise InvalidType(
            f"Trainer: a batch must be a pair (x, y) to be attacked, got {type(batch).__name__}{size}. "
            "Attack inside step= instead."
        )
    x, y = batch
    return attack(model, x, y), y


class AutogradStep:
    """Forward, backward and update as in any PyTorch loop."""

    def __init__(
        self,
        trainer: "Trainer",
        forward: Forward = forward,
        weigh: Callable[[Batch], int] = rows_of,
    ) -> None:
        self.trainer, self.forward, self.weigh = trainer, forward, weigh
        self.observers = trainer.observers("on_gradients")
        self.needs_closure = needs_closure(trainer.optimizer)
        self.threads = torch.get_num_threads()

    def mode(self) -> AbstractContextManager[object]:
        return nullcontext()

    def __call__(self, batch: Batch) -> Tensor | None:
        if self.trainer.attack is not None:
            batch = attacked(self.trainer.attack, self.trainer.model, batch)
        if self.needs_closure:
            return self._step_with_closure(batch)
        loss = self._evaluate(batch, is_observed=True)
        if loss is not None:
            self.trainer.optimizer.step()
        return loss

    def _evaluate(self, batch: Batch, *, is_observed: bool) -> Tensor | None:
        """Return the loss of a batch, detached, and leave its clipped gradients in ``.grad``."""
        trainer = self.trainer
        loss, figures = self.forward(trainer, batch)
        if is_observed:
            trainer.observe(loss, batch, figures, self.weigh(batch))
        if loss is None:
            return None
        trainer.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        loss = loss.detach()
        if trainer.clip_value is not None:
            torch.nn.utils.clip_grad_value_(trainer.model.parameters(), trainer.clip_value)
        if trainer.clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(trainer.model.parameters(), trainer.clip_norm)
        if is_observed:
            for callback in self.observers:
                callback.on_gradients(trainer, loss)
        return loss

    def _step_with_closure(self, batch: Batch) -> Tensor:
        """Let the optimizer evaluate the batch where and as often as it likes; the first time counts."""
        losses: list[Tensor] = []

        def closure() -> Tensor:
            loss = self._evaluate(batch, is_observed=not losses)
            if loss is None:
                name = type(self.trainer.optimizer).__name__
                raise InvalidType(
                    f"Trainer: step must return a loss for {name}, which evaluates it itself, got none."
                )
            losses.append(loss)
            return loss

        self.trainer.optimizer.step(closure)  # type: ignore[arg-type]
        return losses[0]

    def sync(self) -> None:
        return

    def close(self) -> None:
        return


class ChainStep:
    """The same numbers for a chain, by :class:`Chain` and :class:`FlatOptimizer`."""

    @staticmethod
    def fits(trainer: "Trainer", batches: Batches) -> bool:
        """Whether data, model, loss and optimizer are all plain, and nobody asks for autograd."""
        if not isinstance(batches, InMemory) or len(batches.tensors) != 2:
            return False
        x, y = batches.tensors
        if x.dtype != trainer.dtype or not (x.ndim == 2 or type(trainer.model) is MLP):
            return False
        if trainer.loss is cross_entropy and y.ndim != 1:
            return False
        optimized = [p for group in trainer.optimizer.param_groups for p in group["params"]]
        return (
            trainer.step is None
            and trainer.attack is None
            and trainer.scheduler is None  # PyTorch's schedulers count the steps of their optimizer
            and not any(callback.needs_autograd for callback in trainer.callbacks)
            and is_chain(trainer.model, trainer.loss)
            and {id(p) for p in optimized} == {id(p) for p in trainer.model.parameters()}
            and is_flattenable(trainer.optimizer)
        )

    def __init__(self, trainer: "Trainer") -> None:
        assert isinstance(trainer.model, nn.Sequential)
        self.trainer = trainer
        self.observers = trainer.observers("on_gradients")
        self.optimizer = FlatOptimizer(trainer.optimizer)
        self.chain = Chain(trainer.model, trainer.loss, trainer.batch_size)
        small = self.chain.multiplications < SMALL_STEP
        self.threads = 1 if small else torch.get_num_threads()

    def mode(self) -> AbstractContextManager[object]:
        return torch.inference_mode()

    def __call__(self, batch: Batch) -> Tensor:
        x, y = batch
        trainer, chain = self.trainer, self.chain
        loss = chain.forward(x, y)
        trainer.observe(loss, batch, {}, x.shape[0])
        chain.backward()
        if trainer.clip_value is not None:
            self.optimizer.clip_value(trainer.clip_value)
        if trainer.clip_norm is not None:
            self.optimizer.clip_norm(trainer.clip_norm)
        for callback in self.observers:
            with torch.inference_mode(False):
                callback.on_gradients(trainer, loss)
        self.optimizer.step()
        return loss

    def sync(self) -> None:
        self.optimizer.sync()

    def close(self) -> None:
        self.optimizer.close()
