"""A model of which every process keeps a shard: PyTorch's ``fully_shard``, for the time of a run.

A twin of the model trains; the model itself gives its numbers away and gets them back, whole, at the end. So it stays an
ordinary module, without hooks. A model that came on the ``meta`` device may fit in no process: the first alone gets it whole
then, on the CPU.

Reference:
    Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, 2020.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.optim import (
    SGD,
    Adadelta,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    NAdam,
    Optimizer,
    RAdam,
    RMSprop,
)

from gradatim.errors import require
from gradatim.events import Cancelled
from gradatim.training.blocks import blocks_of
from gradatim.training.distributed.building import drawn, follow, is_meta, set_tensors

if TYPE_CHECKING:
    from torch.distributed.device_mesh import DeviceMesh

    from gradatim.training.trainer import Trainer

BY_ENTRY = (
    SGD,
    Adadelta,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    NAdam,
    RAdam,
    RMSprop,
)  # rules that move every entry by itself


def check_shardable(trainer: "Trainer") -> None:
    """Raise unless engine, objective, optimizer and callbacks can work on shards."""
    rule = "Trainer: parallel='fsdp' must go with "
    engine = trainer.engine
    require(engine in ("auto", "general"), f"{rule}the general engine", repr(engine), "Leave engine out.")  # fmt: skip
    kind = type(trainer.optimizer)
    names = ", ".join(each.__name__ for each in BY_ENTRY)
    require(kind in BY_ENTRY, f"{rule}an optimizer that moves every number by itself", kind.__name__, f"Those are PyTorch's {names}.")  # fmt: skip
    objective = trainer.objective
    require(not objective.optimizers, f"{rule}an objective that leaves the steps to the trainer", type(objective).__name__, "Try 'ddp'.")  # fmt: skip
    whole = [type(callback).__name__ for callback in trainer.callbacks if callback.needs_whole]
    require(not whole, f"{rule}callbacks that need no whole model", ", ".join(whole), "Leave them out, or try 'ddp'.")  # fmt: skip


@contextmanager
def sharded(trainer: "Trainer") -> Iterator[None]:
    """While inside, the trainer moves a sharded twin of its model, if that is wanted.

    Args:
        trainer: In every process.
    """
    if not trainer.spread.is_sharded:
        yield
        return
    from torch.distributed.device_mesh import init_device_mesh

    check_shardable(trainer)
    whole, was_meta = trainer.model, trainer.was_meta
    mesh = init_device_mesh(trainer.device.type, (trainer.group.world_size,))
    half = trainer.precision.dtype
    trainer.model = twin = make_twin(whole, mesh, trainer.seed, trainer.device, half)
    names = dict(whole.named_parameters())
    pairs: dict[Tensor, Tensor] = {names[name]: p for name, p in twin.named_parameters()}
    with _unfused(trainer.optimizer), warnings.catch_warnings():
        # no engine changes in place what a model returns
        warnings.filterwarnings("ignore", "FSDP2-wrapped module .* returned a view tensor")
        change_form(trainer, pairs, _cut)
        try:
            yield
        except BaseException as error:
            if not isinstance(error, Cancelled):  # others are gone
                trainer.model = whole
                raise
            _give_back(trainer, whole, twin, pairs, was_meta)
            raise
        _give_back(trainer, whole, twin, pairs, was_meta)


@contextmanager
def _unfused(optimizer: Optimizer) -> Iterator[None]:
    """While inside, an optimizer moves by kernels that know shards, which fused ones do not."""
    before = [group.get("fused") for group in optimizer.param_groups]
    for group in optimizer.param_groups:
        group |= {"fused": None, "foreach": True} if group.get("fused") else {}
    try:
        yield
    finally:
        for group, fused in zip(optimizer.param_groups, before, strict=True):
            group |= {"fused": True, "foreach": None} if fused else {}


def make_twin(
    model: nn.Module,
    mesh: "DeviceMesh",
    seed: int,
    device: torch.device,
    half: torch.dtype | None = None,
) -> nn.Module:
    """Return a sharded twin of a model, which gives its numbers away.

    Args:
        model: The model.
        mesh: The processes.
        seed: Fixes the numbers of a model that has none yet.
        device: Where shards shall lie.
        half: In which weights travel and compute; sums of gradients stay as they are.
    """
    from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard

    empty = {p: nn.Parameter(torch.empty_like(p, device="meta"), p.requires_grad) for p in model.parameters()}  # fmt: skip
    twin = deepcopy(model, {id(p): e for p, e in empty.items()})
    reduced = None if half is None else torch.float32
    for block in blocks_of(twin):
        fully_shard(block, mesh=mesh, mp_policy=MixedPrecisionPolicy(half, reduced))
    policy = MixedPrecisionPolicy(half, reduced, reduced)
    fully_shard(
        twin, mesh=mesh, mp_policy=policy, reshard_after_forward=True
    )  # also after validation
    for module in twin.modules():
        if isinstance(module, FSDPModule):
            module.set_gradient_divide_factor(1.0)  # shares add up, nothing is averaged
            module.set_force_sum_reduction_for_comms(True)  # gloo knows no other
        if isinstance(module, nn.RNNBase):
            module.register_forward_pre_hook(_bind)
    buffers = {name: b for name, b in twin.named_buffers() if b.device.type != "meta"}
    twin.to_empty(device=device)
    places = {**dict(twin.named_parameters()), **dict(twin.named_buffers())}
    with torch.no_grad():
        for name, buffer in buffers.items():
            places[name].copy_(buffer)
        made = drawn(model, seed) if is_meta(model) else model.named_parameters()
        for name, value in made:
            place = places[name]
            place.copy_(_cut(value, place))
            if value.device.type != "meta" and isinstance(value, nn.Parameter):
                value.data = torch.empty(0, dtype=value.dtype, device=value.device)
    return twin


def _bind(layer: Any, inputs: Any) -> None:
    """Let a recurrent layer, which keeps a list of its weights, know those that were gathered."""
    layer._flat_weights = [getattr(layer, name) for name in layer._flat_weights_names]


def _cut(value: Tensor, like: Tensor) -> Tensor:
    """The shard of this process of a tensor that all have whole."""
    from torch.distributed.tensor import DTensor, distribute_tensor

    if not isinstance(like, DTensor) or isinstance(value, DTensor) or value.shape != like.shape:
        return value
    mesh, placements = like.device_mesh, like.placements
    device = like.to_local().device
    return distribute_tensor(value.detach().to(device), mesh, placements, src_data_rank=None)


def whole_of(value: Any) -> Any:
    """A tree whose sharded tensors are whole; all processes must call it.

    >>> whole_of({"x": [1, torch.ones(1)]})
    {'x': [1, tensor([1.])]}
    """
    if hasattr(value, "full_tensor"):
        return value.full_tensor()
    if isinstance(value, Mapping):
        return {name: whole_of(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [whole_of(each) for each in value]
    return value


def change_form(
    trainer: "Trainer", pairs: dict[Tensor, Tensor], change: Callable[[Tensor, Tensor], Tensor]
) -> None:
    """Let optimizer and callbacks follow from some parameters to others.

    Args:
        trainer: Whose they are.
        pairs: Old and new parameters.
        change: Gives a tensor that is kept of a parameter the form of the new one.
    """
    optimizer: Optimizer = trainer.optimizer
    follow(optimizer, pairs)
    for new in pairs.values():
        kept = optimizer.state.get(new)
        if kept is not None:
            for name, value in kept.items():
                if isinstance(value, Tensor) and value.shape == new.shape and value.ndim:
                    kept[name] = change(value, new)
    state = trainer.model.state_dict()
    for callback in trainer.callbacks:
        own = callback.state_dict()
        if own:
            callback.load_state_dict({name: _changed(value, state, change) for name, value in own.items()})  # fmt: skip


def _changed(kept: Any, state: Mapping[str, Tensor], change: Callable[[Tensor, Tensor], Tensor]) -> Any:  # fmt: skip
    """What a callback keeps; of weights by name, each in the form of the model's."""
    if not isinstance(kept, Mapping):
        return kept
    return {
        name: change(value, state[name]) if isinstance(value, Tensor) and name in state else value
        for name, value in kept.items()
    }


