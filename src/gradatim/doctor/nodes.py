"""What a node of the autograd graph tells: its name, what it kept, its shape, its line, the operations below."""

from typing import Any

from torch import Tensor

from gradatim.doctor.facts import Place
from gradatim.doctor.places import is_direct, parse_trace

Node = Any  # torch.autograd.graph.Node


def short(node: Node) -> str:
    """The name of an operation: ``LogSoftmaxBackward0`` is ``logsoftmax``."""
    name: str = node.name()
    return name.partition("Backward")[0].rpartition(":")[2].lower()


def saved(node: Node, name: str) -> Any:
    """What the forward kept for the backward; None where it is gone."""
    try:
        return getattr(node, f"_saved_{name}", None)
    except RuntimeError:
        return None


def shape_of(node: Node, index: int = 0) -> list[int]:
    """Shape of what the operation gave in the forward."""
    metadata = node._input_metadata
    return [int(n) for n in metadata[index].shape] if index < len(metadata) else []


def children(node: Node) -> list[Node]:
    """Operations whose results this one used."""
    return [child for child, _ in node.next_functions if child is not None]


def line_of(node: Node) -> tuple[Place, str]:
    """The user's line that made a node, where anomaly mode kept it."""
    return parse_trace(node.metadata.get("traceback_", []))


def is_called(node: Node) -> bool:
    """Whether the line of a node calls the layer that made it, rather than a container of it."""
    return is_direct(node.metadata.get("traceback_", []))


def constant_of(node: Node) -> float | None:
    """The number by which a product or quotient scales what goes through it; None if it is no single number."""
    for name in ("other", "self"):
        value = saved(node, name)
        if isinstance(value, Tensor) and value.numel() == 1 and not value.requires_grad:
            return float(value)
        if isinstance(value, int | float):
            return float(value)
    return None
