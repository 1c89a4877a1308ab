"""Gaussian processes: kernels, regression, classification, inducing points."""

from gradatim.bayes.processes.classification import GaussianProcessClassifier
from gradatim.bayes.processes.kernel import Kernel
from gradatim.bayes.processes.plain import Constant, Linear, NetworkKernel, White
from gradatim.bayes.processes.regression import GaussianProcessRegressor, LeaveOneOut
from gradatim.bayes.processes.sparse import SparseGaussianProcessRegressor
from gradatim.bayes.processes.stationary import RBF, Matern, Periodic

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
