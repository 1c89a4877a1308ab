"""Save a run while it trains, so that a killed run goes on as if nothing had happened."""

import shutil
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from gradatim.errors import GradatimError, InvalidValue, require
from gradatim.files import (
    check_output,
    load_tree,
    or_unavailable,
    probe_folder,
    save_tree,
    sweep,
    tree_kind,
)
from gradatim.models.weights import check_weights
from gradatim.training.batches import Batches, Stream
from gradatim.training.callbacks import Callback
from gradatim.training.distributed.building import give_numbers
from gradatim.training.distributed.sharding import whole_of
from gradatim.training.distributed.shards import STATE, ShardWriter, is_shards, read_shards
from gradatim.training.history import EngineChoice, History, Record

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer

KIND = "checkpoint"


class Checkpoint(Callback):
    """Write model, optimizers, schedule, random state, place and what else has state to ``path``, atomically.

    Args:
        path: File to write and overwrite; with ``keep`` a folder.
        keep: Keep so many of the last ones in a folder. Of several processes each then writes its shard, in the background;
            one file is written by the first for all.
        every_steps: Also write after this many batches.
        every_epochs: Write after this many epochs; ``None`` for never.

    Example:
        Train with ``Trainer(model, callbacks=[Checkpoint("run.safetensors")])``; after a crash build the
        same trainer and call ``trainer.resume("run.safetensors")``, then ``trainer.fit(data)``.
    """

    any_layout = True

    def __init__(
        self,
        path: str | Path,
        *,
        keep: int | None = None,
        every_steps: int | None = None,
        every_epochs: int | None = 1,
    ) -> None:
        numbers = {"keep": keep, "every_steps": every_steps, "every_epochs": every_epochs}
        for name, value in numbers.items():
            rule = f"Checkpoint: {name} must be at least 1 or None"
            require(value is None or value >= 1, rule, value)
        rule = "Checkpoint: every_steps or every_epochs must say when to write"
        require(every_steps or every_epochs, rule, "None for both")
        self.path, self.keep = Path(path), keep
        self.every_steps, self.every_epochs = every_steps, every_epochs
        self._writer: ShardWriter | None = None

    def on_fit_start(self, trainer: "Trainer") -> None:
        """Refuse a file that is no checkpoint before anything is learned, and sweep what a killed run left beside it."""
        is_due = self.every_steps is not None or (self.every_epochs or 0) <= trainer.epochs
        rule = f"Checkpoint: every_epochs must come within the run of {trainer.epochs} epochs"
        require(is_due, rule, self.every_epochs, "Nothing would be written.")
        if trainer.group.is_first:
            self._prepare()
        self._writer = None
        if self.keep and not trainer.group.is_alone:
            self._writer = ShardWriter(trainer.group)

    def _prepare(self) -> None:
        if self.keep is None:
            place = check_output(self.path, "Checkpoint: path", is_ours=_is_checkpoint)
            sweep(place.parent, place.name)
            return
        with or_unavailable(f"Checkpoint: {self.path} cannot be written"):
            probe_folder(self.path)
        for left in self.path.glob(".step-*.partial"):
            shutil.rmtree(left, ignore_errors=True)

    def on_fit_end(self, trainer: "Trainer") -> None:
        """Wait until the last one is written."""
        if self._writer is not None:
            self._writer.wait()
            self._writer = None
            if trainer.group.is_first:
                self._forget()

    def on_batch_end(self, trainer: "Trainer", loss: Tensor | None) -> None:
        if self.every_steps is not None and trainer.steps % self.every_steps == 0:
            self.write(trainer)

    def on_epoch_end(self, trainer: "Trainer", record: Record) -> None:
        if self.every_epochs is not None and int(record["epoch"]) % self.every_epochs == 0:
            self.write(trainer)

    def write(self, trainer: "Trainer") -> None:
        """Write the state of a run now."""
        state, name = trainer.state_dict(), f"step-{trainer.steps:08d}"
        if self._writer is not None:
            self._writer.write(self.path / name, state)
        else:
            whole = whole_of(state) if trainer.group.is_sharded else state
            if trainer.group.is_first:
                path = self.path if self.keep is None else self.path / f"{name}.safetensors"
                save_checkpoint(path, whole)
        if self.keep and trainer.group.is_first:
            self._forget()

    def _forget(self) -> None:
        """Remove all but the last ones."""
        for path in written(self.path)[: -(self.keep or 1)]:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def written(folder: Path) -> list[Path]:
    """The whole checkpoints of a folder, the last written at the end.

    >>> written(Path("nowhere"))
    []
    """
    found = [p for p in folder.glob("step-*") if is_shards(p) or _is_checkpoint(p)]
    return sorted(found, key=lambda path: ((path / STATE if path.is_dir() else path).stat().st_mtime_ns, path.name))  # fmt: skip


def save_checkpoint(path: str | Path, state: Mapping[str, Any]) -> Path:
    """Store the state of a trainer as one safetensors file.

    Args:
        path: The file, which is written whole or not at all.
        state: Of :meth:`Trainer.state_dict`.
    """
    return save_tree(path, state, kind=KIND)


def _is_checkpoint(path: Path) -> bool:
    return tree_kind(path) == KIND


def load_checkpoint(path: str | Path) -> dict[str, Any]:
    """Read the state of a trainer, whole and unharmed, or raise one clear sentence.

    Args:
        path: A file of :func:`save_checkpoint`, a folder of shards, or one of checkpoints, of which the last is read.
    """
    path = Path(path)
    if not path.is_dir():
        return load_tree(path, kind=KIND)
    last = written(path)
    if last and not is_shards(path):
        return load_checkpoint(last[-1])
    return read_shards(path)


