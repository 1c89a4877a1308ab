"""The Jacobian of a function, by forward or by reverse mode."""

import warnings
from collections.abc import Callable
from typing import Any, overload

import torch
from torch import Tensor
from torch.func import jacfwd, jacrev

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, choose

MODES = ("auto", "forward", "reverse")


@overload
def jacobian(f: Callable[..., Tensor], x: Tensor, mode: str = "auto") -> Tensor: ...


@overload
def jacobian(
    f: Callable[..., Tensor], x: tuple[Tensor, ...], mode: str = "auto"
) -> tuple[Tensor, ...]: ...


@takes_arrays
def jacobian(
    f: Callable[..., Tensor], x: Tensor | tuple[Tensor, ...], mode: str = "auto"
) -> Tensor | tuple[Tensor, ...]:
    r"""Compute all partial derivatives of ``f`` at ``x``.

    .. math:: [J_f(x)]_{ij} = \frac{\partial f_i(x)}{\partial x_j}

    Forward mode carries one tangent per input, :math:`J e_j`, and builds the Jacobian by columns;
    reverse mode carries one co-state per output, :math:`e_i^\top J`, and builds it by rows. The passes of
    a mode run as one batch.

    Args:
        f: Differentiable function or module that returns one tensor.
        x: Its argument, or a tuple of arguments.
        mode: ``"forward"``, ``"reverse"``, or ``"auto"``: forward if there are fewer inputs than outputs.

    Returns:
        Shape of the output followed by the shape of ``x``; a tuple of these where ``x`` is a tuple.

    Example:
        >>> jacobian(lambda x: torch.stack([x[0] * x[1], x[0] ** 2, x[1]]), torch.tensor([2.0, 3.0]))
        tensor([[3., 2.],
                [4., 0.],
                [0., 1.]])
    """
    choose("jacobian", "mode", mode, MODES)
    arguments = x if isinstance(x, tuple) else (x,)
    for argument in arguments:
        if not isinstance(argument, Tensor) or not argument.is_floating_point():
            got = argument.dtype if isinstance(argument, Tensor) else type(argument).__name__
            raise InvalidType(
                f"jacobian: x must be a floating tensor or a tuple of them, got {got}."
            )
    if mode == "auto":
        mode = _cheaper_mode(f, arguments)
    transform: Any = jacfwd if mode == "forward" else jacrev
    with warnings.catch_warnings():
        # PyTorch's first forward-mode pass loads rules of its own that still use torch.jit.
        warnings.filterwarnings("ignore", message=".*torch.jit.script", category=DeprecationWarning)
        parts = transform(f, argnums=tuple(range(len(arguments))))(*arguments)
    parts = tuple(part.detach() for part in parts)
    return parts if isinstance(x, tuple) else parts[0]


def _cheaper_mode(f: Callable[..., Tensor], arguments: tuple[Tensor, ...]) -> str:
    with torch.no_grad():
        outputs = f(*arguments).numel()
    return "forward" if sum(argument.numel() for argument in arguments) < outputs else "reverse"
