"""Layers, activations and initializations that feed the models."""

from gradatim.nn.activations import (
    ACTIVATIONS,
    ActivationFacts,
    Sign,
    Step,
    activation,
    value_and_derivative,
)
from gradatim.nn.beam import Hypotheses, beam_search
from gradatim.nn.cells.cell import Cell
from gradatim.nn.cells.elman import ElmanCell
from gradatim.nn.cells.gru import GRUCell
from gradatim.nn.cells.lstm import LSTMCell, LSTMGates
from gradatim.nn.cells.named import CELLS, build_cell
from gradatim.nn.ctc_decoding import best_path, collapse_path, prefix_beam_search
from gradatim.nn.dense_connection import DenseConnection
from gradatim.nn.dropout import StandardDropout, inverted_dropout
from gradatim.nn.fan_counts import Fans, fans
from gradatim.nn.generation import draw_tokens, generate
from gradatim.nn.highway import HighwayLayer, carry_or_transform
from gradatim.nn.initialization import SCHEMES, default_scheme, gain, initialize
from gradatim.nn.layer_normalization import layer_norm
from gradatim.nn.layer_statistics import LayerStatistics, variance_profile
from gradatim.nn.mc_dropout import MCPrediction, mc_predict
from gradatim.nn.multi_task import MultiTask
from gradatim.nn.padding import real_steps, reverse_steps
from gradatim.nn.pruning import apply_masks, magnitude_masks, weight_sparsity
from gradatim.nn.recurrent import Recurrent
from gradatim.nn.residual import ResidualLayer
from gradatim.nn.stable import log1mexp, log_mean_exp, log_softmax, log_sum_exp, softmax
from gradatim.nn.stochastic_depth import StochasticDepth, linear_drop_rates
from gradatim.nn.symmetry import collapse_linear, permute_hidden
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
    "LSTMCell",
    "LSTMGates",
    "LayerStatistics",
    "MCPrediction",
    "MultiTask",
    "Recurrent",
    "ResidualLayer",
    "Sign",
    "StandardDropout",
    "Step",
    "StochasticDepth",
    "activation",
    "apply_masks",
    "bake_weights",
    "beam_search",
    "best_path",
    "build_cell",
    "carry_or_transform",
    "collapse_linear",
    "collapse_path",
    "default_scheme",
    "draw_tokens",
    "fans",
    "gain",
    "generate",
    "initialize",
    "inverted_dropout",
    "layer_norm",
    "linear_drop_rates",
    "log1mexp",
    "log_mean_exp",
    "log_softmax",
    "log_sum_exp",
    "magnitude_masks",
    "mc_predict",
    "normalize_weights",
    "permute_hidden",
    "prefix_beam_search",
    "real_steps",
    "reverse_steps",
    "softmax",
    "value_and_derivative",
    "variance_profile",
    "weight_sparsity",
]
