"""Layers, activations and initializations that feed the models."""

from gradatim.nn.activations import (
    ACTIVATIONS,
    ActivationFacts,
    Sign,
    Step,
    activation,
    activation_table,
    value_and_derivative,
)
from gradatim.nn.additive_attention import AdditiveAttention
from gradatim.nn.adjoint_convolution import adjoint_convolve, adjoint_correlate
from gradatim.nn.attention import MultiHeadAttention, attend, attention_weights
from gradatim.nn.attention_pooling import AttentionPooling
from gradatim.nn.batch_ensemble import BatchEnsembleLinear
from gradatim.nn.batch_normalization import (
    BatchMoments,
    RunningMoments,
    batch_moments,
    batch_normalize,
    update_running,
)
from gradatim.nn.cells.cell import Cell
from gradatim.nn.cells.elman import ElmanCell
from gradatim.nn.cells.gru import GRUCell
from gradatim.nn.cells.gru_cho import ChoGRUCell
from gradatim.nn.cells.gru_chung import ChungGRUCell
from gradatim.nn.cells.highway import HighwayCell
from gradatim.nn.cells.lru import LRUCell, ring
from gradatim.nn.cells.lstm import LSTMCell, LSTMGates
from gradatim.nn.cells.lstm_no_forget import NoForgetLSTMCell
from gradatim.nn.cells.lstm_output_map import OutputMapLSTMCell
from gradatim.nn.cells.lstm_peephole import PeepholeLSTMCell
from gradatim.nn.cells.min_gru import MinGRUCell
from gradatim.nn.cells.min_lstm import MinLSTMCell
from gradatim.nn.cells.named import CELLS, build_cell
from gradatim.nn.cells.residual import ResidualCell
from gradatim.nn.convolution import convolve, correlate
from gradatim.nn.dense_connection import DenseConnection
from gradatim.nn.dot_attention import DotAttention
from gradatim.nn.dropout import StandardDropout, inverted_dropout
from gradatim.nn.fan_counts import Fans, fans
from gradatim.nn.group_invariance import Invariant
from gradatim.nn.highway import HighwayLayer, carry_or_transform
from gradatim.nn.initialization import SCHEMES, default_scheme, gain, initialize
from gradatim.nn.key_value_cache import KeysValues, KeyValueCache
from gradatim.nn.layer_normalization import layer_norm
from gradatim.nn.lru import LRU
from gradatim.nn.masks import causal_mask, mask_from_pytorch, padding_mask
from gradatim.nn.mc_dropout import MCPrediction, mc_predict
from gradatim.nn.multi_task import MultiTask
from gradatim.nn.padding import real_steps, reverse_steps
from gradatim.nn.periodic_embedding import PeriodicEmbedding
from gradatim.nn.piecewise_linear import (
    PiecewiseLinearEncoding,
    piecewise_linear,
    quantile_edges,
)
from gradatim.nn.positions import (
    LearnedPositions,
    SinusoidalPositions,
    shift_matrix,
    sinusoidal_positions,
)
from gradatim.nn.pruning import apply_masks, magnitude_masks, weight_sparsity
from gradatim.nn.recurrent import Recurrent
from gradatim.nn.residual import ResidualLayer
from gradatim.nn.rotary import Rotary, rotate_pairs
from gradatim.nn.scan import linear_scan
from gradatim.nn.smooth_clip import robust_scale, smooth_clip
from gradatim.nn.stable import log1mexp, log_mean_exp, log_softmax, log_sum_exp, softmax
from gradatim.nn.stochastic_depth import StochasticDepth, linear_drop_rates
from gradatim.nn.symmetry import collapse_linear, permute_hidden
from gradatim.nn.toeplitz import toeplitz_matrix
from gradatim.nn.training_modes import evaluation_mode
from gradatim.nn.transformations import (
    dihedral_group,
    permutation,
    reflection,
    rotation,
    rotation_group,
    translation,
    translation_group,
)
from gradatim.nn.transformer_blocks import DecoderBlock, EncoderBlock, FeedForward, Shortcut
from gradatim.nn.upsampling import upsampling_kernel, upsampling_layer
from gradatim.nn.weight_normalization import bake_weights, normalize_weights

__all__ = [
    "BatchEnsembleLinear",
    "PeriodicEmbedding",
    "PiecewiseLinearEncoding",
    "piecewise_linear",
    "quantile_edges",
    "robust_scale",
    "smooth_clip",
    "ACTIVATIONS",
    "CELLS",
    "LRU",
    "SCHEMES",
    "ActivationFacts",
    "AdditiveAttention",
    "AttentionPooling",
    "BatchMoments",
    "Cell",
    "ChoGRUCell",
    "ChungGRUCell",
    "DecoderBlock",
    "DenseConnection",
    "DotAttention",
    "ElmanCell",
    "EncoderBlock",
    "Fans",
    "FeedForward",
    "GRUCell",
    "HighwayCell",
    "HighwayLayer",
    "Invariant",
    "KeyValueCache",
    "KeysValues",
    "LRUCell",
    "LSTMCell",
    "LSTMGates",
    "LearnedPositions",
    "MCPrediction",
    "MinGRUCell",
    "MinLSTMCell",
    "MultiHeadAttention",
    "MultiTask",
    "NoForgetLSTMCell",
    "OutputMapLSTMCell",
    "PeepholeLSTMCell",
    "Recurrent",
    "ResidualCell",
    "ResidualLayer",
    "Rotary",
    "RunningMoments",
    "Shortcut",
    "Sign",
    "SinusoidalPositions",
    "StandardDropout",
    "Step",
    "StochasticDepth",
    "activation",
    "activation_table",
    "adjoint_convolve",
    "adjoint_correlate",
    "apply_masks",
    "attend",
    "attention_weights",
    "bake_weights",
    "batch_moments",
    "batch_normalize",
    "build_cell",
    "carry_or_transform",
    "causal_mask",
    "collapse_linear",
    "convolve",
    "correlate",
    "default_scheme",
    "dihedral_group",
    "evaluation_mode",
    "fans",
    "gain",
    "initialize",
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
    "normalize_weights",
    "mask_from_pytorch",
    "padding_mask",
    "permutation",
    "permute_hidden",
    "real_steps",
    "reflection",
    "reverse_steps",
    "ring",
    "rotate_pairs",
    "rotation",
    "rotation_group",
    "shift_matrix",
    "sinusoidal_positions",
    "softmax",
    "toeplitz_matrix",
    "translation",
    "translation_group",
    "update_running",
    "upsampling_kernel",
    "upsampling_layer",
    "value_and_derivative",
    "weight_sparsity",
]
