"""Mean and covariance of draws that come a few at a time, without keeping them."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.errors import choose

MASSES = ("unit", "diagonal", "dense")


class Welford(NamedTuple):
    r"""Sums over all rows seen.

    Args:
        size: :math:`n`.
        mean: :math:`\bar x`, shape ``(d,)``.
        scatter: :math:`\sum(x-\bar x)^2`, shape ``(d,)``, or :math:`\sum(x-\bar x)(x-\bar x)^\top`, shape ``(d, d)``.
    """

    size: int
    mean: Tensor
    scatter: Tensor


def start_welford(mass: str, position: Tensor) -> Welford:
    """Nothing seen yet, for draws like those of ``position``."""
    choose("Sampler", "mass", mass, MASSES)
    d = position.shape[1]
    shape = (d, d) if mass == "dense" else (d,)
    return Welford(0, position.new_zeros(d), position.new_zeros(shape))


def add_rows(seen: Welford, rows: Tensor) -> Welford:
    r"""Add rows to the sums, as if they had been there from the start.

    .. math::
        \bar x_{A\cup B} = \bar x_A+\frac{n_B}{n_{A\cup B}}\delta, \qquad
        S_{A\cup B} = S_A+S_B+\frac{n_An_B}{n_{A\cup B}}\delta^2, \qquad \delta = \bar x_B-\bar x_A

    Reference:
        Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for computing sample variances, 1982.
    """
    size = seen.size + len(rows)
    mean = rows.mean(0)
    shift, spread = mean - seen.mean, rows - mean
    between = seen.size * len(rows) / size
    if seen.scatter.ndim == 1:
        scatter = seen.scatter + spread.square().sum(0) + between * shift.square()
    else:
        scatter = seen.scatter + spread.T @ spread + between * torch.outer(shift, shift)
    return Welford(size, seen.mean + len(rows) / size * shift, scatter)


def covariance(seen: Welford) -> Tensor:
    r"""The covariance, drawn a little towards :math:`10^{-3}I` as in Stan; too few rows for a matrix give its diagonal."""
    n = seen.size
    found = seen.scatter / max(n - 1, 1)
    if found.ndim == 2 and n < 2 * len(found):
        found = found.diagonal()
    pull = 1e-3 * 5 / (n + 5)
    ground = pull if found.ndim == 1 else pull * torch.eye(len(found)).to(found)
    return n / (n + 5) * found + ground
