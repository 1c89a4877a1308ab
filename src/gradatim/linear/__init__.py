"""Linear models, the likelihoods behind their losses, basis functions and separability."""

from gradatim.linear.affine import Affine, LinearClassifier
from gradatim.linear.basis import GaussianBasis, gaussians, polynomial, sinusoids, translated
from gradatim.linear.counting import cover_count, dichotomies
from gradatim.linear.descent import (
    Descent,
    descend_least_squares,
    hessian_condition,
    hessian_eigenvalues,
    with_ones,
)
from gradatim.linear.dropout_ridge import dropout_penalty, fit_dropout_ridge
from gradatim.linear.error_surface import (
    StationaryPoints,
    bowl,
    cells_without_proof,
    descent_path,
    rippled_bowl,
    stationary_points,
)
from gradatim.linear.lda import fit_lda
from gradatim.linear.least_squares import fit_least_squares, fit_minimum_norm
from gradatim.linear.likelihoods import (
    LIKELIHOODS,
    Likelihood,
    likelihood,
    negative_log_likelihood,
)
from gradatim.linear.logistic import fit_logistic, fit_softmax
from gradatim.linear.ridge import fit_ridge, map_weight_decay
from gradatim.linear.separability import Separation, in_version_space, separate, signed_distance

__all__ = [
    "LIKELIHOODS",
    "Affine",
    "Descent",
    "GaussianBasis",
    "Likelihood",
    "LinearClassifier",
    "Separation",
    "StationaryPoints",
    "bowl",
    "cells_without_proof",
    "cover_count",
    "descend_least_squares",
    "descent_path",
    "dichotomies",
    "dropout_penalty",
    "fit_dropout_ridge",
    "fit_lda",
    "fit_least_squares",
    "fit_logistic",
    "fit_minimum_norm",
    "fit_ridge",
    "fit_softmax",
    "gaussians",
    "hessian_condition",
    "hessian_eigenvalues",
    "in_version_space",
    "likelihood",
    "map_weight_decay",
    "negative_log_likelihood",
    "polynomial",
    "rippled_bowl",
    "separate",
    "signed_distance",
    "sinusoids",
    "stationary_points",
    "translated",
    "with_ones",
]
