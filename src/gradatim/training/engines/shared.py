r"""Forward, backward and update by the shares of many processes, or by parts of a batch one after the other.

.. math:: \nabla E = \sum_p s_p\,\nabla E_p

PyTorch's ``DistributedDataParallel`` adds up gradients while the backward pass still runs. It divides by the number of
processes, so every part is multiplied by it. What an objective moves itself is added up before its optimizers step.
"""

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from gradatim.errors import InvalidType, InvalidValue, require
from gradatim.optim import needs_closure
from gradatim.training.batches import Batch
from gradatim.training.distributed.group import sum_gradients
from gradatim.training.distributed.shares import SharedBatch
from gradatim.training.engines.engine import Engine, Run
from gradatim.training.engines.general import check_scaling
from gradatim.training.objectives.objective import Figures, Objective, loss_and_figures


class _Step(nn.Module):
    """Loss and figures of a batch as a module, so that whatever an objective asks of the model happens inside of it."""

    def __init__(self, model: nn.Module, objective: Objective) -> None:
        super().__init__()
        self.model = model
        self.forward = partial(loss_and_figures, objective, model)


class SharedEngine(Engine):
    """The numbers of the general engine, by processes that share each batch, in parts.

    Args:
        run: What to move.
    """

    def __init__(self, run: Run) -> None:
        self.run, self.model, self.optimizer = run, run.model, run.optimizer
        self.exchange, self.group = run.exchange, run.sharing.group
        self.threads = torch.get_num_threads()
        self.prepares = type(run.objective).prepare is not Objective.prepare
        self.needs_closure = needs_closure(run.optimizer)
        self.is_sound = True
        check_scaling(run)
        self.players = list(run.objective.optimizers.values())
        self.share = 1.0
        self.hooks = [
            player.register_step_pre_hook(lambda which, *_: self._sum_of(which))
            for player in self.players
        ]
        self.step = _Step(run.model, run.objective)
        self.forward: nn.Module = self.step
        self.trained: list[nn.Parameter] = []
        self.rest: list[Tensor] = []
        self.connected: list[tuple[int, tuple[int, ...]]] = []

    @contextmanager
    def mode(self) -> Iterator[None]:
        self.trained = []  # who is trained may have changed, and how they lie in memory
        yield
        # what a process saw alone, such as a running mean
        self.group.broadcast(list(self.model.buffers()))

    def close(self) -> None:
        for hook in self.hooks:
            hook.remove()

    def __call__(self, batch: SharedBatch) -> Tensor | None:
        if not self.trained:
            self._connect()
        parts = batch.parts
        if self.prepares:
            prepare = self.run.objective.prepare
            parts = [(prepare(self.model, part), share) for part, share in parts]
        if self.needs_closure:
            return self._step_with_closure(parts, batch.rows)
        loss = self._evaluate(parts, batch.rows)
        if loss is not None and self.is_sound:
            self.optimizer.step()
        return loss

    def _connect(self) -> None:
        """Let gradients flow between processes."""
        own = [p for p in self.model.parameters() if p.requires_grad]
        optimized = [p for group in self.optimizer.param_groups for p in group["params"]]
        is_known = set(map(id, own))
        self.trained = own or optimized
        if self.group.is_alone or self.players or not own:
            self.forward, self.rest, self.connected = self.step, optimized, []
            return
        self.rest = [p for p in optimized if id(p) not in is_known]
        if self.group.is_sharded:
            self.forward = self.step
            return
        lying = [(id(p), p.stride()) for p in own]
        if lying == self.connected:  # as in the epoch before
            return
        self.connected = lying
        buffers = [name for name, _ in self.step.named_buffers()]
        DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(self.step, buffers)
        self.forward = DistributedDataParallel(self.step, init_sync=False)

    def _evaluate(
        self, parts: list[tuple[Batch, float]], rows: int, *, is_observed: bool = True
    ) -> Tensor | None:
        """Return the loss of the whole batch and leave its clipped gradients in ``.grad``."""
        run, costs = self.run, []
        for number, (batch, share) in enumerate(parts, 1):
            is_last, self.share = number == len(parts), share
            run.rows.are_counted = share > 0
            with nullcontext() if is_last else self._alone():
                with run.precision.forward():
                    loss, figures = self.forward(batch)
                costs.append((loss, figures, share))
                if is_last:
                    self.exchange.begin(costs)
                    if self.exchange.is_bad and is_observed:
                        run.explain(*_worst(costs, parts))
                if number == 1 and loss is not None:
                    self.optimizer.zero_grad(set_to_none=True)
                if loss is not None:
                    self._descend(loss, share)
        loss, figures = self.exchange.end()
        if is_observed:
            run.observe(loss, parts[0][0], figures, rows)
        if loss is None:
            require(len(parts) == 1, _MOVES, f"accumulate={len(parts)}", "Try accumulate=1.")
            return None
        sum_gradients(self.rest, self.group, 1.0)
        self.is_sound = run.precision.unscale(self.trained + self.rest, self.group)
        self._clip()
        if is_observed and run.on_gradients is not None:
            run.on_gradients(loss)
        return loss

    def _descend(self, loss: Tensor, share: float) -> None:
        is_averaged = isinstance(self.forward, DistributedDataParallel)
        # where nothing counts a loss may be anything: gradients of zero, not zero times it
        self.run.precision.backward(loss * (share * self.group.world_size if is_averaged else share))  # fmt: skip
        if is_averaged or self.group.is_sharded:
            missing = [n for n, p in self.model.named_parameters() if p.requires_grad and p.grad is None]  # fmt: skip
            if missing:
                kind = "ddp" if is_averaged else "fsdp"
                raise InvalidValue(_UNUSED.format(missing[0], len(missing), kind))

    def _alone(self) -> AbstractContextManager[object]:
        """While inside, gradients stay in this process."""
        if isinstance(self.forward, DistributedDataParallel):
            return self.forward.no_sync()
        return nullcontext()

    def _clip(self) -> None:
        run = self.run
        if run.clip_value is not None:
            torch.nn.utils.clip_grad_value_(self.model.parameters(), run.clip_value)
        if run.clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), run.clip_norm)

    def _sum_of(self, player: Any) -> None:
        """Before a player of the objective moves: gradients of the whole batch."""
        moved = [p for group in player.param_groups for p in group["params"]]
        sum_gradients(moved, self.group, self.share)

    def _step_with_closure(self, parts: list[tuple[Batch, float]], rows: int) -> Tensor:
        """Let the optimizer evaluate the batch where and as often as it likes; the first time counts."""
        losses: list[Tensor] = []

        def closure() -> Tensor:
            loss = self._evaluate(parts, rows, is_observed=not losses)
            if loss is None:
                name = type(self.optimizer).__name__
                raise InvalidType(
                    f"Trainer: objective must return a loss for {name}, which evaluates it itself, got none."
                )
            losses.append(loss)
            return loss

        self.optimizer.step(closure)  # type: ignore[arg-type]
        return losses[0]


_MOVES = "Trainer: accumulate must be 1 beside an objective that moves the model itself"
_UNUSED = (
    "Trainer: parallel={2!r} must find all parameters used in every batch, got no gradient for {0!r} and {1} in all. "
    "Freeze what is unused: model.get_parameter({0!r}).requires_grad_(False)."
)


def _worst(
    costs: list[tuple[Tensor | None, Figures, float]], parts: list[tuple[Batch, float]]
) -> tuple[Batch, str]:
    """A part of which a figure is not finite, and its name."""
    for (loss, figures, _), (batch, _) in zip(costs, parts, strict=True):
        for name, value in {"loss": loss, **figures}.items():
            if value is not None and not math.isfinite(float(value)):
                return batch, name
    return parts[0][0], "loss"
