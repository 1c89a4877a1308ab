r"""The perceptron loss: a mistake costs as much as the score it is wrong by.

It is the loss whose stochastic gradient step is Rosenblatt's rule. It belongs to no likelihood (the
zero function has zero loss): it asks for the right side of the boundary and for no margin, and
reaches zero exactly on separable data.
"""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue


@takes_arrays
def perceptron(output: Tensor, target: Tensor) -> Tensor:
    r"""Average the scores by which predictions are wrong.

    .. math::
        \frac1B\sum_i \max(0, -y_i z_i), \; y_i=\pm1 \qquad\text{or}\qquad
        \frac1B\sum_i \bigl(\max_k z_{ik} - z_{i y_i}\bigr), \; y_i\in\{0,\dots,K-1\}

    Args:
        output: Scores :math:`z`, shape ``(B,)`` or ``(B, 1)`` for two classes, ``(B, K)`` for more.
        target: Labels :math:`y`, shape ``(B,)``; of two classes the positive one is above zero, so
            that both 0/1 and −1/1 will do.

    Example:
        >>> perceptron(torch.tensor([2.0, -0.5, 1.0]), torch.tensor([1, 1, 0]))  # (0 + 0.5 + 1) / 3
        tensor(0.5000)
    """
    if target.numel() * output[0].numel() != output.numel():
        raise InvalidValue(
            f"perceptron: target must hold one label per row of output, {len(output)}, "
            f"got shape {tuple(target.shape)}."
        )
    labels = target.reshape(-1)
    if output[0].numel() == 1:
        scores = output.reshape(-1)
        return torch.where(labels > 0, -scores, scores).clamp(min=0).mean()
    chosen = output.gather(1, labels.long().unsqueeze(1)).squeeze(1)  # (B,)
    return (output.max(1).values - chosen).mean()
