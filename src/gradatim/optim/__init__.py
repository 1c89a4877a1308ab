"""Optimizers and learning-rate schedules."""

from gradatim.optim import schedules
from gradatim.optim.named import OPTIMIZERS, build_optimizer, decay_groups
from gradatim.optim.schedules import SCHEDULES, Schedule, build_schedule

__all__ = [
    "OPTIMIZERS",
    "SCHEDULES",
    "Schedule",
    "build_optimizer",
    "build_schedule",
    "decay_groups",
    "schedules",
]
