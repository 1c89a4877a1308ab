"""Layers, activations and initializations that feed the models."""

from gradatim.nn.activations import (
    ACTIVATIONS,
    ActivationFacts,
    Sign,
    Step,
    activation,
    value_and_derivative,
)
from gradatim.nn.adjoint_convolution import adjoint_convolve, adjoint_correlate
from gradatim.nn.beam import Hypotheses, beam_search
from gradatim.nn.cells.cell import Cell
from gradatim.nn.cells.elman import ElmanCell
from gradatim.nn.cells.gru import GRUCell
from gradatim.nn.cells.lstm import LSTMCell, LSTMGates
from gradatim.nn.cells.named import CELLS, build_cell
from gradatim.nn.convolution import convolve, correlate
from gradatim.nn.ctc_decoding import best_path, collapse_path, prefix_beam_search
from gradatim.nn.dense_connection import DenseConnection
from gradatim.nn.dropout import StandardDropout, inverted_dropout
from gradatim.nn.equivariance import Invariant, equivariance_error, invariant
from gradatim.nn.evaluation_mode import evaluation_mode
from gradatim.nn.fan_counts import Fans, fans
from gradatim.nn.feature_maps import feature_maps
from gradatim.nn.generation import draw_tokens, generate
from gradatim.nn.highway import HighwayLayer, carry_or_transform
from gradatim.nn.initialization import SCHEMES, default_scheme, gain, initialize
from gradatim.nn.layer_normalization import layer_norm
from gradatim.nn.layer_statistics import LayerStatistics, variance_profile
from gradatim.nn.mc_dropout import MCPrediction, mc_predict
from gradatim.nn.multi_task import MultiTask
from gradatim.nn.padding import real_steps, reverse_steps
from gradatim.nn.pruning import apply_masks, magnitude_masks, weight_sparsity
from gradatim.nn.receptive_field import (
    MeasuredField,
    ReceptiveField,
    measured_receptive_field,
    receptive_field,
)
from gradatim.nn.recurrent import Recurrent
from gradatim.nn.residual import ResidualLayer
from gradatim.nn.scan import linear_scan
from gradatim.nn.stable import log1mexp, log_mean_exp, log_softmax, log_sum_exp, softmax
from gradatim.nn.stochastic_depth import StochasticDepth, linear_drop_rates
from gradatim.nn.symmetry import collapse_linear, permute_hidden
from gradatim.nn.toeplitz import toeplitz_matrix
from gradatim.nn.transformations import (
    dihedral_group,
    permutation,
    reflection,
    rotation,
    rotation_group,
    translation,
    translation_group,
)
from gradatim.nn.upsampling import upsampling_kernel, upsampling_layer
from gradatim.nn.weight_normalization import bake_weights, normalize_weights

__all__ = [
    "ACTIVATIONS",
    "CELLS",
    "SCHEMES",
    "ActivationFacts",
    "Cell",
    "DenseConnection",
    "ElmanCell",
    "Fans",
    "GRUCell",
    "HighwayLayer",
    "Hypotheses",
    "Invariant",
    "LSTMCell",
    "LSTMGates",
    "LayerStatistics",
    "MCPrediction",
    "MeasuredField",
    "MultiTask",
    "ReceptiveField",
    "Recurrent",
    "ResidualLayer",
    "Sign",
    "StandardDropout",
    "Step",
    "StochasticDepth",
    "activation",
    "adjoint_convolve",
    "adjoint_correlate",
    "apply_masks",
    "bake_weights",
    "beam_search",
    "best_path",
    "build_cell",
    "carry_or_transform",
    "collapse_linear",
    "collapse_path",
    "convolve",
    "correlate",
    "default_scheme",
    "dihedral_group",
    "draw_tokens",
    "equivariance_error",
    "evaluation_mode",
    "fans",
    "feature_maps",
    "gain",
    "generate",
    "initialize",
    "invariant",
    "inverted_dropout",
    "layer_norm",
    "linear_drop_rates",
    "linear_scan",
    "log1mexp",
    "log_mean_exp",
    "log_softmax",
    "log_sum_exp",
    "magnitude_masks",
    "mc_predict",
    "measured_receptive_field",
    "normalize_weights",
    "permutation",
    "permute_hidden",
    "prefix_beam_search",
    "real_steps",
    "receptive_field",
    "reflection",
    "reverse_steps",
    "rotation",
    "rotation_group",
    "softmax",
    "toeplitz_matrix",
    "translation",
    "translation_group",
    "upsampling_kernel",
    "upsampling_layer",
    "value_and_derivative",
    "variance_profile",
    "weight_sparsity",
]
