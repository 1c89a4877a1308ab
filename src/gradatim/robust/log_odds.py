r"""Cross-entropy without its blind spot.

.. math:: -\log p_y=\log(1+e^m), \qquad m=\log\frac{1-p_y}{p_y}=\log\sum_{k\ne y}e^{z_k}-z_y

The loss grows with the log-odds :math:`m` against the class, and their gradients point the same way:

.. math::
    \nabla(-\log p_y)=(1-p_y)\,\nabla m, \qquad
    \frac{\partial m}{\partial z_k}=\frac{e^{z_k}}{\sum_{j\ne y}e^{z_j}}\;(k\ne y), \qquad
    \frac{\partial m}{\partial z_y}=-1

Attacks use the direction only. Where the model is sure, :math:`1-p_y` rounds to zero and the gradient of
the loss is lost with it; that of :math:`m` is not.
"""

import math

from torch import Tensor

from gradatim.errors import InvalidValue


def log_odds_against(owner: str, scores: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    r"""Return :math:`m`, shape ``(B,)``, and :math:`\partial m/\partial z`, shape ``(B, K)``.

    Args:
        owner: Who asks, for the error message.
        scores: :math:`z`, detached, shape ``(B, K)``.
        y: Classes, shape ``(B,)``.

    Example:
        >>> import torch
        >>> log_odds_against("pgd", torch.tensor([[2.0, 0.0]]), torch.tensor([0]))
        (tensor([-2.]), tensor([[-1.,  1.]]))
    """
    if int(y.max()) >= scores.shape[1]:
        raise InvalidValue(
            f"{owner}: y must be below the number of classes, {scores.shape[1]}, got {int(y.max())}."
        )
    column = y.unsqueeze(1)
    others = scores.scatter(1, column, -math.inf)
    odds = others.logsumexp(1) - scores.gather(1, column).squeeze(1)
    return odds, others.softmax(1).scatter_(1, column, -1.0)
