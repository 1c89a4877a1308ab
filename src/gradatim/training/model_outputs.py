"""What a model returned, and what of it a loss or a metric sees."""

from collections.abc import Callable
from functools import partial
from typing import Any

from torch import Tensor

from gradatim.losses.weighted import weighted_loss

_PLAIN = (
    "gradatim.losses",
    "gradatim.training",
    "torch.nn",
)  # functions of these read tensors only


def plain_output(result: Any) -> Any:
    """Return the output of a model that returns ``(output, state)``, as recurrent ones do; of others all they return.

    >>> import torch
    >>> plain_output((torch.ones(2), (torch.zeros(1), torch.zeros(1))))
    tensor([1., 1.])
    """
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], Tensor):
        return result[0]
    return result


def judge(function: Callable[..., Any], result: Any, target: Tensor) -> Any:
    """Apply a loss or a metric to what a model returned.

    A function of somebody's own gets a pair ``(output, state)`` whole if it can use it; otherwise, like all losses
    here and in PyTorch, the output alone.

    Args:
        function: ``(output, target) -> number``.
        result: What the model returned.
        target: What it should have.

    Example:
        >>> import torch
        >>> from gradatim.losses import mse
        >>> judge(mse, (torch.ones(2), None), torch.zeros(2))
        tensor(1.)
        >>> judge(lambda pair, target: len(pair), (torch.ones(2), None), torch.zeros(2))
        2
    """
    if not isinstance(result, tuple):
        return function(result, target)
    output = plain_output(result)
    if output is result or _reads_tensors(function):
        return function(output, target)
    try:
        return function(result, target)
    except (TypeError, AttributeError):
        return function(output, target)


def judge_rows(
    function: Callable[..., Any], result: Any, target: Tensor, weight: Tensor | None
) -> Any:
    """Apply a loss or a metric to what a model returned, whose rows may weigh.

    Args:
        function: ``(output, target) -> number``, a mean over rows.
        result: What the model returned.
        target: What it should have.
        weight: Of every row, 1 on average; ``None`` where all weigh the same.

    Example:
        >>> import torch
        >>> from gradatim.losses import mse
        >>> judge_rows(mse, torch.ones(2), torch.tensor([1.0, 2.0]), torch.tensor([1.5, 0.5]))
        tensor(0.2500)
    """
    if weight is None:
        return judge(function, result, target)
    bare = getattr(function, "__wrapped__", function)
    return weighted_loss(bare, plain_output(result), target, weight)


def _reads_tensors(function: Any) -> bool:
    function = getattr(function, "__wrapped__", function)
    function = function.func if isinstance(function, partial) else function
    module = getattr(function, "__module__", None)
    return str(module or type(function).__module__).startswith(_PLAIN)
