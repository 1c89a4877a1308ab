r"""What a loss counts, so that losses of parts of a batch make that of the whole.

.. math:: E = \sum_p \frac{n_p}{\sum_q n_q} E_p
"""

from functools import partial
from inspect import signature
from typing import Literal

import torch
from torch import Tensor, nn

from gradatim.losses.named import Loss, cross_entropy, sse
from gradatim.losses.per_token import token_cross_entropy

IGNORED = -100  # the label that PyTorch's losses leave out
Counts = Tensor | Literal["rows", "sum"]


def counts_of(loss: Loss | None, target: Tensor) -> Counts:
    """How much every row counts in a loss.

    Places that carry the label a loss leaves out do not count, tokens and pixels that it looks at do. Class weights of
    :class:`torch.nn.CrossEntropyLoss` and :class:`torch.nn.NLLLoss` count as they do there. Of a function of somebody's own
    every row is believed to count the same.

    Args:
        loss: The loss.
        target: Targets, shape ``(B, ...)``.

    Returns:
        Numbers :math:`n`, shape ``(B,)``; ``"rows"`` where all count the same; ``"sum"`` of a loss that adds rows up.

    Example:
        >>> counts_of(token_cross_entropy, torch.tensor([[3, 1, 2], [0, -100, -100]]))
        tensor([3, 1])
        >>> counts_of(sse, torch.zeros(2))
        'sum'
    """
    if loss is sse or getattr(loss, "reduction", "mean") == "sum":
        return "sum"
    if target.is_floating_point():  # numbers, or probabilities, which leave nothing out
        return "rows"
    if isinstance(loss, nn.CrossEntropyLoss | nn.NLLLoss):
        return _by_row(_weight_of_labels(loss, target))
    padding = IGNORED if loss is cross_entropy else _padding(loss)
    return "rows" if padding is None else _by_row(target != padding)


def _padding(loss: Loss | None) -> int | None:
    """The label that :func:`token_cross_entropy` leaves out, with what ``partial`` fixed."""
    if isinstance(loss, partial) and loss.func is token_cross_entropy and not loss.args:
        return int(loss.keywords.get("padding", _DEFAULT))
    return _DEFAULT if loss is token_cross_entropy else None


_DEFAULT = int(signature(token_cross_entropy).parameters["padding"].default)


def _weight_of_labels(loss: nn.CrossEntropyLoss | nn.NLLLoss, target: Tensor) -> Tensor:
    is_known = target != loss.ignore_index
    if loss.weight is None:
        return is_known
    weight = loss.weight.double().to(target.device)
    return torch.where(is_known, weight[target.clamp(0, len(weight) - 1)], 0.0)


def _by_row(counts: Tensor) -> Tensor:
    return counts if counts.is_floating_point() and counts.ndim == 1 else counts.flatten(1).sum(1) if counts.ndim > 1 else counts.long()  # fmt: skip
