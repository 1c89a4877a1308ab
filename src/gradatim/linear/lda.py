r"""Linear discriminant analysis: Gaussian classes with one covariance.

With class means :math:`\mu_k`, shares :math:`\pi_k` and the pooled within-class covariance
:math:`\Sigma=\frac1N\sum_k\sum_{n\in k}(x_n-\mu_k)(x_n-\mu_k)^\top`, all of largest likelihood (some
books divide by :math:`N-K`), Bayes' rule gives :math:`\log p(k\mid x)=w_k^\top x+b_k` + const with

.. math:: w_k=\Sigma^{-1}\mu_k, \qquad b_k=-\tfrac12\mu_k^\top\Sigma^{-1}\mu_k+\log\pi_k.

No iteration is needed, which makes it a baseline that every network should beat.
"""

import torch

from gradatim.errors import require
from gradatim.linear.affine import LinearClassifier
from gradatim.linear.inputs import Array, as_design, as_labels


def fit_lda(X: Array, y: Array, *, tol: float = 1e-4) -> LinearClassifier:
    r"""Fit linear discriminant analysis in double precision.

    Args:
        X: Inputs, shape ``(N, d)``.
        y: Integer labels, shape ``(N,)``.
        tol: Directions in which the scaled features vary by less than this within classes are
            left out, so that constant or dependent columns do no harm.

    Example:
        >>> X = torch.tensor([[0.0], [1.0], [4.0], [5.0]])
        >>> fit_lda(X, torch.tensor([0, 0, 1, 1])).predict(torch.tensor([[2.0], [3.0]]))
        tensor([0, 1])
    """
    design = as_design("fit_lda", X)
    classes, indices = as_labels("fit_lda", y, len(design))
    num_samples, num_classes = len(design), len(classes)
    rule = "fit_lda: X must have more rows than there are classes"
    got = f"{num_samples} rows and {num_classes} classes"
    require(num_samples > num_classes, rule, got, "Add samples.")
    counts = torch.bincount(indices).double()
    sums = torch.zeros(num_classes, design.shape[1], dtype=design.dtype)
    means = sums.index_add(0, indices, design) / counts[:, None]  # (K, d)
    within = design - means[indices]
    scale = within.std(0, correction=0)
    scale = torch.where(scale > 0, scale, 1.0)
    within = within / scale
    values, vectors = torch.linalg.eigh(within.T @ within / num_samples)
    kept = values > tol**2
    whiten = vectors[:, kept] / values[kept].sqrt() / scale[:, None]  # (d, rank)
    overall = design.mean(0)
    scores = (means - overall) @ whiten  # (K, rank)
    weight = whiten @ scores.T  # (d, K)
    bias = -scores.square().sum(1) / 2 + torch.log(counts / num_samples) - overall @ weight
    return LinearClassifier(weight, bias, classes)
