"""What networks can represent: approximation, explicit constructions, linear regions."""

from gradatim.theory.arrangement import enclosing_domain
from gradatim.theory.constructions import mlp_with_weights, relu_interpolant, xor_network
from gradatim.theory.folding import folding_network
from gradatim.theory.patterns import activation_patterns
from gradatim.theory.region_bounds import montufar, zaslavsky
from gradatim.theory.regions import Regions, count_regions
from gradatim.theory.squares import product_network, sawtooth_network, square_network

__all__ = [
    "Regions",
    "activation_patterns",
    "count_regions",
    "enclosing_domain",
    "folding_network",
    "mlp_with_weights",
    "montufar",
    "product_network",
    "relu_interpolant",
    "sawtooth_network",
    "square_network",
    "xor_network",
    "zaslavsky",
]
