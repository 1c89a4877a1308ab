"""Simple models of nodes: from their columns alone, from labels of neighbours, from columns averaged over neighbours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from torch import Tensor

from gradatim.fitting.nodes.propagation import Propagation, fit_propagation
from gradatim.fitting.nodes.view import NodeView
from gradatim.fitting.stored import Facts, whole
from gradatim.fitting.tables import candidates as tables
from gradatim.fitting.tables.predictors import Fitted, predict, rehearse

HOPS = 2  # steps over which features are averaged
FARTHEST = 10  # that a folder may ask for
LINE, RIDGE = "logistic regression", tables.RIDGE
PROPAGATION = "label propagation"
SMOOTHED = f"{LINE} on averages (SGC)"
SMOOTHED_RIDGE = f"{RIDGE} on averages (SGC)"
# In order of complexity, from what does not look at the graph to what does.
CLASSIFICATION = ("class frequencies", LINE, PROPAGATION, SMOOTHED, tables.TREES)
REGRESSION = ("mean", RIDGE, SMOOTHED_RIDGE, tables.TREES)
BELOW = {SMOOTHED: LINE, SMOOTHED_RIDGE: RIDGE}  # what is fitted to averages


def simple_models(classes: int) -> tuple[str, ...]:
    """Names of the simple models for a task, the simplest first.

    Example:
        >>> simple_models(0)
        ('mean', 'ridge regression', 'ridge regression on averages (SGC)', 'gradient-boosted trees')
    """
    return CLASSIFICATION if classes else REGRESSION


@dataclass(eq=False)
class FeatureModel:
    """A model of features of nodes, their own or averaged over neighbourhoods.

    Args:
        fitted: The model.
        hops: Steps over which features are averaged; 0 for a node's own.
    """

    kind: ClassVar[str] = "features"

    fitted: Fitted
    hops: int = 0

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return self.fitted.parameters

    @property
    def settings(self) -> dict[str, Any]:
        """What was chosen."""
        return self.fitted.settings

    def outputs(self, view: NodeView) -> np.ndarray:
        """Probabilities ``(N, classes)`` or values ``(N,)`` of all nodes."""
        return predict(self.fitted, view.smoothed(self.hops))

    def rehearse(self, view: NodeView) -> np.ndarray:
        """Outputs, once no tree asks for features that there are not."""
        return rehearse(self.fitted, view.smoothed(self.hops))

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and everything learned."""
        facts, tensors = self.fitted.store()
        return {"kind": self.kind, "hops": self.hops, "fitted": facts}, tensors

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "FeatureModel":
        """Undo :meth:`store`."""
        return cls(Fitted.restore(facts["fitted"], tensors), whole(facts, "hops", FARTHEST))


def fit_simple(
    name: str, view: NodeView, rows: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Mapping[str, Any] | None = None
) -> FeatureModel | Propagation:  # fmt: skip
    """Fit a simple model; its own settings are chosen inside the nodes given, unless they are given too.

    Args:
        name: One of :func:`simple_models`.
        view: The graph as it may be seen.
        rows: Nodes to learn from.
        y: Their class codes, or values.
        classes: Number of classes; 0 for regression.
        seed: Fixes draws.
        chosen: Settings of the same model on fewer nodes; they stay.
    """
    if name == PROPAGATION:
        return fit_propagation(view, rows, y, classes, seed, chosen)
    hops = HOPS if name in BELOW else 0
    x = view.smoothed(hops)[rows]
    return FeatureModel(tables.fit_simple(BELOW.get(name, name), x, y, classes, seed, chosen), hops)
