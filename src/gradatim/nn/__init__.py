"""Layers, activations and initializations that feed the models."""

from gradatim.nn.activations import (
    ACTIVATIONS,
    ActivationFacts,
    Erf,
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
from gradatim.nn.cells.antisymmetric import AntisymmetricCell
from gradatim.nn.cells.cell import Cell
from gradatim.nn.cells.deep_transition import DeepTransitionCell
from gradatim.nn.cells.elman import ElmanCell
from gradatim.nn.cells.gru import GRUCell
from gradatim.nn.cells.gru_cho import ChoGRUCell
from gradatim.nn.cells.gru_chung import ChungGRUCell
from gradatim.nn.cells.highway import HighwayCell
from gradatim.nn.cells.lipschitz import LipschitzCell
from gradatim.nn.cells.lru import LRUCell, ring
from gradatim.nn.cells.lstm import LSTMCell, LSTMGates
from gradatim.nn.cells.lstm_no_forget import NoForgetLSTMCell
from gradatim.nn.cells.lstm_output_map import OutputMapLSTMCell
from gradatim.nn.cells.lstm_peephole import PeepholeLSTMCell
from gradatim.nn.cells.min_gru import MinGRUCell
from gradatim.nn.cells.min_lstm import MinLSTMCell
from gradatim.nn.cells.named import CELLS, build_cell
from gradatim.nn.cells.residual import ResidualCell
from gradatim.nn.cells.s6 import S6Cell
from gradatim.nn.chebyshev_layer import ChebyshevLayer
from gradatim.nn.convolution import convolve, correlate
from gradatim.nn.coupling import coupling_matrix, laplacian
from gradatim.nn.dense_connection import DenseConnection
from gradatim.nn.dot_attention import DotAttention
from gradatim.nn.dropout import StandardDropout, inverted_dropout
from gradatim.nn.edge_attention import edge_softmax
from gradatim.nn.edge_dropout import drop_edge
from gradatim.nn.fan_counts import Fans, fans
from gradatim.nn.gat_layer import GATLayer
from gradatim.nn.gatv2_layer import GATv2Layer
from gradatim.nn.gcn_layer import GCNLayer
from gradatim.nn.gin_layer import GINLayer
from gradatim.nn.group_invariance import Invariant
from gradatim.nn.highway import HighwayLayer, carry_or_transform
from gradatim.nn.image_attention import ImageSelfAttention
from gradatim.nn.initialization import SCHEMES, default_scheme, gain, initialize
from gradatim.nn.key_value_cache import KeysValues, KeyValueCache
from gradatim.nn.layer_normalization import layer_norm
from gradatim.nn.linear_attention import linear_attention
from gradatim.nn.lru import LRU
from gradatim.nn.masks import causal_mask, mask_from_pytorch, padding_mask
from gradatim.nn.mc_dropout import MCPrediction, mc_predict
from gradatim.nn.messages import message_passing
from gradatim.nn.multi_task import MultiTask
from gradatim.nn.node_pooling import pool_nodes
from gradatim.nn.padding import real_steps, reverse_steps
from gradatim.nn.pair_norm import PairNorm
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
from gradatim.nn.sage_layer import SAGELayer
from gradatim.nn.scan import linear_scan
from gradatim.nn.set_pooling import pool_sets
from gradatim.nn.smooth_clip import robust_scale, smooth_clip
from gradatim.nn.spectral_filters import (
    GraphFourier,
    chebyshev_filter,
    graph_fourier,
    heat_kernel,
    polynomial_filter,
    spectral_filter,
)
from gradatim.nn.squeeze_excitation import SqueezeExcitation
from gradatim.nn.stable import log1mexp, log_mean_exp, log_softmax, log_sum_exp, softmax
from gradatim.nn.stochastic_depth import StochasticDepth, linear_drop_rates
from gradatim.nn.symmetry import collapse_linear, permute_hidden
from gradatim.nn.time_embedding import time_embedding
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
from gradatim.nn.windowed_attention import window_mask

__all__ = [
    "ACTIVATIONS",
    "CELLS",
    "LRU",
    "SCHEMES",
    "ActivationFacts",
    "AdditiveAttention",
    "AntisymmetricCell",
    "AttentionPooling",
    "BatchEnsembleLinear",
    "BatchMoments",
    "Cell",
    "ChebyshevLayer",
    "ChoGRUCell",
    "ChungGRUCell",
    "DecoderBlock",
    "DeepTransitionCell",
    "DenseConnection",
    "DotAttention",
    "ElmanCell",
    "EncoderBlock",
    "Erf",
    "Fans",
    "FeedForward",
    "GATLayer",
    "GATv2Layer",
    "GCNLayer",
    "GINLayer",
    "GRUCell",
    "GraphFourier",
    "HighwayCell",
    "HighwayLayer",
    "Invariant",
    "KeyValueCache",
    "ImageSelfAttention",
    "KeysValues",
    "LRUCell",
    "LSTMCell",
    "LSTMGates",
    "LearnedPositions",
    "LipschitzCell",
    "MCPrediction",
    "MinGRUCell",
    "MinLSTMCell",
    "MultiHeadAttention",
    "MultiTask",
    "NoForgetLSTMCell",
    "OutputMapLSTMCell",
    "PairNorm",
    "PeepholeLSTMCell",
    "PeriodicEmbedding",
    "PiecewiseLinearEncoding",
    "Recurrent",
    "ResidualCell",
    "ResidualLayer",
    "Rotary",
    "RunningMoments",
    "S6Cell",
    "SAGELayer",
    "Shortcut",
    "Sign",
    "SinusoidalPositions",
    "SqueezeExcitation",
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
    "chebyshev_filter",
    "collapse_linear",
    "convolve",
    "correlate",
    "coupling_matrix",
    "default_scheme",
    "dihedral_group",
    "drop_edge",
    "edge_softmax",
    "evaluation_mode",
    "fans",
    "gain",
    "graph_fourier",
    "heat_kernel",
    "initialize",
    "inverted_dropout",
    "laplacian",
    "layer_norm",
    "linear_attention",
    "linear_drop_rates",
    "linear_scan",
    "log1mexp",
    "log_mean_exp",
    "log_softmax",
    "log_sum_exp",
    "magnitude_masks",
    "mask_from_pytorch",
    "mc_predict",
    "message_passing",
    "normalize_weights",
    "padding_mask",
    "permutation",
    "permute_hidden",
    "piecewise_linear",
    "polynomial_filter",
    "pool_nodes",
    "pool_sets",
    "quantile_edges",
    "real_steps",
    "reflection",
    "reverse_steps",
    "ring",
    "robust_scale",
    "rotate_pairs",
    "rotation",
    "rotation_group",
    "shift_matrix",
    "sinusoidal_positions",
    "smooth_clip",
    "softmax",
    "spectral_filter",
    "time_embedding",
    "toeplitz_matrix",
    "translation",
    "translation_group",
    "update_running",
    "upsampling_kernel",
    "upsampling_layer",
    "value_and_derivative",
    "weight_sparsity",
    "window_mask",
]
