"""Does a sequence model see what it must predict? Its later inputs are replaced, and its earlier outputs looked at."""

from typing import Any

import torch
from torch import Tensor, nn

from gradatim.doctor.altering import altered, first_output, is_same
from gradatim.doctor.facts import Place
from gradatim.doctor.following import Followed

MIXING = {"softmax", "scaled_dot_product_attention", "multi_head_attention_forward", "_native_multi_head_attention", "_transformer_encoder_layer_fwd", "conv1d"}  # fmt: skip
SHIFTED = 0.98  # share of the targets that are the next input


def time_axis(rows: Tensor, target: Tensor | None) -> tuple[int, bool] | None:
    """The axis of time where the targets are the inputs, and whether they are those one step later.

    >>> tokens = torch.arange(40).reshape(4, 10)
    >>> time_axis(tokens[:, :-1], tokens[:, 1:]), time_axis(tokens, tokens)
    ((1, True), (1, False))
    """
    if target is None or rows.dim() < 2 or rows.numel() < 8 or rows.dtype != target.dtype:
        return None
    for axis in (1, 0):
        length = rows.shape[axis]
        if length < 4:
            continue
        later = rows.narrow(axis, 1, length - 1)
        for given in (_as(target, later), _as_long(target, rows, axis)):
            if given is not None and float((later == given).float().mean()) > SHIFTED:
                return axis, True
    same = None if rows.dtype.is_floating_point else _as(target, rows)
    return (1, False) if same is not None and rows.shape[1] >= 4 and torch.equal(same, rows) else None  # fmt: skip


def _as(target: Tensor, like: Tensor) -> Tensor | None:
    return target.reshape(like.shape) if target.numel() == like.numel() else None


def _as_long(target: Tensor, rows: Tensor, axis: int) -> Tensor | None:
    if target.numel() != rows.numel():
        return None
    return target.reshape(rows.shape).narrow(axis, 0, rows.shape[axis] - 1)


def leaks(module: nn.Module, arguments: Any, named: Any, main: Tensor, axis: int) -> bool | None:
    """Replace the inputs from the middle on: do outputs of earlier steps change?"""
    length = main.shape[axis]
    middle = length // 2

    def change(x: Tensor) -> Tensor:
        if x.shape != main.shape or x.dtype != main.dtype:
            return x
        early, late = x.narrow(axis, 0, middle), x.narrow(axis, middle, length - middle)
        late = late.flip(axis).roll(1, 1 - axis) if not x.dtype.is_floating_point else late.flip(axis) * 1.7 + 0.3  # fmt: skip
        return torch.cat([early, late], axis)

    before = first_output(module, arguments, named)
    after = first_output(module, altered(arguments, change), altered(named, change))
    if before is None or after is None or before.shape != after.shape:
        return None
    one, other = _early(before, main, axis, middle), _early(after, main, axis, middle)
    return None if one is None or other is None else not is_same(one, other)


def where_leaked(module: nn.Module, arguments: Any, named: Any) -> tuple[nn.Module | None, Place]:
    """The recurrent layer that runs both ways; else the line that mixes the steps."""
    for part in module.modules():
        if isinstance(part, nn.RNNBase) and part.bidirectional:
            return part, Place()
    followed = Followed()
    with followed:
        module(*arguments, **named)
    return None, next((r.place for r in followed.results if r.name in MIXING), Place())


def _early(output: Tensor, main: Tensor, axis: int, middle: int) -> Tensor | None:
    """The outputs of the steps before the middle."""
    two = list(main.shape[:2])
    if output.shape[0] == two[0] * two[1]:
        output = output.reshape(*two, *output.shape[1:])
    if list(output.shape[:2]) == two:
        return output.narrow(axis, 0, middle)
    if output.dim() == 3 and output.shape[0] == main.shape[1 - axis] and output.shape[2] == main.shape[axis]:  # fmt: skip
        return output.narrow(2, 0, middle)
    return None
