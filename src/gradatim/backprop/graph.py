"""The computation graph that autograd recorded, as nodes and edges with values and gradients."""

import io
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from gradatim.backprop.dot import dot_source
from gradatim.errors import InvalidType, InvalidValue, Unavailable, choose
from gradatim.files import open_atomically
from gradatim.files.signatures import is_signed, sign

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SMALL = 4  # tensors of up to this many numbers show them


@dataclass(frozen=True)
class Node:
    """An operation or a leaf of the graph.

    Args:
        kind: ``"operation"``, ``"leaf"``, or ``"loss"`` for the operation that made the loss.
        label: The operation, such as ``"mul"``, or the name of the tensor.
        value: Its numbers if known and few, else its shape.
        gradient: Gradient of the loss with respect to it, as numbers or as a norm; empty if none flows.
    """

    kind: str
    label: str
    value: str
    gradient: str


@dataclass(frozen=True, repr=False)
class ComputationGraph:
    """Nodes in forward order, and edges as pairs of positions, from what is used to what uses it."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]

    def __repr__(self) -> str:
        return f"ComputationGraph({len(self.nodes)} nodes, {len(self.edges)} edges)"

    @property
    def dot(self) -> str:
        """The graph in Graphviz's language."""
        return dot_source([(n.kind, n.label, n.value, n.gradient) for n in self.nodes], self.edges)

    def figure(self) -> "Figure":
        """Draw the graph from leaves at the top to the loss at the bottom."""
        from gradatim.plots.backprop import graph_figure

        return graph_figure(self)

    def save(self, path: str | Path) -> Path:
        """Write a picture, in the format of the ending: ``.svg``, ``.png`` or ``.pdf``.

        Graphviz draws it where its program ``dot`` is installed, otherwise Matplotlib does. A file that lies there is
        replaced if it was written so before, and refused otherwise.
        """
        path = Path(path)
        kind = choose(
            "ComputationGraph.save", "path ending", path.suffix.lstrip("."), ("svg", "png", "pdf")
        )
        with open_atomically(path, owner="ComputationGraph.save", is_ours=is_signed) as file:
            file.write(sign(self._draw(kind), kind))
        return path

    def _draw(self, kind: str) -> bytes:
        program = shutil.which("dot")
        if program is None:
            buffer = io.BytesIO()
            self.figure().savefig(buffer, format=kind)
            return buffer.getvalue()
        command = [program, f"-T{kind}"]
        try:
            done = subprocess.run(command, input=self.dot.encode(), check=True, capture_output=True)
        except subprocess.CalledProcessError as error:
            reason = error.stderr.decode(errors="replace").strip()
            raise Unavailable(f"ComputationGraph.save: Graphviz failed: {reason}") from error
        return done.stdout


def computation_graph(
    loss: Tensor, params: nn.Module | Mapping[str, Tensor] | None = None
) -> ComputationGraph:
    """Read the graph behind ``loss`` and carry the gradient back through it.

    Nothing changes: ``.grad`` stays as it was, and ``loss.backward()`` still works afterwards. Tensors that
    need no gradient, such as data, are not part of what autograd records.

    Args:
        loss: One number that requires grad, before ``backward()``.
        params: Names: a module, or a mapping of names to tensors. Intermediate results may be named as
            well; their values are then shown too.

    Example:
        >>> w, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
        >>> graph = computation_graph((w * 4 + b) ** 2, {"w": w, "b": b})
        >>> for node in graph.nodes:
        ...     print(node.label, node.value, node.gradient)
        w 2 88
        mul scalar 22
        b 3 22
        add scalar 22
        pow 121 1
    """
    if not isinstance(loss, Tensor):
        raise InvalidType(f"computation_graph: loss must be a tensor, got {type(loss).__name__}.")
    if loss.numel() != 1 or loss.grad_fn is None:
        got = f"shape {tuple(loss.shape)}" if loss.numel() != 1 else "a tensor without a graph"
        raise InvalidValue(
            f"computation_graph: loss must be one number computed from tensors that require grad, got {got}."
        )
    named = dict(params.named_parameters()) if isinstance(params, nn.Module) else dict(params or {})
    order = list(_forward_order(loss.grad_fn))
    gradients = _gradients(loss, order)
    names = {
        _home(tensor): (name, tensor) for name, tensor in named.items() if tensor.requires_grad
    }
    position = {fn: index for index, fn in enumerate(order)}
    nodes = [_node(fn, loss, gradients.get(fn), names) for fn in order]
    edges = [(position[source], position[fn]) for fn in order for source in _sources(fn)]
    return ComputationGraph(tuple(nodes), tuple(dict.fromkeys(edges)))


