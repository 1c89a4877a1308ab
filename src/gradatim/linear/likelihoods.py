r"""Which loss each likelihood implies: minimizing the one is maximizing the other.

For independent targets, :math:`-\log p(D\mid w)=\sum_n-\log p(t_n\mid f(x_n))`, and

===========  ========================  =====================================  ============================
likelihood   output :math:`f`          loss per sample                        negative log-likelihood
===========  ========================  =====================================  ============================
gaussian     mean                      :math:`(f-t)^2`                        loss :math:`/2s^2+\frac12\log2\pi s^2`
laplace      median                    :math:`|f-t|`                          loss :math:`/s+\log2s`
bernoulli    logit                     :math:`\log(1+e^f)-tf`                 loss
categorical  logits                    :math:`\log\sum_ke^{f_k}-f_t`          loss
poisson      log of the rate           :math:`e^f-tf`                         loss :math:`+\log t!`
exponential  log of the mean           :math:`f+te^{-f}`                      loss
===========  ========================  =====================================  ============================

with a known scale :math:`s`, the deviation of a Gaussian or the mean absolute deviation of a Laplace.
Where :math:`s` does not depend on :math:`f`, the best :math:`f` does not depend on :math:`s`.
"""

from collections.abc import Callable
from math import log, pi
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose, require


class Likelihood(NamedTuple):
    """One row of the table.

    Args:
        name: Name of the distribution of the target.
        output: What the model's output stands for.
        loss_name: Name of the loss.
        loss: Loss of each sample, from outputs and targets.
        factor: What the loss is multiplied by, from the scale.
        offset: What is added, from the scale and the targets; it does not depend on the output.
        best_constant: The constant output of largest likelihood, from the targets.
    """

    name: str
    output: str
    loss_name: str
    loss: Callable[[Tensor, Tensor], Tensor]
    factor: Callable[[float], float]
    offset: Callable[[float, Tensor], Tensor | float]
    best_constant: Callable[[Tensor], Tensor]


def _bernoulli(output: Tensor, target: Tensor) -> Tensor:
    return F.binary_cross_entropy_with_logits(output, target.to(output), reduction="none")


def _poisson(output: Tensor, target: Tensor) -> Tensor:
    return F.poisson_nll_loss(output, target.to(output), log_input=True, reduction="none")


def _one(scale: float) -> float:
    return 1.0


def _zero(scale: float, target: Tensor) -> float:
    return 0.0


LIKELIHOODS: dict[str, Likelihood] = {
    row.name: row
    for row in (
        Likelihood(
            "gaussian",
            "mean",
            "squared error (MSE)",
            lambda output, target: (output - target).square(),
            lambda s: 1 / (2 * s**2),
            lambda s, target: log(2 * pi * s**2) / 2,
            lambda target: target.double().mean(),
        ),
        Likelihood(
            "laplace",
            "median",
            "absolute error (MAE)",
            lambda output, target: (output - target).abs(),
            lambda s: 1 / s,
            lambda s, target: log(2 * s),
            lambda target: target.double().quantile(0.5),
        ),
        Likelihood(
            "bernoulli",
            "logit",
            "binary cross-entropy (BCE)",
            _bernoulli,
            _one,
            _zero,
            lambda target: torch.logit(target.double().mean()),
        ),
        Likelihood(
            "categorical",
            "logits",
            "cross-entropy (CE)",
            lambda output, target: F.cross_entropy(output, target, reduction="none"),
            _one,
            _zero,
            lambda target: torch.log(torch.bincount(target).double() / len(target)),
        ),
        Likelihood(
            "poisson",
            "log of the rate",
            "Poisson loss",
            _poisson,
            _one,
            lambda s, target: torch.lgamma(target.double() + 1),
            lambda target: torch.log(target.double().mean()),
        ),
        Likelihood(
            "exponential",
            "log of the mean",
            "exponential loss",
            lambda output, target: output + target * torch.exp(-output),
            _one,
            _zero,
            lambda target: torch.log(target.double().mean()),
        ),
    )
}


def likelihood(name: str) -> Likelihood:
    """Look up a row of the table.

    Args:
        name: One of ``LIKELIHOODS``.

    Example:
        >>> likelihood("laplace").loss_name
        'absolute error (MAE)'
    """
    return LIKELIHOODS[choose("likelihood", "name", name, LIKELIHOODS)]


@takes_arrays
def negative_log_likelihood(
    name: str, output: Tensor, target: Tensor, *, scale: float = 1.0
) -> Tensor:
    r"""Negative log-likelihood of each sample: factor times loss, plus what the output cannot change.

    Args:
        name: Likelihood.
        output: Model outputs :math:`f`, shape ``(N,)``, or logits of shape ``(N, K)``.
        target: Targets :math:`t`, shape ``(N,)``.
        scale: :math:`s` of a Gaussian or Laplace.

    Example:
        >>> negative_log_likelihood("gaussian", torch.tensor([1.0]), torch.tensor([1.0]))
        tensor([0.9189])
    """
    row = likelihood(name)
    require(scale > 0, "negative_log_likelihood: scale must be positive", scale, "Try 1.0.")
    return row.factor(scale) * row.loss(output, target) + row.offset(scale, target)
