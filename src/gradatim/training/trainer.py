"""The training loop."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from gradatim.errors import InvalidValue, require, require_whole
from gradatim.events import Cancelled, CancelToken, Tell
from gradatim.losses import Loss, build_loss
from gradatim.optim import Schedule, build_optimizer, build_schedule
from gradatim.optim.named import OptimizerFactory
from gradatim.randomness import seeded
from gradatim.threads import limit_threads
from gradatim.training.batches import Batch, Batches, as_tensor, make_batches, prepare_target
from gradatim.training.callbacks import Callback
from gradatim.training.checkpoint import Checkpoint, restore_run, restore_stream, run_state
from gradatim.training.device import choose_device
from gradatim.training.engines.channels_last import (
    reading_channels_last,
    training_channels_last,
    wants_channels_last,
)
from gradatim.training.engines.choosing import (
    ENGINES,
    check_engine,
    choose_engine,
    works_in_any_layout,
)
from gradatim.training.engines.engine import Engine, Run
from gradatim.training.health import check_figures, check_parameters, explain_bad_loss
from gradatim.training.held_memory import holding_memory
from gradatim.training.history import CANCELLED, INTERRUPTED, EngineChoice, History
from gradatim.training.loss_sight import LossSight
from gradatim.training.measuring import measure, outputs
from gradatim.training.metrics import MetricFunction, build_metric
from gradatim.training.objectives.objective import (
    Figures,
    ObjectiveFunction,
    as_objective,
    loss_and_figures,
)
from gradatim.training.objectives.supervised import Supervised
from gradatim.training.progress import TrainingBar
from gradatim.training.scheduling import Stepper
from gradatim.training.totals import Totals


class Trainer:
    """Minimize the loss of a model by mini-batch gradient descent.

    Args:
        model: Any :class:`torch.nn.Module`; it is moved to ``device``.
        loss: Name (``cross_entropy``, ``bce``, ``mse``, ``mae``, ``huber``) or function
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
        memory_format: str = "auto",
        seed: int = 0,
        progress: bool | Tell = True,
    ) -> None:
        require_whole("Trainer", epochs=epochs, batch_size=batch_size)
        for name, limit in (("clip_norm", clip_norm), ("clip_value", clip_value)):
            rule = f"Trainer: {name} must be more than 0"
            require(limit is None or limit > 0, rule, limit, "Try 1.0.")
        self.engine = check_engine(engine)
        self.device = choose_device(device)
        self.model = model.to(self.device)
        self.loss = build_loss("cross_entropy" if loss is None else loss)
        self.objective = Supervised() if objective is None else as_objective(objective)
        is_used = self.objective.adopt(self.loss) or self.objective.loss is self.loss
        rule = "Trainer: loss must be left out beside an objective that does not use it"
        require(loss is None or is_used, rule, repr(loss), "Give it to the objective.")
        if isinstance(objective, nn.Module):
            objective.to(self.device)
        self.optimizer = build_optimizer(optimizer, model, lr=lr, weight_decay=weight_decay)
        self.scheduler, self.stepper = None, None
        if isinstance(schedule, LRScheduler):
            self.scheduler, self.stepper = schedule, Stepper(schedule, self.optimizer)
        self.schedule = build_schedule(None if isinstance(schedule, LRScheduler) else schedule)
        self.epochs, self.batch_size = int(epochs), int(batch_size)
        self.clip_norm, self.clip_value = clip_norm, clip_value
        self.metrics = tuple(metrics)
        for metric in self.metrics:
            build_metric(metric)
        self.callbacks = sorted(callbacks, key=lambda callback: isinstance(callback, Checkpoint))
        self.seed, self.progress = seed, progress
        self.is_channels_last = wants_channels_last(memory_format, model, self.device)
        self.base_lrs = [group["lr"] for group in self.optimizer.param_groups]
        floats = (p.dtype for p in model.parameters() if p.is_floating_point())
        self.dtype = next(floats, torch.get_default_dtype())
        self._resumed: Mapping[str, Any] | None = None
        self._moving: Engine | None = None
        self.train_batches: Batches | None = None  # what `fit` trains on, while it runs
        self._reset()

    def _reset(self) -> None:
        self.epoch, self.position, self.steps = 0, 0, 0
        self.history, self.totals = History(), self.new_totals()
        self.stop_reason: str | None = None  # set, it ends the run after the current batch
        self.epoch_rng = torch.empty(0, dtype=torch.uint8)  # random state as the epoch began
        self._sight: LossSight | None = LossSight(self.objective, self.optimizer)

    # --- the loop

    def fit(
        self,
        train: object,
        validation: object | None = None,
        *,
        cancel: CancelToken | None = None,
    ) -> History:
        """Train for ``epochs`` epochs, or for what remains of them after :meth:`resume`.

        Args:
            train: A pair ``(X, y)`` of tensors or arrays, a ``Dataset`` or any iterable of batches.
            validation: The same, measured after every epoch.
            cancel: Ends the run after the current batch, once it is cancelled.

        Returns:
            One record per epoch.

        Raises:
            Cancelled: Ctrl-C or ``cancel`` ended the run: half a training never passes for a whole one. The model keeps
                what it has learned, and :attr:`history` the records so far.
        """
        batches = self._batches(train, is_training=True)
        held_out = None if validation is None else self._batches(validation)
        if self._resumed is None:
            self._reset()
        else:
            restore_stream(batches, self._resumed)
            self._sight = None if self.steps else self._sight
        if self.stepper is not None:
            self.history.schedule = str(self.stepper)
            self.stepper.check_length((batches.steps or 0) * self.epochs)
        run = self._describe(batches)
        choice = choose_engine(self.engine, run, batches)
        note = "; images lie channels last" if self.is_channels_last else ""
        self.history.engine = EngineChoice(choice.name, choice.reason + note)
        engine = ENGINES[choice.name](run)
        self._moving, self.train_batches = engine, batches
        try:
            self._loop(batches, held_out, engine, cancel)
        except KeyboardInterrupt as interruption:
            is_asked = isinstance(interruption, Cancelled)
            self.stop_reason = CANCELLED if is_asked else INTERRUPTED
            self._end()
            raise Cancelled from interruption
        return self._end()

    def _loop(
        self, batches: Batches, held_out: Batches | None, engine: Engine, cancel: CancelToken | None
    ) -> None:
        bar = TrainingBar(self.epochs, batches.steps, progress=self.progress)
        with ExitStack() as stack:
            stack.enter_context(seeded(self.seed, self.device))
            stack.enter_context(limit_threads(engine.threads))
            stack.enter_context(reading_channels_last(self.model, self.is_channels_last))
            stack.enter_context(holding_memory())
            stack.enter_context(bar)
            stack.callback(self._release)
            if self._resumed is not None:
                torch.set_rng_state(self._resumed["rng"])
            self._notify("on_fit_start")
            while self.epoch < self.epochs and self.stop_reason is None:
                self._train_epoch(batches, engine, bar, cancel)
                self._finish_epoch(held_out, bar)

    def _end(self) -> History:
        self._resumed = None
        self.history.stopped = self.stop_reason
        self._notify("on_fit_end")
        self.train_batches = None
        self.model.eval()
        return self.history

    def _describe(self, batches: Batches) -> Run:
        return Run(
            self.model,
            self.objective,
            self.optimizer,
            self.batch_size,
            self.clip_norm,
            self.clip_value,
            batches.count,
            self._observe,
            self._gradient_watch(),
            has_scheduler=self.scheduler is not None,
            needs_autograd=any(callback.needs_autograd for callback in self.callbacks),
        )

    def _train_epoch(
        self, batches: Batches, engine: Engine, bar: TrainingBar, cancel: CancelToken | None
    ) -> None:
        self.model.train()
        self.objective.start("train", self.epoch)
        self._started = time.perf_counter()
        observers = self.observers("on_batch_end")
        if cancel is not None:
            cancel.check()
        with engine.mode(), self._kernels_arranged():
            for batch in self._start_epoch(batches):
                self._set_lr(self.epoch + (self.position / batches.steps if batches.steps else 0.0))
                loss = engine(batch) if self._sight is None else self._first_steps(engine, batch)
                if self.stepper is not None:
                    self.stepper.after_batch()
                self.position += 1
                self.steps += 1
                for callback in observers:
                    with torch.inference_mode(False):
                        callback.on_batch_end(self, loss)
                bar.advance(self.epoch, self.position, self.totals)
                if self.stop_reason is not None:
                    break
                if cancel is not None:
                    cancel.check()
        if self.position == 0:
            raise InvalidValue(
                f"Trainer: training data must yield batches in every epoch, got none in epoch {self.epoch + 1}. "
                "Pass a list or an object that can be iterated again, not a generator."
            )

    def _first_steps(self, engine: Engine, batch: Batch) -> Tensor | None:
        """Take a step, looking whether the loss sees the model, until it is sure."""
        assert self._sight is not None
        loss = self._sight.step(engine, batch)
        for name, limit in (("clip_norm", self.clip_norm), ("clip_value", self.clip_value)):
            rule = (
                f"Trainer: {name} must be left out beside an objective that moves the model itself"
            )
            require(loss is not None or limit is None, rule, limit, "Clip in the objective.")
        if self._sight.is_sure:
            self._sight = None
        return loss

    def _kernels_arranged(self) -> AbstractContextManager[None]:
        """Channels last, unless somebody looks on who may ``view`` weights or gradients."""
        may_move = self.is_channels_last and works_in_any_layout(self.objective, self.callbacks)
        return training_channels_last(self.model, self.optimizer, may_move)

    def _start_epoch(self, batches: Batches) -> Iterator[Batch]:
        """Begin an epoch, or go on inside it with the order of batches it had."""
        if self.position == 0:
            self.epoch_rng, self.totals = torch.get_rng_state(), self.new_totals()
            return batches.epoch(self.epoch)
        now = torch.get_rng_state()
        torch.set_rng_state(self.epoch_rng)
        rest = batches.epoch(self.epoch, skip=self.position)
        torch.set_rng_state(now)
        return rest

    def _finish_epoch(self, held_out: Batches | None, bar: TrainingBar) -> None:
        if self._sight is not None:
            self._sight.conclude()
            self._sight = None
        check_parameters(self.model, epoch=self.epoch + 1, number=self.position)
        means = self.totals.means()
        check_figures(means, epoch=self.epoch + 1, number=self.position)
        record = {"epoch": self.epoch + 1, **means}
        if held_out is not None:
            figures = {f"validation_{k}": v for k, v in self._measure(held_out).items()}
            bar.validated(figures, self.epoch)
            record |= figures
        now = None if self.stepper is None else self.stepper.lr
        record["lr"] = self.optimizer.param_groups[0]["lr"] if now is None else now
        record["seconds"] = time.perf_counter() - self._started
        if self.stepper is not None:
            self.stepper.after_epoch(record)
        self.history.records.append(record)
        self.epoch, self.position = self.epoch + 1, 0
        self._notify("on_epoch_end", record)

    def _set_lr(self, t: float) -> None:
        if self.scheduler is None:
            factor = self.schedule(t, float(self.epochs))
            for group, lr in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
                group["lr"] = lr * factor

    def new_totals(self) -> Totals:
        """Return empty totals, read at once on a CPU, late on an accelerator."""
        return Totals(is_lazy=self.device.type != "cpu")

    def _release(self) -> None:
        if self._moving is not None:
            self._moving.close()
            self._moving = None

    def _batches(self, data: object, *, is_training: bool = False) -> Batches:
        norms = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
        return make_batches(
            data,
            batch_size=self.batch_size,
            seed=self.seed if is_training else None,
            device=self.device,
            dtype=self.dtype,
            target=partial(prepare_target, loss=self.objective.loss, dtype=self.dtype),
            drop_single=is_training and any(isinstance(m, norms) for m in self.model.modules()),
        )

    # --- measuring

    def evaluate(
        self, data: object, metrics: Sequence[str | MetricFunction] | None = None
    ) -> dict[str, float]:
        """Return the loss and the metrics of ``data``, in evaluation mode."""
        with reading_channels_last(self.model, self.is_channels_last):
            return self._measure(self._batches(data), metrics)

    def _measure(
        self, batches: Batches, metrics: Sequence[str | MetricFunction] | None = None
    ) -> dict[str, float]:
        self.model.eval()
        self.objective.start("evaluate", self.epoch)
        wanted = self.metrics if metrics is None else metrics
        return measure(self.model, self.objective, batches, wanted, self.new_totals())

    def predict(self, inputs: object) -> Tensor:
        """Return the model's outputs for all rows of ``inputs``, in evaluation mode, on the CPU."""
        self.model.eval()
        rows = as_tensor(inputs, self.dtype, "inputs").split(max(self.batch_size, 1024))
        with reading_channels_last(self.model, self.is_channels_last):
            return outputs(self.model, self.objective, rows, self.device)

    # --- what callbacks use, and engines are told

    def stop(self, reason: str = "asked to stop") -> None:
        """End the run after the current batch."""
        self.stop_reason = reason

    def observers(self, moment: str) -> list[Callback]:
        """Return the callbacks that do something at ``moment``."""
        return [callback for callback in self.callbacks if callback.observes(moment)]

    def _observe(self, loss: Tensor | None, batch: Batch, figures: Figures, rows: int) -> None:
        """Take a batch's figures into the totals of the epoch; one that is not finite ends the run."""
        ago = self.totals.add(loss, rows, figures)
        if ago is not None:
            raise explain_bad_loss(
                self.model,
                batch,
                partial(loss_and_figures, self.objective, self.model, batch),
                epoch=self.epoch + 1,
                number=self.position + 1 - ago,
                figure=self.totals.bad,
            )

    def _gradient_watch(self) -> Callable[[Tensor], None] | None:
        observers = self.observers("on_gradients")

        def watch(loss: Tensor) -> None:
            for callback in observers:
                callback.on_gradients(self, loss)

        return watch if observers else None

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
        self._resumed = restore_run(self, path)
