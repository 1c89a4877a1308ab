"""Calls of modules: which models run, in which mode, on what, and which layer made which node of the graph."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from gradatim.doctor.facts import Layer, Model, Place
from gradatim.doctor.identity import ByIdentity
from gradatim.doctor.patching import Safely
from gradatim.doctor.places import user_place, user_way

Node = Any
DROPOUT = nn.modules.dropout._DropoutNd
BATCH_NORM = nn.modules.batchnorm._BatchNorm
MOST_FIGURES = 16_384  # of an output, about, that its mean and deviation are taken of
MOST_CALLS = 64  # outermost calls kept between two backward passes
OPTIONS = ("p", "momentum", "eps", "dropout", "num_groups")


@dataclass(eq=False)
class Call:
    """One call of an outermost module."""

    module: nn.Module
    inputs: list[Tensor]
    outputs: list[Tensor]
    is_training: bool  # the mode of the module
    has_gradient: bool
    place: Place = field(default_factory=Place)
    way: list[Place] = field(default_factory=list)  # that led to one without gradient
    arguments: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)


class Calls:
    """Global forward hooks, installed only while something is to be seen.

    Args:
        safely: Runs what looks on: no mistake of it reaches the user's run.
    """

    def __init__(self, safely: Safely) -> None:
        self.safely = safely
        self.made: ByIdentity[nn.Module, Place] = ByIdentity()
        self.roots: ByIdentity[nn.Module, bool] = ByIdentity()  # outermost, led to a backward
        self.pending: list[Call] = []
        self.layers: dict[Node, tuple[str, str]] = {}
        self.loss_made: Place | None = None  # the line that made the loss module that runs now
        self.fewest: ByIdentity[nn.Module, float] = (
            ByIdentity()
        )  # values that batch normalization has for each channel
        self._by_node: dict[Node, nn.Module] = {}
        self.results: dict[Node, Tensor] = {}
        self.figures: dict[int, tuple[nn.Module, Tensor]] = {}  # mean, deviation, zeros of outputs
        self.ran: dict[int, tuple[nn.Module, Node | None, bool]] = {}
        self.quiet = Place()  # of the last no_grad
        self.quieted: dict[int, Place] = {}  # modules that ran within it
        self.order: dict[int, int] = {}
        self.keeps_layers = False
        self.shapes: tuple[nn.Module, list[list[int]]] | None = None  # of the call that runs now
        self._depth = 0
        self._hooks: list[Any] = []
        self._names: dict[int, str] = {}
        self._start: tuple[Any, Place] | None = None
        self._way: list[Place] = []

    # --- hooks

    def arm(self) -> None:
        """Begin to look at calls."""
        if not self._hooks:
            self._depth = 0
            pre = nn.modules.module.register_module_forward_pre_hook
            after = nn.modules.module.register_module_forward_hook
            self._hooks = [pre(self._before_call), after(self._after_call, with_kwargs=True)]

    def disarm(self) -> None:
        """Look away: modules run as if nobody were there."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    @property
    def is_armed(self) -> bool:
        return bool(self._hooks)

    def _before_call(self, module: nn.Module, arguments: Any) -> None:
        self.safely("calls of modules", self._before, module, arguments)

    def _after_call(self, module: nn.Module, arguments: Any, named: Any, output: Any) -> None:
        self.safely("results of modules", self._after, module, arguments, named, output)

    def _before(self, module: nn.Module, arguments: Any) -> None:
        self._depth += 1
        if is_loss(module):
            self.loss_made = self.made.get(module)
        elif self._depth == 1:
            self._start = (arguments, user_place())
            self._way = [] if torch.is_grad_enabled() else user_way()

    def _after(self, module: nn.Module, arguments: Any, named: Any, output: Any) -> None:
        self._depth = max(0, self._depth - 1)
        if is_loss(module):
            self.loss_made = None
        if self.keeps_layers:
            self._keep(module, output)
        if self._depth == 0 and not is_loss(module) and has_parameters(module):
            self._outermost(module, arguments, named, output)

    def _keep(self, module: nn.Module, output: Any) -> None:
        self.order.setdefault(id(module), len(self.order))
        first = next(tensors(output), None)
        node = None if first is None else first.grad_fn
        if not any(True for _ in module.children()):
            if node is not None and first is not None:
                self._by_node[node] = module
                self.figures[id(module)] = (module, figures(first))
            self.ran[id(module)] = (module, node, torch.is_grad_enabled())
            if not torch.is_grad_enabled():
                self.quieted[id(module)] = self.quiet
            if isinstance(module, BATCH_NORM) and first is not None and first.dim() > 1:
                values = first.numel() / first.shape[1]
                self.fewest[module] = min(values, self.fewest.get(module, values))

    def _outermost(self, module: nn.Module, arguments: Any, named: Any, output: Any) -> None:
        outputs = list(tensors(output))
        has_gradient = any(tensor.requires_grad for tensor in outputs)
        place = self._start[1] if self._start else Place()
        inputs = list(tensors([arguments, named]))
        call = Call(module, inputs, outputs, module.training, has_gradient, place, self._way, arguments, named)  # fmt: skip
        if len(self.pending) < MOST_CALLS:
            self.pending.append(call)
        for tensor in outputs:
            if tensor.grad_fn is not None:
                self.results[tensor.grad_fn] = tensor

    def forget(self) -> None:
        """Let go of tensors and nodes, so that memory is freed as if nobody had looked."""
        self.pending.clear()
        self.layers.clear()
        self._by_node.clear()
        self.results.clear()
        self.figures.clear()
        self.ran.clear()
        self.quieted.clear()
        self._depth = 0
        self._start = None

    # --- names

    def name(self, module: nn.Module) -> str:
        """The name of a module in its model, or its class."""
        return self._names.get(id(module)) or type(module).__name__.lower()

    def learn_names(self) -> None:
        """Name every module of the models that were called, after the largest that holds it."""
        self._names = {}
        tops = self.models()
        for k, top in enumerate(tops):
            prefix = "" if len(tops) == 1 else f"{type(top).__name__.lower()}{k or ''}."
            for name, module in top.named_modules():
                self._names.setdefault(id(module), (prefix + name).rstrip(".") or type(top).__name__.lower())  # fmt: skip
        self.layers = {n: (self.name(m), type(m).__name__) for n, m in self._by_node.items()}

    def models(self) -> list[nn.Module]:
        """The largest modules that hold those called."""
        roots = list(self.roots)
        alive = list(self.made)
        inside = {id(child) for module in alive for child in module.children()}
        tops = [m for m in alive if id(m) not in inside and has_parameters(m) and not is_loss(m)]
        called = {id(root) for root in roots}
        found = [top for top in tops if any(id(m) in called for m in top.modules())]
        known = {id(m) for top in found for m in top.modules()}
        return found + [root for root in roots if id(root) not in known]

    def parameter_names(self) -> dict[int, str]:
        """Names of all parameters of the models, by identity."""
        names: dict[int, str] = {}
        tops = self.models()
        for k, top in enumerate(tops):
            prefix = "" if len(tops) == 1 else f"{type(top).__name__.lower()}{k or ''}."
            for name, parameter in top.named_parameters():
                names.setdefault(id(parameter), prefix + name)
        return names

    @property
    def count(self) -> tuple[int, int]:
        """How many models were called, and how many modules there are."""
        return len(self.roots), len(self.made)

    def describe(self) -> list[Model]:
        """The models as facts."""
        self.learn_names()
        found = []
        for top in self.models():
            counts = [(p.numel(), p.requires_grad) for p in top.parameters()]
            layers = [self._layer(module) for module in top.modules() if _matters(module)]
            total, trainable = sum(n for n, _ in counts), sum(n for n, wants in counts if wants)
            found.append(Model(self.name(top), type(top).__name__, total, trainable, layers[:2000]))
        return found

    def _layer(self, module: nn.Module) -> Layer:
        place = self.made.get(module, Place())
        own = list(module.parameters(recurse=False))
        options = {
            name: float(value)
            for name in OPTIONS
            if isinstance(value := getattr(module, name, None), int | float)
        }
        return Layer(
            self.name(module), type(module).__name__, sum(p.numel() for p in own),
            sum(p.numel() for p in own if p.requires_grad), place.file, place.line, options,
        )  # fmt: skip


