"""Which tensor a failed backward misses: one that was changed in place, or freed by an earlier backward."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from gradatim.doctor.facts import Place
from gradatim.doctor.graph import MOST_NODES
from gradatim.doctor.nodes import children, line_of, shape_of, short
from gradatim.doctor.places import source

Node = Any
CHANGED, FREED = "modified by an inplace operation", "second time"
MAKER = re.compile(r"output \d+ of (\w+?)Backward")
IN_PLACE = re.compile(r"\w_\(|[-+*/@]=|\]\s*=[^=]|inplace=True|\.step\(")


@dataclass
class Lost:
    """A tensor that backward needs and no longer has.

    Attributes:
        operation: What needs it.
        place: The line of that operation, and its layer.
        changed: The line that changed it in place, where that can be told.
    """

    operation: str
    place: Place = field(default_factory=Place)
    changed: Place = field(default_factory=Place)


def find_lost(root: Tensor, error: RuntimeError, layers: dict[Node, tuple[str, str]], before: int = 0) -> Lost | None:  # fmt: skip
    """Find the operation whose saved tensor is gone, by asking all of them, those next to the loss first.

    Args:
        root: The loss.
        error: What its backward raised.
        layers: The layer that made a node.
        before: The number of nodes there were at the end of the last backward: older ones it has freed, younger ones the
            one that failed.

    Example:
        >>> import torch
        >>> x = torch.ones(3, requires_grad=True)
        >>> y = torch.exp(x)
        >>> loss = y.mul_(2).sum()
        >>> try:
        ...     loss.backward()
        ... except RuntimeError as error:
        ...     find_lost(loss, error, {}).operation
        'exp'
    """
    message = str(error)
    words = next((w for w in (CHANGED, FREED) if w in message), None)
    if words is None or root.grad_fn is None:
        return None
    nodes = list(_broadly(root.grad_fn))
    missing = [n for n in nodes if _misses(n, words)]
    if words == FREED:
        missing = [n for n in missing if n._sequence_nr() < before] or missing
        missing.sort(key=lambda n: -n._sequence_nr())
    node = next(iter(missing), None)
    if node is None:
        return None
    place = line_of(node)[0]
    place.layer = layers.get(node, ("", ""))[0] or None
    lost = Lost(short(node), place)
    if words == CHANGED:
        lost.changed = _changer(nodes, node, message)
    return lost


def _broadly(root: Node) -> Iterator[Node]:
    """Every node below, the nearest first."""
    queue, seen = deque([root]), {root}
    while queue and len(seen) < MOST_NODES:
        node = queue.popleft()
        yield node
        for child in children(node):
            if child not in seen:
                seen.add(child)
                queue.append(child)


def _misses(node: Node, words: str) -> bool:
    for name in dir(node):
        if name.startswith("_saved_"):
            try:
                getattr(node, name)
            except RuntimeError as error:
                if words in str(error) or (words == FREED and "freed" in str(error)):
                    return True
    return False


def _changer(nodes: list[Node], loser: Node, message: str) -> Place:
    """The line of an operation on the lost tensor that is written as a change in place."""
    match = MAKER.search(message)
    made = match[1].lower() if match else short(loser)
    makers = [n for n in [loser, *children(loser)] if short(n) == made]
    for node in nodes:
        for maker in makers:
            if maker in children(node) and shape_of(node) == shape_of(maker):
                place = line_of(node)[0]
                if IN_PLACE.search(source(place)):
                    return place
    return Place()
