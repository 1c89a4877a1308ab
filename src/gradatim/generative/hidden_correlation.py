r"""Correlations of normal variables behind columns of few values, in closed form.

A column shows a normal variable :math:`z` only up to the jump of its distribution function in which it lies: of it one knows the
mean score :math:`s = E[z \mid \text{jump}]`. Mehler's formula ties what is seen to what is behind it:

.. math:: \operatorname{cov}(s_i, s_j) = \sum_{k \ge 1} \rho_{ij}^k\, a_{ik}\, a_{jk}, \qquad
    a_{ik} = \frac{1}{\sqrt{k!}} E[s_i\,\mathrm{He}_k(z_i)]

and is solved for :math:`\rho_{ij}`. A column whose values never repeat has :math:`a_{i1} = 1` and no other, and its correlation
is that of its scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import ndtri

TERMS = 24
LIMIT = 0.999
LEAST_VALUE = 1e-4  # of an eigenvalue of a correlation matrix
HALVINGS = 30


@dataclass(frozen=True, eq=False)
class Scores:
    """A column as mean scores.

    Args:
        scores: Of every row, 0 where the cell is missing, shape ``(N,)``.
        is_there: Which cells are not missing.
        hermite: :math:`a_k` from :math:`k = 1`.
    """

    scores: np.ndarray
    is_there: np.ndarray
    hermite: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, is_there: np.ndarray) -> Self:
        """Scores of a column.

        Args:
            values: Numbers, shape ``(N,)``.
            is_there: Which cells are not missing.

        Example:
            >>> Scores.of(np.array([0.0, 0.0, 1.0, 1.0]), np.ones(4, bool)).scores.round(3).tolist()
            [-0.798, -0.798, 0.798, 0.798]
        """
        _, place, counts = np.unique(values[is_there], return_inverse=True, return_counts=True)
        edges = ndtri(np.concatenate([[0], np.cumsum(counts)]) / max(counts.sum(), 1))
        terms = _hermite_terms(edges)
        share = counts / max(counts.sum(), 1)
        means = -np.diff(terms[0]) / share
        scores = np.zeros(len(values))
        scores[is_there] = means[place]
        return cls(scores, is_there, -np.diff(terms, axis=1) @ means)


def _hermite_terms(edges: np.ndarray) -> np.ndarray:
    r""":math:`\mathrm{He}_{k-1}(e)\,\varphi(e) / \sqrt{k!}` of edges for :math:`k = 1, 2, \dots`, 0 at infinity."""
    finite = np.where(np.isfinite(edges), edges, 0.0)
    density = np.where(np.isfinite(edges), np.exp(-(finite**2) / 2) / np.sqrt(2 * np.pi), 0.0)
    terms, before, now = [], np.zeros(len(edges)), density  # He_{k-1} φ / sqrt((k-1)!)
    for k in range(1, TERMS + 1):
        terms.append(now / np.sqrt(k))
        before, now = now, (finite * now - np.sqrt(k - 1) * before) / np.sqrt(k)
    return np.stack(terms)


def latent_correlation(columns: Sequence[Scores]) -> np.ndarray:
    """Correlations of the normal variables behind columns, as a proper matrix.

    Each pair is fitted over the rows that have both, the matrix then made positive.

    Args:
        columns: With equally many rows.

    Example:
        >>> x = np.array([0.3, -0.2, 1.5, 0.8, -1.1])
        >>> column = Scores.of(x, np.ones(5, bool))
        >>> latent_correlation([column, column]).round(2).tolist()
        [[1.0, 1.0], [1.0, 1.0]]
    """
    scores = np.stack([own.scores for own in columns], axis=1)
    mask = np.stack([own.is_there for own in columns], axis=1).astype(np.float64)
    hermite = np.stack([own.hermite for own in columns])  # (columns, TERMS)
    seen = scores.T @ scores / np.maximum(mask.T @ mask, 1.0)
    products = [np.outer(a, a) for a in hermite.T]

    def expected(rho: np.ndarray) -> np.ndarray:
        total = np.zeros_like(rho)
        for product in reversed(products):
            total = (total + product) * rho
        return total

    low, high = np.full_like(seen, -LIMIT), np.full_like(seen, LIMIT)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_below = expected(middle) < seen
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    found = (low + high) / 2
    np.fill_diagonal(found, 1.0)
    return _proper(found)


def _proper(matrix: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(matrix)
    whole = (vectors * np.maximum(values, LEAST_VALUE)) @ vectors.T
    scale = np.sqrt(np.diag(whole))
    return whole / np.outer(scale, scale)
