"""What a run is, in a word or a hash each, by which processes notice that they differ."""

import inspect
import re
import zlib
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from gradatim.training.batches import Batches, InMemory
from gradatim.training.callbacks import Callback
from gradatim.training.scheduling import Rate, TimedRate
from gradatim.versions import versions

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer

MOST = 1 << 20  # numbers of a tensor that are looked at
_MOMENTS = 8  # of a run, at which a schedule is asked
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
Plain = bool | int | float | str | None


def describe_run(
    trainer: "Trainer", batches: Batches, held_out: Batches | None = None
) -> dict[str, str]:
    """What must be the same in all processes, by name.

    Args:
        trainer: Of this process.
        batches: What it trains on.
        held_out: What it validates on.
    """
    objective, rule = trainer.objective, trainer.optimizer
    own = objective.optimizers
    settings = {
        "loss": told(trainer.loss),
        "objective": f"{told(objective)} {mark(objective.state_dict())}",
        "optimizers of the objective": {name: describe_optimizer(each) for name, each in own.items()},
        "optimizer": describe_optimizer(rule),
        "schedule": describe_rate(trainer.rate, trainer.epochs),
        "epochs": trainer.epochs,
        "batch_size": trainer.batch_size,
        "clip_norm": trainer.clip_norm,
        "clip_value": trainer.clip_value,
        "metrics": [m if isinstance(m, str) else told(m) for m in trainer.metrics],
        "callbacks": [_told_of(callback) for callback in trainer.callbacks],
        "engine": trainer.engine,
        "device": trainer.device.type,
        "spread": trainer.spread,
        "precision": trainer.precision.dtype,
        "compile": trainer.compile,
        "activation_checkpointing": trainer.activation_checkpointing,
        "place in the run": (trainer.epoch, trainer.position),
    }  # fmt: skip
    return {
        "code": ", ".join(f"{name} {version}" for name, version in versions().items()),
        "seed": str(trainer.seed),
        **{name: str(value) for name, value in settings.items()},
        "model": describe_model(trainer.model),
        "data": describe_data(batches),
        "validation": "none" if held_out is None else describe_data(held_out),
    }


def describe_model(model: nn.Module) -> str:
    """Layers with their settings, which parameters are trained, and all numbers, in a hash.

    >>> describe_model(nn.Dropout(0.1)) == describe_model(nn.Dropout(0.2))
    False
    """
    trained = [name for name, p in model.named_parameters() if p.requires_grad]
    return mark([_ADDRESS.sub("", repr(model)), trained, model.state_dict()])


def describe_optimizer(rule: Optimizer) -> str:
    """Name and settings of an optimizer, and what it has learned, in a hash."""
    groups = [{k: v for k, v in g.items() if k != "params"} for g in rule.param_groups]
    return f"{type(rule).__name__} {groups} {mark(rule.state_dict()['state'])}"


def describe_rate(rate: Rate, epochs: int) -> str:
    """By what the learning rate is multiplied during a run, or which scheduler sets it.

    Args:
        rate: Sets the rate.
        epochs: Of the run.

    Example:
        >>> rate = TimedRate("linear", torch.optim.SGD([torch.zeros(1)], lr=2.0))
        >>> describe_rate(rate, 2)
        '1 0.875 0.75 0.625 0.5 0.375 0.25 0.125'
    """
    if not isinstance(rate, TimedRate):
        state = rate.scheduler.state_dict() if rate.scheduler is not None else {}
        return f"{rate.note} {mark(state)}"
    moments = [epochs * k / _MOMENTS for k in range(_MOMENTS)]
    return " ".join(f"{float(rate.schedule(t, float(epochs))):.9g}" for t in moments)


def describe_data(batches: Batches) -> str:
    """Rows and their weights in a hash; of a stream what it tells of itself, and how many batches there are."""
    if isinstance(batches, InMemory):
        return mark([*batches.parts, batches.chances])
    own = getattr(getattr(batches, "source", None), "fingerprint", str)()
    return f"{own or 'a stream'} of {'some' if batches.steps is None else batches.steps} batches"


def told(thing: Any) -> str:
    """Name of a function or of what is called like one, with what it was set to, where that is plain to see.

    >>> told(partial(nn.functional.cross_entropy, label_smoothing=0.1))
    'cross_entropy(label_smoothing=0.1)'
    >>> told(nn.Linear(1, 1))
    'Linear'
    """
    if isinstance(thing, partial):
        words = [repr(v) for v in thing.args if isinstance(v, Plain)]
        words += [f"{k}={v!r}" for k, v in thing.keywords.items() if isinstance(v, Plain)]
        return f"{told(thing.func)}({', '.join(words)})"
    # what others wrote may keep what differs, such as a rank
    if not type(thing).__module__.startswith("gradatim."):
        return str(getattr(thing, "__qualname__", getattr(thing, "__name__", type(thing).__name__)))  # fmt: skip
    names = inspect.signature(type(thing).__init__).parameters
    kept = {k: v for k, v in vars(thing).items() if k in names}
    words = [f"{k}={v!r}" for k, v in kept.items() if isinstance(v, Plain)]
    words += [f"{k}={told(v)}" for k, v in kept.items() if callable(v) and not isinstance(v, type)]
    return f"{type(thing).__name__}({', '.join(words)})"


def _told_of(callback: Callback) -> str:
    """Of those that come with the trainer also what they were set to: others may know more in one process, such as a deadline."""
    is_plain = type(callback).__module__.startswith("gradatim.training.")
    return told(callback) if is_plain else type(callback).__name__


def mark(value: Any) -> str:
    """A hash of a tree: names, types, shapes and numbers; of large tensors of a part spread over all of it.

    Args:
        value: Tensors, arrays and plain values in mappings and lists; of others the kind alone.

    Example:
        >>> mark({"x": torch.zeros(2)}) == mark({"x": torch.zeros(3)})
        False
    """
    return f"{_crc(value, 0):08x}"


def _crc(value: Any, total: int) -> int:
    if isinstance(value, Tensor):
        return _crc_of_tensor(value, total)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return _crc_of_tensor(torch.from_numpy(value), total)
    if isinstance(value, Mapping):
        for name, each in value.items():
            total = _crc(each, zlib.crc32(repr(name).encode(), total))
        return total
    if isinstance(value, list | tuple):
        for each in value:
            total = _crc(each, total + 1)
        return total
    return zlib.crc32((repr(value) if isinstance(value, Plain) else type(value).__name__).encode(), total)  # fmt: skip


def _crc_of_tensor(tensor: Tensor, total: int) -> int:
    total = zlib.crc32(f"{tensor.dtype} {tuple(tensor.shape)}".encode(), total)
    if tensor.device.type == "meta" or not tensor.numel() or tensor.layout != torch.strided:
        return total
    flat = tensor.detach().reshape(-1)
    flat = flat[:: -(-len(flat) // MOST)].cpu().contiguous()
    return zlib.crc32(flat.view(torch.uint8).numpy().data, total)
