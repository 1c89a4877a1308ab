"""Architectures, one file each, built by name."""

from gradatim.models.densely_connected_mlp import DenselyConnectedMLP
from gradatim.models.highway_mlp import HighwayMLP
from gradatim.models.mlp import MLP
from gradatim.models.mlp_mixer import MLPMixer
from gradatim.models.registry import MODELS, build, describe, rebuild
from gradatim.models.residual_mlp import ResidualMLP

__all__ = [
    "MLP",
    "DenselyConnectedMLP",
    "HighwayMLP",
    "MLPMixer",
    "ResidualMLP",
    "MODELS",
    "build",
    "describe",
    "rebuild",
]
