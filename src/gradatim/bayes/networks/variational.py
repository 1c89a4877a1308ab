r"""A Gaussian for every weight, fitted to the posterior by its bound on the evidence.

.. math::
    q(\theta) = \prod_iN(\theta_i\mid\mu_i, s_i^2), \qquad
    \max_{\mu, s}\;E_q\Bigl[\sum_n\log p(y_n\mid x_n, \theta)\Bigr]-D(q\,\|\,p)

Every row of a batch gets weights of its own (local reparameterization), which makes the steps quiet. Weights of dense layers
are Gaussian; what else may move is learned as points. Weights that are not independent in the posterior come out too sure.

Reference:
    Blundell et al., Weight Uncertainty in Neural Networks, 2015; Kingma, Salimans and Welling, Variational Dropout and the
    Local Reparameterization Trick, 2015.
"""

import math

import torch
from torch import Tensor, nn

from gradatim.bayes.networks.density import NetworkDensity
from gradatim.bayes.networks.predictive import Predictive, summarize
from gradatim.theory.stochastic_dense import StochasticDense, make_stochastic, total_kl
from gradatim.training import Trainer
from gradatim.training.batches import Batch
from gradatim.training.model_outputs import plain_output

START = 0.05  # standard deviation of the weights before the first step


def variational(
    density: NetworkDensity,
    x: Tensor,
    *,
    num_samples: int,
    steps: int,
    lr: float,
    batch_size: int,
    seed: int,
) -> Predictive:
    """Fit a Gaussian to every weight, and draw networks from it.

    Args:
        density: Of the network, at whose weights the means start.
        x: Rows to predict.
        num_samples: Draws.
        steps: Updates.
        lr: Of Adam, falling to 0 along a cosine.
        batch_size: Rows of an update.
        seed: Of batches and draws.
    """
    mean, std = fit_gaussians(density, steps=steps, lr=lr, batch_size=batch_size, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    noise = torch.randn(num_samples, len(mean), generator=generator, dtype=mean.dtype).to(mean)
    return summarize(density.likelihood, density.outputs(mean + std * noise, x))


def fit_gaussians(
    density: NetworkDensity, *, steps: int, lr: float, batch_size: int, seed: int
) -> tuple[Tensor, Tensor]:
    """Means and standard deviations of the weights, in the order of the density's, shape ``(d,)`` each."""
    n, likelihood, precision = len(density.X), density.likelihood, density.precision
    prior_std = 1 / math.sqrt(precision)
    network = make_stochastic(density.network.model, prior_std, prior_mean=0.0, start_std=min(START, prior_std), owner="posterior_predictive")  # fmt: skip
    free = density.network.shapes
    points = [p for name, p in network.named_parameters() if name in free and not p.requires_grad]
    for point in points:
        point.requires_grad_()

    def objective(model: nn.Module, batch: Batch) -> Tensor:
        rows, y = batch
        fit = likelihood.log_density(plain_output(model(rows))[None], y)[0] / len(rows)
        prior = sum((p.square().sum() for p in points), start=rows.new_zeros(())) * precision / 2
        return (total_kl(model) + prior) / n - fit

    epochs = math.ceil(steps * min(batch_size, n) / n)
    Trainer(
        network, objective=objective, lr=lr, schedule="cosine", epochs=epochs, batch_size=batch_size,
        device=density.X.device, seed=seed, progress=False,
    ).fit((density.X, density.y))  # fmt: skip
    found = {name: (p.detach(), torch.zeros_like(p)) for name, p in network.named_parameters()}
    for place, layer in network.named_modules():
        if isinstance(layer, StochasticDense):
            own = {f"{place}.{name}".lstrip("."): layer.moments(name) for name in layer.names}
            found |= {name: (mean.detach(), std.detach()) for name, (mean, std) in own.items()}
    means, widths = (torch.cat([found[name][k].flatten() for name in free]) for k in (0, 1))
    return means, widths
