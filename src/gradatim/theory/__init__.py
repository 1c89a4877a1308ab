"""What networks can represent and how wide ones learn: approximation, constructions, linear regions, kernels, graphs."""

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
from gradatim.theory.infinite_width import Kernels, analytic_kernels, ntk_kappa
from gradatim.theory.kernel_machines import kernel_dynamics, kernel_regression
from gradatim.theory.linearization import linearize
from gradatim.theory.neighbour_labels import homophily, label_propagation
from gradatim.theory.patterns import activation_patterns
from gradatim.theory.rates import log_log_slope
from gradatim.theory.region_bounds import montufar, zaslavsky
from gradatim.theory.regions import Regions, count_regions
from gradatim.theory.smoothing import dirichlet_energy, node_influence
from gradatim.theory.squares import product_network, sawtooth_network, square_network
from gradatim.theory.tangent_kernel import empirical_ntk
from gradatim.theory.weisfeiler_lehman import wl_colours, wl_kernel, wl_test

__all__ = [
    "Approximation",
    "GreedyFit",
    "Kernels",
    "Regions",
    "activation_patterns",
    "analytic_kernels",
    "approximate",
    "barron_bound",
    "barron_constant",
    "barron_network",
    "choose_greedily",
    "count_regions",
    "dirichlet_energy",
    "empirical_ntk",
    "enclosing_domain",
    "folding_network",
    "gaussian_bump",
    "homophily",
    "kernel_dynamics",
    "kernel_regression",
    "label_propagation",
    "laplacian_positions",
    "linearize",
    "log_log_slope",
    "mlp_with_weights",
    "montufar",
    "node_influence",
    "ntk_kappa",
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