def _sources(fn: Any) -> list[Any]:
    return [source for source, _ in fn.next_functions if source is not None]


def _forward_order(root: Any) -> Iterator[Any]:
    """Every function behind ``root``, each after those it uses; a stack, for graphs of any depth."""
    seen: set[Any] = set()
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        fn, is_done = stack.pop()
        if is_done:
            yield fn
        elif fn not in seen:
            seen.add(fn)
            stack.append((fn, True))
            stack.extend((source, False) for source in reversed(_sources(fn)))


def _home(tensor: Tensor) -> Any:
    """The graph's node for a tensor: its leaf node, or the function that computed it."""
    return (
        tensor.grad_fn
        if tensor.grad_fn is not None
        else torch.autograd.graph.get_gradient_edge(tensor).node
    )


def _gradients(loss: Tensor, order: list[Any]) -> dict[Any, Tensor]:
    """Gradient of the loss with respect to the (first) output of each function and to each leaf."""
    caught: dict[Any, Tensor] = {}

    def catcher(fn: Any) -> Any:
        def catch(costates: tuple[Tensor | None, ...]) -> None:
            known = [p for p in costates if p is not None]
            if known:
                caught[fn] = known[0].detach()

        return catch

    leaves = [fn for fn in order if hasattr(fn, "variable")]
    hooks = [fn.register_prehook(catcher(fn)) for fn in order if not hasattr(fn, "variable")]
    try:
        pulled = torch.autograd.grad(
            loss, [fn.variable for fn in leaves], retain_graph=True, allow_unused=True
        )
    except RuntimeError as error:
        if "second time" not in str(error):
            raise
        raise InvalidValue(
            "computation_graph: loss must still have its graph, got one that backward() freed. "
            "Draw it before backward(), or call backward(retain_graph=True)."
        ) from None
    finally:
        for hook in hooks:
            hook.remove()
    return caught | {fn: g for fn, g in zip(leaves, pulled, strict=True) if g is not None}


def _node(
    fn: Any, loss: Tensor, gradient: Tensor | None, names: dict[Any, tuple[str, Tensor]]
) -> Node:
    flows = "" if gradient is None else _numbers(gradient) or f"‖·‖ = {gradient.norm().item():.3g}"
    name, tensor = names.get(fn, ("", None))
    if hasattr(fn, "variable"):
        value = fn.variable
        return Node("leaf", name or "leaf", _numbers(value) or _shape(value), flows)
    operation = re.sub(r"Backward\d*$", "", fn.name().split("::")[-1]).lower()
    label = f"{name} = {operation}" if name else operation
    known = loss if fn is loss.grad_fn else tensor
    if known is None:
        known = getattr(fn, "_saved_result", None)  # such as sigmoid and exp, whose slope needs it
    shape = "" if gradient is None else _shape(gradient)
    kind = "loss" if fn is loss.grad_fn else "operation"
    return Node(kind, label, shape if known is None else _numbers(known) or _shape(known), flows)


def _shape(tensor: Tensor) -> str:
    return str(tuple(tensor.shape)) if tensor.ndim else "scalar"


def _numbers(tensor: Tensor) -> str:
    if tensor.numel() > SMALL:
        return ""
    numbers = [f"{number:.4g}" for number in tensor.detach().flatten().tolist()]
    return (
        ", ".join(numbers) if tensor.ndim == 0 or tensor.numel() == 1 else f"[{', '.join(numbers)}]"
    )
