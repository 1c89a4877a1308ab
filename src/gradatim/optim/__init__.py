"""Optimizers and learning-rate schedules."""

from gradatim.optim import schedules
from gradatim.optim.adam import Adam
from gradatim.optim.adam_then_sgd import AdamThenSGD
from gradatim.optim.ema_momentum import EMAMomentum
from gradatim.optim.entropy_sgd import EntropySGD
from gradatim.optim.extragradient import Extragradient
from gradatim.optim.heavy_ball import HeavyBall
from gradatim.optim.langevin import Langevin
from gradatim.optim.named import (
    OPTIMIZERS,
    build_optimizer,
    decay_groups,
    default_lr,
    needs_closure,
)
from gradatim.optim.nesterov import NesterovExtrapolation
from gradatim.optim.normalized_gradient import NormalizedGradient
from gradatim.optim.proximal_gradient import ProximalGradient, soft_threshold
from gradatim.optim.rmsprop import RMSProp
from gradatim.optim.schedules import SCHEDULES, Schedule, build_schedule

__all__ = [
    "OPTIMIZERS",
    "SCHEDULES",
    "Adam",
    "AdamThenSGD",
    "EMAMomentum",
    "EntropySGD",
    "Extragradient",
    "HeavyBall",
    "Langevin",
    "NesterovExtrapolation",
    "NormalizedGradient",
    "ProximalGradient",
    "RMSProp",
    "Schedule",
    "build_optimizer",
    "build_schedule",
    "decay_groups",
    "default_lr",
    "needs_closure",
    "schedules",
    "soft_threshold",
]
