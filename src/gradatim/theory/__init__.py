"""What networks can represent: approximation, explicit constructions, linear regions."""

from gradatim.theory.approximation import Approximation, approximate
from gradatim.theory.arrangement import enclosing_domain
from gradatim.theory.barron import (
    barron_bound,
    barron_constant,
    barron_network,
    gaussian_bump,
    sample_ball,
)
from gradatim.theory.constructions import mlp_with_weights, relu_interpolant, xor_network
from gradatim.theory.folding import folding_network
from gradatim.theory.greedy import GreedyFit, choose_greedily
from gradatim.theory.patterns import activation_patterns
from gradatim.theory.rates import log_log_slope
from gradatim.theory.region_bounds import montufar, zaslavsky
from gradatim.theory.regions import Regions, count_regions
from gradatim.theory.squares import product_network, sawtooth_network, square_network

__all__ = [
    "Approximation",
    "approximate",
    "GreedyFit",
    "choose_greedily",
    "log_log_slope",
    "barron_bound",
    "barron_constant",
    "barron_network",
    "gaussian_bump",
    "sample_ball",
    "folding_network",
    "mlp_with_weights",
    "product_network",
    "relu_interpolant",
    "sawtooth_network",
    "square_network",
    "xor_network",
    "Regions",
    "activation_patterns",
    "count_regions",
    "enclosing_domain",
    "montufar",
    "zaslavsky",
]
