r"""Several networks from different starts, each at a mode of the posterior.

.. math:: \theta_m = \arg\max_\theta\;\log p(\theta)+\sum_n\log p(y_n\mid x_n, \theta), \qquad m = 1\dots M

The prior's precision becomes weight decay, which leaves biases out.

Reference:
    Lakshminarayanan, Pritzel and Blundell, Simple and Scalable Predictive Uncertainty Estimation using Deep Ensembles, 2017.
"""

import math
from copy import deepcopy

import torch
from torch import Tensor, nn

from gradatim.bayes.networks.density import NetworkDensity
from gradatim.bayes.networks.predictive import Predictive, summarize
from gradatim.errors import InvalidType, InvalidValue, require
from gradatim.models import describe, rebuild
from gradatim.nn.training_modes import evaluation_mode
from gradatim.training import train_replicas
from gradatim.training.model_outputs import plain_output


def ensemble(
    density: NetworkDensity,
    x: Tensor,
    *,
    num_samples: int,
    steps: int,
    lr: float,
    batch_size: int,
    seed: int,
) -> Predictive:
    """Train networks of one architecture from new weights.

    Args:
        density: Of the network, whose weights are not used.
        x: Rows to predict.
        num_samples: Networks.
        steps: Updates of each.
        lr: Of Adam, falling to 0 along a cosine.
        batch_size: Rows of an update.
        seed: Of weights and batches.
    """
    model, n, likelihood = density.network.model, len(density.X), density.likelihood
    decay = density.precision / n
    if (
        likelihood.is_gaussian
    ):  # of the mean squared error, which is 2σ²/K of the negative log-density
        decay *= 2 * likelihood.noise / density.y[0].numel()
    trained = train_replicas(
        lambda: start_anew(model),
        (density.X, density.y),
        loss="mse" if likelihood.is_gaussian else "cross_entropy",
        lr=lr,
        weight_decay=decay,
        schedule="cosine",
        epochs=math.ceil(steps * min(batch_size, n) / n),
        batch_size=batch_size,
        seed=[seed + 1000 * member for member in range(num_samples)],
    )
    if any(trained.diverged):
        raise InvalidValue(f"posterior_predictive: lr must keep the losses finite, got {lr}. Try {lr / 10:g}.")  # fmt: skip
    outputs = []
    for network in trained.models:
        with evaluation_mode(network), torch.no_grad():
            outputs.append(plain_output(network(x)))
    return summarize(likelihood, torch.stack(outputs))


def start_anew(model: nn.Module) -> nn.Module:
    """A copy of a network with weights drawn anew; those that are frozen stay."""
    try:
        fresh = rebuild(describe(model), seed=int(torch.randint(2**31, ()))).to(next(model.parameters()))  # fmt: skip
    except InvalidType:  # not one of ours: layers of PyTorch know how they begin
        fresh = deepcopy(model)
        for layer in fresh.modules():
            reset = getattr(layer, "reset_parameters", None)
            if callable(reset):
                reset()
    with torch.no_grad():
        for old, new in zip(model.parameters(), fresh.parameters(), strict=True):
            new.requires_grad_(old.requires_grad)
            if not old.requires_grad:
                new.copy_(old)
    moved = [not torch.equal(a, b) for a, b in zip(model.parameters(), fresh.parameters(), strict=True)]  # fmt: skip
    remedy = "Give its layers reset_parameters, or train the networks yourself with train_replicas."
    require(any(moved), "posterior_predictive: model must be one that can be started anew for method='ensemble'", type(model).__name__, remedy)  # fmt: skip
    return fresh
