r"""What all forms of convolution share: borders, sizes, and the shape of a layer.

With a kernel of :math:`m` taps, dilation :math:`d` and so a span of :math:`M=d(m-1)+1` places, each mode
adds places before and after a signal of :math:`n`, and then the kernel slides over what lies within:

==========  =======================  =======================  =========================
mode        before                   after                    places at stride 1
==========  =======================  =======================  =========================
valid       0                        0                        :math:`n-M+1`
same        :math:`\lfloor M/2\rfloor`  :math:`M-1-\lfloor M/2\rfloor`  :math:`n`
full        :math:`M-1`              :math:`M-1`              :math:`n+M-1`
circular    0, or :math:`M-1`        :math:`M-1`, or 0        :math:`n`
==========  =======================  =======================  =========================

Circular places hold the other end of the signal, before it for a convolution and after it for a
correlation; the others hold zeros.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch.nn.functional as F
from torch import Tensor

from gradatim.errors import InvalidType, InvalidValue, choose

MODES = ("valid", "same", "full", "circular")
PerAxis = int | Sequence[int]


class Sliding(NamedTuple):
    """What the caller of ``owner`` said of how a kernel slides over a signal."""

    owner: str
    mode: str
    stride: PerAxis = 1
    dilation: PerAxis = 1
    groups: int = 1
    is_convolution: bool = False  # the kernel is reversed


class Layout(NamedTuple):
    """How a kernel meets a signal, one entry per spatial axis."""

    size: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    span: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int
    is_circular: bool

    @property
    def output_size(self) -> tuple[int, ...]:
        """Places of the kernel along every axis."""
        return tuple(
            (n + before + after - span) // stride + 1
            for n, before, after, span, stride in zip(
                self.size, self.before, self.after, self.span, self.stride, strict=True
            )
        )


def per_axis(owner: str, name: str, value: PerAxis, axes: int) -> tuple[int, ...]:
    """One positive whole number for every axis."""
    values = (value,) * axes if isinstance(value, int) else tuple(value)
    if len(values) != axes or any(not isinstance(v, int) or v < 1 for v in values):
        raise InvalidValue(
            f"{owner}: {name} must be a whole number from 1, or {axes} of them, got {value!r}."
        )
    return values


def plan(sliding: Sliding, size: Sequence[int], w: Tensor) -> Layout:
    """Find the borders for a signal of ``size`` and a layer's kernel ``w``."""
    owner, mode, stride, dilation, groups, is_convolution = sliding
    choose(owner, "mode", mode, MODES)
    axes = w.ndim - 2
    strides = per_axis(owner, "stride", stride, axes)
    dilations = per_axis(owner, "dilation", dilation, axes)
    spans = tuple(d * (m - 1) + 1 for d, m in zip(dilations, w.shape[2:], strict=True))
    if mode in ("valid", "circular") and any(n < M for M, n in zip(spans, size, strict=True)):
        raise InvalidValue(
            f"{owner}: w must not reach further than x in mode {mode!r}, got a span of "
            f"{_times(spans)} on {_times(size)}. Try mode='same'."
        )
    ends = [_borders(mode, span, is_convolution) for span in spans]
    before, after = (tuple(each) for each in zip(*ends, strict=True))
    is_circular = mode == "circular"
    return Layout(tuple(size), before, after, spans, strides, dilations, groups, is_circular)


