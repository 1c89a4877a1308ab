"""Optimizers at work: which tensors they hold, whether gradients arrive, how far a step goes."""

import math
import weakref
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from gradatim.doctor.facts import Optimizer as OptimizerFacts
from gradatim.doctor.facts import Place, Witness
from gradatim.doctor.identity import ByIdentity

MOST_LOOKED_AT = 4  # parameters whose gradients are checked for zero


@dataclass
class Slot:
    """All optimizers that were made over the same tensors."""

    name: str
    latest: weakref.ref[Optimizer]
    type: str
    place: Place = field(default_factory=Place)
    steps: int = 0
    last: int = 0
    made: int = 1
    made_at: int = -1  # the step at which the last was made
    cleared: bool | None = (
        None  # gradients were zero at some backward since the last step; None: nobody looked
    )
    filled: bool = False  # gradients were there after the last backward
    passes: int = 0  # backward passes since the last step
    backward_at: Place = field(default_factory=Place)
    is_closure: bool = False  # backward runs within the step
    options: dict[str, Any] = field(default_factory=dict)
    schedule: str | None = None
    schedule_place: Place = field(default_factory=Place)
    schedule_steps: int = 0
    schedule_step_at: Place = field(default_factory=Place)
    wiped_at: Place = field(default_factory=Place)

    def watched(self) -> list[Tensor]:
        """First, last and two middle parameters."""
        optimizer = self.latest()
        if optimizer is None:
            return []
        every = [p for group in optimizer.param_groups for p in group["params"]]
        if len(every) <= MOST_LOOKED_AT:
            return every
        return [every[0], every[len(every) // 3], every[2 * len(every) // 3], every[-1]]


@dataclass
class Movement:
    """What a sampled step did to the weights."""

    norms: dict[int, float] = field(default_factory=dict)  # gradient norm by tensor
    ratios: dict[int, float] = field(default_factory=dict)  # update to weight
    weights: dict[int, float] = field(default_factory=dict)
    decay: dict[int, float] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)

    @property
    def gradient_norm(self) -> float:
        return math.sqrt(sum(n * n for n in self.norms.values()))


class Updates:
    """Follows every optimizer."""

    def __init__(self) -> None:
        self.slots: dict[int, Slot] = {}
        self.held: dict[int, int] = {}  # tensor to slot
        self.witnesses: dict[
            str, Witness
        ] = {}  # of each optimizer by itself: players have their own count
        self._places: ByIdentity[Optimizer, Place] = ByIdentity()
        self._before: tuple[list[Tensor], list[Tensor], list[Tensor]] | None = None

    def made(self, optimizer: Optimizer, place: Place, step: int = 0) -> Slot | None:
        """Note an optimizer; those over the same first tensor share a slot."""
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        if not parameters:
            return None
        key = id(parameters[0])
        slot = self.slots.get(key)
        is_known = optimizer in self._places
        if not is_known:
            self._places[optimizer] = place
        place = self._places[optimizer]
        if slot is None or slot.type != type(optimizer).__name__ or not _same(slot, parameters):
            slot = Slot(f"optimizer{len(self.slots) or ''}", weakref.ref(optimizer), type(optimizer).__name__, place)  # fmt: skip
            self.slots[key] = slot
        elif slot.latest() is not optimizer:
            if step > slot.made_at and not is_known:  # several before the first step are tries
                slot.made += 1
            slot.latest, slot.place = weakref.ref(optimizer), place
            slot.cleared = None
        slot.made_at = step
        slot.options = {k: v for k, v in optimizer.param_groups[0].items() if k != "params"}
        for parameter in parameters:
            self.held[id(parameter)] = key
        return slot

    def slot(self, optimizer: Optimizer) -> Slot | None:
        """The slot of an optimizer, made now if nobody saw it made."""
        group = optimizer.param_groups[0]["params"]
        found = self.slots.get(id(group[0])) if group else None
        return found if found is not None and found.latest() is optimizer else self.made(optimizer, Place())  # fmt: skip

    # --- gradients

    def before_backward(self) -> None:
        """Look whether gradients were cleared."""
        for slot in self.slots.values():
            slot.passes += 1
            if slot.cleared is False and not any(_filled(p) for p in slot.watched()):
                slot.cleared = True

    def after_backward(self) -> None:
        for slot in self.slots.values():
            slot.filled = slot.filled or any(_filled(p) for p in slot.watched())

    def count(self, name: str, *, holds: bool) -> Witness:
        """Note whether something held in a sample."""
        witness = self.witnesses.setdefault(name, Witness())
        witness.of += 1
        witness.seen += holds
        return witness

    def _judge(self, slot: Slot) -> None:
        """Whether the gradients of the last step were still there."""
        if slot.cleared is not None:
            kept = self.count(f"kept-gradients@{slot.name}", holds=not slot.cleared)
            kept.place = slot.backward_at

    def before_step(self, optimizer: Optimizer, slot: Slot, place: Place, backward: Place) -> None:
        """At a sampled step: were gradients kept since the last, or cleared after backward? How large are they?"""
        now = [p for group in optimizer.param_groups for p in group["params"]]
        with_gradient = [p for p in now if p.grad is not None and not p.grad.is_sparse]
        slot.is_closure, slot.backward_at = slot.passes == 0, backward
        if not slot.is_closure:
            self._judge(slot)
        if slot.filled:
            zeroed = self.count(f"zeroed-gradients@{slot.name}", holds=False)
            if not any(_filled(p) for p in slot.watched()):
                zeroed.seen += 1
                zeroed.place = slot.wiped_at if slot.wiped_at.line else place
        weights = [p.detach() for p in with_gradient]
        self._before = (with_gradient, [w.clone() for w in weights], [p.grad.detach() for p in with_gradient if p.grad is not None])  # fmt: skip

    def after_step(self, optimizer: Optimizer, slot: Slot, *, sampled: bool) -> Movement | None:
        """What the step did."""
        slot.steps += 1
        if slot.is_closure and slot.passes:
            self._judge(slot)
        slot.cleared, slot.filled = False if sampled else None, False
        slot.passes, slot.is_closure = 0, False
        slot.wiped_at = Place()
        before, self._before = self._before, None
        if before is None or not before[0]:
            return None
        parameters, old, gradients = before
        gradient_norms = torch._foreach_norm(gradients)
        old_norms = torch._foreach_norm(old)
        moved = torch._foreach_norm(torch._foreach_sub([p.detach() for p in parameters], old))
        table = torch.stack([torch.stack([x.double().cpu() for x in row]) for row in (gradient_norms, old_norms, moved)]).tolist()  # fmt: skip
        group = optimizer.param_groups[0]
        decay, lr = float(group.get("weight_decay", 0.0) or 0.0), float(group.get("lr", 0.0))
        movement = Movement()
        for parameter, g, w, d in zip(parameters, *table, strict=True):
            key = id(parameter)
            movement.norms[key], movement.weights[key] = g, w
            movement.sizes[key] = parameter.numel()
            if w > 0:
                movement.ratios[key] = d / w
            if decay and parameter.dim() >= 2:
                pull, drive = (lr * decay * w, d) if slot.type == "AdamW" else (decay * w, g)
                movement.decay[key] = pull / drive if drive > 0 else 0.0
        return movement

    def describe(self) -> list[OptimizerFacts]:
        """The optimizers as facts."""
        return [_facts(slot) for slot in self.slots.values()]


def _facts(slot: Slot) -> OptimizerFacts:
    optimizer = slot.latest()
    count = 0 if optimizer is None else sum(p.numel() for g in optimizer.param_groups for p in g["params"])  # fmt: skip
    options = slot.options
    betas = [float(b) for b in options.get("betas", ()) or ()]
    return OptimizerFacts(
        slot.name, slot.type, count, float(options.get("lr", 0.0) or 0.0), float(options.get("momentum", 0.0) or 0.0), betas,
        None if options.get("eps") is None else float(options["eps"]), float(options.get("weight_decay", 0.0) or 0.0),
        slot.place.file, slot.place.line, slot.steps, slot.last, slot.made, {}, slot.schedule, slot.schedule_place,
        slot.schedule_steps, slot.schedule_step_at,
    )  # fmt: skip


def _filled(parameter: Tensor) -> bool:
    gradient = parameter.grad
    return gradient is not None and bool(gradient.any())


def _same(slot: Slot, parameters: list[Tensor]) -> bool:
    optimizer = slot.latest()
    if optimizer is None:
        return True  # it was let go; the new one is over the same first tensor
    held = [id(p) for group in optimizer.param_groups for p in group["params"]]
    return held == [id(p) for p in parameters]
