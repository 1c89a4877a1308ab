"""Bayesian learning: Gaussian processes."""

from gradatim.bayes.processes import (
    RBF,
    Constant,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    Kernel,
    LeaveOneOut,
    Linear,
    Matern,
    NetworkKernel,
    Periodic,
    SparseGaussianProcessRegressor,
    White,
)

__all__ = [
    "RBF",
    "Constant",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "Kernel",
    "LeaveOneOut",
    "Linear",
    "Matern",
    "NetworkKernel",
    "Periodic",
    "SparseGaussianProcessRegressor",
    "White",
]
