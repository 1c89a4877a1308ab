"""What a run of a trainer starts with: its data as batches, and the engine that moves the model."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING

from torch import Tensor, nn

from gradatim.training.batches import Batches, make_batches, prepare_target
from gradatim.training.engines.channels_last import training_channels_last
from gradatim.training.engines.choosing import ENGINES, choose_engine, works_in_any_layout
from gradatim.training.engines.engine import Engine, Run
from gradatim.training.history import EngineChoice

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer


def start_batches(trainer: "Trainer", data: object, *, is_training: bool = False) -> Batches:
    """Cut ``data`` as ``trainer`` says, for its model and loss; shuffled, if for training."""
    norms = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
    return make_batches(
        data,
        batch_size=trainer.batch_size,
        seed=trainer.seed if is_training else None,
        device=trainer.device,
        dtype=trainer.dtype,
        target=partial(prepare_target, loss=trainer.objective.loss, dtype=trainer.dtype),
        drop_single=is_training and any(isinstance(m, norms) for m in trainer.model.modules()),
    )


def start_engine(trainer: "Trainer", batches: Batches) -> tuple[Engine, EngineChoice]:
    """Return the engine that moves the model of ``trainer`` by ``batches``, and why it is that one."""
    run = describe_run(trainer, batches)
    choice = choose_engine(trainer.engine, run, batches)
    note = "; images lie channels last" if trainer.is_channels_last else ""
    return ENGINES[choice.name](run), EngineChoice(choice.name, choice.reason + note)


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
