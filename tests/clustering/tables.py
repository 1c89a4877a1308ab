"""Tables with groups and without, whose number of clusters is known."""

from itertools import combinations

import numpy as np


def uniform(rng, rows, dim):
    return rng.random((rows, dim))


def gaussian(rng, rows, dim):
    return rng.normal(size=(rows, dim))


def correlated(rng, rows, dim):
    return rng.normal(size=(rows, dim)) @ rng.normal(size=(dim, dim))


def blobs(rng, rows, dim):
    """Three clusters with a deviation of 1, whose nearest centers are 6 apart."""
    centers = rng.normal(size=(3, dim))
    centers *= 6 / min(np.linalg.norm(a - b) for a, b in combinations(centers, 2))
    return centers[np.arange(rows) % 3] + rng.normal(size=(rows, dim))


def standardized(draw):
    """The same tables in deviations from their means."""

    def drawn(rng, rows, dim):
        x = draw(rng, rows, dim)
        return (x - x.mean(0)) / x.std(0)

    return drawn


TABLES = {
    "uniform": (1, standardized(uniform)),
    "Gaussian": (1, standardized(gaussian)),
    "correlated Gaussian": (1, standardized(correlated)),
    "three blobs": (3, standardized(blobs)),
}