def tensors(value: Any, depth: int = 0) -> Iterator[Tensor]:
    """The tensors within tuples, lists and mappings."""
    if isinstance(value, Tensor):
        yield value
    elif depth < 3 and isinstance(value, dict):
        for entry in value.values():
            yield from tensors(entry, depth + 1)
    elif depth < 3 and isinstance(value, tuple | list):
        for entry in value:
            yield from tensors(entry, depth + 1)


def figures(values: Tensor) -> Tensor:
    """Mean, standard deviation and share of zeros of what a layer gave.

    >>> figures(torch.tensor([0.0, 0.0, 3.0, 3.0])).tolist()
    [1.5, 1.5, 0.5]
    """
    flat = values.detach().reshape(-1)
    flat = flat[:: max(1, len(flat) // MOST_FIGURES)].float()
    return torch.stack([flat.mean(), flat.std(correction=0), (flat == 0).float().mean()])


def is_loss(module: nn.Module) -> bool:
    """Whether a module only compares."""
    return isinstance(module, nn.modules.loss._Loss)


def has_parameters(module: nn.Module) -> bool:
    """Whether a module holds any parameter."""
    return next(module.parameters(), None) is not None


def _matters(module: nn.Module) -> bool:
    own = next(iter(module.parameters(recurse=False)), None)
    return own is not None or not any(True for _ in module.children())


def switched(module: nn.Module, mode: bool) -> list[nn.Module]:
    """Dropout and batch normalization of a model that are in the given mode."""
    return [
        part
        for part in module.modules()
        if part.training is mode
        and (
            (isinstance(part, DROPOUT) and part.p > 0)
            or (isinstance(part, BATCH_NORM) and part.track_running_stats)
            or (isinstance(part, nn.RNNBase) and part.dropout > 0)
        )
    ]


def unregistered(module: nn.Module) -> list[tuple[nn.Module, str]]:
    """Attributes that hold layers or parameters in a plain list, tuple or dict."""
    registered = {id(part) for part in module.modules()} | {id(p) for p in module.parameters()}
    found = []
    for part in module.modules():
        for name, value in vars(part).items():
            if name.startswith("_") or not isinstance(value, list | tuple | dict):
                continue
            entries = list(value.values()) if isinstance(value, dict) else list(value)
            for entry in entries[:50]:
                inner = list(entry) if isinstance(entry, list | tuple) else [entry]
                if any(_learns(x) and id(x) not in registered for x in inner):
                    found.append((part, name))
                    break
    return found


def _learns(value: Any) -> bool:
    if isinstance(value, nn.Parameter):
        return value.requires_grad
    return isinstance(value, nn.Module) and any(p.requires_grad for p in value.parameters())
