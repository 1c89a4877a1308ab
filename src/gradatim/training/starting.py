"""What a run of a trainer starts with: its data as batches, and the engine that moves the model."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn

from gradatim.errors import require, require_whole
from gradatim.losses.counting import Counts
from gradatim.training.batches import (
    Batch,
    Batches,
    InMemory,
    Stream,
    WeightedBatch,
    make_batches,
    prepare_target,
)
from gradatim.training.distributed.group import Group
from gradatim.training.distributed.shares import SharedInMemory, SharedStream, Sharing
from gradatim.training.engines.channels_last import training_channels_last
from gradatim.training.engines.choosing import (
    ENGINES,
    SHARED_ENGINES,
    choose_engine,
    works_in_any_layout,
)
from gradatim.training.engines.engine import Engine, Run
from gradatim.training.health import NonFiniteError
from gradatim.training.history import EngineChoice
from gradatim.training.objectives.supervised import Supervised
from gradatim.training.row_weights import ClassWeight, check_weights, row_weights

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer


class Weights(NamedTuple):
    """How much rows weigh.

    Args:
        sample_weight: Of every row.
        class_weight: ``"balanced"``, or a factor by class.
        is_sampled: Draw rows in proportion to their weights instead of weighing them.
        name: What ``sample_weight`` is called, for messages.
    """

    sample_weight: Any = None
    class_weight: ClassWeight = None
    is_sampled: bool = False
    name: str = "sample_weight"

    @property
    def is_given(self) -> bool:
        """Whether rows weigh at all."""
        return self.sample_weight is not None or self.class_weight is not None

    def of(self, target: Tensor) -> Tensor | None:
        """The weight of every row, from its target."""
        if self.sample_weight is not None:
            check_weights("Trainer", self.name, self.sample_weight, len(target))
        found = row_weights("Trainer", target.cpu(), self.sample_weight, self.class_weight)
        return None if found is None else torch.from_numpy(found)


def start_batches(
    trainer: "Trainer", data: object, weights: Weights | None = None, *, is_training: bool = False
) -> Batches:
    """Cut ``data`` as ``trainer`` says, for its model and loss; shuffled, if for training."""
    norms = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
    weights = weights or Weights()
    batches = make_batches(
        data,
        batch_size=trainer.batch_size,
        seed=trainer.seed if is_training else None,
        device=trainer.device,
        dtype=trainer.dtype,
        target=partial(prepare_target, loss=trainer.objective.loss, dtype=trainer.dtype),
        drop_single=is_training and any(isinstance(m, norms) for m in trainer.model.modules()),
        weight=weights.of,
        is_sampled=weights.is_sampled,
        may_weigh=type(trainer.objective) is Supervised,
    )
    if weights.is_given:
        rule = f"Trainer: {weights.name} and class_weight must come with arrays (X, y)"
        require(isinstance(batches, InMemory), rule, "a stream", "Stream batches that weigh their rows, WeightedBatch.of((X, y), weight).")  # fmt: skip
        rule = f"Trainer: {weights.name} and class_weight must come with a loss alone"
        is_plain = type(trainer.objective) is Supervised or weights.is_sampled
        require(is_plain, rule, f"the objective {type(trainer.objective).__name__}", "Weigh rows there.")  # fmt: skip
    rule = "Trainer: weighted_sampling must come with sample_weight or class_weight"
    require(weights.is_given or not weights.is_sampled, rule, True, "Try class_weight='balanced'.")
    return batches


def sharing_of(trainer: "Trainer") -> Sharing:
    """How the batches of ``trainer`` are shared between processes and cut into parts."""
    return Sharing(trainer.group, trainer.spread.accumulate)


def share_batches(trainer: "Trainer", batches: Batches) -> Batches:
    """The share of this process in every batch; all of it where there is one process and one part."""
    sharing, objective = sharing_of(trainer), trainer.objective
    if sharing.parts == 1:
        return batches
    if isinstance(batches, InMemory):
        is_weighed = batches.weight is not None
        counts = "rows" if is_weighed else objective.counts(batches.tensors)
        return SharedInMemory(batches, sharing, counts)
    assert isinstance(batches, Stream)

    def counts_in(batch: Batch) -> Counts:
        return "rows" if isinstance(batch, WeightedBatch) else objective.counts(batch)

    return SharedStream(batches, sharing, counts_in, trainer.draws.together)


def share_validation(trainer: "Trainer", batches: Batches) -> Batches:
    """The same data, drawn alike by all processes."""
    is_drawn = isinstance(batches, Stream) and not trainer.group.is_alone
    return share_batches(trainer, batches) if is_drawn else batches


def start_engine(trainer: "Trainer", batches: Batches) -> tuple[Engine, EngineChoice]:
    """Return the engine that moves the model of ``trainer`` by ``batches``, and why it is that one."""
    run = describe_run(trainer, batches)
    choice = choose_engine(trainer.engine, run, batches)
    note = "; images lie channels last" if trainer.is_channels_last else ""
    engines = ENGINES
    if run.sharing.parts > 1:
        engines = SHARED_ENGINES
        rule = f"Trainer: {trainer.spread.named()} must go with an engine that can share batches"
        require(
            choice.name in engines, rule, repr(choice.name), f"Those are {' and '.join(engines)}."
        )
        note += f"; {trainer.spread.named()}"
    return engines[choice.name](run), EngineChoice(choice.name, choice.reason + note)


def first_told(
    group: Group, own: NonFiniteError | None, look: Callable[[], NonFiniteError]
) -> NonFiniteError:
    """The error of the first process that knows why a figure is not finite, the same for all.

    Args:
        group: The processes.
        own: What this process found, if the figure went bad in its share.
        look: Finds out, where nobody has.
    """
    if group.is_alone:
        return own or look()
    said = group.gather(own and [str(own), own.epoch, own.batch, own.layer])
    known = next((note for note in said if note is not None), None)
    if known is None:
        return look()
    return NonFiniteError(known[0], epoch=known[1], batch=known[2], layer=known[3])


def describe_run(trainer: "Trainer", batches: Batches) -> Run:
    """What an engine gets of a trainer."""
    return Run(
        trainer.model,
        trainer.objective,
        trainer.optimizer,
        trainer.batch_size,
        trainer.clip_norm,
        trainer.clip_value,
        batches.count,
        trainer._observe,
        _gradient_watch(trainer),
        has_scheduler=trainer.scheduler is not None,
        needs_autograd=any(callback.needs_autograd for callback in trainer.callbacks),
        sharing=sharing_of(trainer),
        exchange=trainer.exchange,
        rows=trainer.rows,
        precision=trainer.precision,
        needs_forward=trainer.compile or trainer.activation_checkpointing,
        explain=trainer.explain,
    )


def _gradient_watch(trainer: "Trainer") -> Callable[[Tensor], None] | None:
    observers = trainer.observers("on_gradients")

    def watch(loss: Tensor) -> None:
        for callback in observers:
            callback.on_gradients(trainer, loss)

    return watch if observers else None


def kernels_arranged(trainer: "Trainer") -> AbstractContextManager[None]:
    """Channels last, unless somebody looks on who may ``view`` weights or gradients."""
    is_wanted = trainer.is_channels_last
    may_move = is_wanted and works_in_any_layout(trainer.objective, trainer.callbacks)
    return training_channels_last(trainer.model, trainer.optimizer, may_move)


def check_numbers(
    epochs: int, batch_size: int, clip_norm: float | None, clip_value: float | None
) -> None:
    """Raise unless numbers of a trainer are such that it can run."""
    require_whole("Trainer", epochs=epochs, batch_size=batch_size)
    for name, limit in (("clip_norm", clip_norm), ("clip_value", clip_value)):
        rule = f"Trainer: {name} must be more than 0"
        require(limit is None or limit > 0, rule, limit, "Try 1.0.")
