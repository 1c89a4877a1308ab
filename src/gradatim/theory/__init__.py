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
from gradatim.theory.certificate import Certificate, pac_bayes_certificate
from gradatim.theory.constructions import mlp_with_weights, relu_interpolant, xor_network
from gradatim.theory.folding import folding_network
from gradatim.theory.graph_clusters import laplacian_positions, spectral_clustering
from gradatim.theory.greedy import GreedyFit, choose_greedily
from gradatim.theory.held_out_bound import held_out_bound
from gradatim.theory.hessian_spectrum import (
    Spectrum,
    hessian_eigenvalues,
    hessian_trace,
    spectral_density,
)
from gradatim.theory.infinite_width import Kernels, analytic_kernels, ntk_kappa
from gradatim.theory.information_bottleneck import (
    Bottleneck,
    information_bottleneck,
    mutual_information,
)
from gradatim.theory.kernel_machines import kernel_dynamics, kernel_regression
from gradatim.theory.landscape import (
    Surface,
    filter_normalized,
    loss_line,
    loss_surface,
    sharpness,
)
from gradatim.theory.linearization import linearize
from gradatim.theory.neighbour_labels import homophily, label_propagation
from gradatim.theory.pac_bayes import (
    bernoulli_kl,
    gaussian_kl,
    kl_inverse,
    maurer_bound,
    mcallester_bound,
    quadratic_bound,
)
from gradatim.theory.patterns import activation_patterns
from gradatim.theory.rates import log_log_slope
from gradatim.theory.region_bounds import montufar, zaslavsky
from gradatim.theory.regions import Regions, count_regions
from gradatim.theory.shattering import growth_function, labelings, shatters, vc_dimension
from gradatim.theory.smoothing import dirichlet_energy, node_influence
from gradatim.theory.squares import product_network, sawtooth_network, square_network
from gradatim.theory.tangent_kernel import empirical_ntk
from gradatim.theory.uniform_convergence import (
    Estimate,
    rademacher_complexity,
    vc_gap,
    vc_probability,
)
from gradatim.theory.weisfeiler_lehman import wl_colours, wl_kernel, wl_test

__all__ = [
    "Approximation",
    "Bottleneck",
    "Certificate",
    "Estimate",
    "GreedyFit",
    "Kernels",
    "Regions",
    "Spectrum",
    "Surface",
    "activation_patterns",
    "analytic_kernels",
    "approximate",
    "barron_bound",
    "barron_constant",
    "barron_network",
    "bernoulli_kl",
    "choose_greedily",
    "count_regions",
    "dirichlet_energy",
    "empirical_ntk",
    "enclosing_domain",
    "filter_normalized",
    "folding_network",
    "gaussian_bump",
    "gaussian_kl",
    "growth_function",
    "held_out_bound",
    "hessian_eigenvalues",
    "hessian_trace",
    "homophily",
    "information_bottleneck",
    "kernel_dynamics",
    "kernel_regression",
    "kl_inverse",
    "label_propagation",
    "labelings",
    "laplacian_positions",
    "linearize",
    "log_log_slope",
    "loss_line",
    "loss_surface",
    "maurer_bound",
    "mcallester_bound",
    "mlp_with_weights",
    "montufar",
    "mutual_information",
    "node_influence",
    "ntk_kappa",
    "pac_bayes_certificate",
    "product_network",
    "quadratic_bound",
    "rademacher_complexity",
    "relu_interpolant",
    "sample_ball",
    "sawtooth_network",
    "sharpness",
    "shatters",
    "spectral_clustering",
    "spectral_density",
    "square_network",
    "vc_dimension",
    "vc_gap",
    "vc_probability",
    "wl_colours",
    "wl_kernel",
    "wl_test",
    "xor_network",
    "zaslavsky",
]
