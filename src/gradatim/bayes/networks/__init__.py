"""Posteriors of networks: the log-density of weights, and predictions by seven methods."""

from gradatim.bayes.networks.density import NetworkDensity, network_log_density
from gradatim.bayes.networks.predicting import posterior_predictive
from gradatim.bayes.networks.predictive import Predictive

__all__ = ["NetworkDensity", "Predictive", "network_log_density", "posterior_predictive"]
