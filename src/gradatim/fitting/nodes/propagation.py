r"""Labels that walk over the edges: what a node's neighbours are, it is likely to be too.

.. math:: F_i = \alpha \sum_j P_{ij} F_j + (1 - \alpha)\,\pi, \qquad P = D^{-1}A

with known labels held fast, and the shares :math:`\pi` of the classes. A node without edges is of a class as often as nodes are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from torch import Tensor

from gradatim.errors import require
from gradatim.evaluation.metrics import measure
from gradatim.fitting.nodes.view import NodeView
from gradatim.fitting.stored import Facts, arrays_from
from gradatim.model_folder import tensors_from

STEPS = 50  # at the most
TOL = 1e-9  # change of a step below which labels have arrived
KEPT = (0.3, 0.6, 0.8, 0.95)  # values of alpha that are tried
CHOOSING = 0.25  # of the labels, held out to choose


@dataclass(eq=False)
class Propagation:
    """Labels of some nodes, and how far they go.

    Args:
        rows: Places of the nodes whose labels are known.
        codes: Their classes.
        prior: Shares of the classes.
        alpha: How much neighbours count.
    """

    kind: ClassVar[str] = "propagation"

    rows: np.ndarray
    codes: np.ndarray
    prior: np.ndarray
    alpha: float

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return self.codes.size + self.prior.size + 1

    @property
    def settings(self) -> dict[str, Any]:
        """What was chosen."""
        return {"alpha": self.alpha}

    def outputs(self, view: NodeView) -> np.ndarray:
        """Probabilities of all nodes, shape ``(N, classes)``."""
        return propagate(view, self.rows, self.codes, self.prior, self.alpha)

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and the labels."""
        arrays = {"rows": self.rows, "codes": self.codes, "prior": self.prior}
        return {"kind": self.kind, "alpha": self.alpha}, tensors_from(arrays)

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "Propagation":
        """Undo :meth:`store`; labels of no class are refused."""
        a, alpha = arrays_from(tensors), facts["alpha"]
        is_share = isinstance(alpha, float) and 0.0 <= alpha < 1.0
        require(is_share, "load_model: alpha must be from 0 to below 1", repr(alpha)[:40])
        is_sound = (
            a["rows"].dtype.kind == a["codes"].dtype.kind == "i"
            and a["rows"].ndim == a["prior"].ndim == 1
            and a["rows"].shape == a["codes"].shape
            and bool(((a["codes"] >= 0) & (a["codes"] < len(a["prior"]))).all())
            and bool((a["rows"] >= 0).all() and (a["prior"] >= 0).all())
        )
        require(is_sound, "load_model: labels must be classes of nodes", "others")
        return cls(a["rows"], a["codes"], a["prior"], alpha)


def propagate(
    view: NodeView, rows: np.ndarray, codes: np.ndarray, prior: np.ndarray, alpha: float
) -> np.ndarray:
    """Let known labels walk over the edges.

    Args:
        view: The graph.
        rows: Places of the nodes whose labels are known.
        codes: Their classes.
        prior: Shares of the classes.
        alpha: How much neighbours count.
    """
    A = view.adjacency
    degree = np.asarray(A.sum(1)).ravel()
    share = (alpha / np.where(degree > 0, degree, 1.0))[:, None]
    rest = np.where(degree > 0, 1 - alpha, 1.0)[:, None] * prior
    known = np.eye(len(prior))[codes]
    F = np.tile(prior, (len(view), 1))
    F[rows] = known
    for _ in range(STEPS):
        before, F = F, share * (A @ F) + rest
        F[rows] = known
        if np.abs(F - before).max() < TOL:
            break
    return F


def fit_propagation(
    view: NodeView, rows: np.ndarray, codes: np.ndarray, classes: int, seed: int, chosen: Mapping[str, Any] | None = None
) -> Propagation:  # fmt: skip
    """Choose how far labels go, by some of them that are held out.

    Args:
        view: The graph.
        rows: Nodes to learn from.
        codes: Their classes.
        classes: Number of classes.
        seed: Fixes which labels are held out.
        chosen: Settings of the same model on fewer nodes; they stay.
    """
    counts = np.bincount(codes, minlength=classes) + 1.0 / classes
    prior = counts / counts.sum()
    if chosen:
        return Propagation(rows, codes, prior, float(chosen["alpha"]))
    order = np.random.default_rng([seed, 8]).permutation(len(rows))
    cut = max(int(CHOOSING * len(rows)), 1)
    held, own = order[:cut], order[cut:]

    def loss(alpha: float) -> float:
        said = propagate(view, rows[own], codes[own], prior, alpha)[rows[held]]
        return next(iter(measure(codes[held], said, classes).values()))

    return Propagation(rows, codes, prior, min(KEPT, key=loss))
