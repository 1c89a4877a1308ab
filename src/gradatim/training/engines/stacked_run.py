"""The training loop of K replicas in one stack."""

import math
import time
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import torch
from torch import Tensor, nn

from gradatim.events import CancelToken
from gradatim.losses import Loss
from gradatim.models import MLP
from gradatim.optim import Schedule
from gradatim.optim.named import OptimizerFactory
from gradatim.threads import limit_threads
from gradatim.training.callbacks import EarlyStopping
from gradatim.training.engines.choosing import choose_stack
from gradatim.training.engines.stacked_batches import StackedBatches
from gradatim.training.engines.stacked_chain import StackedChain
from gradatim.training.engines.stacked_module import StackedModule
from gradatim.training.engines.stacked_optimizer import StackedOptimizer
from gradatim.training.engines.stacked_parameters import StackedParameters
from gradatim.training.history import History, Record
from gradatim.training.replica_data import ReplicaData
from gradatim.training.trainer import Trainer

DIVERGED = "the loss is not finite"
SMALL_STACK = 40_000_000  # multiplications of a step below which one thread is as good as several
_EVALUATION_ROWS = 1024


@dataclass(frozen=True)
class Settings:
    """What a run needs beside networks and data; sequences have one entry per replica."""

    loss: Loss
    optimizer: str | OptimizerFactory
    lr: Sequence[float]
    weight_decay: Sequence[float]
    schedule: Schedule
    epochs: int
    batch_size: int
    seeds: Sequence[int]
    early_stopping: EarlyStopping | None
    clip_norm: float | None = None
    clip_value: float | None = None


class _Seat:
    """What one replica's early stopping sees of the run: a trainer with a model of one tensor."""

    epoch = position = 0

    def __init__(self, run: "StackedRun", number: int) -> None:
        self.run, self.number, self.stopped = run, number, ""
        self.rule = deepcopy(run.settings.early_stopping)
        self.model = self

    def state_dict(self) -> dict[str, Tensor]:
        return {"values": self.run.stack.values[self.run.alive.index(self.number)]}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        self.run.final[self.number].copy_(state["values"])

    def stop(self, reason: str) -> None:
        self.stopped = reason


