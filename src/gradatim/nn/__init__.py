"""Layers, activations and initializations that feed the models."""

from gradatim.nn.activations import (
    ACTIVATIONS,
    ActivationFacts,
    Sign,
    Step,
    activation,
    value_and_derivative,
)
from gradatim.nn.fan_counts import Fans, fans
from gradatim.nn.initialization import SCHEMES, default_scheme, gain, initialize
from gradatim.nn.layer_statistics import LayerStatistics, variance_profile
from gradatim.nn.stable import log1mexp, log_mean_exp, log_softmax, log_sum_exp, softmax
from gradatim.nn.symmetry import collapse_linear, permute_hidden

__all__ = [
    "ACTIVATIONS",
    "SCHEMES",
    "ActivationFacts",
    "Fans",
    "LayerStatistics",
    "Sign",
    "Step",
    "activation",
    "collapse_linear",
    "default_scheme",
    "fans",
    "gain",
    "initialize",
    "log1mexp",
    "log_mean_exp",
    "log_softmax",
    "log_sum_exp",
    "permute_hidden",
    "softmax",
    "value_and_derivative",
    "variance_profile",
]
