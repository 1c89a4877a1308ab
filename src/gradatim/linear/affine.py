"""What the linear fits return: an affine map for regression, a linear classifier for classes."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.linear.inputs import Array, as_design
from gradatim.nn.stable import softmax


class Affine(NamedTuple):
    r"""The map :math:`f(x)=w^\top x+b`.

    Args:
        weight: :math:`w`, shape ``(d,)`` or ``(d, K)``.
        bias: :math:`b`, shape ``()`` or ``(K,)``.

    Example:
        >>> Affine(torch.tensor([2.0]), torch.tensor(1.0)).predict(torch.tensor([[3.0]]))
        tensor([7.], dtype=torch.float64)
    """

    weight: Tensor
    bias: Tensor

    def predict(self, X: Array) -> Tensor:
        """Evaluate the map, shape ``(N,)`` or ``(N, K)``."""
        return as_design("Affine.predict", X) @ self.weight.double() + self.bias.double()


class LinearClassifier(NamedTuple):
    r"""Class probabilities :math:`\operatorname{softmax}(W^\top x+b)`.

    A logistic regression has one logit :math:`z`, that of the second class; its classes get
    :math:`1-\sigma(z)` and :math:`\sigma(z)`.

    Args:
        weight: :math:`W`, shape ``(d,)`` for one logit or ``(d, K)``.
        bias: :math:`b`, shape ``()`` or ``(K,)``.
        classes: Labels in ascending order, shape ``(K,)``.
    """

    weight: Tensor
    bias: Tensor
    classes: Tensor

    def logits(self, X: Array) -> Tensor:
        """Logits, shape ``(N,)`` or ``(N, K)``."""
        return as_design("LinearClassifier.logits", X) @ self.weight + self.bias

    def probabilities(self, X: Array) -> Tensor:
        """Probability of every class, shape ``(N, K)``."""
        logits = self.logits(X)
        if logits.ndim == 1:
            logits = torch.stack([torch.zeros_like(logits), logits], dim=1)  # (N, 2)
        return softmax(logits)

    def predict(self, X: Array) -> Tensor:
        """Most probable label, shape ``(N,)``."""
        return self.classes[self.probabilities(X).argmax(dim=1)]
