"""Repairs that a trial makes: each changes one thing about the loop that goes on."""

import copy
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim import optimizer as optimizer_module

from gradatim.doctor.calls import DROPOUT
from gradatim.doctor.moments import by_column
from gradatim.doctor.places import user_place

if TYPE_CHECKING:
    from gradatim.doctor.observing import Observer


def repair(observer: "Observer", name: str, value: float) -> None:
    """Make one repair in this process.

    Args:
        observer: Knows the models and the batch of the step that is under way.
        name: Of the repair.
        value: Its strength, where it has one.
    """
    models = [call.module for call in observer.calls.pending] or observer.calls.models()
    if name == "lr" and not observer.updates.slots:
        observer.scale_gradient = value  # updates by hand
    elif name == "lr":
        _groups(lambda group: {"lr": group["lr"] * value})
    elif name == "hold":
        _hold()
    elif name == "decay":
        _groups(lambda group: {"weight_decay": value} if "weight_decay" in group else {})
    elif name == "momentum":
        _groups(_usual)
    elif name == "unclipped":
        for owner in (torch.nn.utils, torch.nn.utils.clip_grad):
            owner.clip_grad_norm_ = lambda parameters, *_, **__: _norm(parameters)  # type: ignore[attr-defined]
    elif name == "clip":
        original = torch.nn.utils.clip_grad_norm_
        _before(lambda optimizer: original([p for g in optimizer.param_groups for p in g["params"]], value))  # fmt: skip
    elif name == "standardize":
        _standardize(models)
    elif name == "default-init":
        _fresh(models)
        _rescale_loose(observer, models)
    elif name == "rescale":
        _unsaturate()
    elif name == "dropout":
        for model in models:
            for module in model.modules():
                if isinstance(module, DROPOUT):
                    module.p = 0.0
    elif name == "divide":
        observer.scale_gradient = 1 / value
    elif name == "relu":
        _relu(models)
    elif name == "nonlinear":
        _nonlinear(observer)
    elif name == "group-norm":
        _no_running(models)
    elif name == "unfreeze":
        _unfreeze(models)


def _before(act: Any) -> None:
    def hook(optimizer: Optimizer, *_: Any) -> None:
        act(optimizer)  # what a hook returns would be taken for arguments of the step

    optimizer_module.register_optimizer_step_pre_hook(hook)


def _groups(change: Any) -> None:
    """Change options during each step only, so that schedules go on from what they set."""
    kept: dict[int, list[dict[str, Any]]] = {}

    def before(optimizer: Optimizer, *_: Any) -> None:
        kept[id(optimizer)] = [dict(group) for group in optimizer.param_groups]
        for group in optimizer.param_groups:
            group.update(change(group))

    def after(optimizer: Optimizer, *_: Any) -> None:
        for group, old in zip(optimizer.param_groups, kept.pop(id(optimizer), []), strict=False):
            group.update({k: v for k, v in old.items() if k != "params"})

    optimizer_module.register_optimizer_step_pre_hook(before)
    optimizer_module.register_optimizer_step_post_hook(after)


def _hold() -> None:
    """The rate never falls below its largest so far: a warm-up goes on, what follows it does not."""
    largest: dict[int, Any] = {}

    def held(group: dict[str, Any]) -> dict[str, Any]:
        largest[id(group)] = max(largest.get(id(group), group["lr"]), group["lr"])
        return {"lr": largest[id(group)]}

    _groups(held)


def _usual(group: dict[str, Any]) -> dict[str, Any]:
    change: dict[str, Any] = {}
    if group.get("momentum", 0) > 0.98:
        change["momentum"] = 0.9
    if "betas" in group:
        change["betas"] = (0.9, 0.999)
    if "eps" in group:
        change["eps"] = 1e-8
    return change


def _norm(parameters: Any) -> Tensor:
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    norms = [p.grad.norm() for p in parameters if p.grad is not None]
    return torch.stack(norms).norm() if norms else torch.tensor(0.0)


def _standardize(models: list[nn.Module]) -> None:
    """Standardize what outermost modules are given, by the first batch they see."""
    seen: dict[int, tuple[Tensor, Tensor]] = {}

    def change(module: nn.Module, arguments: tuple[Any, ...]) -> Any:
        if not arguments or not isinstance(arguments[0], Tensor) or not arguments[0].dtype.is_floating_point:  # fmt: skip
            return None
        x = arguments[0]
        if id(module) not in seen:
            columns = by_column(x)
            std = columns.std(0)
            seen[id(module)] = columns.mean(0), torch.where(std > 1e-12, std, torch.ones_like(std))
        mean, std = seen[id(module)]
        shape = [1] * x.dim()
        if x.dim() >= 2:
            shape[-1 if x.dim() <= 3 else 1] = len(mean)
        return ((x - mean.reshape(shape)) / std.reshape(shape), *arguments[1:])

    for model in models:
        model.register_forward_pre_hook(change)


