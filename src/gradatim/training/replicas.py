"""K independent trainings of one architecture as one computation."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue, require
from gradatim.events import CancelToken
from gradatim.losses import Loss, build_loss
from gradatim.optim import Schedule, build_schedule
from gradatim.optim.named import OptimizerFactory, default_lr
from gradatim.randomness import seeded
from gradatim.training.batches import as_tensor
from gradatim.training.callbacks import EarlyStopping
from gradatim.training.engines.choosing import SLOWER, why_not_stacked
from gradatim.training.engines.stacked_run import DIVERGED, Settings, StackedRun
from gradatim.training.health import NonFiniteError
from gradatim.training.history import History
from gradatim.training.replica_data import OWNER, ReplicaData, Rows, gather_data, is_pair
from gradatim.training.trainer import Trainer

T = TypeVar("T", int, float)


@dataclass(frozen=True, eq=False, repr=False)
class Replicas:
    """K trained networks.

    Args:
        models: The networks, in evaluation mode.
        histories: One :class:`History` each; ``stopped`` says why one ended early.
        is_stacked: Whether they trained as one computation.
        note: Why they did not.
    """

    models: tuple[nn.Module, ...]
    histories: tuple[History, ...]
    is_stacked: bool
    note: str = ""

    def __len__(self) -> int:
        return len(self.models)

    @property
    def diverged(self) -> tuple[bool, ...]:
        """For every replica, whether its loss or a weight ceased to be finite."""
        return tuple(history.stopped == DIVERGED for history in self.histories)

    @torch.inference_mode()
    def predict(self, inputs: object) -> Tensor:
        """Return the outputs of every network, shape ``(K, N, ...)``."""
        dtype = next(self.models[0].parameters()).dtype
        return torch.stack([model(as_tensor(inputs, dtype, "inputs")) for model in self.models])

    def __repr__(self) -> str:
        how = "stacked" if self.is_stacked else f"one after another: {self.note}"
        return f"Replicas({len(self)} networks, {how})"


def train_replicas(
    build: Callable[[], nn.Module],
    data: object,
    *,
    rows: Sequence[Rows] | None = None,
    validation: object | None = None,
    validation_rows: Sequence[Rows] | None = None,
    loss: str | Loss = "cross_entropy",
    optimizer: str | OptimizerFactory = "adam",
    lr: float | Sequence[float] | None = None,
    weight_decay: float | Sequence[float] = 0.0,
    schedule: str | Schedule | None = None,
    epochs: int = 20,
    batch_size: int = 128,
    clip_norm: float | None = None,
    clip_value: float | None = None,
    early_stopping: EarlyStopping | None = None,
    seed: int | Sequence[int] = 0,
    sample_weight: object | None = None,
    validation_weight: object | None = None,
    cancel: CancelToken | None = None,
) -> Replicas:
    r"""Train K networks of one architecture at once: folds, seeds or hyper-parameters.

    .. math:: w^k_{t+1} = w^k_t - \eta^k\,u(\nabla L(w^k_t;\,B^k_t)), \qquad k = 1 \dots K

    Each network sees the batches, the dropout masks and the schedule it would see alone in
    ``Trainer(build(), …, seed=seed)``, so the results agree to rounding. Chains of dense layers train by
    batched matrix products without autograd, other modules by ``torch.func``; where neither is possible
    (batch normalization, random layers outside a chain) the networks train one after another, with a
    warning; so do convolutions, without one, since they are faster that way. A replica whose loss is no longer finite stops; the others go on.

    Args:
        build: Makes a network; called K times, with PyTorch's generator seeded by the replica's seed.
        data: A pair ``(X, y)`` for all, or K pairs.
        rows: K index sets (or masks) into a shared pair, such as the training rows of K folds.
        validation: A pair for all, or K pairs, whose loss is measured after every epoch.
        validation_rows: K index sets into the shared ``data`` instead.
        loss: As in :class:`Trainer`.
        optimizer: Name or factory of SGD, Adam or AdamW in any form; others train one after another.
        lr: Learning rate, one or K; by default the optimizer's own.
        weight_decay: Penalty on weights, one or K.
        schedule: As in :class:`Trainer`.
        epochs: Passes over the data.
        batch_size: Rows per batch.
        clip_norm: Largest norm of a network's gradient.
        clip_value: Largest absolute value of its entries; applied before ``clip_norm``.
        early_stopping: Rule that every replica follows on its own.
        seed: Seed of weights, batches and dropout, one or K.
        sample_weight: Weight of every row of a shared pair, or K times of the rows of each pair, as in :meth:`Trainer.fit`.
        validation_weight: The same for ``validation``; rows of ``data`` that judge keep their weights.
        cancel: Ends the training once it is cancelled.

    Raises:
        Cancelled: ``cancel`` or Ctrl-C ended the training; some networks would be half trained.

    Example:
        >>> X = torch.linspace(-1, 1, 64).unsqueeze(1)
        >>> data, rates = (X, 3 * X), [0.1, 1e-4]
        >>> replicas = train_replicas(lambda: nn.Linear(1, 1), data, loss="mse", lr=rates, batch_size=8)
        >>> [history["train_loss"][-1] < 0.1 for history in replicas.histories]
        [True, False]
    """
    own = {"rows": rows, "validation_rows": validation_rows, "lr": lr, "weight_decay": weight_decay}
    count = _count({"data": data, "validation": validation}, own | {"seed": seed})
    seeds = _spread(seed, count)
    models = [_build(build, own) for own in seeds]
    settings = Settings(
        build_loss(loss), optimizer, _spread(default_lr(optimizer) if lr is None else lr, count), _spread(weight_decay, count),
        build_schedule(schedule), epochs, batch_size, seeds, early_stopping, clip_norm, clip_value,
    )  # fmt: skip
    trainers = [_trainer(models[k], settings, k) for k in range(count)]  # these check the settings
    weights = sample_weight, sample_weight if validation is None else validation_weight
    train, held_out = _gather(data, rows, validation, validation_rows, count, trainers[0], weights)
    return _fit(models, train, held_out, settings, trainers, cancel)


def _fit(
    models: list[nn.Module],
    data: ReplicaData,
    validation: ReplicaData | None,
    settings: Settings,
    trainers: list[Trainer],
    cancel: CancelToken | None,
) -> Replicas:
    shapes = [[(n, tuple(p.shape)) for n, p in model.named_parameters()] for model in models]
    fits = all(other == shapes[0] for other in shapes)
    rule = f"{OWNER}: build must return networks of one architecture"
    require(fits, rule, "parameters of different shapes", "Train different architectures apart.")
    reason = why_not_stacked(models, data, settings.loss)
    if not reason:
        run = StackedRun(models, data, validation, settings)
        reason = "" if run.optimizer.is_supported else "the optimizer is not SGD, Adam or AdamW"
        if not reason:
            try:
                run.probe()
            except (RuntimeError, IndexError, TypeError, ValueError) as error:
                # Trainer has the words for networks that do not fit their data
                reason = f"the networks cannot be stacked ({str(error).splitlines()[0]})"
            else:
                run.fit(cancel)
                return Replicas(tuple(models), tuple(run.histories), is_stacked=True)
    histories = []
    for k, trainer in enumerate(trainers):
        try:
            held_out = None if validation is None else validation.pair(k)
            judged = None if validation is None else validation.weight_of(k)
            trainer.fit(data.pair(k), held_out, sample_weight=data.weight_of(k), validation_weight=judged, cancel=cancel)  # fmt: skip
        except NonFiniteError:
            trainer.history.stopped = DIVERGED
            models[k].eval()
        histories.append(trainer.history)
    if reason != SLOWER:
        warnings.warn(f"{OWNER}: trained one after another, because {reason}.", stacklevel=3)
    return Replicas(tuple(models), tuple(histories), is_stacked=False, note=reason)


def _gather(
    data: object,
    rows: Sequence[Rows] | None,
    validation: object | None,
    validation_rows: Sequence[Rows] | None,
    count: int,
    trainer: Trainer,
    weights: tuple[object, object],
) -> tuple[ReplicaData, ReplicaData | None]:
    """What the replicas learn from, and what they are measured on, in the types that ``trainer`` needs."""
    gather = partial(gather_data, loss=trainer.loss, dtype=trainer.dtype)
    train = gather("data", data, rows, count, weight=weights[0])
    if validation is None and validation_rows is None:
        return train, None
    source = data if validation is None else validation
    return train, gather("validation", source, validation_rows, count, weight=weights[1])


def _trainer(model: nn.Module, settings: Settings, k: int) -> Trainer:
    rule = settings.early_stopping
    return Trainer(
        model,
        settings.loss,
        settings.optimizer,
        lr=settings.lr[k],
        weight_decay=settings.weight_decay[k],
        schedule=settings.schedule,
        epochs=settings.epochs,
        batch_size=settings.batch_size,
        clip_norm=settings.clip_norm,
        clip_value=settings.clip_value,
        callbacks=[] if rule is None else [deepcopy(rule)],
        device="cpu",
        seed=settings.seeds[k],
        progress=False,
    )


def _build(build: Callable[[], nn.Module], seed: int) -> nn.Module:
    with seeded(seed):
        return build()


def _spread(value: T | Sequence[T], count: int) -> list[T]:
    return list(value) if isinstance(value, Sequence | np.ndarray) else [value] * count


def _count(sets: Mapping[str, object], others: Mapping[str, object]) -> int:
    """Return K, on which everything that comes K times must agree; a pair (X, y) of ``sets`` comes once, for all."""
    lengths = {k: len(v) for k, v in sets.items() if isinstance(v, Sequence) and not is_pair(v)}
    lengths |= {k: len(v) for k, v in others.items() if isinstance(v, Sequence | np.ndarray)}
    if len(set(lengths.values())) > 1 or 0 in lengths.values():
        given = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InvalidValue(f"{OWNER}: replicas must be equally many everywhere, got {given}.")
    return next(iter(lengths.values()), 1)
