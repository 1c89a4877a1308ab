"""How the networks of estimators learn: each by itself, or equal ones as one computation."""

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from torch import nn

from gradatim.errors import require
from gradatim.losses import Loss, build_loss
from gradatim.losses.named import is_named
from gradatim.models import MLP
from gradatim.optim.named import default_lr
from gradatim.randomness import seeded
from gradatim.training import EarlyStopping, History, Trainer, train_replicas
from gradatim.training.device import choose_device

if TYPE_CHECKING:
    from gradatim.estimators.neural import NeuralEstimator


class Part(NamedTuple):
    """Rows, and what they weigh."""

    X: NDArray[Any]
    y: NDArray[Any]
    weight: NDArray[Any] | None

    @property
    def pair(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Inputs and target."""
        return self.X, self.y


class Job(NamedTuple):
    """What the networks of an estimator learn: scaled inputs, encoded target, one seed per member."""

    inputs: NDArray[Any]
    target: NDArray[Any]
    outputs: int
    loss: str | Loss
    strata: NDArray[Any] | None
    seeds: range
    weight: NDArray[Any] | None = None


class Members(NamedTuple):
    """Trained networks of an estimator, and how they learned."""

    networks: list[nn.Module]
    histories: list[History]


def train_members(estimator: "NeuralEstimator", job: Job) -> Members:
    """Train the networks of an estimator one after another."""
    pairs = [_train(estimator, job, seed) for seed in job.seeds]
    return Members([network for network, _ in pairs], [history for _, history in pairs])


def group_alike(estimators: Sequence["NeuralEstimator"], jobs: Sequence[Job]) -> list[list[int]]:
    """Places of the estimators that can train as one computation, group by group."""
    kinds = [_kind(*pair) for pair in zip(estimators, jobs, strict=True)]
    return [[i for i, other in enumerate(kinds) if other == kind] for kind in dict.fromkeys(kinds)]


def train_together(estimators: Sequence["NeuralEstimator"], jobs: Sequence[Job]) -> list[Members]:
    """Train the networks of estimators of one group as one computation, if they are such that it is possible."""
    first = estimators[0]
    if not _is_stackable(first):
        return [train_members(*pair) for pair in zip(estimators, jobs, strict=True)]
    seats = [(e, job, seed) for e, job in zip(estimators, jobs, strict=True) for seed in job.seeds]
    parts = [_parts(*seat) for seat in seats]
    replicas = train_replicas(
        lambda: _build(first, jobs[0]),
        [train.pair for train, _ in parts],
        validation=[own.pair for _, own in parts if own] if first.early_stopping else None,
        loss=jobs[0].loss,
        optimizer=first.optimizer,
        lr=[default_lr(e.optimizer) if e.lr is None else e.lr for e, _, _ in seats],
        weight_decay=[estimator.weight_decay for estimator, _, _ in seats],
        schedule=first.schedule,
        epochs=first.epochs,
        batch_size=first.batch_size,
        clip_norm=first.clip_norm,
        clip_value=first.clip_value,
        early_stopping=EarlyStopping(patience=first.patience) if first.early_stopping else None,
        seed=[seed for _, _, seed in seats],
        sample_weight=_weights([train for train, _ in parts]),
        validation_weight=_weights([own for _, own in parts if own]),
    )
    for seat, diverged in zip(seats, replicas.diverged, strict=True):
        if diverged:
            _train(*seat)  # which fails, and tells where and why
    networks, histories = iter(replicas.models), iter(replicas.histories)
    counts = [len(job.seeds) for job in jobs]
    return [Members(list(islice(networks, k)), list(islice(histories, k))) for k in counts]


def _kind(estimator: "NeuralEstimator", job: Job) -> tuple[object, ...]:
    """What estimators must have in common to train as one computation."""
    own = {"lr", "weight_decay", "seed", "random_state", "members"}
    shared = {k: v for k, v in estimator.get_params().items() if k not in own}
    return (job.inputs.shape[1], job.outputs, job.loss, repr(sorted(shared.items())))


def _is_stackable(estimator: "NeuralEstimator") -> bool:
    """Whether equal networks can train as one computation."""
    has_name = estimator.loss is None or is_named(build_loss(estimator.loss))
    is_plain = estimator.norm in (None, "layer") and has_name
    return is_plain and choose_device(estimator.device).type == "cpu"


def _build(estimator: "NeuralEstimator", job: Job) -> MLP:
    sizes = (job.inputs.shape[1], *estimator.hidden, job.outputs)
    return MLP(
        sizes,
        activation=estimator.activation,
        dropout=estimator.dropout,
        norm=estimator.norm,
    )


def _train(estimator: "NeuralEstimator", job: Job, seed: int) -> tuple[MLP, History]:
    with seeded(seed):
        network = _build(estimator, job)
    train, validation = _parts(estimator, job, seed)
    trainer = Trainer(
        network,
        job.loss,
        estimator.optimizer,
        lr=estimator.lr,
        weight_decay=estimator.weight_decay,
        schedule=estimator.schedule,
        epochs=estimator.epochs,
        batch_size=min(estimator.batch_size, len(train.X)),
        clip_norm=estimator.clip_norm,
        clip_value=estimator.clip_value,
        callbacks=[] if validation is None else [EarlyStopping(patience=estimator.patience)],
        device=estimator.device,
        seed=seed,
        progress=estimator.progress,
    )
    history = trainer.fit(
        train.pair,
        None if validation is None else validation.pair,
        sample_weight=train.weight,
        validation_weight=None if validation is None else validation.weight,
    )
    return network.to("cpu"), history


def _parts(estimator: "NeuralEstimator", job: Job, seed: int) -> tuple[Part, Part | None]:
    """Rows to learn from, and rows that tell when to stop."""
    X, y, strata, weight = job.inputs, job.target, job.strata, job.weight
    if not estimator.early_stopping:
        return Part(X, y, weight), None
    rows = round(estimator.validation_fraction * len(X))
    rule = f"{type(estimator).__name__}: validation_fraction must leave a row on both sides"
    got = f"{estimator.validation_fraction} of {len(X)} rows"
    require(0 < rows < len(X), rule, got, "Try early_stopping=False.")
    if strata is not None:
        counts = np.bincount(strata)
        if counts.min() < 2 or rows < len(counts) or len(X) - rows < len(counts):
            strata = None
    sides = train_test_split(
        np.arange(len(X)), test_size=rows, random_state=seed % 2**32, stratify=strata
    )
    learned, judged = (Part(X[own], y[own], None if weight is None else weight[own]) for own in sides)  # fmt: skip
    return learned, judged


def _weights(parts: Sequence[Part]) -> list[NDArray[Any]] | None:
    """Weights of all parts; ``None`` where no row weighs more than another."""
    if all(part.weight is None for part in parts):
        return None
    return [np.ones(len(part.X)) if part.weight is None else part.weight for part in parts]