def _borders(mode: str, span: int, is_convolution: bool) -> tuple[int, int]:
    if mode == "circular":
        return (span - 1, 0) if is_convolution else (0, span - 1)
    before = {"valid": 0, "same": span // 2, "full": span - 1}[mode]
    return before, {"valid": 0, "same": span - 1 - before, "full": span - 1}[mode]


def _times(sizes: Sequence[int]) -> str:
    return " × ".join(str(size) for size in sizes)


def flip_kernel(w: Tensor) -> Tensor:
    """Reverse the spatial axes of a kernel with or without channels."""
    return w.flip(tuple(range(2 if w.ndim > 2 else 0, w.ndim)))


def as_layer(
    sliding: Sliding, x: Tensor, w: Tensor, *, name: str = "x", is_output: bool = False
) -> tuple[Tensor, Tensor, tuple[int, ...] | None]:
    """Bring a signal and a kernel to the shapes of a layer, ``(B, C, *size)`` and ``(O, I, *taps)``.

    Returns:
        Signal, kernel as a correlation uses it, and the leading shape of a signal without channels, or ``None``.
    """
    owner, groups = sliding.owner, sliding.groups
    if w.ndim not in (1, 2, 3, 4) or not w.numel():
        raise InvalidValue(
            f"{owner}: w must have shape (m,), (h, w), (O, I, m) or (O, I, h, w) and be not empty, got {tuple(w.shape)}."
        )
    for label, value in ((name, x), ("w", w)):
        if not value.is_floating_point():
            raise InvalidType(
                f"{owner}: {label} must be of a floating type, got {value.dtype}. Try {label}.float()."
            )
    if sliding.is_convolution:
        w = flip_kernel(w)
    if w.ndim < 3:
        return _plain(owner, x, w, groups, name)
    if x.ndim != w.ndim:
        size = "n" if w.ndim == 3 else "H, W"
        raise InvalidValue(
            f"{owner}: {name} must have shape (B, C, {size}) for a kernel of shape {tuple(w.shape)}, "
            f"got {tuple(x.shape)}."
        )
    if not isinstance(groups, int) or groups < 1 or w.shape[0] % groups:
        raise InvalidValue(
            f"{owner}: groups must divide the {w.shape[0]} output channels of w, got {groups!r}."
        )
    expected = w.shape[0] if is_output else w.shape[1] * groups
    if x.shape[1] != expected:
        raise InvalidValue(
            f"{owner}: {name} must have {expected} channels for w of shape {tuple(w.shape)} in "
            f"{groups} groups, got {x.shape[1]}."
        )
    return x, w, None


def _plain(
    owner: str, x: Tensor, w: Tensor, groups: int, name: str
) -> tuple[Tensor, Tensor, tuple[int, ...]]:
    if groups != 1:
        raise InvalidValue(
            f"{owner}: groups must be 1 for a kernel without channels, got {groups!r}."
        )
    if x.ndim < w.ndim:
        raise InvalidValue(
            f"{owner}: {name} must have at least {w.ndim} axes for a kernel of {w.ndim}, got shape {tuple(x.shape)}."
        )
    lead, size = x.shape[: x.ndim - w.ndim], x.shape[x.ndim - w.ndim :]
    return x.reshape(-1, 1, *size), w[None, None], tuple(lead)


def add_borders(x: Tensor, layout: Layout) -> Tensor:
    """Add the places before and after each axis of ``(B, C, *size)``."""
    ends = zip(reversed(layout.before), reversed(layout.after), strict=True)
    widths = [width for pair in ends for width in pair]  # F.pad counts from the last axis
    if not any(widths):
        return x
    return F.pad(x, widths, mode="circular" if layout.is_circular else "constant")


def fold_borders(x: Tensor, layout: Layout) -> Tensor:
    """The adjoint of :func:`add_borders`: drop the zeros' places, add circular ones to their origin.

    Places at the end that no kernel reached, because of a stride, may be missing from ``x``.
    """
    whole = [b + n + a for b, n, a in zip(layout.before, layout.size, layout.after, strict=True)]
    missing = [length - reached for length, reached in zip(whole, x.shape[2:], strict=True)]
    if any(missing):
        x = F.pad(x, [width for gap in reversed(missing) for width in (0, gap)])
    for axis, (n, before, after) in enumerate(
        zip(layout.size, layout.before, layout.after, strict=True), start=2
    ):
        inner = x.narrow(axis, before, n)
        if layout.is_circular:
            head, tail = x.narrow(axis, 0, before), x.narrow(axis, before + n, after)
            inner = inner + _widen(head, axis, n - before, 0) + _widen(tail, axis, 0, n - after)
        x = inner
    return x


def _widen(x: Tensor, axis: int, before: int, after: int) -> Tensor:
    """Zeros before and after one axis."""
    return F.pad(x, [0, 0] * (x.ndim - 1 - axis) + [before, after])


def spread_out(x: Tensor, steps: tuple[int, ...]) -> Tensor:
    """Put ``steps - 1`` zeros between neighbours along the axes after the second."""
    if all(step == 1 for step in steps):
        return x
    sizes = [step * (n - 1) + 1 for step, n in zip(steps, x.shape[2:], strict=True)]
    wide = x.new_zeros(*x.shape[:2], *sizes)
    index = (slice(None), slice(None), *(slice(None, None, step) for step in steps))
    wide[index] = x
    return wide
