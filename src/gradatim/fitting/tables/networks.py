"""The network candidate: its settings, and the training of many at once.

Folds, settings of one shape and members of an ensemble are independent trainings of equal networks, so they train as one
stack; each gives what it would give alone.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch

from gradatim.errors import InvalidValue
from gradatim.fitting.goals import Goal
from gradatim.fitting.learning import read_target
from gradatim.fitting.tables.ladders import add_ladders, learn_ladders, num_bins
from gradatim.fitting.tables.predictors import Fitted, hold
from gradatim.losses import Loss, pinball_loss
from gradatim.models import MLP
from gradatim.training import History, Replicas, train_replicas

MIN_EPOCHS = 20
WIDTH = 12  # settings of one shape that are drawn one after another
PROBE_STEPS = 8  # that are timed before a training
FIXED_ROWS = 64  # rows of a batch that take as long as everything else in a step
MAX_STACK = 64  # networks that train side by side
OVERHEAD = 10_000  # weights whose products take as long as everything else in a step
DRAWING = (
    40  # weights whose products take as long as to draw who of a hidden unit's rows is dropped
)


@dataclass(frozen=True)
class NetworkSettings:
    """What tuning chooses.

    Args:
        hidden: Widths of the hidden layers.
        activation: ``"relu"`` or ``"tanh"``.
        dropout: Probability to drop a hidden unit.
        weight_decay: Decoupled penalty on weights.
        lr: Initial learning rate; it falls to zero along a cosine.
        steps: Gradient steps of a training, at least 20 passes over the rows.
        members: Networks from different starts whose predictions are averaged.
        bins: Bins of every number's ladder (:mod:`~gradatim.fitting.tables.ladders`); 0 for none.
        is_balanced: Whether every class weighs the same.
    """

    hidden: tuple[int, ...] = (64,)
    activation: str = "relu"
    dropout: float = 0.1
    weight_decay: float = 0.1
    lr: float = 3e-3
    steps: int = 600
    members: int = 1
    bins: int = 8
    is_balanced: bool = False


def draw_settings(trial: int, seed: int, wants_balance: bool = False) -> NetworkSettings:
    """Settings of trial number ``trial``; the first are the defaults, the others random.

    Where it is worth a try, every second trial lets every class weigh the same.

    Twelve trials in turn share shape, dropout, steps, members and bins, and differ in learning rate and weight decay.

    Example:
        >>> draw_settings(0, seed=0) == NetworkSettings(), draw_settings(3, 0) == draw_settings(3, 0)
        (True, True)
    """
    if trial == 0:
        return NetworkSettings()
    shared = np.random.default_rng([seed, (trial - 1) // WIDTH, 1])
    own = np.random.default_rng([seed, trial])
    width = int(shared.choice([16, 32, 64, 128, 256]))
    return NetworkSettings(
        hidden=(width,) * int(shared.choice([1, 1, 2, 3])),
        activation=str(shared.choice(["relu", "relu", "tanh"])),
        dropout=float(shared.choice([0.0, 0.1, 0.3])),
        weight_decay=float(np.round(10 ** own.uniform(-3, 0.3), 5)),
        lr=float(np.round(10 ** own.uniform(-3.2, -1.8), 6)),
        steps=int(shared.choice([300, 600, 1000, 3000])),
        members=int(shared.choice([1, 1, 1, 4])),
        bins=int(shared.choice([0, 8, 8, 16, 32])),
        is_balanced=wants_balance and trial % 2 == 1,
    )


def cost(
    settings: NetworkSettings, rows: int = 960, inputs: int = 16, outputs: int = 1, numeric: int = 0
) -> float:
    """Training time in units of that of the default settings, about.

    Args:
        settings: What to build and how to train it.
        rows: Rows to learn from.
        inputs: Features.
        outputs: Classes, or 1.
        numeric: Features that may have ladders.

    Example:
        >>> cost(NetworkSettings(steps=1200, members=4))
        8.0
    """

    def effort(own: NetworkSettings) -> float:
        _, per_epoch, epochs = _course(rows, own.steps)
        width = inputs + numeric * num_bins(own.bins, numeric, rows)
        weights = sum(a * b for a, b in pairwise((width, *own.hidden, outputs)))
        drawn = sum(own.hidden) * DRAWING if own.dropout else 0
        return per_epoch * epochs * own.members * (OVERHEAD + weights + drawn)

    return effort(settings) / effort(NetworkSettings())


def training_seconds(job: "NetworkJob", classes: int) -> float:
    """How long a training would take, by the time of its first steps.

    Args:
        job: What to train on which rows.
        classes: Number of classes; 0 for regression.
    """
    size, per_epoch, epochs = _course(len(job.X), job.settings.steps)
    rows = min(PROBE_STEPS * size, len(job.X))
    started = time.perf_counter()
    ladders = learn_ladders(job.X, job.settings.bins)
    few = NetworkJob(
        inputs_of(job.X[:rows], ladders),
        job.y[:rows],
        job.settings,
        job.seed,
        job.goal.take(np.arange(rows)),
    )
    encoding = (time.perf_counter() - started) * len(job.X) / rows
    shape = _shape(few, classes)._replace(epochs=1, batch_size=size)
    for _ in range(2):  # the first time everything is slow
        started = time.perf_counter()
        _train(shape, [_Member(0, 0, 0)], [few], classes)
        spent = time.perf_counter() - started
    return encoding + spent / -(-rows // size) * per_epoch * epochs * job.settings.members


def effort(rows: int, settings: NetworkSettings) -> float:
    """How the work of a training grows with its rows: steps, each of a batch and of a fixed cost.

    Example:
        >>> effort(100_000, NetworkSettings()) > 4 * effort(10_000, NetworkSettings())
        True
    """
    size, per_epoch, epochs = _course(rows, settings.steps)
    return float(per_epoch * epochs * (FIXED_ROWS + size))


def _course(rows: int, steps: int) -> tuple[int, int, int]:
    """Rows of a batch, batches of an epoch, and epochs."""
    size = min(batch_size(rows), rows)
    per_epoch = -(-rows // size)
    return size, per_epoch, max(round(steps / per_epoch), MIN_EPOCHS)


def batch_size(rows: int) -> int:
    """Rows per step: small tables need many small steps, large ones few large steps.

    Example:
        >>> [batch_size(n) for n in (100, 3000, 10**5)]
        [32, 64, 512]
    """
    limits = ((1000, 32), (4000, 64), (20_000, 128), (60_000, 256))
    return next((size for limit, size in limits if rows < limit), 512)


class NetworkJob(NamedTuple):
    """A network to train.

    Args:
        X: Features, shape ``(N, D)``.
        y: Class codes, or values.
        settings: What to build and how to train it.
        seed: Fixes weights, order and dropout.
        goal: What it is trained for beside the usual.
    """

    X: np.ndarray
    y: np.ndarray
    settings: NetworkSettings
    seed: int
    goal: Goal = Goal()

    @property
    def rows(self) -> tuple[int, int, bool]:
        """What tells rows and their weights from those of another job."""
        return id(self.X), id(self.y), self.settings.is_balanced

    @property
    def weight(self) -> np.ndarray | None:
        """What the rows weigh."""
        return self.goal.weights(self.y, is_balanced=self.settings.is_balanced)


class _Member(NamedTuple):
    """One training of a stack: member number ``member`` of job number ``job``."""

    job: int
    member: int
    seed: int


class _Shape(NamedTuple):
    """What the trainings of a stack have in common."""

    sizes: tuple[int, ...]
    activation: str
    dropout: float
    epochs: int
    batch_size: int


def fit_network(
    X: np.ndarray,
    y: np.ndarray,
    classes: int,
    settings: NetworkSettings,
    seed: int,
    goal: Goal | None = None,
) -> Fitted:
    """Train one network, all its members at once.

    Args:
        X: Features, shape ``(N, D)``.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        settings: What to build and how to train it.
        seed: Fixes weights, order and dropout.
        goal: What it is trained for beside the usual.

    Raises:
        InvalidValue: Training diverged.
    """
    fitted = fit_networks([NetworkJob(X, y, settings, seed, goal or Goal())], classes)[0]
    if fitted is None:
        raise InvalidValue(
            f"fit_network: lr must keep the loss finite, got {settings.lr}. Try a lower one."
        )
    return fitted


def fit_networks(jobs: Sequence[NetworkJob], classes: int) -> list[Fitted | None]:
    """Train networks, those of one shape side by side; each gives what it would give alone, to rounding.

    Args:
        jobs: What to train on which rows.
        classes: Number of classes; 0 for regression.

    Returns:
        A model for every job; ``None`` where a training diverged.
    """
    stacks: dict[_Shape, list[_Member]] = {}
    jobs, arrays = _encode(jobs)
    for number, job in enumerate(jobs):
        for member in range(job.settings.members):
            seed = int(np.random.default_rng([job.seed, member]).integers(2**31))
            stacks.setdefault(_shape(job, classes), []).append(_Member(number, member, seed))
    failed: set[int] = set()
    for shape, members in stacks.items():
        for start in range(0, len(members), MAX_STACK):
            part = members[start : start + MAX_STACK]
            replicas = _train(shape, part, jobs, classes)
            failed |= {m.job for m, bad in zip(part, replicas.diverged, strict=True) if bad}
            for own, network in zip(part, replicas.models, strict=True):
                arrays[own.job] |= layers_of(network, own.member, jobs[own.job])
    return [
        None if k in failed else Fitted("chain", classes, arrays[k], describe_network(job, classes))
        for k, job in enumerate(jobs)
    ]


def watch_network(
    job: NetworkJob, classes: int, validation: tuple[np.ndarray, np.ndarray]
) -> History:
    """Train the first member of a network and return how it did on ``validation`` after every epoch.

    Args:
        job: What to train on which rows.
        classes: Number of classes; 0 for regression.
        validation: Rows to watch; they change nothing.
    """
    first = _Member(0, 0, int(np.random.default_rng([job.seed, 0]).integers(2**31)))
    (encoded,), (ladders,) = _encode([job])
    watched = inputs_of(validation[0], ladders), read_target(job.y, classes).encode(validation[1])
    return _train(_shape(encoded, classes), [first], [encoded], classes, watched).histories[0]


def inputs_of(X: np.ndarray, ladders: Mapping[str, np.ndarray]) -> np.ndarray:
    """What a network reads: features in single precision, and their ladders."""
    return add_ladders(ladders, X.astype(np.float32))


def _encode(jobs: Sequence[NetworkJob]) -> tuple[list[NetworkJob], list[dict[str, np.ndarray]]]:
    """Jobs with what their networks read, and the ladders of each; equal ones are made once."""
    made: dict[tuple[int, int], tuple[np.ndarray, dict[str, np.ndarray]]] = {}
    for job in jobs:
        key = id(job.X), job.settings.bins
        if key not in made:
            ladders = learn_ladders(job.X, job.settings.bins)
            made[key] = inputs_of(job.X, ladders), ladders
    pairs = [made[id(job.X), job.settings.bins] for job in jobs]
    encoded = [job._replace(X=X) for job, (X, _) in zip(jobs, pairs, strict=True)]
    return encoded, [dict(ladders) for _, ladders in pairs]


def _shape(job: NetworkJob, classes: int) -> _Shape:
    own = job.settings
    size, _, epochs = _course(len(job.X), own.steps)
    sizes = (job.X.shape[1], *own.hidden, classes or 1)
    return _Shape(sizes, own.activation, own.dropout, epochs, size)


def _train(
    shape: _Shape,
    members: Sequence[_Member],
    jobs: Sequence[NetworkJob],
    classes: int,
    validation: tuple[np.ndarray, np.ndarray] | None = None,
) -> Replicas:
    """Train a stack on one pool of encoded rows, in which rows that several trainings share stand once."""
    own_jobs = [jobs[own.job] for own in members]
    pool = {job.rows: job for job in own_jobs}
    ends = np.cumsum([len(job.X) for job in pool.values()])
    rows = {
        key: np.arange(end - len(job.X), end)
        for (key, job), end in zip(pool.items(), ends, strict=True)
    }
    X = np.concatenate([job.X for job in pool.values()])
    y = np.concatenate([read_target(job.y, classes).encode(job.y) for job in pool.values()])
    return train_replicas(
        lambda: MLP(shape.sizes, activation=shape.activation, dropout=shape.dropout),
        (X, y),
        rows=[rows[job.rows] for job in own_jobs],
        validation=validation,
        loss=loss_of(classes, own_jobs[0].goal),
        optimizer="adamw",
        lr=[job.settings.lr for job in own_jobs],
        weight_decay=[job.settings.weight_decay for job in own_jobs],
        schedule="cosine",
        epochs=shape.epochs,
        batch_size=shape.batch_size,
        seed=[own.seed for own in members],
        sample_weight=_pooled([job.weight for job in pool.values()], pool.values()),
    )


def loss_of(classes: int, goal: Goal) -> "str | Loss":
    """The loss that a network is trained by."""
    if goal.quantile is not None:
        return partial(pinball_loss, quantile=goal.quantile)
    return "cross_entropy" if classes else "mse"


def _pooled(weights: Sequence[np.ndarray | None], jobs: Iterable[NetworkJob]) -> np.ndarray | None:
    """Weights of all rows of a pool; ``None`` where no row weighs more than another."""
    if all(weight is None for weight in weights):
        return None
    pairs = zip(weights, jobs, strict=True)
    return np.concatenate([np.ones(len(j.X)) if w is None else w / w.mean() for w, j in pairs])


def layers_of(network: torch.nn.Module, member: int, job: NetworkJob) -> dict[str, np.ndarray]:
    """Weights of a trained member, by name."""
    linear = [layer for layer in network.children() if isinstance(layer, torch.nn.Linear)]
    found = {}
    for k, layer in enumerate(linear):
        found[f"{member}.{k}.weight"] = layer.weight.detach().numpy().copy()
        found[f"{member}.{k}.bias"] = layer.bias.detach().numpy().copy()
    if job.settings.is_balanced:
        last = f"{member}.{len(linear) - 1}.bias"
        found[last] = job.goal.undo_balance(job.y, found[last]).astype(np.float32)
    return found


def describe_network(job: NetworkJob, classes: int) -> dict[str, object]:
    """What a model folder keeps of a network beside its weights."""
    target, hidden = read_target(job.y, classes), list(job.settings.hidden)
    return {
        **asdict(job.settings),
        "hidden": hidden,
        "center": target.center,
        "scale": target.scale,
        **({} if classes else hold(job.y)),
    }
