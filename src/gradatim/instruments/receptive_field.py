r"""What part of the input a unit sees, by counting and by measuring.

Layer :math:`\ell` with :math:`k` taps, stride :math:`s`, dilation :math:`d` and padding :math:`p` widens the
field :math:`r`, multiplies the jump :math:`j` between neighbouring units' fields, and moves the centre
:math:`c` of the first unit's field:

.. math::
    r_\ell = r_{\ell-1} + (k-1)\,d\,j_{\ell-1}, \qquad
    j_\ell = s\,j_{\ell-1}, \qquad
    c_\ell = c_{\ell-1} + \Bigl(\tfrac{(k-1)d}{2}-p\Bigr)\,j_{\ell-1}, \qquad r_0=j_0=1,\ c_0=0 .

The measured field is where the gradient of one unit with respect to the input is not zero. It is as large as
the recursion says, and most of its weight sits in the middle.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvNd, _ConvTransposeNd
from torch.nn.modules.dropout import _DropoutNd
from torch.nn.modules.pooling import _AdaptiveAvgPoolNd, _AdaptiveMaxPoolNd, _AvgPoolNd, _MaxPoolNd

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, InvalidValue
from gradatim.nn.activations import Sign, Step
from gradatim.nn.training_modes import evaluation_mode

_POINTWISE = (nn.Identity, _BatchNorm, _DropoutNd, Step, Sign)
_GLOBAL = (nn.Flatten, nn.Linear, _AdaptiveAvgPoolNd, _AdaptiveMaxPoolNd)
_LOCAL = (_ConvNd, _MaxPoolNd, _AvgPoolNd)


class ReceptiveField(NamedTuple):
    """What the units of one layer see, one entry per spatial axis.

    Args:
        name: Name of the layer within the model.
        kind: Its class.
        size: :math:`r`, how many inputs a unit sees.
        jump: :math:`j`, how many inputs apart neighbouring units look.
        centre: :math:`c`, where the first unit looks, in inputs from the first.
    """

    name: str
    kind: str
    size: tuple[int, ...]
    jump: tuple[int, ...]
    centre: tuple[float, ...]


class MeasuredField(NamedTuple):
    """Where the input matters to one unit.

    Args:
        sensitivity: Mean absolute gradient with respect to every place of the input, shape ``(H, W)`` or ``(n,)``.
        size: Extent of the places where it is not zero, along each axis.
    """

    sensitivity: Tensor
    size: tuple[int, ...]


def receptive_fields(model: nn.Sequential) -> list[ReceptiveField]:
    """Count what every layer of a chain sees, down to the first that sees everything.

    Args:
        model: Chain of convolutions, pooling and element-wise layers; ``nn.Flatten``, dense layers and
            adaptive pooling end it.

    Returns:
        A row for each convolution and pooling layer.

    Example:
        >>> chain = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 4, 3))
        >>> [(row.name, row.size[0], row.jump[0]) for row in receptive_fields(chain)]
        [('0', 3, 1), ('2', 4, 2), ('3', 8, 2)]
    """
    if not isinstance(model, nn.Sequential):
        raise InvalidType(
            f"receptive_fields: model must be an nn.Sequential, got {type(model).__name__}. "
            "Try measure_receptive_field, which takes any model."
        )
    rows: list[ReceptiveField] = []
    for name, module in _links(model):
        if isinstance(module, _GLOBAL):
            break
        if isinstance(module, _LOCAL) and not isinstance(module, _ConvTransposeNd):
            rows.append(_widen(rows[-1] if rows else None, name, module))
        elif not _is_pointwise(module):
            raise InvalidType(
                f"receptive_fields: model must be of convolutions, pooling and element-wise layers, got "
                f"{type(module).__name__} at {name!r}. Try measure_receptive_field, which takes any model."
            )
    return rows


def _links(model: nn.Sequential, prefix: str = "") -> Iterator[tuple[str, nn.Module]]:
    for name, module in model.named_children():
        if isinstance(module, nn.Sequential):
            yield from _links(module, f"{prefix}{name}.")
        else:
            yield prefix + name, module


def _is_pointwise(module: nn.Module) -> bool:
    return isinstance(module, _POINTWISE) or type(module).__module__ == nn.ReLU.__module__


def _widen(
    before: ReceptiveField | None, name: str, module: _ConvNd | _MaxPoolNd | _AvgPoolNd
) -> ReceptiveField:
    kind = type(module).__name__
    axes = next(
        int(c.__name__[-2]) for c in type(module).__mro__ if c.__module__.startswith("torch.")
    )
    if before is None:
        before = ReceptiveField("", "", (1,) * axes, (1,) * axes, (0.0,) * axes)
    kernel, stride = _each(module.kernel_size, axes), _each(module.stride, axes)
    dilation = (1,) * axes if isinstance(module, _AvgPoolNd) else _each(module.dilation, axes)
    if module.padding == "same":
        padding = tuple((k - 1) * d // 2 for k, d in zip(kernel, dilation, strict=True))
    else:
        padding = _each(0 if module.padding == "valid" else module.padding, axes)
    reach = [(k - 1) * d for k, d in zip(kernel, dilation, strict=True)]
    jump = before.jump
    return ReceptiveField(
        name,
        kind,
        tuple(r + w * j for r, w, j in zip(before.size, reach, jump, strict=True)),
        tuple(s * j for s, j in zip(stride, jump, strict=True)),
        tuple(
            c + (w / 2 - p) * j
            for c, w, p, j in zip(before.centre, reach, padding, jump, strict=True)
        ),
    )


def _each(value: Any, axes: int) -> tuple[int, ...]:
    return (value,) * axes if isinstance(value, int) else tuple(value)


@takes_arrays
def measure_receptive_field(
    model: nn.Module, x: Tensor, *, place: tuple[int, ...] | None = None
) -> MeasuredField:
    r"""Measure what one unit of a model's output sees: the gradient with respect to the input.

    .. math:: S(i) = \frac1B\sum_b\sum_c\Bigl|\frac{\partial}{\partial x_{bc}(i)}\sum_o f_o(x_b)(u)\Bigr|

    A rectifier or a maximum that is off passes nothing, so that one input shows too small a field; over a
    batch of random inputs the missing places turn up.

    Args:
        model: Any module, used in evaluation mode; it is left as it was.
        x: Inputs, shape ``(B, C, n)`` or ``(B, C, H, W)``.
        place: :math:`u`, the unit; by default the middle one.

    Example:
        >>> chain = nn.Sequential(nn.Conv1d(1, 2, 3), nn.Tanh(), nn.Conv1d(2, 2, 3))
        >>> measure_receptive_field(chain, torch.randn(4, 1, 15)).size
        (5,)

    Reference:
        Luo et al., Understanding the Effective Receptive Field in Deep Convolutional Neural Networks, 2016.
    """
    inputs = x.detach().clone().requires_grad_()
    with evaluation_mode(model), torch.enable_grad():
        out = model(inputs)  # (B, O, *places)
        if out.ndim != x.ndim:
            raise InvalidValue(
                f"measure_receptive_field: model must keep the {x.ndim - 2} spatial axes of x, "
                f"got an output of shape {tuple(out.shape)}. Cut it before its dense layers."
            )
        unit = place if place is not None else tuple(size // 2 for size in out.shape[2:])
        if len(unit) != out.ndim - 2 or any(
            not 0 <= u < n for u, n in zip(unit, out.shape[2:], strict=False)
        ):
            raise InvalidValue(
                f"measure_receptive_field: place must be within {tuple(out.shape[2:])}, got {place}."
            )
        (gradient,) = torch.autograd.grad(out[(slice(None), slice(None), *unit)].sum(), inputs)
    sensitivity = gradient.abs().sum(1).mean(0)  # (*size)
    seen = sensitivity.nonzero()
    extent = seen.amax(0) - seen.amin(0) + 1 if len(seen) else torch.zeros(seen.shape[1])
    return MeasuredField(sensitivity, tuple(int(length) for length in extent))
