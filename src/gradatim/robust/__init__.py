"""How little must change for a classifier to err: attacks, closed forms, accuracy under attack."""

from gradatim.robust.adversarial import Adversarial
from gradatim.robust.affine import AffinePerturbation, affine_perturbation
from gradatim.robust.few_entries import greedy_l0
from gradatim.robust.gradient_sign import fgsm
from gradatim.robust.linearization import deepfool
from gradatim.robust.measuring import (
    Attack,
    RobustnessCurve,
    minimal_distances,
    robust_accuracy,
    robustness_curve,
)
from gradatim.robust.projected_gradient import pgd

__all__ = [
    "Adversarial",
    "AffinePerturbation",
    "Attack",
    "RobustnessCurve",
    "affine_perturbation",
    "deepfool",
    "fgsm",
    "greedy_l0",
    "minimal_distances",
    "pgd",
    "robust_accuracy",
    "robustness_curve",
]
