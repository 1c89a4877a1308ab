"""Before processes train together: do they train the same model on the same data?"""

import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.training.batches import Batches, InMemory
from gradatim.training.distributed.group import Group
from gradatim.training.distributed.shares import SharedInMemory
from gradatim.versions import versions

if TYPE_CHECKING:
    from gradatim.training.trainer import Trainer

MOST = 1 << 20  # numbers of a tensor that are looked at
_REMEDIES = {
    "model": "Seed before it is built: torch.manual_seed(0).",
    "data": "Let all read the same, in the same order.",
    "code": "Install the same versions everywhere.",
}


def check_alike(trainer: "Trainer", batches: Batches) -> None:
    """Raise, naming the first that differs and in what, unless all processes train the same.

    Args:
        trainer: Of this process.
        batches: What it trains on.
    """
    if not trainer.group.is_alone:
        compare(trainer.group, fingerprint(trainer, batches))


def compare(group: Group, own: Mapping[str, str]) -> None:
    """Raise unless all processes note the same.

    Args:
        group: The processes.
        own: What this process has, by name.
    """
    first, *others = group.gather(dict(own))
    for rank, theirs in enumerate(others, 1):
        for name, value in first.items():
            if theirs.get(name) != value:
                remedy = _REMEDIES.get(name, "Give all processes the same arguments.")
                raise InvalidValue(
                    f"Trainer: all processes must have the same {name}, got {theirs.get(name)} in rank {rank} and {value} "
                    f"in rank 0. {remedy}"
                )


def fingerprint(trainer: "Trainer", batches: Batches) -> dict[str, str]:
    """What must be the same everywhere, in a word or a hash each."""
    rule = trainer.optimizer
    groups = [{k: v for k, v in g.items() if k != "params"} for g in rule.param_groups]
    settings = {
        "loss": _name(trainer.loss),
        "objective": type(trainer.objective).__name__,
        "optimizer": f"{type(rule).__name__} {groups}",
        "epochs": trainer.epochs,
        "batch_size": trainer.batch_size,
        "clip_norm": trainer.clip_norm,
        "clip_value": trainer.clip_value,
        "metrics": [m if isinstance(m, str) else _name(m) for m in trainer.metrics],
        "callbacks": [type(callback).__name__ for callback in trainer.callbacks],
        "engine": trainer.engine,
        "spread": trainer.spread,
        "precision": trainer.precision.dtype,
        "compile": trainer.compile,
        "activation_checkpointing": trainer.activation_checkpointing,
        "place in the run": (trainer.epoch, trainer.position),
    }
    return {
        "code": ", ".join(f"{name} {version}" for name, version in versions().items()),
        "seed": str(trainer.seed),
        **{name: str(value) for name, value in settings.items()},
        "model": _hash(trainer.model.state_dict()),
        "data": _hash_data(batches),
    }


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", type(function).__name__))


def _hash_data(batches: Batches) -> str:
    if isinstance(batches, InMemory | SharedInMemory):
        return _hash({str(i): tensor for i, tensor in enumerate(batches.tensors)})
    own = getattr(
        getattr(batches, "source", None), "fingerprint", str
    )()  # a stream that knows what it reads
    return f"{own or 'a stream'} of {'some' if batches.steps is None else batches.steps} batches"


def _hash(tensors: Mapping[str, Any]) -> str:
    """Names, types, shapes and numbers of tensors, of large ones a part spread over all of it."""
    total = 0
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            continue
        total = zlib.crc32(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode(), total)
        if tensor.device.type == "meta" or not tensor.numel():
            continue
        flat = tensor.detach().reshape(-1)
        flat = flat[:: -(-len(flat) // MOST)].cpu().contiguous()
        total = zlib.crc32(flat.view(torch.uint8).numpy().data, total)
    return f"{total:08x}"
