"""The border of functions of tensors: arrays, lists and numbers come in, and what does not fit is said in a sentence."""

import inspect
import types
import typing
from collections.abc import Callable, Container
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.errors import GradatimError, InvalidType, InvalidValue

P = ParamSpec("P")
R = TypeVar("R")
# What a kernel of PyTorch, or an index beside it, raises at numbers of another shape or kind than it needs.
_MISFITS = (ArithmeticError, AssertionError, AttributeError, IndexError, RuntimeError, TypeError, ValueError)  # fmt: skip


def takes_arrays(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function of tensors take NumPy arrays, lists and numbers too, and refuse what does not fit in one sentence.

    Whatever is annotated as ``Tensor``, alone or among others, may be anything that ``torch.as_tensor`` reads. Beside a
    model, arrays of real numbers take the precision of its weights. What the annotation names is passed on untouched.

    Args:
        function: A function or method, some of whose arguments are annotated as ``Tensor``, alone or in a union.

    Example:
        >>> @takes_arrays
        ... def total(x: Tensor) -> Tensor:
        ...     return x.sum(1)
        >>> total([[1.0, 2.0], [3.0, 4.0]])
        tensor([3., 7.])
        >>> total([1.0, 2.0])
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: total: x must fit, got float32 of shape (2,). Dimension out of range \
(expected to be in range of [-1, 0], but got 1)
    """
    signature = inspect.signature(function)
    names = list(signature.parameters)
    kinds = {name: _kinds(p.annotation) for name, p in signature.parameters.items()}
    wanted = {name: kind for name, kind in kinds.items() if Tensor in kind}
    places = [(i, wanted[name]) for i, name in enumerate(names) if name in wanted]
    name = function.__qualname__.removesuffix(".__init__").removesuffix(".forward")
    owner = name.rpartition("<locals>.")[2]

    def is_stranger(name: str, value: object) -> bool:
        return name in wanted and not isinstance(value, wanted[name])

    @wraps(function)
    def border(*args: P.args, **kwargs: P.kwargs) -> R:
        given: tuple[Any, ...] = args
        named: dict[str, Any] = kwargs
        strange = [i for i, kind in places if i < len(given) and not isinstance(given[i], kind)]
        if strange or (named and any(is_stranger(*item) for item in named.items())):
            like = _precision([*given, *named.values()])
            given = tuple(
                _read(owner, names[i], value, like) if i in strange else value
                for i, value in enumerate(given)
            )
            named = {
                key: _read(owner, key, value, like) if is_stranger(key, value) else value
                for key, value in named.items()
            }
        try:
            return function(*given, **named)
        except GradatimError:
            raise
        except _MISFITS as error:
            try:
                bound = signature.bind(*given, **named)
            except TypeError:
                raise error from None  # an argument too many or too few
            raise _misfit(owner, bound.arguments, wanted, error) from error

    return border


def _kinds(annotation: object) -> tuple[type, ...]:
    """The classes that an annotation names."""
    is_union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    parts = typing.get_args(annotation) if is_union else (annotation,)
    classes = (typing.get_origin(part) or part for part in parts)
    return tuple(part for part in classes if isinstance(part, type))


def _precision(values: list[Any]) -> torch.dtype | None:
    """The dtype of the weights of a model among the arguments."""
    models = (v for v in values if isinstance(v, nn.Module) and "_parameters" in vars(v))
    weights = (weight for model in models for weight in model.parameters())
    return next((weight.dtype for weight in weights if weight.is_floating_point()), None)


def _read(owner: str, name: str, value: object, like: torch.dtype | None) -> object:
    try:
        tensor = torch.as_tensor(value if isinstance(value, np.ndarray) else _plain(value))
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        kind = type(value).__name__
        raise InvalidType(
            f"{owner}: {name} must be a tensor, an array or a list of numbers, got a {kind}. "
            f"{_first_line(error)}"
        ) from error
    return tensor.to(like) if like is not None and tensor.is_floating_point() else tensor


def _plain(value: object) -> object:
    """A list of tensors or arrays of one shape, stacked; anything else as it is."""
    if isinstance(value, list | tuple) and value and isinstance(value[0], Tensor | np.ndarray):
        return torch.stack([torch.as_tensor(part) for part in value])
    return value


def _misfit(
    owner: str, arguments: dict[str, Any], wanted: Container[str], error: Exception
) -> GradatimError:
    """The sentence for what a kernel refused: who, what was given, and the kernel's own first line."""
    tensors = {
        name: value
        for name, value in arguments.items()
        if name in wanted and isinstance(value, Tensor)
    }
    names = " and ".join(tensors) or "arguments"
    rule = "fit each other" if len(tensors) > 1 else "fit"
    shapes = (f"{str(v.dtype).removeprefix('torch.')} of shape {tuple(v.shape)}" for v in tensors.values())  # fmt: skip
    got = " and ".join(shapes) or "others"
    message = f"{owner}: {names} must {rule}, got {got}. {_first_line(error)}"
    return (InvalidType if isinstance(error, TypeError) else InvalidValue)(message)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
