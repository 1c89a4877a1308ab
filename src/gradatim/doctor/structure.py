"""What the whole graph and the modules tell: who is reached, who is cut off, frozen, equal, dead or merely linear."""

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from gradatim.doctor.calls import BATCH_NORM, DROPOUT, Call, switched, unregistered
from gradatim.doctor.facts import Place
from gradatim.doctor.graph import VIEWS, walk
from gradatim.doctor.nodes import children, is_called, line_of, saved, short
from gradatim.doctor.reaching import Reach
from gradatim.doctor.weights import (  # fmt: skip
    LOOSE,
    are_equal,
    is_torch,
    layer_weights,
    loose_weights,
    start_of,
)

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
        self.reach = Reach()
        self.between = Place()  # the line that calls a linear layer right after another
        self.first_eval: int | None = None
        self.weights: list[tuple[str, Tensor, str]] = []  # layer, matrix, kind of layer

    def look(self, observer: "Observer", root: Node, training: list[Call]) -> None:
        """Take in a sampled step before its backward."""
        nodes = list(walk(root))
        leaves = {id(n.variable): n.variable for n in nodes if "accumulategrad" in short(n)}
        self._name_weights(observer, leaves)
        observer.count(f"detached@{observer._backward_place.line}", not self.reach.learned(observer, leaves), observer._backward_place)  # fmt: skip
        self.reach.by_hand(observer, leaves)
        if leaves and not observer.compiled:
            self.reach.parameters(observer, leaves, training)
            self._linear(observer, nodes)
            self._activations(observer, nodes)
            self._last_dropout(observer, training)
        self.reach.detachings(observer, nodes, leaves)
        self._outputs(observer)
        self._modules(observer, training)

    def _name_weights(self, observer: "Observer", leaves: dict[int, Tensor]) -> None:
        self.weights = layer_weights(observer.calls)
        known = {id(weight) for _, weight, _ in self.weights}
        named = observer.calls.parameter_names()
        loose = [leaf for key, leaf in leaves.items() if key not in known and key not in named and leaf.dim() == 2]  # fmt: skip
        for name, place, leaf in loose_weights(loose, observer._backward_place):
            observer.record.layer(name, LOOSE).place = place
            self.weights.append((name, leaf, LOOSE))
        for name, weight, kind in self.weights:
            if id(weight) not in self.layer_of:
                start_of(observer.record.layer(name, kind), weight, is_torch=is_torch(kind))
            self.layer_of[id(weight)] = (name, kind)
        if observer.round == 0:
            self._starts(observer)
        for module, number in [(m, observer.calls.order.get(id(m))) for m in observer.calls.made]:
            stats = observer.record.layers.get(observer.calls.name(module))
            if stats is not None and number is not None:
                stats.depth = number

    @staticmethod
    def _starts(observer: "Observer") -> None:
        """The lines where weights got their first values."""
        for module in (part for top in observer.calls.models() for part in top.modules()):
            stats = observer.record.layers.get(observer.calls.name(module))
            for parameter in module.parameters(recurse=False):
                place = observer.births.start_of(parameter)
                if stats is None or place is None:
                    continue
                if parameter.dim() >= 2:
                    stats.start = place
                else:
                    stats.bias_start = place

    def _outputs(self, observer: "Observer") -> None:
        """Mean, deviation and zeros of what the layers gave, all read at once."""
        seen = list(observer.calls.figures.values())
        if not seen:
            return
        table = torch.stack([numbers for _, numbers in seen]).tolist()
        for (module, _), (mean, std, zeros) in zip(seen, table, strict=True):
            stats = observer.record.layer(observer.calls.name(module), type(module).__name__)
            stats.step = observer.round
            stats.last |= {"mean": mean, "std": std, "zeros": zeros}

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
        if found is not None and is_called(found[1]) and names[0] != "a linear layer":
            self.between = line_of(found[1])[0]  # only the first steps know their lines
        if place is not None:
            place = self.between if self.between.line is not None else place
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
            [f"{observer.calls.name(m)} ({type(m).__name__})" for m in off[:4]],
            since=since,
        )
        if again:
            observer.witnesses["eval-in-training"].numbers["again"] = 1.0

    def _modules(self, observer: "Observer", training: list[Call]) -> None:
        self._equal(observer)
        for call in training:
            if observer.round == 0:
                for module, attribute in unregistered(call.module):
                    made = observer.calls.made.get(module, Place())
                    observer.count("not-registered", True, _assigned(module, attribute) or made, [attribute])  # fmt: skip
            self._frozen_head(observer, call)
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
            if frozen:
                known = [observer.births.frozen_at(p) for p in last.parameters()]
                place = next((p for p in known if p is not None), place)
            observer.count("frozen", frozen, Place(place.file, place.line, observer.calls.name(last)), [observer.calls.name(last)])  # fmt: skip

    def _equal(self, observer: "Observer") -> None:
        for name, weight, kind in self.weights:
            stats = observer.record.layer(name, kind)
            if stats.equal_rows and not stats.equal_rows[-1]:
                continue
            stats.equal_rows.append(are_equal(weight, is_torch=is_torch(kind)))
            if kind == "Linear" or kind.startswith("Conv"):
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
