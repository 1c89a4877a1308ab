"""Optimizers by name: PyTorch's own in their fastest form, and ours."""

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer

from gradatim.errors import InvalidType, InvalidValue, choose, require
from gradatim.optim.adam import Adam
from gradatim.optim.adam_then_sgd import AdamThenSGD
from gradatim.optim.ema_momentum import EMAMomentum
from gradatim.optim.entropy_sgd import EntropySGD
from gradatim.optim.extragradient import Extragradient
from gradatim.optim.foreach_optimizer import ForeachOptimizer
from gradatim.optim.heavy_ball import HeavyBall
from gradatim.optim.langevin import Langevin
from gradatim.optim.nesterov import NesterovExtrapolation
from gradatim.optim.normalized_gradient import NormalizedGradient
from gradatim.optim.rmsprop import RMSProp

OptimizerFactory = Callable[..., Optimizer]

OPTIMIZERS: dict[str, OptimizerFactory] = {
    "sgd": torch.optim.SGD,
    "momentum": partial(torch.optim.SGD, momentum=0.9),
    "nesterov": partial(torch.optim.SGD, momentum=0.9, nesterov=True),
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "rmsprop": torch.optim.RMSprop,
    "adagrad": torch.optim.Adagrad,
    "adadelta": torch.optim.Adadelta,
    "adamax": torch.optim.Adamax,
    "nadam": torch.optim.NAdam,
    "radam": torch.optim.RAdam,
    "heavy_ball": HeavyBall,
    "ema_momentum": EMAMomentum,
    "nesterov_extrapolation": NesterovExtrapolation,
    "normalized_gradient": NormalizedGradient,
    "rmsprop_eps_inside": partial(RMSProp, eps_inside=True),
    "adam_eps_inside": partial(Adam, eps_inside=True),
    "adam_then_sgd": AdamThenSGD,
    "extragradient": Extragradient,
    "entropy_sgd": EntropySGD,
    "langevin": Langevin,
}
_FUSED = (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.Adagrad)


def decay_groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Split parameters into decayed weights and undecayed biases and normalization scales.

    Vectors and scalars (biases, gains) carry no decay: shrinking them does not simplify the function.

    Args:
        model: Whose parameters an optimizer will move.
        weight_decay: Of the weights.

    Example:
        >>> [(len(g["params"]), g["weight_decay"]) for g in decay_groups(nn.Linear(2, 1), 0.1)]
        [(1, 0.1), (1, 0.0)]
    """
    parameters = [p for p in model.parameters() if p.requires_grad]
    if not weight_decay:
        return [{"params": parameters, "weight_decay": 0.0}]
    weights = [p for p in parameters if p.ndim > 1]
    others = [p for p in parameters if p.ndim <= 1]
    groups = [
        {"params": weights, "weight_decay": weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    return [group for group in groups if group["params"]]


def _fastest(factory: OptimizerFactory, parameters: Iterable[torch.Tensor]) -> dict[str, bool]:
    """Pick the fused kernel where PyTorch has one, the multi-tensor one elsewhere."""
    rule = factory.func if isinstance(factory, partial) else factory
    if isinstance(rule, type) and issubclass(rule, ForeachOptimizer):
        return {}
    plain = all(p.is_floating_point() and p.device.type in ("cpu", "cuda") for p in parameters)
    return {"fused": True} if rule in _FUSED and plain else {"foreach": True}


def needs_closure(optimizer: Optimizer) -> bool:
    """Whether ``step`` must be given a function that evaluates loss and gradients, as L-BFGS must.

    Args:
        optimizer: One of PyTorch's or of ours.

    Example:
        >>> needs_closure(torch.optim.SGD([torch.zeros(1)]))
        False
    """
    return isinstance(optimizer, torch.optim.LBFGS) or getattr(optimizer, "needs_closure", False)


def default_lr(optimizer: str | OptimizerFactory) -> float:
    """The learning rate that an optimizer takes where none is given: its own, or 0.001 where it has none.

    Args:
        optimizer: A name from :data:`OPTIMIZERS`, a class or a function ``(parameters, lr) -> Optimizer``.

    Example:
        >>> default_lr("adam"), default_lr("adadelta"), default_lr(lambda parameters, lr: torch.optim.SGD(parameters, lr))
        (0.001, 1.0, 0.001)
    """
    if isinstance(optimizer, str):
        optimizer = OPTIMIZERS[choose("build_optimizer", "optimizer", optimizer, OPTIMIZERS)]
    lr = inspect.signature(optimizer).parameters.get("lr")
    return float(lr.default) if lr is not None and isinstance(lr.default, int | float) else 1e-3


def build_optimizer(
    optimizer: str | OptimizerFactory | Optimizer,
    model: nn.Module,
    *,
    lr: float | None = None,
    weight_decay: float = 0.0,
) -> Optimizer:
    """Make an optimizer for ``model`` from a name, a factory ``(parameters, lr) -> Optimizer`` or as given.

    Args:
        optimizer: A name from :data:`OPTIMIZERS`; a class or function called as
            ``optimizer(parameter_groups, lr=lr)``; or a ready PyTorch optimizer, used as it is.
        model: Its trainable parameters are optimized.
        lr: Learning rate; by default that of :func:`default_lr`. A ready optimizer has its own.
        weight_decay: :math:`\\gamma` of the penalty :math:`\\frac{\\gamma}{2}\\lVert W\\rVert^2`, on weights only;
            in ``adamw`` it is decoupled from the gradient.

    Example:
        >>> type(build_optimizer("adam", torch.nn.Linear(2, 1))).__name__
        'Adam'
    """
    if isinstance(optimizer, Optimizer):
        return _check_ready(optimizer, model, lr, weight_decay)
    if lr is not None and not lr >= 0:
        raise InvalidValue(f"build_optimizer: lr must be at least 0, got {lr}. Try lr=1e-3.")
    if not weight_decay >= 0:
        raise InvalidValue(
            f"build_optimizer: weight_decay must be at least 0, got {weight_decay}. Try weight_decay=1e-4."
        )
    groups = decay_groups(model, weight_decay)
    if not groups or not groups[0]["params"]:
        raise InvalidValue(
            "build_optimizer: model must have a trainable parameter, got none. Check requires_grad."
        )
    if not isinstance(optimizer, str) and not callable(optimizer):
        raise InvalidType(
            f"build_optimizer: optimizer must be a name, a factory or a torch Optimizer, got {optimizer!r}. "
            "Try 'adam'."
        )
    rate = default_lr(optimizer) if lr is None else lr
    if isinstance(optimizer, str):
        factory = OPTIMIZERS[choose("build_optimizer", "optimizer", optimizer, OPTIMIZERS)]
        return factory(groups, lr=rate, **_fastest(factory, model.parameters()))
    return optimizer(groups, lr=rate)


def _check_ready(
    optimizer: Optimizer, model: nn.Module, lr: float | None, weight_decay: float
) -> Optimizer:
    """Raise if a ready optimizer does not move the model, or settings are given that it would not hear of."""
    name = type(optimizer).__name__
    for setting, value in (("lr", lr), ("weight_decay", weight_decay or None)):
        rule = f"build_optimizer: {setting} must be left out beside a ready optimizer"
        require(value is None, rule, value, f"Give it to {name}, or pass a name or the class.")
    own = {id(p) for p in model.parameters()}
    held = [p for group in optimizer.param_groups for p in group["params"]]
    rule = "build_optimizer: optimizer must hold parameters of the model"
    got = f"{name} with {len(held)} others"
    require(any(id(p) in own for p in held), rule, got, "Build it from model.parameters().")
    return optimizer
