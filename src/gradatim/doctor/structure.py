"""What the whole graph and the modules tell: who is reached, who is cut off, frozen, equal, dead or merely linear."""

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from gradatim.doctor.calls import BATCH_NORM, DROPOUT, Call, switched, unregistered
from gradatim.doctor.facts import Place
from gradatim.doctor.origins import update_line
from gradatim.doctor.graph import VIEWS, children, saved, short, walk

if TYPE_CHECKING:
    from gradatim.doctor.observing import Observer

Node = Any
LINEAR = {"addmm", "mm", "linear", "convolution", "mkldnnlinear"}
FLAT = 0.01  # of the range of sigmoid or tanh, at each end
MOST_UNITS = 4096


class Structure:
    """Looks at the graph of a step as a whole."""

    def __init__(self) -> None:
        self.layer_of: dict[int, tuple[str, str]] = {}  # weights to layers
        self.moved_by_hand = False
        self.first_eval: int | None = None
        self._leaf_values: dict[int, Tensor] = {}
        self._seen_leaves: dict[int, tuple[Tensor, int]] = {}
        self._looked = 0  # pass that was looked at last

    def look(self, observer: "Observer", root: Node, training: list[Call]) -> None:
        """Take in a sampled step before its backward."""
        if not training and not observer.compiled:
            observer.count("no-model", True)
        self._name_weights(observer)
        nodes = list(walk(root))
        leaves = {id(n.variable): n.variable for n in nodes if "accumulategrad" in short(n)}
        observer.count("detached", not leaves, observer._backward_place)
        self._by_hand(observer, leaves)
        if leaves and not observer.compiled:
            self._parameters(observer, leaves, training)
            self._linear(observer, nodes)
            self._activations(observer, nodes)
            self._last_dropout(observer, training)
        self._detachings(observer, nodes, leaves)
        self._modules(observer, training)

    def _name_weights(self, observer: "Observer") -> None:
        for top in observer.calls.models():
            for module in top.modules():
                for name, parameter in module.named_parameters(recurse=False):
                    if name.startswith("weight") and parameter.dim() >= 2:
                        if id(parameter) not in self.layer_of:
                            self._start(observer, module, parameter)
                        self.layer_of[id(parameter)] = (observer.calls.name(module), type(module).__name__)  # fmt: skip

    def _start(self, observer: "Observer", module: nn.Module, weight: Tensor) -> None:
        """How large the weights of a layer are before it learns."""
        stats = observer.record.layer(observer.calls.name(module), type(module).__name__)
        stats.depth = observer.calls.order.get(id(module), stats.depth)
        values = weight.detach()
        inputs = values[0].numel()
        spread = float(values.std()) if values.numel() > 1 else 0.0
        if spread > 0:
            stats.first["gain"] = spread * inputs**0.5

    # --- parameters

    def _by_hand(self, observer: "Observer", leaves: dict[int, Tensor]) -> None:
        """Without an optimizer, weights that change between two backward passes were moved by hand."""
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
        observer.updates.kept.of += 1
        observer.updates.kept.seen += kept

    def _parameters(
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
            slot = next(iter(observer.updates.slots.values()))
            observer.count(
                "stale", bool(foreign and missing), slot.place, said, stale=float(len(foreign))
            )
            observer.count("missing", bool(missing), slot.place, said)
        if roots:
            everything = [p for root in roots for p in root.parameters()]
            wanting = [p for p in everything if p.requires_grad]
            self._cut(observer, leaves, wanting, names)
            if everything and not wanting:
                observer.count("frozen-all", True, observer._backward_place)

    def _cut(
        self,
        observer: "Observer",
        leaves: dict[int, Tensor],
        wanting: list[nn.Parameter],
        names: dict[int, str],
    ) -> None:
        """Modules that ran and want a gradient, but are not reached."""
        ran = observer.calls.ran
        lost, place = [], Place()
        for module, _, with_gradient in ran.values():
            own = [p for p in module.parameters() if p.requires_grad]
            if own and not any(id(p) in leaves for p in own):
                lost.append((observer.calls.name(module), module, with_gradient))
        held = observer.updates.held
        mine = [x for x in lost if not held or any(id(p) in held for p in x[1].parameters())]
        if mine:
            name, module, _ = mine[-1]
            place = observer.calls.made.get(module, Place())
            place = Place(place.file, place.line, name)
        reached = {id(p) for p in wanting} & set(leaves)
        observer.count("cut", bool(mine) and bool(reached), place, [name for name, _, _ in mine])

    def _detachings(
        self, observer: "Observer", nodes: list[Node], leaves: dict[int, Tensor]
    ) -> None:
        """Of all detachings since the last backward, the last that took out what is not reached."""
        events, observer.hooks.detachings = observer.hooks.detachings, []
        for name, place, node in reversed(events):
            below = {id(n.variable) for n in walk(node) if "accumulategrad" in short(n)}
            if below - set(leaves):
                observer.count("detaching", True, place, [name])
                return

    # --- the graph as a whole

    def _linear(self, observer: "Observer", nodes: list[Node]) -> None:
        """Two products with weights and nothing but shapes and sums between them."""
        layers = observer.calls.layers
        found: tuple[Node, Node] | None = None
        for node in nodes:
            if short(node) in LINEAR and _has_weights(node):
                before = _before(node, layers)
                if before is not None and _widths(before, node):
                    found = (before, node)
        names = [layers.get(n, ("a linear layer", ""))[0] for n in found] if found else []
        place = observer.made_at(names[0]) if names else None
        if place is not None:
            place = Place(place.file, place.line, names[0])
        observer.count("linear-stack", found is not None, place, names)

    def _activations(self, observer: "Observer", nodes: list[Node]) -> None:
        """Dead and saturated units, by what ReLU, sigmoid and tanh kept for their backward."""
        layers = observer.calls.layers
        for node in nodes:
            kind = short(node)
            if kind not in {"relu", "sigmoid", "tanh"}:
                continue
            values = saved(node, "result")
            if not isinstance(values, Tensor) or values.numel() < 8 or values.dim() < 2:
                continue
            name = layers.get(_feeding(node, layers), ("", ""))[0]
            if not name:
                continue
            stats = observer.record.layer(name, "")
            stats.type = stats.type or kind
            figures = _unit_figures(values.detach(), kind)
            for key, value in figures.items():
                stats.first.setdefault(key, value)
                stats.last[key] = value

    def _last_dropout(self, observer: "Observer", training: list[Call]) -> None:
        layers = observer.calls.layers
        for call in training:
            for output in call.outputs[:1]:
                node = output.grad_fn
                while node is not None and short(node) in VIEWS and node not in layers and children(node):  # fmt: skip
                    node = children(node)[0]
                kind = layers.get(node, ("", ""))
                is_last = kind[1].startswith("Dropout")
                place = observer.made_at(kind[0]) if is_last else None
                observer.count("dropout-on-output", is_last, place or call.place)

    # --- modules

    def mode(self, observer: "Observer", call: Call) -> None:
        """In which mode a model is that learns now."""
        root = call.module
        off = [m for m in switched(root, False) if not _is_frozen(m)]
        on = switched(root, True)
        if not off and not on:
            return
        wrong = bool(off) and not on and not root.training
        if wrong and self.first_eval is None:
            self.first_eval = observer.round
        since = float(self.first_eval or 0)
        again = float(
            self.first_eval is not None and not wrong and observer.round > self.first_eval
        )
        ended = observer.hooks.ended
        observer.count(
            "eval-in-training",
            wrong,
            ended if ended.line is not None and not since else call.place,
            [observer.calls.name(m) for m in off[:4]],
            since=since,
        )
        if again:
            observer.witnesses["eval-in-training"].numbers["again"] = 1.0

    def _modules(self, observer: "Observer", training: list[Call]) -> None:
        for call in training:
            if observer.round == 0:
                for module, attribute in unregistered(call.module):
                    made = observer.calls.made.get(module, Place())
                    observer.count("not-registered", True, _assigned(module, attribute) or made, [attribute])  # fmt: skip
            self._frozen_head(observer, call)
            self._equal(observer, call.module)
            self._batch_norms(observer, call)

    def _frozen_head(self, observer: "Observer", call: Call) -> None:
        ran = [
            m for m, _, _ in observer.calls.ran.values() if next(m.parameters(), None) is not None
        ]
        inside = {id(m) for m in call.module.modules()}
        ran = [m for m in ran if id(m) in inside]
        if ran:
            last = ran[-1]
            frozen = all(not p.requires_grad for p in last.parameters())
            place = observer.calls.made.get(last, Place())
            observer.count("frozen", frozen, Place(place.file, place.line, observer.calls.name(last)), [observer.calls.name(last)])  # fmt: skip

    def _equal(self, observer: "Observer", root: nn.Module) -> None:
        for module in root.modules():
            weight = getattr(module, "weight", None)
            if not isinstance(module, nn.Linear | nn.modules.conv._ConvNd) or not isinstance(weight, Tensor):  # fmt: skip
                continue
            stats = observer.record.layer(observer.calls.name(module), type(module).__name__)
            if len(weight) < 2 or (stats.equal_rows and not stats.equal_rows[-1]):
                continue
            stats.equal_rows.append(bool((weight.detach() == weight.detach()[:1]).all()))
            stats.last["units"] = stats.first["units"] = float(len(weight))

    def _batch_norms(self, observer: "Observer", call: Call) -> None:
        fewest = observer.calls.fewest
        if fewest and any(isinstance(m, BATCH_NORM) for m in call.module.modules()):
            least, values = min(fewest.items(), key=lambda pair: pair[1])
            place = observer.calls.made.get(least, call.place)
            observer.count("batch-norm-values", True, place, [observer.calls.name(least)], fewest=values)  # fmt: skip


def _unit_figures(values: Tensor, kind: str) -> dict[str, float]:
    """Share of units that are 0 for every row, or share of values at the flat ends."""
    if kind == "relu":
        axes = [0, 2, 3] if values.dim() == 4 else list(range(values.dim() - 1))
        return {"dead": float((values == 0).all(dim=tuple(axes)).float().mean())} if _is_enough(values) else {}  # fmt: skip
    low, high = (0.0, 1.0) if kind == "sigmoid" else (-1.0, 1.0)
    width = FLAT * (high - low)
    flat = (values < low + width) | (values > high - width)
    return {"flat": float(flat.float().mean())}


def _is_enough(values: Tensor) -> bool:
    return values.shape[0] >= 8


def _feeding(node: Node, layers: dict[Node, tuple[str, str]]) -> Node | None:
    """The node of the layer whose result an activation took."""
    for _ in range(6):
        inner = children(node)
        if len(inner) == 0:
            return None
        node = inner[0]
        kind = layers.get(node)
        if kind is not None and kind[1] not in {"Dropout", "Flatten", "Identity"}:
            return node
    return None


def _has_weights(node: Node) -> bool:
    return any("accumulategrad" in short(c) or (short(c) in {"t", "transpose", "permute"} and any("accumulategrad" in short(x) for x in children(c))) for c in children(node))  # fmt: skip


def _before(node: Node, layers: dict[Node, tuple[str, str]]) -> Node | None:
    """The product with weights that feeds this one directly."""
    inner = [c for c in children(node) if "accumulategrad" not in short(c) and short(c) != "t"]
    for _ in range(6):
        if len(inner) != 1:
            return None
        below = inner[0]
        name = short(below)
        kind = layers.get(below, ("", ""))[1]
        if name in LINEAR and _has_weights(below):
            return below
        if name not in VIEWS and not kind.startswith("Dropout"):
            return None
        inner = children(below)
    return None


def _widths(first: Node, second: Node) -> bool:
    """Whether the width between is no bottleneck: then the two are one layer written as two."""
    if short(first) == "convolution" or short(second) == "convolution":
        return short(first) == short(second)
    a, b = saved(first, "mat1_sym_sizes"), saved(second, "mat1_sym_sizes")
    if a is None or b is None:
        return True
    width_in, width_between = int(a[-1]), int(b[-1])
    width_out = second._input_metadata[0].shape[-1]
    return width_between >= min(width_in, int(width_out))


def _learns(leaf: Tensor) -> bool:
    return isinstance(leaf, nn.Parameter) and leaf.requires_grad


def _is_frozen(module: nn.Module) -> bool:
    own = list(module.parameters())
    if isinstance(module, DROPOUT):
        return False
    return bool(own) and not any(p.requires_grad for p in own)


def _assigned(module: nn.Module, attribute: str) -> Place | None:
    """The line of a class that sets an attribute."""
    import inspect

    try:
        lines, start = inspect.getsourcelines(type(module))
        file = inspect.getsourcefile(type(module))
    except (OSError, TypeError):
        return None
    for k, line in enumerate(lines):
        if f"self.{attribute}" in line and "=" in line:
            return Place(file, start + k)
    return None