def merge_checkpoint(path: str | Path, output: str | Path) -> Path:
    """Make one file of a checkpoint in shards, as one process writes it.

    Args:
        path: A folder of shards, or one of checkpoints, of which the last is taken.
        output: The file.
    """
    state = load_checkpoint(path)
    check_output(Path(output), "merge: output", is_ours=_is_checkpoint)
    return save_checkpoint(output, state)


def check_fit(owner: str, trainer: "Trainer", state: Mapping[str, Any]) -> None:
    """Raise, saying what differs, unless the state of a run is one of ``trainer``'s."""
    check_weights(owner, trainer.model, state["model"])
    own, saved = _groups(trainer.optimizer.state_dict()), _groups(state["optimizer"])
    if saved != own or len(state["callbacks"]) != len(trainer.callbacks):
        raise InvalidValue(
            f"{owner}: optimizer and callbacks must be those of the saved run, got "
            f"parameter groups {own} instead of {saved} and {len(trainer.callbacks)} callbacks "
            f"instead of {len(state['callbacks'])}."
        )
    objective = trainer.objective
    players = {name: _groups(each.state_dict()) for name, each in objective.optimizers.items()}
    if "objective" not in state:  # written by a version before
        if objective.state_dict() or players:
            raise InvalidValue(
                f"{owner}: the file must hold the state of the objective {type(objective).__name__}, but was "
                "written by a version that did not keep it. Start the run anew."
            )
        return
    others = {name: _groups(each) for name, each in state["optimizers"].items()}
    if players != others or bool(objective.state_dict()) != bool(state["objective"]):
        raise InvalidValue(
            f"{owner}: the objective must be that of the saved run, got {type(objective).__name__} with the "
            f"optimizers {list(players)} instead of {list(others)}."
        )


def _groups(optimizer: Mapping[str, Any]) -> list[int]:
    return [len(group["params"]) for group in optimizer["param_groups"]]


def run_state(trainer: "Trainer") -> dict[str, Any]:
    """Return everything that the run of ``trainer`` needs to go on."""
    objective, history, stream = trainer.objective, trainer.history, trainer.train_batches
    return {
        "model": trainer.model.state_dict(),
        "optimizer": trainer.optimizer.state_dict(),
        "scheduler": trainer.scheduler.state_dict() if trainer.scheduler else {},
        **trainer.draws.state_dict(),
        **({"precision": trainer.precision.state_dict()} if trainer.precision.is_scaled else {}),
        "epoch_rng": trainer.epoch_rng,
        "epoch": trainer.epoch,
        "position": trainer.position,
        "steps": trainer.steps,
        "stopped": trainer.stop_reason,
        "totals": trainer.totals.state_dict(),
        "history": history.records,
        "callbacks": [callback.state_dict() for callback in trainer.callbacks],
        "objective": objective.state_dict(),
        "optimizers": {name: own.state_dict() for name, own in objective.optimizers.items()},
        "stream": stream.state_dict() if isinstance(stream, Stream) else None,
        "engine": history.engine and list(history.engine),
    }


def restore_run(trainer: "Trainer", path: str | Path) -> dict[str, Any]:
    """Bring ``trainer`` into the state of a checkpoint and return it; data and random state wait for ``fit``.

    What is refused has changed nothing.
    """
    state, owner = load_checkpoint(path), f"resume({str(path)!r})"
    give_numbers(trainer.model, trainer.optimizer, trainer.seed)
    before = deepcopy(run_state(trainer))
    try:
        check_fit(owner, trainer, state)
        for drawn in (state["rng"], state["epoch_rng"]):
            if drawn.numel():  # none before the first epoch
                torch.Generator().set_state(drawn)  # which raises unless it is the state of one
        _bring(trainer, state)
    except Exception as error:
        _bring(trainer, before)
        if isinstance(error, GradatimError):
            raise
        raise InvalidValue(
            f"{owner}: the saved state must be that of such a run, got {error!r}. Build the trainer that was saved."
        ) from error
    return state


def _bring(trainer: "Trainer", state: Mapping[str, Any]) -> None:
    """Give a trainer and all its parts their state."""
    trainer.optimizer.load_state_dict(state["optimizer"])
    trainer.model.load_state_dict(state["model"])
    if trainer.scheduler is not None:
        trainer.scheduler.load_state_dict(state["scheduler"])
    for callback, own in zip(trainer.callbacks, state["callbacks"], strict=True):
        callback.load_state_dict(own)
    trainer.objective.load_state_dict(state.get("objective", {}))
    trainer.precision.load_state_dict(state.get("precision", {}))
    for name, optimizer in trainer.objective.optimizers.items():
        optimizer.load_state_dict(state["optimizers"][name])
    for name in ("epoch", "position", "steps", "epoch_rng"):
        setattr(trainer, name, state[name])
    trainer.stop_reason, engine = state["stopped"], state.get("engine")
    trainer.history = History(state["history"], engine=engine and EngineChoice(*engine))
    trainer.totals = trainer.new_totals()
    trainer.totals.load_state_dict(state["totals"])


def restore_stream(batches: Batches, state: Mapping[str, Any]) -> None:
    """Bring a stream that keeps its place back to it."""
    if not (isinstance(batches, Stream) and batches.has_state):
        return
    if state.get("stream") is not None:
        batches.load_state_dict(state["stream"])
    elif state["position"]:
        raise InvalidValue(
            "resume: the data must come back to where they were, but this checkpoint, of a version before, does "
            "not hold their state. Resume from one written at the end of an epoch."
        )
