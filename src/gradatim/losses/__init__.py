"""Losses that networks minimize."""

from gradatim.losses.ctc import ctc_loss
from gradatim.losses.distillation import distillation_loss, tempered_cross_entropy
from gradatim.losses.label_smoothing import (
    smooth_labels,
    smoothed_cross_entropy,
    uniform_confusion,
)
from gradatim.losses.named import (
    LOSSES,
    Loss,
    align,
    bce,
    build_loss,
    cross_entropy,
    huber,
    mae,
    mse,
    sse,
)
from gradatim.losses.penalties import absolute_weight, penalized, weight_energy
from gradatim.losses.perceptron_loss import perceptron

__all__ = [
    "LOSSES",
    "Loss",
    "absolute_weight",
    "align",
    "bce",
    "build_loss",
    "cross_entropy",
    "ctc_loss",
    "distillation_loss",
    "huber",
    "mae",
    "mse",
    "penalized",
    "perceptron",
    "smooth_labels",
    "smoothed_cross_entropy",
    "sse",
    "tempered_cross_entropy",
    "uniform_confusion",
    "weight_energy",
]
