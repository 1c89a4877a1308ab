"""The vector-Jacobian product of one stage."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

Pullback = Callable[[list[Tensor | None]], tuple[list[Tensor | None], list[Tensor | None]]]


def stage_vjp(
    stage: Callable[..., Any], inputs: tuple[Any, ...], parameters: list[Tensor]
) -> tuple[Any, Pullback]:
    r"""Evaluate one stage and return its output with its vector-Jacobian product.

    The pullback maps :math:`p_\ell` to
    :math:`(\partial f/\partial x)^\top p_\ell` and :math:`(\partial f/\partial\theta)^\top p_\ell`.
    The stage is evaluated once, so that a dropout mask is the same both ways. Unlike ``torch.func.vjp``
    this accepts in-place layers, ``torch.utils.checkpoint`` and any ``torch.autograd.Function``.

    Args:
        stage: Any callable on tensors, or on structures of tensors.
        inputs: Its arguments.
        parameters: Tensors whose gradients are wanted, used by the stage or not.

    Returns:
        Output, detached, and pullback. The pullback takes one co-state for each tensor of the output and
        gives one for each tensor of the inputs and each parameter, ``None`` where there is no derivative.

    Example:
        >>> output, pullback = stage_vjp(torch.sin, (torch.zeros(1),), [])
        >>> pullback([torch.tensor([3.0])])
        ([tensor([3.])], [])
    """
    leaves, structure = pytree.tree_flatten(inputs)
    leaves = [leaf.detach().requires_grad_() if _is_smooth(leaf) else leaf for leaf in leaves]
    # The stage gets copies, because an in-place layer may not overwrite x.
    copies = [leaf.clone() if _is_smooth(leaf) else leaf for leaf in leaves]
    output = stage(*pytree.tree_unflatten(copies, structure))
    outputs = pytree.tree_leaves(output)
    smooth = [index for index, leaf in enumerate(leaves) if _is_smooth(leaf)]

    def pullback(costate: list[Tensor | None]) -> tuple[list[Tensor | None], list[Tensor | None]]:
        pairs = [
            (value, p)
            for value, p in zip(outputs, costate, strict=True)
            if p is not None and value.requires_grad
        ]
        wanted = [*(leaves[index] for index in smooth), *parameters]
        pulled: tuple[Tensor | None, ...] = (None,) * len(wanted)
        if pairs and wanted:
            values, costates = zip(*pairs, strict=True)
            pulled = torch.autograd.grad(values, wanted, costates, allow_unused=True)
        before: list[Tensor | None] = [None] * len(leaves)
        for index, p in zip(smooth, pulled, strict=False):
            before[index] = p
        return before, list(pulled[len(smooth) :])

    return pytree.tree_map_only(Tensor, Tensor.detach, output), pullback


def _is_smooth(leaf: object) -> bool:
    return isinstance(leaf, Tensor) and (leaf.is_floating_point() or leaf.is_complex())
