"""Which parameters the loss reaches: who moves, who is in no optimizer, who is cut off."""

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from gradatim.doctor.calls import Call
from gradatim.doctor.facts import Place
from gradatim.doctor.graph import walk
from gradatim.doctor.nodes import short
from gradatim.doctor.origins import update_line
from gradatim.doctor.updates import Slot

if TYPE_CHECKING:
    from gradatim.doctor.observing import Observer

Node = Any


class Reach:
    """Compares the leaves of the graph with models and optimizers.

    Attributes:
        moved_by_hand: Whether leaves changed without an optimizer.
    """

    def __init__(self) -> None:
        self.moved_by_hand = False
        self._leaf_values: dict[int, Tensor] = {}
        self._seen_leaves: dict[int, tuple[Tensor, int]] = {}
        self._looked = 0  # pass that was looked at last
        self._reached: set[int] = set()  # by any backward so far

    def learned(self, observer: "Observer", leaves: dict[int, Tensor]) -> set[int]:
        """Leaves that somebody could learn: a single number that was made in this very step is none."""
        held, before = observer.updates.held, self._seen_leaves
        return {k for k, leaf in leaves.items() if leaf.dim() or isinstance(leaf, nn.Parameter) or k in held or k in before}  # fmt: skip

    def by_hand(self, observer: "Observer", leaves: dict[int, Tensor]) -> None:
        """Without an optimizer, weights that change between two backward passes were moved by hand."""
        self._reached.update(leaves)
        some = list(leaves.values())[:3]
        ratios, kept = [], False
        for leaf in some:
            value = leaf.detach().reshape(-1)[:64].clone()
            old = self._leaf_values.get(id(leaf))
            if old is not None and old.shape == value.shape and not torch.equal(old, value):
                self.moved_by_hand = True
                ratios.append(float((value - old).norm() / old.norm().clamp(min=1e-12)))
                kept = kept or (leaf.grad is not None and bool(leaf.grad.any()))
            self._leaf_values[id(leaf)] = value
        if not observer.updates.slots:
            self._updated(observer, ratios, kept=kept)
        fresh = sum(id(leaf) not in self._seen_leaves for leaf in leaves.values())
        if self._seen_leaves and fresh == len(leaves) and not observer.updates.slots:
            self.moved_by_hand = True  # w = w - lr * gradient makes new tensors
        self._seen_leaves = {id(leaf): (leaf, 0) for leaf in some}

    def _updated(self, observer: "Observer", ratios: list[float], *, kept: bool) -> None:
        """How far an update by hand went, and whether its gradients are still there."""
        since, self._looked = observer.passes - self._looked, observer.passes
        if not ratios or since != 1:
            return
        observer.record.moves[observer.round - 1] = (None, sorted(ratios)[len(ratios) // 2])
        observer.count("by-hand", True, update_line(observer._backward_place))
        witness = observer.updates.count("kept-gradients@by hand", holds=kept)
        witness.place = observer._backward_place

    def parameters(
        self, observer: "Observer", leaves: dict[int, Tensor], training: list[Call]
    ) -> None:
        names, held = observer.calls.parameter_names(), observer.updates.held
        roots = [c.module for c in training]
        loaded = {id(p) for m in observer.hooks.loaded for p in m.parameters()}
        if held and observer.round:
            missing = [
                k
                for k, leaf in leaves.items()
                if k not in held and k not in loaded and _learns(leaf)
            ]
            said = [names.get(k, "a tensor") for k in missing]
            alive = [s.latest() for s in observer.updates.slots.values()]
            held_now = {
                id(p) for o in alive if o is not None for g in o.param_groups for p in g["params"]
            }
            foreign = [k for k in held_now if k not in leaves and k not in names]
            slots = list(observer.updates.slots.values())
            slot = next((s for s in reversed(slots) if _holds(s, foreign)), slots[-1])
            observer.count(
                f"stale@{observer._backward_place.line}",
                bool(foreign and missing),
                slot.place,
                said,
                stale=float(len(foreign)),
            )
            loss = observer._backward_place.line  # losses of two players are judged apart
            observer.count(f"missing@{loss}", bool(missing), slot.place, said)
        if roots:
            everything = [p for root in roots for p in root.parameters()]
            wanting = [p for p in everything if p.requires_grad]
            self._cut(observer, leaves, wanting, names)
            if everything and not wanting:
                observer.count("frozen-all", True, observer.frozen_place(roots[0]))

    def _cut(
        self,
        observer: "Observer",
        leaves: dict[int, Tensor],
        wanting: list[nn.Parameter],
        names: dict[int, str],
    ) -> None:
        """Modules that ran and want a gradient, but are reached neither now nor by another loss, as that of a critic."""
        ran = observer.calls.ran
        lost, place = [], Place()
        for module, _, with_gradient in ran.values():
            own = [p for p in module.parameters() if p.requires_grad]
            if own and not any(id(p) in self._reached for p in own):
                lost.append((observer.calls.name(module), module, with_gradient))
        held = observer.updates.held
        mine = [x for x in lost if not held or any(id(p) in held for p in x[1].parameters())]
        if mine:
            name, module, _ = mine[-1]
            place = observer.calls.quieted.get(id(module)) or observer.calls.made.get(
                module, Place()
            )
            place = Place(place.file, place.line, name)
        reached = {id(p) for p in wanting} & set(leaves)
        observer.count("cut", bool(mine) and bool(reached), place, [name for name, _, _ in mine])

    def detachings(
        self, observer: "Observer", nodes: list[Node], leaves: dict[int, Tensor]
    ) -> None:
        """Of all detachings since the last backward, the last that took out what is not reached."""
        events, observer.hooks.detaching.events = observer.hooks.detaching.events, []
        for name, place, node in reversed(events):
            below = {id(n.variable) for n in walk(node) if "accumulategrad" in short(n)}
            if below - set(leaves):
                observer.count("detaching", True, place, [name])
                return


def _holds(slot: Slot, some: list[int]) -> bool:
    """Whether an optimizer holds one of some tensors."""
    optimizer = slot.latest()
    groups = optimizer.param_groups if optimizer is not None else []
    return any(id(p) in some for group in groups for p in group["params"])


def _learns(leaf: Tensor) -> bool:
    return isinstance(leaf, nn.Parameter) and leaf.requires_grad
