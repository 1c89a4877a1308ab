"""A sum of many functions that is differentiated twice and holds the graph of one of them at a time."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


class Parts(NamedTuple):
    """Functions of a vector and the weight of each."""

    functions: Sequence[Callable[[Tensor], Tensor]]
    weights: Sequence[float]


def sum_in_chunks(
    functions: Sequence[Callable[[Tensor], Tensor]], weights: Sequence[float]
) -> Callable[[Tensor], Tensor]:
    r"""Return :math:`h(\theta)=\sum_c w_ch_c(\theta)`, whose derivatives are computed part by part.

    .. math:: \nabla h = \sum_c w_c\nabla h_c, \qquad \nabla^2h\,v = \sum_c w_c\,\nabla(\nabla h_c^\top v)

    Autograd would hold what every part needs for its second derivative until the last product is done. Here every product walks
    through the parts anew, which takes about twice the time and the memory of one part.

    Args:
        functions: :math:`h_c`, scalar functions of a vector, which give the same at every call.
        weights: :math:`w_c`.

    Example:
        >>> h = sum_in_chunks([lambda w: w.square().sum(), lambda w: w.prod()], [1.0, 0.5])
        >>> torch.autograd.functional.hessian(h, torch.tensor([1.0, 2.0]))
        tensor([[2.0000, 0.5000],
                [0.5000, 2.0000]])
    """
    parts = Parts(functions, weights)

    def objective(theta: Tensor) -> Tensor:
        value: Tensor = _Value.apply(theta, parts)
        return value

    return objective


def _total(parts: Parts, term: Callable[[Callable[[Tensor], Tensor]], Tensor]) -> Tensor:
    first, *others = zip(parts.functions, parts.weights, strict=True)
    total = first[1] * term(first[0])
    for function, weight in others:
        total = total + weight * term(function)
    return total


def _gradient(function: Callable[[Tensor], Tensor], theta: Tensor, *, again: bool = False) -> Tensor:  # fmt: skip
    (found,) = torch.autograd.grad(
        function(theta), theta, create_graph=again, materialize_grads=True
    )
    return found


class _Value(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, theta: Tensor, parts: Parts) -> Tensor:
        ctx.save_for_backward(theta)
        ctx.parts = parts
        return _total(parts, lambda function: function(theta))

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, None]:
        (theta,) = ctx.saved_tensors
        return outer[0] * _Gradient.apply(theta, ctx.parts), None


class _Gradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, theta: Tensor, parts: Parts) -> Tensor:
        ctx.save_for_backward(theta)
        ctx.parts = parts
        with torch.enable_grad():
            point = theta.detach().requires_grad_()
            return _total(parts, lambda function: _gradient(function, point))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, v: Tensor) -> tuple[Tensor, None]:
        (theta,) = ctx.saved_tensors
        with torch.enable_grad():
            point = theta.detach().requires_grad_()

            def slope(function: Callable[[Tensor], Tensor]) -> Tensor:
                gradient = _gradient(function, point, again=True)
                if not gradient.requires_grad:  # a linear function
                    return torch.zeros_like(v)
                return torch.autograd.grad(gradient, point, v, materialize_grads=True)[0]

            return _total(ctx.parts, slope), None
