"""Optimizers, learning-rate schedules and instruments of convergence."""

from gradatim.optim import schedules
from gradatim.optim.adam import Adam
from gradatim.optim.adam_then_sgd import AdamThenSGD
from gradatim.optim.convergence import (
    Decrease,
    DescentPath,
    descend,
    pl_bound,
    pl_constant,
    steps_to_critical_point,
    sufficient_decrease,
)
from gradatim.optim.curvature import Curvature, hessian_product, lowest_curvature, smoothness
from gradatim.optim.curve import ScheduleCurve, schedule_curve, sparkline
from gradatim.optim.ema_momentum import EMAMomentum
from gradatim.optim.entropy_sgd import EntropySGD
from gradatim.optim.extragradient import Extragradient
from gradatim.optim.flow import gradient_flow
from gradatim.optim.gradient_noise import batch_gradients, sample_gradients
from gradatim.optim.heavy_ball import HeavyBall
from gradatim.optim.langevin import Langevin
from gradatim.optim.named import OPTIMIZERS, build_optimizer, decay_groups, needs_closure
from gradatim.optim.nesterov import NesterovExtrapolation
from gradatim.optim.normalized_gradient import NormalizedGradient
from gradatim.optim.objective import Objective, network_objective
from gradatim.optim.rmsprop import RMSProp
from gradatim.optim.schedules import SCHEDULES, Schedule, build_schedule
from gradatim.optim.starts import MultiStart, multi_start
from gradatim.optim.trajectories import trajectory

__all__ = [
    "OPTIMIZERS",
    "SCHEDULES",
    "Adam",
    "AdamThenSGD",
    "Curvature",
    "Decrease",
    "EMAMomentum",
    "EntropySGD",
    "Extragradient",
    "HeavyBall",
    "Langevin",
    "MultiStart",
    "NesterovExtrapolation",
    "NormalizedGradient",
    "Objective",
    "DescentPath",
    "RMSProp",
    "Schedule",
    "ScheduleCurve",
    "batch_gradients",
    "build_optimizer",
    "build_schedule",
    "decay_groups",
    "descend",
    "gradient_flow",
    "hessian_product",
    "lowest_curvature",
    "multi_start",
    "needs_closure",
    "network_objective",
    "pl_bound",
    "pl_constant",
    "sample_gradients",
    "schedule_curve",
    "schedules",
    "smoothness",
    "sparkline",
    "steps_to_critical_point",
    "sufficient_decrease",
    "trajectory",
]