def _give_back(
    trainer: "Trainer",
    whole: nn.Module,
    twin: nn.Module,
    pairs: dict[Tensor, Tensor],
    was_meta: bool,
) -> None:
    """Let the model have its numbers again."""
    back: dict[Tensor, Tensor] = {new: old for old, new in pairs.items()}
    if was_meta:
        values = {name: _at_first(p, trainer) for name, p in twin.named_parameters()}
        values |= {name: b.cpu() for name, b in twin.named_buffers()}
        trainer.optimizer.state.clear()
        trainer.model = whole
        if not trainer.group.is_first:
            follow(trainer.optimizer, back)
            return
        before: dict[str, Tensor] = dict(whole.named_parameters())
        set_tensors(whole, values)
        made = dict(whole.named_parameters())
        named: dict[Tensor, Tensor] = {before[name]: made[name] for name in before}
        follow(trainer.optimizer, {new: named[old] for new, old in back.items()})
        return
    for old, new in pairs.items():
        old.data = whole_of(new).detach()
    buffers = dict(whole.named_buffers())
    for name, buffer in twin.named_buffers():
        buffers[name].copy_(buffer)
    trainer.model = whole
    change_form(trainer, back, lambda value, like: whole_of(value))


def _at_first(value: Tensor, trainer: "Trainer") -> Tensor:
    whole: Tensor = whole_of(value)
    return whole.detach().cpu() if trainer.group.is_first else torch.empty(0)
