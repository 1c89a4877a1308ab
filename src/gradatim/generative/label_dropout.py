"""Classes of a batch, some of them kept from the network, so that it learns to answer without one."""

import torch
from torch import Tensor

from gradatim.errors import require


def labels_of(batch: tuple[Tensor, ...], num_classes: int | None) -> Tensor | None:
    """The last part of a batch where a model has classes, checked; else nothing.

    >>> labels_of((torch.zeros(2, 3), torch.tensor([0, 1])), 2)
    tensor([0, 1])
    """
    if num_classes is None:
        return None
    label = batch[-1]
    is_whole = len(batch) > 1 and label.ndim == 1 and not label.is_floating_point()
    rule = "Trainer: target of a model with classes must be one whole number per row"
    require(is_whole, rule, f"{label.dtype} of shape {tuple(label.shape)}")
    if label.numel():
        low, high = (int(value) for value in label.aminmax())
        rule = f"Trainer: target must be classes from 0 to {num_classes - 1}"
        require(low >= 0 and high < num_classes, rule, f"{low} to {high}")
    return label


def drop_labels(label: Tensor, num_classes: int | None, share: float) -> Tensor:
    """Each class with probability ``share`` replaced by ``num_classes``, which means none.

    >>> drop_labels(torch.tensor([0, 1]), 2, 0.0)
    tensor([0, 1])
    """
    is_kept = torch.rand(len(label), device=label.device) >= share
    return torch.where(is_kept, label, num_classes or 0)
