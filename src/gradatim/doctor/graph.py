"""The autograd graph as a witness: what the loss compares, through what, and which parameters it reaches."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from gradatim.doctor.facts import Operation, Place
from gradatim.doctor.nodes import (
    Node,
    children,
    constant_of,
    is_called,
    line_of,
    saved,
    shape_of,
    short,
)
from gradatim.doctor.written import is_log_density, is_square, normalized

MOST_NODES = 30_000
MOST_BELOW = 14
VIEWS = {
    "view", "unsafeview", "reshapealias", "squeeze", "unsqueeze", "transpose", "permute", "clone", "select", "slice", "t",
    "tocopy", "expand", "alias", "to", "asstrided", "contiguous",
}  # fmt: skip
WEIGHTED = {
    "addmm",
    "mm",
    "convolution",
    "bmm",
    "embedding",
    "baddbmm",
    "linear",
    "mkldnnrnnlayer",
    "mkldnnlinear",
}
NODE_LOSSES = {
    "nllloss": "nll_loss", "nlllossnd": "nll_loss", "nllloss2d": "nll_loss", "mseloss": "mse_loss",
    "binarycrossentropy": "binary_cross_entropy", "binarycrossentropywithlogits": "binary_cross_entropy_with_logits",
    "smoothl1loss": "smooth_l1_loss", "huberloss": "huber_loss",
}  # fmt: skip


@dataclass
class Compared:
    """One call of a loss function, or a term found in the graph: what it compares."""

    operation: str
    input: Tensor | None = None
    target: Tensor | None = None
    place: Place = field(default_factory=Place)
    reduction: str = "mean"
    weight: Tensor | None = None
    sign: int = 1
    scale: float = 1.0
    above: list[str] = field(default_factory=list)
    chain: list[Operation] = field(default_factory=list)
    broadcast: list[list[int]] = field(default_factory=list)
    node: Node = None
    below: Node = None  # where the chain towards the model begins
    made: Place = field(default_factory=Place)  # the line of the loss module
    negated: Place = field(default_factory=Place)  # the line that took the negative


def walk(root: Node) -> Iterator[Node]:
    """Every node below, each once."""
    stack, seen = [root], {root}
    while stack and len(seen) < MOST_NODES:
        node = stack.pop()
        yield node
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                stack.append(child)


class Reader:
    """Reads the terms of a loss from its graph.

    Args:
        calls: Calls of loss functions since the last backward, by the node of their result.
        outputs: Results of outermost models, by their node.
    """

    def __init__(self, calls: dict[Node, Compared], outputs: dict[Node, Tensor]) -> None:
        self.calls, self.outputs = calls, outputs
        self.terms: list[Compared] = []
        self.whole = True
        self._negated = Place()

    def read(self, root: Node) -> list[Compared]:
        """Return the terms that add up to the loss; ``whole`` tells whether nothing else is in it."""
        self._go(root, 1, 1.0, [], 0)
        return self.terms

    def _go(self, node: Node, sign: int, scale: float, above: list[str], depth: int) -> None:
        if len(self.terms) > 16 or depth > 200:
            self.whole = False
            return
        term = self.calls.get(node) or self._by_node(node) or self._by_hand(node, above)
        if term is not None:
            self._take(term, node, sign, scale, above)
            return
        name = short(node)
        inner = children(node)
        above = [*above, name] if len(above) < 12 else above
        if name == "neg":
            self._negated = line_of(node)[0]
            self._go(inner[0], -sign, scale, above, depth + 1)
        elif name in {"sum", "mean"} and inner:
            count = _reduced(node, inner[0]) if name == "sum" else 1
            self._go(inner[0], sign, scale * count, above, depth + 1)
        elif (
            name in {"mul", "div"} and len(inner) == 1 and (factor := constant_of(node)) is not None
        ):
            factor = 1 / factor if name == "div" and factor else factor
            self._go(inner[0], sign if factor > 0 else -sign, scale * abs(factor), above, depth + 1)
        elif name in {"add", "sub", "rsub"}:
            for k, (child, _) in enumerate(node.next_functions):
                minus = (name == "sub" and k == 1) or (name == "rsub" and k == 0)
                if child is not None:
                    self._go(child, -sign if minus else sign, scale, above, depth + 1)
        elif (name in VIEWS or name == "stack") and inner:
            for child in inner:
                self._go(child, sign, scale / len(inner), above, depth + 1)
        else:
            self.whole = False

    def _take(self, term: Compared, node: Node, sign: int, scale: float, above: list[str]) -> None:
        rows = term.input.numel() if term.input is not None else 1
        if term.reduction == "sum":
            if term.operation in {"cross_entropy", "nll_loss"} and term.target is not None:
                rows = (
                    term.target.numel()
                    if term.target.dtype == torch.int64
                    else term.target.shape[0]
                )
            scale *= rows
        elif "sum" in above and "div" not in above and scale > 1:
            term.reduction = "sum"
        term.sign, term.scale, term.above, term.node = term.sign * sign, scale, above, node
        if term.sign < 0:
            term.negated = self._negated
        self.terms.append(term)

    def _by_node(self, node: Node) -> Compared | None:
        operation = NODE_LOSSES.get(short(node))
        if operation is None:
            return None
        reduction = ("none", "mean", "sum")[saved(node, "reduction") or 0]
        below = children(node)
        given = saved(node, "self")
        return Compared(operation, given, saved(node, "target"), line_of(node)[0], reduction, saved(node, "weight"), node=node, below=below[0] if below else None)  # fmt: skip

    def _by_hand(self, node: Node, above: list[str]) -> Compared | None:
        """Squares, distances and log-likelihoods that somebody wrote out; what was subtracted is had by the output."""
        name, inner = short(node), children(node)
        if is_square(node):
            return self._difference("squares by hand", inner[0], saved(node, "self"), node)
        if name == "abs" and inner and short(inner[0]) == "sub":
            return self._difference("distances by hand", inner[0], saved(node, "self"), node)
        if name == "mul" and len(inner) == 2 and inner[0] is inner[1] and short(inner[0]) == "sub":
            return self._difference("squares by hand", inner[0], saved(node, "self"), node)
        if name in {"gather", "index"} and inner and (short(inner[0]) in {"logsoftmax", "log"} or normalized(inner[0])):  # fmt: skip
            return self._likelihood(node, inner[0])
        if name == "sub" and is_log_density(node):
            return Compared("density by hand", place=line_of(node)[0], sign=-1, node=node)
        return None

    def _difference(self, name: str, node: Node, difference: Any, top: Node) -> Compared:
        place = line_of(node)[0]
        term = Compared(name, None, None, place, node=top, below=children(node)[0])
        operands = node.next_functions
        given = [
            (k, child, index) for k, (child, index) in enumerate(operands) if child is not None
        ]
        if len(given) == 1:
            k, child, index = given[0]
            before, result = shape_of(child, index), shape_of(node)
            if is_crossed(before, result) and short(child) != "unsqueeze":
                term.broadcast = [
                    before,
                    [result[-1]] if before[-1:] == [1] else [result[0], 1],
                    result,
                ]
            output = self._output(child)
            if output is not None and isinstance(difference, Tensor):
                value = output.detach()
                if value.numel() == difference.numel() and bool(torch.isfinite(value).all()):
                    value = value.reshape(difference.shape)
                    term.input = value
                    term.target = value - difference if k == 0 else value + difference
        return term

    def _likelihood(self, node: Node, scores: Node) -> Compared:
        target = saved(node, "index")
        if target is None:
            indices = saved(node, "indices")
            target = indices[-1] if indices else None
        result = saved(scores, "result") if short(scores) == "logsoftmax" else None
        if isinstance(target, Tensor):
            target = target.reshape(-1)
        return Compared("nll by hand", result, target, line_of(node)[0], sign=-1, node=node, below=scores)  # fmt: skip

    def _output(self, node: Node) -> Tensor | None:
        for _ in range(4):
            if node in self.outputs:
                return self.outputs[node]
            inner = children(node)
            if short(node) not in VIEWS - {"select", "slice", "expand"} or len(inner) != 1:
                return None
            node = inner[0]
        return None


def _reduced(node: Node, child: Node) -> float:
    """How many numbers a sum adds up for each it gives."""
    sizes = saved(node, "self_sym_sizes")
    before = 1.0
    for n in sizes if sizes is not None else shape_of(child):
        before *= int(n)
    after = 1.0
    for n in shape_of(node):
        after *= n
    return before / max(after, 1.0)


def is_crossed(before: list[int], after: list[int]) -> bool:
    """Whether N numbers, or N rows of one number, became N × N by broadcasting.

    >>> is_crossed([5, 1], [5, 5]), is_crossed([5, 3], [5, 3])
    (True, False)
    """
    if len(after) < 2 or after[-1] != after[-2] or after[-1] < 2:
        return False
    n, small = after[-1], [k for k in before if k != 1]
    return small == [n] and before != after


def chain_below(node: Node | None, layers: dict[Node, tuple[str, str]]) -> list[Operation]:
    """The operations from a term down to the nearest weights, or to where several ways part."""
    found: list[Operation] = []
    while node is not None and len(found) < MOST_BELOW:
        name = short(node)
        inner = children(node)
        layer, kind = layers.get(node, ("", ""))
        place, function = line_of(node)
        if kind.startswith("Dropout") or function == "dropout":
            name = "dropout"
        operation = Operation(name, place.file, place.line, layer or None, shape=shape_of(node))
        operation.is_called = bool(layer) and is_called(node)
        axis = saved(node, "dim")
        written = normalized(node)
        if written is not None:
            operation.name, operation.axis, inner = written[0], written[1], [written[2]]
        elif name in {"softmax", "logsoftmax"} and isinstance(axis, int):
            size = len(operation.shape)
            operation.axis = axis - 2**64 if axis > size else axis
        found.append(operation)
        if name in WEIGHTED or any("accumulategrad" in short(child) for child in inner):
            break
        node = inner[0] if len(inner) == 1 else None
    return found