def _fresh(models: list[nn.Module]) -> None:
    """Draw all weights anew, without touching what the graph of the step under way has kept."""
    generator = torch.random.get_rng_state()
    torch.manual_seed(0)
    for module in (part for model in models for part in model.modules()):
        if not callable(getattr(module, "reset_parameters", None)):
            _rescale(module)
            continue
        with suppress(RuntimeError, TypeError, AttributeError):
            new: Any = copy.deepcopy(module)
            new.reset_parameters()
            drawn = dict(new.named_parameters(recurse=False))
            for name, parameter in module.named_parameters(recurse=False):
                parameter.data = drawn[name].detach()
    torch.random.set_rng_state(generator)


def _rescale_loose(observer: "Observer", models: list[nn.Module]) -> None:
    """Matrices of no module, held by an optimizer, brought to the spread of 1/√(inputs)."""
    known = {id(p) for model in models for p in model.parameters()}
    optimizers = [slot.latest() for slot in observer.updates.slots.values()]
    for group in [g for o in optimizers if o is not None for g in o.param_groups]:
        for weight in group["params"]:
            spread = float(weight.detach().std()) if weight.dim() == 2 and weight.numel() > 1 else 0
            if id(weight) not in known and spread > 0:
                weight.data = weight.detach() / (spread * len(weight) ** 0.5)


def _unsaturate() -> None:
    """What goes into sigmoid and tanh is divided by how far it spreads at first, line by line."""
    spreads: dict[tuple[str | None, int | None], float] = {}
    owners: tuple[Any, ...] = (torch, Tensor, F)
    for owner in owners:
        for name in ("sigmoid", "tanh"):
            original = getattr(owner, name)

            def narrowed(x: Tensor, *arguments: Any, original: Any = original, **named: Any) -> Any:
                place = user_place()
                key = (place.file, place.line)
                if key not in spreads:
                    spreads[key] = max(1.0, float(x.detach().float().std())) if x.numel() > 1 else 1.0  # fmt: skip
                return original(x / spreads[key], *arguments, **named)

            setattr(owner, name, narrowed)


def _rescale(module: nn.Module) -> None:
    """Bring matrices of a module that somebody wrote to the spread of 1/√(inputs)."""
    for parameter in module.parameters(recurse=False):
        values = parameter.detach()
        spread = float(values.std()) if parameter.dim() == 2 and values.numel() > 1 else 0.0
        if spread > 0 and not any(True for _ in module.children()):
            parameter.data = values / (spread * max(values.shape) ** 0.5)


def _relu(models: list[nn.Module]) -> None:
    """ReLU for sigmoid and tanh modules between layers, and weights drawn for it."""
    for model in models:
        for module in model.modules():
            if isinstance(module, nn.Sigmoid | nn.Tanh):
                vars(module)["forward"] = torch.relu
    for model in models:
        for module in model.modules():
            if isinstance(module, nn.RNNBase | nn.RNNCellBase):
                _lasting(module)
            if isinstance(module, nn.Linear | nn.Conv2d):
                weight = torch.empty_like(module.weight)
                nn.init.kaiming_normal_(weight, generator=torch.Generator().manual_seed(0))
                module.weight.data = weight
                if module.bias is not None:
                    module.bias.data = torch.zeros_like(module.bias)


def _lasting(module: nn.Module) -> None:
    """Recurrent weights that keep the length of what they are given, and gates that begin open."""
    generator = torch.Generator().manual_seed(0)
    for name, parameter in module.named_parameters(recurse=False):
        size = parameter.shape[-1]
        if name.startswith("weight_hh") and len(parameter) % size == 0:
            parts = [nn.init.orthogonal_(torch.empty(size, size), generator=generator) for _ in range(len(parameter) // size)]  # fmt: skip
            parameter.data = torch.cat(parts).to(parameter)
        elif name.startswith("bias_hh") and isinstance(module, nn.LSTM | nn.LSTMCell):
            opened = parameter.detach().clone()
            opened[len(opened) // 4 : len(opened) // 2] = 1.0
            parameter.data = opened


def _nonlinear(observer: "Observer") -> None:
    """ReLU after every linear layer but the last that ran."""
    ran = [m for m, _, _ in observer.calls.ran.values() if isinstance(m, nn.Linear | nn.modules.conv._ConvNd)]  # fmt: skip
    for module in ran[:-1]:
        module.register_forward_hook(lambda _, __, output: torch.relu(output))


def _no_running(models: list[nn.Module]) -> None:
    for model in models:
        for module in model.modules():
            if isinstance(module, nn.modules.batchnorm._BatchNorm):
                vars(module)["forward"] = partial(_group_norm, module)


def _group_norm(module: Any, x: Tensor) -> Tensor:
    return F.group_norm(x, 1, module.weight, module.bias)


def _unfreeze(models: list[nn.Module]) -> None:
    frozen = [p for model in models for p in model.parameters() if not p.requires_grad]
    for parameter in frozen:
        parameter.requires_grad_(True)

    def add(optimizer: Optimizer) -> None:
        held = {id(p) for g in optimizer.param_groups for p in g["params"]}
        missing = [p for p in frozen if id(p) not in held]
        if missing:
            optimizer.add_param_group({"params": missing})

    _before(add)
