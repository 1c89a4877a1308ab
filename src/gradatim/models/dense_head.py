"""The dense end of the early convolutional networks."""

from collections.abc import Sequence
from itertools import pairwise

from torch import nn


def dense_head(width: int, dense: Sequence[int], num_classes: int) -> nn.Sequential:
    """Dense layers with dropout between them, as in the papers; a linear read-out where there are none.

    Args:
        width: Numbers that come in.
        dense: Widths of the layers.
        num_classes: Number of outputs.

    Example:
        >>> len(dense_head(8, (), 2)), len(dense_head(8, (4, 4), 2))
        (1, 7)
    """
    layers: list[nn.Module] = []
    for n_in, n_out in pairwise((width, *dense)):
        layers += [nn.Linear(n_in, n_out), nn.ReLU(), nn.Dropout(0.5)]
    return nn.Sequential(*layers, nn.Linear((width, *dense)[-1], num_classes))
