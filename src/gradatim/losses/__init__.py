"""Losses that networks minimize."""

from gradatim.losses.aligning import align
from gradatim.losses.ctc import ctc_loss
from gradatim.losses.dice import dice_cross_entropy, dice_loss
from gradatim.losses.distillation import distillation_loss, tempered_cross_entropy
from gradatim.losses.focal import focal
from gradatim.losses.gaussian_forecast import gaussian_likelihood
from gradatim.losses.label_smoothing import (
    smooth_labels,
    smoothed_cross_entropy,
    uniform_confusion,
)
from gradatim.losses.members import over_members
from gradatim.losses.named import (
    LOSSES,
    Loss,
    bce,
    build_loss,
    cross_entropy,
    huber,
    mae,
    mse,
    sse,
)
from gradatim.losses.negative_sampling import negative_sampling
from gradatim.losses.penalties import absolute_weight, penalized, weight_energy
from gradatim.losses.per_token import token_cross_entropy
from gradatim.losses.perceptron_loss import perceptron
from gradatim.losses.pinball import pinball_loss, quantile_loss
from gradatim.losses.preferences import comparison_loss, dpo_loss, policy_loss
from gradatim.losses.spans import span_cross_entropy

__all__ = [
    "negative_sampling",
    "LOSSES",
    "Loss",
    "absolute_weight",
    "align",
    "bce",
    "build_loss",
    "comparison_loss",
    "cross_entropy",
    "ctc_loss",
    "dice_cross_entropy",
    "dice_loss",
    "distillation_loss",
    "dpo_loss",
    "focal",
    "gaussian_likelihood",
    "huber",
    "mae",
    "mse",
    "over_members",
    "penalized",
    "perceptron",
    "pinball_loss",
    "policy_loss",
    "quantile_loss",
    "smooth_labels",
    "smoothed_cross_entropy",
    "span_cross_entropy",
    "sse",
    "tempered_cross_entropy",
    "token_cross_entropy",
    "uniform_confusion",
    "weight_energy",
]
