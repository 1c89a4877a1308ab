"""Forward, backward and update through autograd, for any model, objective and optimizer."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from gradatim.errors import InvalidType, require
from gradatim.optim import needs_closure
from gradatim.training.batches import Batch
from gradatim.training.engines.engine import Engine, Run
from gradatim.training.objectives.objective import Figures, Objective, loss_and_figures

Forward = Callable[[Batch], tuple[Tensor | None, Figures]]


def check_scaling(run: Run) -> None:
    """Raise unless the loss of a run may be scaled, where half precision needs it."""
    is_plain = not needs_closure(run.optimizer) and not run.objective.optimizers
    rule = (
        "Trainer: precision='fp16' must go with an optimizer that the trainer steps by one gradient"
    )
    name = type(run.objective if run.objective.optimizers else run.optimizer).__name__
    require(is_plain or not run.precision.is_scaled, rule, name, "Try precision='bf16'.")


class GeneralEngine(Engine):
    """Forward, backward and update as in any PyTorch loop.

    Args:
        run: What to move.
        forward: Gives loss and figures of a batch in the place of the objective.
        count: Counts what a batch weighs, in the place of its rows.
    """

    def __init__(
        self,
        run: Run,
        forward: Forward | None = None,
        count: Callable[[Batch], int] | None = None,
    ) -> None:
        self.run, self.count = run, count or run.count
        self.model, self.optimizer = run.model, run.optimizer
        self.forward = forward or partial(loss_and_figures, run.objective, run.model)
        self.prepares = type(run.objective).prepare is not Objective.prepare
        self.needs_closure = needs_closure(run.optimizer)
        self.is_sound = True  # whether the gradients are such that a step can be taken
        check_scaling(run)
        self.threads = torch.get_num_threads()

    def __call__(self, batch: Batch) -> Tensor | None:
        if self.prepares:
            batch = self.run.objective.prepare(self.model, batch)
        if self.needs_closure:
            return self._step_with_closure(batch)
        loss = self._evaluate(batch, is_observed=True)
        if loss is not None and self.is_sound:
            self.optimizer.step()
        return loss

    def _evaluate(self, batch: Batch, *, is_observed: bool) -> Tensor | None:
        """Return the loss of a batch, detached, and leave its clipped gradients in ``.grad``."""
        run = self.run
        with run.precision.forward():
            loss, figures = self.forward(batch)
        if is_observed:
            run.observe(loss, batch, figures, self.count(batch))
        if loss is None:
            return None
        self.optimizer.zero_grad(set_to_none=True)
        run.precision.backward(loss)
        loss = loss.detach()
        self.is_sound = run.precision.unscale(self.model.parameters())
        if run.clip_value is not None:
            torch.nn.utils.clip_grad_value_(self.model.parameters(), run.clip_value)
        if run.clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), run.clip_norm)
        if is_observed and run.on_gradients is not None:
            run.on_gradients(loss)
        return loss

    def _step_with_closure(self, batch: Batch) -> Tensor:
        """Let the optimizer evaluate the batch where and as often as it likes; the first time counts."""
        losses: list[Tensor] = []

        def closure() -> Tensor:
            loss = self._evaluate(batch, is_observed=not losses)
            if loss is None:
                name = type(self.optimizer).__name__
                raise InvalidType(
                    f"Trainer: objective must return a loss for {name}, which evaluates it itself, got none."
                )
            losses.append(loss)
            return loss

        self.optimizer.step(closure)  # type: ignore[arg-type]
        return losses[0]
