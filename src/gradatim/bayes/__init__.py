"""Bayesian learning: samplers of any log-density and whether to trust their draws, networks, Gaussian processes."""

from gradatim.bayes import hmc, langevin, mala, metropolis, nuts, sghmc, sgld
from gradatim.bayes.diagnostics import ess_bulk, ess_tail, r_hat
from gradatim.bayes.finite_chain import metropolis_matrix, stationary_distribution
from gradatim.bayes.hamiltonian import Phase, leapfrog
from gradatim.bayes.networks import (
    NetworkDensity,
    Predictive,
    network_log_density,
    posterior_predictive,
)
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
from gradatim.bayes.samplers import SAMPLERS, Sampler
from gradatim.bayes.sampling import sample
from gradatim.bayes.trace import Trace

__all__ = [
    "Constant",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "Kernel",
    "LeaveOneOut",
    "Linear",
    "Matern",
    "NetworkDensity",
    "NetworkKernel",
    "Periodic",
    "Phase",
    "Predictive",
    "RBF",
    "SAMPLERS",
    "Sampler",
    "SparseGaussianProcessRegressor",
    "Trace",
    "White",
    "ess_bulk",
    "ess_tail",
    "hmc",
    "langevin",
    "leapfrog",
    "mala",
    "metropolis",
    "metropolis_matrix",
    "network_log_density",
    "nuts",
    "posterior_predictive",
    "r_hat",
    "sample",
    "sghmc",
    "sgld",
    "stationary_distribution",
]
