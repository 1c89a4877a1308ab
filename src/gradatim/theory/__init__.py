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
from gradatim.theory.graph_clusters import laplacian_positions, spectral_clustering
from gradatim.theory.greedy import GreedyFit, choose_greedily
from gradatim.theory.neighbour_labels import homophily, label_propagation
from gradatim.theory.patterns import activation_patterns
from gradatim.theory.rates import log_log_slope
from gradatim.theory.region_bounds import montufar, zaslavsky
from gradatim.theory.regions import Regions, count_regions
from gradatim.theory.smoothing import dirichlet_energy, node_influence
from gradatim.theory.squares import product_network, sawtooth_network, square_network
from gradatim.theory.weisfeiler_lehman import wl_colours, wl_kernel, wl_test

__all__ = [
    "Approximation",
    "GreedyFit",
    "Regions",
    "activation_patterns",
    "approximate",
    "barron_bound",
    "barron_constant",
    "barron_network",
    "choose_greedily",
    "count_regions",
    "dirichlet_energy",
    "enclosing_domain",
    "folding_network",
    "gaussian_bump",
    "homophily",
    "label_propagation",
    "laplacian_positions",
    "log_log_slope",
    "mlp_with_weights",
    "montufar",
    "node_influence",
    "product_network",
    "relu_interpolant",
    "sample_ball",
    "sawtooth_network",
    "spectral_clustering",
    "square_network",
    "wl_colours",
    "wl_kernel",
    "wl_test",
    "xor_network",
    "zaslavsky",
]
