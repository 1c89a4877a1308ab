"""The task that the contestants of this folder do: Hamiltonian Monte Carlo on the weights of a logistic regression, 64 chains.

What the clock calls a run is all draws of all chains, of the same step and length of path, without warm-up from starts around
the mode; so the chains are of one law, and effective draws per second compare as seconds do. The figure is the effective draws
of the worst weight, per draw.
"""

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

from gradatim.bayes import ess_bulk
from gradatim.data import load

CONTESTANTS = ("gradatim", "blackjax", "blackjax_compiled")
CHAINS, PATH = 64, 10  # chains, and leapfrog steps of a path
STEP_SIZE = 0.15  # at which about four ends of five are accepted


@dataclass(frozen=True)
class Task:
    """Rows, classes, where chains start, and how many draws.

    Args:
        X: Standardized columns and a constant, shape ``(N, d)``, single precision.
        y: Classes -1 and 1, shape ``(N,)``.
        start: Shape ``(CHAINS, d)``.
        draws: Of each chain.
        source: What the data are.
    """

    X: np.ndarray
    y: np.ndarray
    start: np.ndarray
    draws: int
    source: str

    @property
    def flops(self) -> int:
        """Multiplications and additions of outputs and gradients of all leapfrog steps."""
        return 4 * self.X.size * CHAINS * PATH * self.draws


def build_task(quick: bool) -> Task:
    """Tumours by thirty measures, each with a prior N(0, 1) on its weight."""
    data = load("breast-cancer")
    X = np.column_stack([(data.X - data.X.mean(0)) / data.X.std(0), np.ones(len(data.X))])
    mode = LogisticRegression(C=1.0, fit_intercept=False, max_iter=1000).fit(X, data.y).coef_[0]
    start = mode + 0.1 * np.random.default_rng(0).normal(size=(CHAINS, X.shape[1]))
    X, y, start = (part.astype(np.float32) for part in (X, 2.0 * np.asarray(data.y) - 1, start))
    return Task(X, y, start, 50 if quick else 250, f"{len(X)} tumours, {X.shape[1]} weights")


def effective_share(draws: np.ndarray) -> float:
    """Effective draws of the worst weight per draw, of draws ``(CHAINS, draws, d)``."""
    found = ess_bulk(torch.as_tensor(np.array(draws)))
    return float(found.min()) / (draws.shape[0] * draws.shape[1])
