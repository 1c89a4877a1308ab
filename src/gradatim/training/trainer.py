"""The training loop."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from gradatim.errors import InvalidValue
from gradatim.events import Cancelled, CancelToken, Tell
from gradatim.losses import Loss
from gradatim.optim import Schedule, build_optimizer
from gradatim.optim.named import OptimizerFactory
from gradatim.randomness import seeded
from gradatim.threads import limit_threads
from gradatim.training.batches import Batch, Batches, as_tensor, float_type
from gradatim.training.blocks import compiled, recomputing
from gradatim.training.callbacks import Callback
from gradatim.training.checkpoint import Checkpoint, restore_run, restore_stream, run_state
from gradatim.training.device import choose_device
from gradatim.training.distributed.batch_norm import Rows, synced
from gradatim.training.distributed.building import is_meta, placed
from gradatim.training.distributed.comparing import check_alike
from gradatim.training.distributed.draws import Draws
from gradatim.training.distributed.exchange import Exchange
from gradatim.training.distributed.group import ALONE
from gradatim.training.distributed.joining import joined, said_once
from gradatim.training.distributed.sharding import sharded
from gradatim.training.distributed.signals import Ended, Wish
from gradatim.training.distributed.spread import Spread
from gradatim.training.engines.channels_last import reading_channels_last, wants_channels_last
from gradatim.training.engines.choosing import check_engine
from gradatim.training.engines.engine import Engine
from gradatim.training.health import (
    NonFiniteError,
    check_figures,
    check_parameters,
    explain_bad_loss,
    explain_bad_share,
)
from gradatim.training.held_memory import holding_memory
from gradatim.training.history import CANCELLED, INTERRUPTED, History
from gradatim.training.loss_sight import LossSight
from gradatim.training.measuring import measure, outputs
from gradatim.training.metrics import MetricFunction, check_metrics
from gradatim.training.objectives.objective import Figures, ObjectiveFunction, loss_and_figures
from gradatim.training.objectives.supervised import agree
from gradatim.training.precision import Precision
from gradatim.training.progress import TrainingBar
from gradatim.training.row_weights import ClassWeight
from gradatim.training.scheduling import make_rate
from gradatim.training.starting import (
    Weights,
    check_numbers,
    first_told,
    kernels_arranged,
    share_batches,
    share_validation,
    start_batches,
    start_engine,
)
from gradatim.training.totals import Totals


class Trainer:
    """Minimize the loss of a model by mini-batch gradient descent.

    Args:
        model: Any :class:`torch.nn.Module`; it is moved to ``device``.
        loss: Name (``cross_entropy``, ``focal``, ``bce``, ``mse``, ``mae``, ``huber``) or function
            ``(output, target) -> scalar``; ``cross_entropy`` by default. Objectives that need a loss and have none
            of their own use it too; beside others it is refused. Of a model that returns ``(output, state)`` a loss
            sees the output.
        optimizer: Name, factory ``(parameter_groups, lr) -> Optimizer`` or PyTorch optimizer.
        lr: Initial learning rate; by default the optimizer's own. Refused beside a ready optimizer.
        weight_decay: Penalty on weights; biases and normalization gains are left out. Refused beside a ready optimizer.
        schedule: Name, function ``(t, T) -> factor`` with time in epochs, or a scheduler of PyTorch's of the same
            optimizer: ``OneCycleLR`` and ``CyclicLR`` are stepped after every batch, ``ReduceLROnPlateau`` is told the
            validation loss (or else the training loss) after every epoch, all others are stepped after every epoch.
        epochs: Passes over the data.
        batch_size: Rows per batch, where batches are cut from arrays.
        clip_norm: Largest norm of the gradient.
        clip_value: Largest absolute value of an entry of the gradient; applied before ``clip_norm``.
        metrics: Names (those of :data:`METRICS`: ``accuracy``, ``f1``, ``auc``, ``r2``, …) or functions
            ``(output, target) -> batch mean``, measured on the validation data.
        callbacks: Observers, in order; checkpoints come last.
        objective: What to minimize in the place of the loss alone: a function ``(model, batch) -> loss``, or a
            mapping with ``"loss"`` and other figures to record, or an
            :class:`~gradatim.training.Objective`, which may have state and players of its own.
        engine: ``"auto"`` takes the fastest that fits; ``"general"``, ``"chain"`` or ``"truncated"`` ask for one.
            ``history.engine`` says which one ran and why.
        device: ``"auto"`` takes an accelerator when there is one.
        parallel: Where several processes were started (``torchrun --nproc-per-node 2 train.py``), ``"ddp"`` gives each a
            share of every batch and the whole model, ``"fsdp"`` a shard of the model too, ``"none"`` lets each train for
            itself; ``"auto"`` is ``"ddp"``. The result is that of one process.
        accumulate: Parts of a batch, one after the other: less memory, the same result.
        precision: ``"float32"`` leaves a model as it is, ``"bf16"`` and ``"fp16"`` multiply in half precision.
        compile: Whether PyTorch compiles the blocks of the model: minutes at the start, faster steps.
        activation_checkpointing: Whether blocks keep their inputs alone and compute the rest again in the backward pass.
        sync_batch_norm: Whether batch normalization sees the rows of all processes, without which results depend on how
            many there are.
        timeout: Seconds to wait for another process.
        memory_format: ``"channels_last"`` or ``"contiguous"`` for images ``(B, C, H, W)``; ``"auto"`` takes
            what is faster for the model. It changes results by rounding only.
        seed: Fixes shuffling and dropout.
        progress: Whether to show a bar on a terminal, or a function that is told events.

    Example:
        >>> X = torch.linspace(-1, 1, 64).unsqueeze(1)
        >>> trainer = Trainer(nn.Linear(1, 1), "mse", lr=0.1, epochs=50, batch_size=16)
        >>> history = trainer.fit((X, 3 * X + 1))
        >>> history["train_loss"][-1] < 1e-4
        True
    """

    def __init__(
        self,
        model: nn.Module,
        loss: str | Loss | None = None,
        optimizer: str | OptimizerFactory | Optimizer = "adam",
        *,
        lr: float | None = None,
        weight_decay: float = 0.0,
        schedule: str | Schedule | LRScheduler | None = None,
        epochs: int = 20,
        batch_size: int = 128,
        clip_norm: float | None = None,
        clip_value: float | None = None,
        metrics: Sequence[str | MetricFunction] = (),
        callbacks: Sequence[Callback] = (),
        objective: ObjectiveFunction | None = None,
        engine: str = "auto",
        device: str | torch.device = "auto",
        parallel: str = "auto",
        accumulate: int = 1,
        precision: str = "float32",
        compile: bool = False,
        activation_checkpointing: bool = False,
        sync_batch_norm: bool = False,
        timeout: float = 600.0,
        memory_format: str = "auto",
        seed: int = 0,
        progress: bool | Tell = True,
    ) -> None:
        check_numbers(epochs, batch_size, clip_norm, clip_value)
        self.engine = check_engine(engine)
        self.spread = Spread(parallel, accumulate, sync_batch_norm, timeout)
        self.rank, self.world_size, local_rank, _ = self.spread.place()
        self.device = choose_device(device, local_rank)
        self.was_meta = is_meta(model)
        stays = self.was_meta and self.spread.is_sharded  # made shard by shard
        self.model = model if stays else placed(model, seed, self.device)
        self.loss, self.objective = agree(loss, objective)
        if isinstance(objective, nn.Module):
            objective.to(self.device)
        self.optimizer = build_optimizer(optimizer, model, lr=lr, weight_decay=weight_decay)
        self.rate = make_rate(schedule, self.optimizer)
        self.scheduler = self.rate.scheduler
        self.epochs, self.batch_size = int(epochs), int(batch_size)
        self.clip_norm, self.clip_value = clip_norm, clip_value
        self.metrics = check_metrics(metrics)
        self.callbacks = sorted(callbacks, key=lambda callback: isinstance(callback, Checkpoint))
        self.seed, self.progress = seed, progress
        self.is_channels_last = wants_channels_last(memory_format, model, self.device)
        self.dtype = float_type(model)
        self.compile, self.activation_checkpointing = compile, activation_checkpointing
        self.precision = Precision(precision, self.device, self.dtype)
        self._reset()

    def _reset(self) -> None:
        self._resumed: Mapping[str, Any] | None = None
        self._moving: Engine | None = None
        self.group, self.draws, self.exchange = ALONE, Draws(), Exchange()
        self.rows = Rows(ALONE)
        self.train_batches: Batches | None = None  # what `fit` trains on, while it runs
        self.epoch, self.position, self.steps = 0, 0, 0
        self.history, self.totals = History(), self.new_totals()
        self.stop_reason: str | None = None  # set, it ends the run after the current batch
        self.epoch_rng = torch.empty(0, dtype=torch.uint8)  # random state as the epoch began
        limits = {"clip_norm": self.clip_norm, "clip_value": self.clip_value}
        self._explained: NonFiniteError | None = None
        self._sight = LossSight(self.objective, self.optimizer, limits)

    # --- the loop

    def fit(
        self,
        train: object,
        validation: object | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        class_weight: ClassWeight = None,
        weighted_sampling: bool = False,
        validation_weight: ArrayLike | None = None,
        cancel: CancelToken | None = None,
    ) -> History:
        r"""Train for ``epochs`` epochs, or for what remains of them after :meth:`resume`.

        Args:
            train: A pair ``(X, y)`` of tensors or arrays, a ``Dataset`` or any iterable of batches.
            validation: The same, measured after every epoch.
            sample_weight: Weight of every row of ``train``, arrays in memory. With weights :math:`w` scaled to 1 on average the
                loss of a batch is :math:`\frac1B\sum_i w_i \ell_i`: whole weights are repeated rows.
            class_weight: ``"balanced"`` gives every class the same total weight; a mapping gives each its factor. It
                multiplies ``sample_weight``.
            weighted_sampling: Draw the rows of an epoch in proportion to their weights, with replacement, and weigh none:
                rare rows come often instead of counting much.
            validation_weight: Weight of every row of ``validation``, in its loss and metrics.
            cancel: Ends the run after the current batch, once it is cancelled.

        Returns:
            One record per epoch.

        Raises:
            Cancelled: Ctrl-C or ``cancel`` ended the run: half a training never passes for a whole one. The model keeps
                what it has learned, and :attr:`history` the records so far.
        """
        weights = Weights(sample_weight, class_weight, weighted_sampling)
        judged = Weights(validation_weight, name="validation_weight")
        with joined(self.spread) as group:
            if self._resumed is None:
                self._reset()
            self.group, self.draws = group, Draws(self.seed, group)
            whole = start_batches(self, train, weights, is_training=True)
            held_out = None if validation is None else start_batches(self, validation, judged)
            self.rows, spread = Rows(group), self.spread
            is_synced = spread.sync_batch_norm
            try:
                check_alike(self, whole, held_out)
                with (
                    sharded(self),
                    synced(self.model, self.rows, is_wanted=is_synced, parts=spread.accumulate),
                    recomputing(self.model, self.activation_checkpointing),
                    compiled(self.model, self.compile),
                ):
                    return self._fit(whole, held_out, cancel)
            finally:
                self.group, self.draws = ALONE, Draws()

    def _fit(self, whole: Batches, held_out: Batches | None, cancel: CancelToken | None) -> History:
        batches = share_batches(self, whole)
        held_out = held_out and share_validation(self, held_out)
        if self._resumed is not None:
            restore_stream(batches, self._resumed)
            self._sight.is_sure |= self.steps > 0
        self.history.schedule = self.rate.note
        self.rate.check_length((batches.steps or 0) * self.epochs)
        self.exchange = Exchange(self.group, lambda: self._wish(cancel), self.device)
        engine, self.history.engine = start_engine(self, batches)
        self._moving, self.train_batches = engine, batches
        try:
            self._loop(batches, held_out, engine, cancel)
        except KeyboardInterrupt as interruption:
            is_asked = isinstance(interruption, Cancelled)
            self.stop_reason = CANCELLED if is_asked else INTERRUPTED
            self._end()
            if isinstance(interruption, Ended):
                raise
            raise Cancelled from interruption
        except Exception as error:
            for callback in self.callbacks:
                callback.on_fit_failed(self, error)
            raise
        return self._end()

    def _wish(self, cancel: CancelToken | None) -> Wish | None:
        """Why this process, before it has asked the others, wants the run to end."""
        wishes = [self.group.signals.wish]
        wishes.append(Wish.CANCEL if cancel is not None and cancel.is_cancelled else None)
        wishes.append(Wish.STOP if self.stop_reason is not None else None)
        return next((wish for wish in wishes if wish is not None), None)

    def _loop(
        self, batches: Batches, held_out: Batches | None, engine: Engine, cancel: CancelToken | None
    ) -> None:
        progress = self.progress if self.group.is_first else False
        bar = TrainingBar(self.epochs, batches.steps, progress=progress)
        with ExitStack() as stack:
            stack.enter_context(seeded(self.seed, self.device))
            stack.enter_context(limit_threads(engine.threads))
            stack.enter_context(reading_channels_last(self.model, self.is_channels_last))
            stack.enter_context(holding_memory())
            stack.enter_context(bar)
            stack.callback(setattr, self, "_moving", None)
            stack.callback(engine.close)
            self.draws.start(self.steps)
            if self._resumed is not None:
                self.draws.load_state_dict(self._resumed)
            self._notify("on_fit_start")
            while self.epoch < self.epochs and self.stop_reason is None:
                self._train_epoch(batches, engine, bar, cancel)
                self._finish_epoch(held_out, bar)
                if not self.group.is_alone:
                    self._heed(self.exchange.agree())

    def _end(self) -> History:
        self._resumed = None
        self.history.stopped = self.stop_reason
        self._notify("on_fit_end")
        self.train_batches = None
        self.model.eval()
        return self.history

    def _train_epoch(
        self, batches: Batches, engine: Engine, bar: TrainingBar, cancel: CancelToken | None
    ) -> None:
        self.model.train()
        self.objective.start("train", self.epoch)
        self._started = time.perf_counter()
        observers = self.observers("on_batch_end")
        if cancel is not None and self.group.is_alone:
            cancel.check()
        with engine.mode(), kernels_arranged(self):
            for batch in self._start_epoch(batches):
                t = self.epoch + (self.position / batches.steps if batches.steps else 0.0)
                self.rate.before_batch(t, float(self.epochs))
                loss = engine(batch) if self._sight.is_sure else self._sight.step(engine, batch)
                self.rate.after_batch()
                self.position += 1
                self.steps += 1
                for callback in observers:
                    with torch.inference_mode(False):
                        callback.on_batch_end(self, loss)
                bar.advance(self.epoch, self.position, self.totals)
                if self._is_over(cancel):
                    break
        if self.position == 0:
            raise InvalidValue(
                f"Trainer: training data must yield batches in every epoch, got none in epoch {self.epoch + 1}. "
                "Pass a list or an object that can be iterated again, not a generator."
            )

    def _is_over(self, cancel: CancelToken | None) -> bool:
        """Whether the run ends after this batch; several processes end after the same."""
        if not self.group.is_alone:
            return self._heed(self.exchange.agreed)
        if self.stop_reason is None and cancel is not None:
            cancel.check()
        return self.stop_reason is not None

    def _heed(self, wish: Wish | None) -> bool:
        """Do what one process at least wishes and all know."""
        if wish is None:
            return False
        if wish == Wish.STOP:
            self.stop_reason = self.stop_reason or "another process asked to stop"
            return True
        if wish == Wish.CANCEL:
            raise Cancelled
        for callback in self.callbacks:
            if isinstance(callback, Checkpoint):
                callback.write(self)
        raise Ended(wish)

    def _start_epoch(self, batches: Batches) -> Iterator[Batch]:
        """Begin an epoch, or go on inside it with the order of batches it had."""
        with self.draws.together():
            return self._order(batches)

    def _order(self, batches: Batches) -> Iterator[Batch]:
        if self.position == 0:
            self.epoch_rng, self.totals = torch.get_rng_state(), self.new_totals()
            return batches.epoch(self.epoch)
        now = torch.get_rng_state()
        torch.set_rng_state(self.epoch_rng)
        rest = batches.epoch(self.epoch, skip=self.position)
        torch.set_rng_state(now)
        return rest

    def _finish_epoch(self, held_out: Batches | None, bar: TrainingBar) -> None:
        self._sight.conclude()
        check_parameters(self.model, epoch=self.epoch + 1, number=self.position)
        means = self.totals.means()
        check_figures(means, epoch=self.epoch + 1, number=self.position)
        record = {"epoch": self.epoch + 1, **means}
        if held_out is not None:
            figures = {f"validation_{k}": v for k, v in self._measure(held_out).items()}
            bar.validated(figures, self.epoch)
            record |= figures
        record["lr"] = self.rate.lr
        record["seconds"] = time.perf_counter() - self._started
        self.rate.after_epoch(record)
        self.history.records.append(record)
        self.epoch, self.position = self.epoch + 1, 0
        self._notify("on_epoch_end", record)

    def new_totals(self) -> Totals:
        """Return empty totals, read at once on a CPU, late on an accelerator."""
        return Totals(is_lazy=self.device.type != "cpu")

    # --- measuring

    def evaluate(
        self,
        data: object,
        metrics: Sequence[str | MetricFunction] | None = None,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> dict[str, float]:
        """Return the loss and the metrics of ``data``, whose rows may weigh, in evaluation mode."""
        with reading_channels_last(self.model, self.is_channels_last):
            return self._measure(start_batches(self, data, Weights(sample_weight)), metrics)

    def _measure(
        self, batches: Batches, metrics: Sequence[str | MetricFunction] | None = None
    ) -> dict[str, float]:
        self.model.eval()
        self.objective.start("evaluate", self.epoch)
        wanted = self.metrics if metrics is None else metrics
        with self.precision.forward():
            return measure(
                self.model, self.objective, batches, wanted, self.new_totals(), self.group
            )

    def predict(self, inputs: object) -> Tensor:
        """Return the model's outputs for all rows of ``inputs``, in evaluation mode, on the CPU."""
        self.model.eval()
        rows = as_tensor(inputs, self.dtype, "inputs").split(max(self.batch_size, 1024))
        with reading_channels_last(self.model, self.is_channels_last), self.precision.forward():
            return outputs(self.model, self.objective, rows, self.device)

    # --- what callbacks use, and engines are told

    def stop(self, reason: str = "asked to stop") -> None:
        """End the run after the current batch."""
        self.stop_reason = reason

    def observers(self, moment: str) -> list[Callback]:
        """Return the callbacks that do something at ``moment``."""
        heard = (c for c in self.callbacks if self.group.is_first or not c.once)
        return [callback for callback in heard if callback.observes(moment)]

    def _observe(self, loss: Tensor | None, batch: Batch, figures: Figures, rows: int) -> None:
        """Take a batch's figures into the totals of the epoch; one that is not finite ends the run."""
        ago = self.totals.add(loss, rows, figures)
        if ago is not None:
            raise first_told(self.group, self._explained, partial(self.explain, batch, ago=ago))

    def explain(self, batch: Batch, figure: str | None = None, *, ago: int = 0) -> NonFiniteError:
        """Find out why a figure of a batch is not finite; processes that share it are told at the end of the step."""
        forward = partial(loss_and_figures, self.objective, self.model, batch)
        place = {"epoch": self.epoch + 1, "number": self.position + 1 - ago}
        figure = figure or self.totals.bad
        if self.group.is_sharded:  # a forward pass of one process alone would wait for the others
            self._explained = explain_bad_share(batch, **place, figure=figure)
        else:
            self._explained = explain_bad_loss(self.model, batch, forward, **place, figure=figure)
        return self._explained

    def _notify(self, moment: str, *arguments: Any) -> None:
        for callback in self.observers(moment):
            getattr(callback, moment)(self, *arguments)

    # --- saving and resuming

    def state_dict(self) -> dict[str, Any]:
        """Everything a run needs to go on: weights, optimizers, schedule, random state, place, history, state of
        objective, callbacks and data."""
        if self._moving is not None:
            self._moving.sync()
        return run_state(self)

    def resume(self, path: str | Path) -> None:
        """Load a checkpoint; the next :meth:`fit` goes on from there to the same numbers.

        Raises:
            InvalidValue: The file is damaged, foreign, or of another model; nothing was changed then.
        """
        with said_once(self.spread):
            self._resumed = restore_run(self, path)
