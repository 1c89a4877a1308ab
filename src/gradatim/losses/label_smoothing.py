r"""Label smoothing: labels that are sometimes wrong, and known to be.

A label :math:`y` is replaced by row :math:`y` of a confusion matrix :math:`\Pi`, the distribution of
what might have been meant. Cross-entropy with such targets is the negative log-likelihood averaged
over that distribution; it is smallest where the prediction *is* the row, and the logits stay finite.
"""

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, require
from gradatim.losses.class_rows import check_classes

if TYPE_CHECKING:
    from gradatim.losses.named import Loss


def uniform_confusion(num_classes: int, smoothing: float = 0.1) -> Tensor:
    r"""Confusion matrix that gives every class an equal share of the doubt.

    .. math:: \Pi = (1-\epsilon)\,I + \frac{\epsilon}{K}\,\mathbf 1\mathbf 1^\top

    Args:
        num_classes: :math:`K`.
        smoothing: :math:`\epsilon`, in [0, 1].

    Example:
        >>> uniform_confusion(2, 0.5)
        tensor([[0.7500, 0.2500],
                [0.2500, 0.7500]])
    """
    check_smoothing(smoothing)
    share = torch.full((num_classes, num_classes), smoothing / num_classes)
    return share + (1.0 - smoothing) * torch.eye(num_classes)


def check_smoothing(smoothing: float) -> None:
    """Raise unless ``smoothing`` is a share."""
    rule = "label smoothing: smoothing must be in [0, 1]"
    require(0.0 <= smoothing <= 1.0, rule, smoothing, "Try 0.1.")


def check_confusion(confusion: Tensor) -> None:
    """Raise unless every row of a square matrix is a distribution."""
    if confusion.ndim != 2 or confusion.shape[0] != confusion.shape[1]:
        raise InvalidValue(
            f"label smoothing: confusion must be a square matrix, got shape {tuple(confusion.shape)}."
        )
    sums = confusion.sum(1)
    if confusion.min() < 0 or not torch.allclose(sums, torch.ones_like(sums), atol=1e-5):
        raise InvalidValue(
            "label smoothing: confusion must have rows of probabilities that sum to 1, "
            f"got row sums {[round(float(s), 4) for s in sums]}."
        )


@takes_arrays
def smooth_labels(target: Tensor, confusion: Tensor) -> Tensor:
    r"""Replace labels by their rows of the confusion matrix, or mix distributions over them.

    .. math:: y \mapsto \Pi^\top e_y, \qquad q \mapsto \Pi^\top q

    Args:
        target: Class indices, shape ``(B,)``, or class probabilities, shape ``(B, K)``.
        confusion: :math:`\Pi`, shape ``(K, K)``; row :math:`y` is the distribution of label :math:`y`.

    Returns:
        Class probabilities, shape ``(B, K)``.

    Example:
        >>> smooth_labels(torch.tensor([1]), torch.tensor([[1.0, 0.0], [0.2, 0.8]]))
        tensor([[0.2000, 0.8000]])
    """
    check_confusion(confusion)
    return target @ confusion if target.ndim == 2 else confusion[target.long()]


@takes_arrays
def smoothed_cross_entropy(
    smoothing: float | None = None, *, confusion: Tensor | None = None
) -> "Loss":
    r"""Make a cross-entropy on smoothed labels.

    .. math:: -\frac1B\sum_i\sum_k \Pi_{y_i k}\,\log\operatorname{softmax}(z_i)_k

    Args:
        smoothing: :math:`\epsilon` of :func:`uniform_confusion`, PyTorch's ``label_smoothing``; 0.1 where neither
            it nor ``confusion`` is given.
        confusion: :math:`\Pi`, shape ``(K, K)``, where some classes are mistaken for each other more
            than others.

    Example:
        >>> logits, y = torch.tensor([[2.0, 0.0, -1.0]]), torch.tensor([0])
        >>> some, same = smoothed_cross_entropy(0.3), smoothed_cross_entropy(confusion=uniform_confusion(3, 0.3))
        >>> torch.allclose(some(logits, y), same(logits, y))
        True
    """
    rule = "smoothed_cross_entropy: smoothing must be left out beside confusion"
    require(smoothing is None or confusion is None, rule, smoothing)
    share = 0.1 if smoothing is None else smoothing
    if confusion is None:
        check_smoothing(share)
    else:
        check_confusion(confusion)

    def loss(output: Tensor, target: Tensor) -> Tensor:
        check_classes("smoothed_cross_entropy", output.shape[-1])
        if confusion is None:  # PyTorch's own kernel builds no matrix
            classes = target if target.ndim == 2 else target.long()
            return F.cross_entropy(output, classes, label_smoothing=share)
        return F.cross_entropy(output, smooth_labels(target, confusion.to(output)))

    return loss