class StackedRun:
    """K trainings, epoch by epoch; replicas that stop leave the stack.

    Args:
        models: The networks, at their start.
        data: Rows to learn from.
        validation: Rows to measure after every epoch.
        settings: How to train.
    """

    def __init__(
        self,
        models: Sequence[nn.Module],
        data: ReplicaData,
        validation: ReplicaData | None,
        settings: Settings,
    ) -> None:
        if type(models[0]) is MLP:  # which flattens what it gets
            data = replace(data, X=data.X.flatten(1))
            validation = validation and replace(validation, X=validation.X.flatten(1))
        self.models, self.data, self.validation, self.settings = models, data, validation, settings
        self.alive = list(range(len(models)))
        self.stack = StackedParameters(models)
        self.final = self.stack.values.clone()
        self.generators = [torch.Generator().manual_seed(seed) for seed in settings.seeds]
        self.choice = choose_stack(models[0], data, settings.loss)
        self.histories = [History(engine=self.choice) for _ in models]
        self.seats = [_Seat(self, k) for k in self.alive]
        batches = self._make_batches()
        self.optimizer = StackedOptimizer(
            self.stack,
            settings.optimizer,
            models[0],
            lr=settings.lr,
            weight_decay=settings.weight_decay,
            clocks=batches.clocks,
        )
        self._assemble(batches)

    def _make_batches(self) -> StackedBatches:
        return StackedBatches(
            self.data.X,
            self.data.y,
            [self.data.rows[k] for k in self.alive],
            batch_size=self.settings.batch_size,
            seeds=[self.settings.seeds[k] for k in self.alive],
            row_weight=self.data.weight,
        )

    def _assemble(self, batches: StackedBatches) -> None:
        model, loss, rows = self.models[0], self.settings.loss, batches.batch_size
        self.batches = batches
        self.engine: StackedChain | StackedModule
        if self.choice.name == "stacked_chain":
            generators = [self.generators[k] for k in self.alive]
            assert isinstance(model, nn.Sequential)
            self.engine = StackedChain(model, loss, self.stack, rows=rows, generators=generators)
        else:
            self.engine = StackedModule(model, loss, self.stack, rows=rows)

    def probe(self) -> None:
        """Compute one gradient, which raises where the networks cannot be stacked or do not fit the data."""
        chunk = next(self.batches.epoch(0))
        y, weight = self.engine.prepare(chunk.y, chunk.weight)
        self.engine.gradients(chunk.x[0], y[0], weight[0], chunk.counts[0])
        for generator, seed in zip(self.generators, self.settings.seeds, strict=True):
            generator.manual_seed(seed)

    @torch.no_grad()
    def fit(self, cancel: CancelToken | None = None) -> None:
        """Train all replicas and write the results into the networks, unless ``cancel`` ends that before."""
        is_small = self.engine.multiplications < SMALL_STACK
        with limit_threads(1 if is_small else torch.get_num_threads()):
            for epoch in range(self.settings.epochs):
                self._train_epoch(epoch, cancel)
                if not self.alive:
                    break
        self._leave(self.alive)
        for k, (seat, model) in enumerate(zip(self.seats, self.models, strict=True)):
            if seat.rule is not None:
                seat.rule.on_fit_end(cast(Trainer, seat))
            self.stack.write(self.final[k], model)
            model.eval()

    def _train_epoch(self, epoch: int, cancel: CancelToken | None) -> None:
        started = time.perf_counter()
        is_clipped = (self.settings.clip_norm, self.settings.clip_value) != (None, None)
        sums = torch.zeros(len(self.alive), dtype=torch.float64)
        for chunk in self.batches.epoch(epoch):
            if cancel is not None:
                cancel.check()
            y, weight = self.engine.prepare(chunk.y, chunk.weight)
            traces = []
            for i, counts in enumerate(chunk.counts):
                traces.append(self.engine.gradients(chunk.x[i], y[i], weight[i], counts))
                if is_clipped:
                    self.stack.clip(self.settings.clip_norm, self.settings.clip_value)
                rows = tuple(k for k, count in enumerate(counts) if count)
                self.optimizer.step(rows, partial(self._factor, epoch, chunk.start + i))
            counts_of = torch.tensor(chunk.counts, dtype=torch.float64)
            sums += (self.engine.losses(traces, y, weight).double() * counts_of).sum(0)
        self._finish_epoch(epoch, sums, started)

    def _factor(self, epoch: int, step: int, clock: int) -> float:
        return self.settings.schedule(epoch + step / clock, float(self.settings.epochs))

    def _finish_epoch(self, epoch: int, sums: Tensor, started: float) -> None:
        totals = sums.tolist()
        measured = self._measure() if self.validation is not None else None
        is_sound = self.stack.values.isfinite().all(1).tolist()
        seconds = time.perf_counter() - started
        for place, k in enumerate(self.alive):
            record: Record = {
                "epoch": epoch + 1,
                "train_loss": totals[place] / len(self.data.rows[k]),
            }
            if measured is not None:
                record["validation_loss"] = measured[place]
            clock = self.batches.clocks[place]
            record["lr"] = self.settings.lr[k] * self._factor(epoch, clock - 1, clock)
            record["seconds"] = seconds
            self._close_epoch(k, record, is_sound[place])
        stopped = [k for k in self.alive if self.seats[k].stopped]
        if stopped:
            self._leave(stopped)

    def _close_epoch(self, k: int, record: Record, is_sound: bool) -> None:
        history, seat = self.histories[k], self.seats[k]
        history.records.append(record)
        if not (is_sound and math.isfinite(record["train_loss"])):
            seat.stopped = DIVERGED
        elif seat.rule is not None:
            seat.rule.on_epoch_end(cast(Trainer, seat), record)
        history.stopped = seat.stopped or None

    def _leave(self, leaving: Sequence[int]) -> None:
        """Keep the values of the replicas that leave; go on with the others."""
        for k in leaving:
            self.final[k] = self.stack.values[self.alive.index(k)]
        kept = [place for place, k in enumerate(self.alive) if k not in leaving]
        self.alive = [self.alive[place] for place in kept]
        if self.alive:
            self.stack.keep(kept)
            self.optimizer.keep(self.stack, kept)
            self._assemble(self._make_batches())

    def _measure(self) -> list[float]:
        assert self.validation is not None
        rows = [self.validation.rows[k] for k in self.alive]
        parts = StackedBatches(
            self.validation.X, self.validation.y, rows, batch_size=_EVALUATION_ROWS, seeds=None,
            row_weight=self.validation.weight,
        )  # fmt: skip
        sums = torch.zeros(len(rows), dtype=torch.float64)
        for chunk in parts.epoch(0):
            for x, y, weight, counts in zip(*chunk[1:], strict=True):
                losses = self.engine.evaluate(x, y, weight).double()
                sums += losses * torch.tensor(counts, dtype=torch.float64)
        sizes = [len(own) for own in rows]
        return [total / size for total, size in zip(sums.tolist(), sizes, strict=True)]
