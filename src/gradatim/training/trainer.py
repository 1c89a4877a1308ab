"""The training loop."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from gradatim.errors import GradatimError, InvalidValue
from gradatim.losses import Loss, build_loss
from gradatim.models.weights import check_weights
from gradatim.optim import Schedule, build_optimizer, build_schedule
from gradatim.optim.named import OptimizerFactory
from gradatim.randomness import seeded
from gradatim.threads import limit_threads
from gradatim.training.batches import Batch, Batches, as_tensor, make_batches, prepare_target
from gradatim.training.callbacks import Callback
from gradatim.training.checkpoint import Checkpoint, load_checkpoint
from gradatim.training.device import choose_device
from gradatim.training.engines.channels_last import (
    reading_channels_last,
    training_channels_last,
    wants_channels_last,
)
from gradatim.training.engines.general import (
    Attack,
    AutogradStep,
    ChainStep,
    Step,
    StepFunction,
    forward,
    rows_of,
)
from gradatim.training.engines.truncated import TruncatedStep, check_bptt, split_state
from gradatim.training.health import check_parameters, explain_bad_batch, explain_bad_loss
from gradatim.training.held_memory import holding_memory
from gradatim.training.history import History
from gradatim.training.metrics import Mean, MetricFunction, build_metric
from gradatim.training.progress import TrainingBar
from gradatim.training.totals import Totals


class Trainer:
    """Minimize the loss of a model by mini-batch gradient descent.

    Args:
        model: Any :class:`torch.nn.Module`; it is moved to ``device``.
        loss: Name (``cross_entropy``, ``bce``, ``mse``, ``mae``, ``huber``) or function
            ``(output, target) -> scalar``.
        optimizer: Name, factory ``(parameter_groups, lr) -> Optimizer`` or PyTorch optimizer.
        lr: Initial learning rate.
        weight_decay: Penalty on weights; biases and normalization gains are left out.
        schedule: Name, function ``(t, T) -> factor`` with time in epochs, or a PyTorch scheduler,
            stepped once per epoch.
        epochs: Passes over the data.
        batch_size: Rows per batch, where batches are cut from arrays.
        clip_norm: Largest norm of the gradient.
        clip_value: Largest absolute value of an entry of the gradient; applied before ``clip_norm``.
        metrics: Names (``accuracy``, ``error``, ``r2``, ``mse``, ``mae``) or functions
            ``(output, target) -> batch mean``, measured on the validation data.
        callbacks: Observers, in order; checkpoints come last.
        step: Replaces forward pass and loss: a function ``(model, batch) -> loss``, or a mapping with
            ``"loss"`` and other figures to record. A mapping without ``"loss"`` means that the step
            has updated the model itself.
        attack: Function ``(model, x, y) -> x'`` that worsens the inputs of every training batch, such as
            ``functools.partial(pgd, eps=0.1, steps=7)``: adversarial training. Validation stays clean.
        bptt: Steps of a chunk of truncated backpropagation through time, for models called as
            ``output, state = model(x, state=state)`` on sequences ``(B, T, ...)``: one step of the
            optimizer per chunk, the state carried on, detached. From ``T`` on nothing is truncated.
        device: ``"auto"`` takes an accelerator when there is one.
        memory_format: ``"channels_last"`` or ``"contiguous"`` for images ``(B, C, H, W)``; ``"auto"`` takes
            what is faster for the model. It changes results by rounding only.
        seed: Fixes shuffling and dropout.
        progress: Whether to show a bar on a terminal.

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
        loss: str | Loss = "cross_entropy",
        optimizer: str | OptimizerFactory | Optimizer = "adam",
        *,
        lr: float = 1e-3,
        weight_decay: float = 0.0,
        schedule: str | Schedule | LRScheduler | None = None,
        epochs: int = 20,
        batch_size: int = 128,
        clip_norm: float | None = None,
        clip_value: float | None = None,
        metrics: Sequence[str | MetricFunction] = (),
        callbacks: Sequence[Callback] = (),
        step: StepFunction | None = None,
        attack: Attack | None = None,
        bptt: int | None = None,
        device: str | torch.device = "auto",
        memory_format: str = "auto",
        seed: int = 0,
        progress: bool = True,
    ) -> None:
        for name, value in (("epochs", epochs), ("batch_size", batch_size)):
            if value < 1 or value != int(value):
                raise InvalidValue(f"Trainer: {name} must be a whole number from 1, got {value!r}.")
        for name, limit in (("clip_norm", clip_norm), ("clip_value", clip_value)):
            if limit is not None and not limit > 0:
                raise InvalidValue(f"Trainer: {name} must be more than 0, got {limit}. Try 1.0.")
        self.bptt = check_bptt(bptt, is_alone=step is None and attack is None)
        self.device = choose_device(device)
        self.model = model.to(self.device)
        self.loss = build_loss(loss)
        self.optimizer = build_optimizer(optimizer, model, lr=lr, weight_decay=weight_decay)
        self.scheduler = schedule if isinstance(schedule, LRScheduler) else None
        self.schedule = build_schedule(None if isinstance(schedule, LRScheduler) else schedule)
        self.epochs, self.batch_size = int(epochs), int(batch_size)
        self.clip_norm, self.clip_value = clip_norm, clip_value
        self.metrics, self.step, self.attack = tuple(metrics), step, attack
        for metric in self.metrics:
            build_metric(metric)
        self.callbacks = sorted(callbacks, key=lambda callback: isinstance(callback, Checkpoint))
        self.seed, self.progress = seed, progress
        self.is_channels_last = wants_channels_last(memory_format, model, self.device)
        self.base_lrs = [group["lr"] for group in self.optimizer.param_groups]
        floats = (p.dtype for p in model.parameters() if p.is_floating_point())
        self.dtype = next(floats, torch.get_default_dtype())
        self._resumed: Mapping[str, Any] | None = None
        self._moving: Step | None = None
        self.train_batches: Batches | None = None  # what `fit` trains on, while it runs
        self._reset()

    def _reset(self) -> None:
        self.epoch, self.position, self.steps = 0, 0, 0
        self.history, self.totals = History(), self._new_totals()
        self._stop: str | None = None
        self._epoch_rng = torch.empty(0, dtype=torch.uint8)

    # --- the loop

    def fit(self, train: object, validation: object | None = None) -> History:
        """Train for ``epochs`` epochs, or for what remains of them after :meth:`resume`.

        Args:
            train: A pair ``(X, y)`` of tensors or arrays, a ``Dataset`` or any iterable of batches.
            validation: The same, measured after every epoch.

        Returns:
            One record per epoch. Ctrl-C ends the run and returns the records so far.
        """
        batches = self._batches(train, is_training=True)
        held_out = None if validation is None else self._batches(validation)
        if self._resumed is None:
            self._reset()
        step = self._choose_step(batches)
        self._moving, self.train_batches = step, batches
        bar = TrainingBar(self.epochs, batches.steps, is_shown=self.progress)
        with ExitStack() as stack:
            stack.enter_context(seeded(self.seed, self.device))
            stack.enter_context(limit_threads(step.threads))
            stack.enter_context(reading_channels_last(self.model, self.is_channels_last))
            stack.enter_context(holding_memory())
            stack.enter_context(bar)
            stack.callback(self._release)
            if self._resumed is not None:
                torch.set_rng_state(self._resumed["rng"])
            try:
                self._notify("on_fit_start")
                while self.epoch < self.epochs and self._stop is None:
                    self._train_epoch(batches, step, bar)
                    self._finish_epoch(held_out, bar)
            except KeyboardInterrupt:
                self._stop = "interrupted"
            self._resumed = None
        self.history.stopped = self._stop
        self._notify("on_fit_end")
        self.train_batches = None
        self.model.eval()
        return self.history

    def _choose_step(self, batches: Batches) -> Step:
        if self.bptt is not None:
            return TruncatedStep(self, self.bptt)
        return ChainStep(self) if ChainStep.fits(self, batches) else AutogradStep(self)

    def _train_epoch(self, batches: Batches, step: Step, bar: TrainingBar) -> None:
        self.model.train()
        self._started = time.perf_counter()
        observers = self.observers("on_batch_end")
        with step.mode(), self._kernels_arranged():
            for batch in self._start_epoch(batches):
                self._set_lr(self.epoch + (self.position / batches.steps if batches.steps else 0.0))
                loss = step(batch) if self.steps else self._first(step, batch)
                self.position += 1
                self.steps += 1
                for callback in observers:
                    with torch.inference_mode(False):
                        callback.on_batch_end(self, loss)
                bar.advance(self.epoch, self.position, self.totals)
                if self._stop is not None:
                    break
        if self.position == 0:
            raise InvalidValue(
                f"Trainer: training data must yield batches in every epoch, got none in epoch {self.epoch + 1}. "
                "Pass a list or an object that can be iterated again, not a generator."
            )

    def _kernels_arranged(self) -> AbstractContextManager[None]:
        """Channels last, unless code of somebody's own looks on, which may ``view`` weights or gradients."""
        watchers = [*self.observers("on_gradients"), *self.observers("on_batch_end"), self.step]
        is_alone = all(w is None or _is_ours(w) for w in watchers)
        return training_channels_last(
            self.model, self.optimizer, self.is_channels_last and is_alone
        )

    def _start_epoch(self, batches: Batches) -> Iterator[Batch]:
        """Begin an epoch, or go on inside it with the order of batches it had."""
        if self.position == 0:
            self._epoch_rng, self.totals = torch.get_rng_state(), self._new_totals()
            return batches.epoch(self.epoch)
        now = torch.get_rng_state()
        torch.set_rng_state(self._epoch_rng)
        rest = batches.epoch(self.epoch, skip=self.position)
        torch.set_rng_state(now)
        return rest

    def _first(self, step: Step, batch: Batch) -> Tensor | None:
        """Take the first step, where shapes and types of model and data meet."""
        try:
            return step(batch)
        except (RuntimeError, IndexError, TypeError, ValueError) as error:
            if isinstance(error, GradatimError):
                raise
            raise InvalidValue(explain_bad_batch(batch, error)) from error

    def _finish_epoch(self, held_out: Batches | None, bar: TrainingBar) -> None:
        check_parameters(self)
        record = {"epoch": self.epoch + 1, **self.totals.means()}
        if held_out is not None:
            figures = {f"validation_{k}": v for k, v in self._measure(held_out).items()}
            bar.validated(figures)
            record |= figures
        record["lr"] = self.optimizer.param_groups[0]["lr"]
        record["seconds"] = time.perf_counter() - self._started
        if self.scheduler is not None:
            self.scheduler.step()
        self.history.records.append(record)
        self.epoch, self.position = self.epoch + 1, 0
        self._notify("on_epoch_end", record)

    def _set_lr(self, t: float) -> None:
        if self.scheduler is None:
            factor = self.schedule(t, float(self.epochs))
            for group, lr in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
                group["lr"] = lr * factor

    def _new_totals(self) -> Totals:
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
            target=self._prepare_target,
            drop_single=is_training and any(isinstance(m, norms) for m in self.model.modules()),
        )

    def _prepare_target(self, y: Tensor) -> Tensor:
        if self.step is None:
            return prepare_target(y, self.loss, self.dtype)
        return y if y.is_floating_point() else y.long()  # what it means, only the step knows

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
        meters = [build_metric(m) for m in (self.metrics if metrics is None else metrics)]
        if self.step is None:
            meters = [Mean("loss", self.loss), *meters]
        figures = {} if self.step is None else self._measure_step(batches)
        if meters:
            with torch.inference_mode():
                for batch in batches.whole():
                    output = self._output(*batch[:-1])
                    for meter in meters:
                        meter.update(output, batch[-1])
        return figures | {meter.name: meter.compute() for meter in meters}

    def _measure_step(self, batches: Batches) -> dict[str, float]:
        totals = self._new_totals()
        # not inference mode: a custom step may need gradients, such as those of an attack
        with torch.no_grad():
            for batch in batches.whole():
                loss, figures = forward(self, batch)
                totals.add(loss, rows_of(batch), figures)
        return {name.removeprefix("train_"): value for name, value in totals.means().items()}

    @torch.inference_mode()
    def predict(self, inputs: object) -> Tensor:
        """Return the model's outputs for all rows of ``inputs``, in evaluation mode, on the CPU."""
        self.model.eval()
        rows = as_tensor(inputs, self.dtype, "inputs").split(max(self.batch_size, 1024))
        with reading_channels_last(self.model, self.is_channels_last):
            return torch.cat([self._output(part.to(self.device)).cpu() for part in rows])

    def _output(self, *inputs: Tensor) -> Any:
        result = self.model(*inputs)
        return result if self.bptt is None else split_state(result)[0]

    # --- what steps and callbacks use

    def stop(self, reason: str = "asked to stop") -> None:
        """End the run after the current batch."""
        self._stop = reason

    def observers(self, moment: str) -> list[Callback]:
        """Return the callbacks that do something at ``moment``."""
        nothing = getattr(Callback, moment)
        return [c for c in self.callbacks if getattr(type(c), moment) is not nothing]

    def observe(
        self,
        loss: Tensor | None,
        batch: Batch,
        figures: Mapping[str, Tensor | float],
        rows: int | None = None,
    ) -> None:
        """Take a batch's loss into the totals of the epoch; a loss that is not finite ends the run."""
        ago = self.totals.add(loss, rows or rows_of(batch), figures)
        if ago is not None:
            raise explain_bad_loss(self, batch, ago)

    def _notify(self, moment: str, *arguments: Any) -> None:
        for callback in self.observers(moment):
            getattr(callback, moment)(self, *arguments)

    # --- saving and resuming

    def state_dict(self) -> dict[str, Any]:
        """Everything a run needs to go on: weights, optimizer, schedule, random state, place, history."""
        if self._moving is not None:
            self._moving.sync()
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler.state_dict() if self.scheduler else {},
            "rng": torch.get_rng_state(),
            "epoch_rng": self._epoch_rng,
            "epoch": self.epoch,
            "position": self.position,
            "steps": self.steps,
            "stopped": self._stop,
            "totals": self.totals.state_dict(),
            "history": self.history.records,
            "callbacks": [callback.state_dict() for callback in self.callbacks],
        }

    def resume(self, path: str | Path) -> None:
        """Load a checkpoint; the next :meth:`fit` goes on from there to the same numbers.

        Raises:
            InvalidValue: The file is damaged, foreign, or of another model; nothing was changed then.
        """
        state = load_checkpoint(path)
        check_weights(f"resume({str(path)!r})", self.model, state["model"])
        saved = [len(group["params"]) for group in state["optimizer"]["param_groups"]]
        own = [len(group["params"]) for group in self.optimizer.param_groups]
        if saved != own or len(state["callbacks"]) != len(self.callbacks):
            raise InvalidValue(
                f"resume({str(path)!r}): optimizer and callbacks must be those of the saved run, got "
                f"parameter groups {own} instead of {saved} and {len(self.callbacks)} callbacks "
                f"instead of {len(state['callbacks'])}."
            )
        self.optimizer.load_state_dict(state["optimizer"])
        self.model.load_state_dict(state["model"])
        if self.scheduler is not None:
            self.scheduler.load_state_dict(state["scheduler"])
        for callback, saved_state in zip(self.callbacks, state["callbacks"], strict=True):
            callback.load_state_dict(saved_state)
        self.epoch, self.position, self.steps = state["epoch"], state["position"], state["steps"]
        self._stop, self._epoch_rng = state["stopped"], state["epoch_rng"]
        self.history, self.totals = History(state["history"]), self._new_totals()
        self.totals.load_state_dict(state["totals"])
        self._resumed = state


def _is_ours(code: object) -> bool:
    """Whether a function or the class of an object is Gradatim's; a ``partial`` says nothing of what it calls."""
    return (getattr(code, "__module__", None) or "").startswith("gradatim.")
