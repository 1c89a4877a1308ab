"""A loss must see the model: checks of the first batches of a run, where model, loss and data meet."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer
from torch.overrides import TorchFunctionMode

from gradatim.errors import GradatimError, InvalidValue, require
from gradatim.losses import Loss
from gradatim.training.batches import Batch
from gradatim.training.health import UNSEEN, first_step
from gradatim.training.model_outputs import plain_output
from gradatim.training.objectives.objective import Objective

PATIENCE = 10  # batches without a gradient before something is said
_POINTWISE = frozenset(
    [
        "add",
        "sub",
        "rsub",
        "mul",
        "div",
        "pow",
        "dist",
        "maximum",
        "minimum",
        "subtract",
        "multiply",
        "true_divide",
        "mse_loss",
        "l1_loss",
        "smooth_l1_loss",
        "huber_loss",
        "poisson_nll_loss",
        "gaussian_nll_loss",
        "kl_div",
        "hinge_embedding_loss",
        "margin_ranking_loss",
    ]
)


class RefuseBroadcast(TorchFunctionMode):
    """While it is entered, refuse to stretch an output over a target, or a target over an output, entry by entry.

    Args:
        output: What the model returned.
        target: What it is compared with.

    Example:
        >>> output, target = torch.zeros(3, 1), torch.zeros(3)
        >>> with RefuseBroadcast(output, target):
        ...     error = output - target
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: Trainer: output and target must have the same shape where they are compared entry \
by entry, got (3, 1) and (3,), of which sub would make (3, 3). Reshape one in the data or the loss.
    """

    def __init__(self, output: Any, target: Any) -> None:
        super().__init__()
        pair = plain_output(output), target
        self.is_due = all(isinstance(t, Tensor) for t in pair) and pair[0].shape != target.shape
        self.shapes = [t.shape for t in pair if self.is_due]
        self.kin = [{id(t): t} for t in pair if self.is_due]  # what was made of either, kept alive

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if not self.is_due:
            return func(*args, **kwargs)
        tensors = [value for value in (*args, *kwargs.values()) if isinstance(value, Tensor)]
        if getattr(func, "__name__", "") in _POINTWISE and len(tensors) > 1:
            self._compare(func.__name__, *tensors[:2])
        result = func(*args, **kwargs)
        if isinstance(result, Tensor):
            for kin in self.kin:
                if any(id(tensor) in kin for tensor in tensors):
                    kin[id(result)] = result
        return result

    def _compare(self, name: str, a: Tensor, b: Tensor) -> None:
        for output, target in ((a, b), (b, a)):
            is_kin = id(output) in self.kin[0] and id(target) in self.kin[1]
            if (
                is_kin
                and [output.shape, target.shape] == self.shapes
                and min(a.numel(), b.numel()) > 1
            ):
                self._refuse(name, a.shape, b.shape)

    def _refuse(self, name: str, first: torch.Size, second: torch.Size) -> None:
        try:
            made = tuple(torch.broadcast_shapes(first, second))
        except RuntimeError:
            return  # which PyTorch says better
        raise InvalidValue(
            "Trainer: output and target must have the same shape where they are compared entry by entry, got "
            f"{tuple(first)} and {tuple(second)}, of which {name} would make {made}. "
            "Reshape one in the data or the loss."
        )


class _Listener:
    """A loss that remembers what it was asked first."""

    def __init__(self, loss: Loss) -> None:
        self.__wrapped__ = loss
        self.heard: tuple[Tensor, Tensor] | None = None

    def __call__(self, output: Any, target: Any) -> Any:
        if self.heard is None and isinstance(output, Tensor) and isinstance(target, Tensor):
            self.heard = output.detach(), target
        with RefuseBroadcast(output, target):
            return self.__wrapped__(output, target)

    def is_blind(self) -> bool:
        """Whether the loss is the same whatever the model says."""
        if self.heard is None:
            return False
        output, target = self.heard
        generator = torch.Generator().manual_seed(0)
        noise = torch.randn(output.shape, generator=generator).to(output)
        try:
            with torch.no_grad():
                said = [
                    self.__wrapped__(output + scale * noise, target) for scale in (0.0, 1.0, -9.0)
                ]
        except (GradatimError, RuntimeError, ValueError):
            return False
        return all(torch.equal(value, said[0]) for value in said)


class LossSight:
    """Watches the first batches of a run until a gradient has reached the model.

    Args:
        objective: What is minimized; its loss is listened to in the first batch.
        optimizer: Its parameters should get gradients.
        limits: Limits of the gradient by name, refused beside an objective that moves the model itself.

    Attributes:
        is_sure: Whether nothing is left to watch for.
    """

    def __init__(
        self,
        objective: Objective,
        optimizer: Optimizer,
        limits: Mapping[str, float | None] | None = None,
    ) -> None:
        self.objective, self.optimizer, self.limits = objective, optimizer, limits or {}
        self.batches, self.is_sure, self.is_reached = 0, False, False
        self.listeners: list[_Listener] = []

    def step(self, engine: Callable[[Batch], Tensor | None], batch: Batch) -> Tensor | None:
        """Take a step and look where its gradients went."""
        # before the optimizer moves, for it may clear gradients; and after, for not all engines let it move itself
        hook = self.optimizer.register_step_pre_hook(lambda *_: self._look())
        try:
            if self.batches:
                loss = engine(batch)
            else:
                with self._listening():
                    loss = first_step(engine, batch)
        finally:
            hook.remove()
        self.batches += 1
        self._look()
        if loss is None:
            self._refuse_limits()
            self.is_sure = True
        if not self.is_sure and not self.is_reached:
            raise InvalidValue(UNSEEN)
        if not self.is_sure and self.batches == PATIENCE:
            self.conclude()
        if self.is_sure:
            self.listeners.clear()  # which hold the first batch
        return loss

    def _refuse_limits(self) -> None:
        for name, limit in self.limits.items():
            rule = (
                f"Trainer: {name} must be left out beside an objective that moves the model itself"
            )
            require(limit is None, rule, limit, "Clip in the objective.")

    def conclude(self) -> None:
        """Refuse a loss that does not depend on the model; say it where only the gradient is zero."""
        if self.is_sure:
            return
        self.is_sure = True
        is_blind = any(listener.is_blind() for listener in self.listeners)
        self.listeners.clear()
        if is_blind:
            raise InvalidValue(
                "Trainer: the loss must depend on the model, got one that is the same whatever the model says. "
                "Check that loss, output and target fit: classes need an output each, numbers a loss such as 'mse'."
            )
        warnings.warn(
            f"Trainer: no gradient has reached the model in its first batches ({self.batches}), so it does not learn. "
            "All units may be dead, the loss saturated, or the model perfect.",
            stacklevel=2,
        )

    def _look(self) -> None:
        """Note whether a gradient has come, and whether it is more than zero."""
        parameters = (p for group in self.optimizer.param_groups for p in reversed(group["params"]))
        for parameter in parameters:
            if self.is_sure:
                return
            if parameter.grad is not None:
                self.is_reached = True
                values = parameter.grad._values() if parameter.grad.is_sparse else parameter.grad
                self.is_sure = bool(values.any())

    @contextmanager
    def _listening(self) -> Iterator[None]:
        with ExitStack() as stack:
            holder: Objective | None = self.objective
            while holder is not None:
                if holder.loss is not None:
                    self.listeners.append(_Listener(holder.loss))
                    if "loss" in vars(holder):
                        stack.callback(setattr, holder, "loss", holder.loss)
                    else:
                        stack.callback(delattr, holder, "loss")
                    holder.loss = self.listeners[-1]
                holder = holder.inner
            yield
