"""Dropout left on: every mask is a network."""

from torch import Tensor

from gradatim.bayes.networks.density import NetworkDensity
from gradatim.bayes.networks.predictive import Predictive, summarize
from gradatim.nn.mc_dropout import mc_outputs


def mc_dropout(density: NetworkDensity, x: Tensor, *, num_samples: int, seed: int) -> Predictive:
    """Predict with dropout masks; the network is used as it was trained, and neither prior nor noise say anything.

    Args:
        density: Of the network.
        x: Rows to predict.
        num_samples: Masks.
        seed: Of the masks.

    Reference:
        Gal and Ghahramani, Dropout as a Bayesian Approximation, 2016.
    """
    model = density.network.model
    outputs = mc_outputs(model, x, num_samples=num_samples, seed=seed, owner="posterior_predictive")
    return summarize(density.likelihood, outputs)
