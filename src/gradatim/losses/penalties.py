r"""Penalties on weights, for any loss.

.. math:: E_{\text{reg}} = E + \lambda_1\sum_q|w_q| + \frac{\lambda_2}{2}\sum_q w_q^2

With :math:`E` a mean negative log-likelihood of :math:`N` samples, the minimum is the most probable
weight vector under a prior: Gaussian of variance :math:`1/(N\lambda_2)`, Laplacian of scale
:math:`1/(N\lambda_1)`. Biases and normalization gains, the parameters with at most one axis, are free.

Here the penalty is *coupled*: it enters the gradient, and an adaptive optimizer rescales it along with
the rest. Decoupled decay, :math:`w\leftarrow(1-\eta\lambda_2)w` beside the step, is the ``adamw``
optimizer's ``weight_decay``; for plain gradient descent the two are one.
"""

import torch
from torch import Tensor, nn

from gradatim.errors import require
from gradatim.losses.named import Loss


def penalized_weights(model: nn.Module, *, biases: bool = False) -> list[Tensor]:
    """Trainable weights that a penalty acts on; biases and gains only on request.

    >>> [tuple(weight.shape) for weight in penalized_weights(nn.Linear(3, 2))]
    [(2, 3)]
    """
    return [p for p in model.parameters() if p.requires_grad and (biases or p.ndim > 1)]


def weight_energy(model: nn.Module, *, biases: bool = False) -> Tensor:
    r"""Add the squares of weights, :math:`\sum_q w_q^2`, the quantity that weight decay holds down.

    Args:
        model: Whose weights count.
        biases: Whether biases count too.

    Example:
        >>> layer = nn.Linear(2, 1)
        >>> _ = nn.init.constant_(layer.weight, 3.0)
        >>> weight_energy(layer).item()
        18.0
    """
    return _total([w.square().sum() for w in penalized_weights(model, biases=biases)])


def absolute_weight(model: nn.Module, *, biases: bool = False) -> Tensor:
    r"""Add the sizes of weights, :math:`\sum_q |w_q|`, with subgradient 0 at 0.

    Args:
        model: Whose weights count.
        biases: Whether biases count too.

    Example:
        >>> layer = nn.Linear(2, 1)
        >>> _ = nn.init.constant_(layer.weight, -3.0)
        >>> absolute_weight(layer).item()
        6.0
    """
    return _total([w.abs().sum() for w in penalized_weights(model, biases=biases)])


def _total(terms: list[Tensor]) -> Tensor:
    return torch.stack(terms).sum() if terms else torch.zeros(())


def penalized(
    loss: Loss, model: nn.Module, *, l1: float = 0.0, l2: float = 0.0, biases: bool = False
) -> Loss:
    r"""Add penalties on the weights of ``model`` to ``loss`` while the model trains.

    In evaluation mode the loss comes back bare, so that validation measures fit alone.

    Args:
        loss: Function ``(output, target) -> scalar``.
        model: Owner of the weights.
        l1: :math:`\lambda_1`. Its subgradient makes weights small; for exact zeros take the
            ``ProximalGradient`` optimizer.
        l2: :math:`\lambda_2`.
        biases: Whether biases and gains are penalized too.

    Example:
        >>> from gradatim.losses import mse
        >>> model = nn.Linear(1, 1, bias=False)
        >>> _ = nn.init.constant_(model.weight, 2.0)
        >>> error = penalized(mse, model, l1=0.1, l2=0.5)
        >>> x = torch.ones(3, 1)
        >>> error(model(x), 2 * x).item()  # 0 + 0.1 · 2 + 0.25 · 4
        1.2000000476837158
        >>> _ = model.eval()
        >>> error(model(x), 2 * x).item()
        0.0
    """
    for name, strength in (("l1", l1), ("l2", l2)):
        rule = f"penalized: {name} must be at least 0"
        require(strength >= 0, rule, strength, f"Try {name}=1e-4.")

    def penalized_loss(output: Tensor, target: Tensor) -> Tensor:
        total = loss(output, target)
        if model.training and l1:
            total = total + l1 * absolute_weight(model, biases=biases)
        if model.training and l2:
            total = total + 0.5 * l2 * weight_energy(model, biases=biases)
        return total

    return penalized_loss
