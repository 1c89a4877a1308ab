"""Simple models of links: logistic regression on one thing that is known of a pair."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from torch import Tensor

from gradatim.errors import choose, require
from gradatim.fitting.links.pair_features import (
    ADAMIC_ADAR,
    ATTACHMENT,
    COLUMNS,
    COMMON,
    ENTRIES,
    NOTHING,
    SOURCES,
    extract,
)
from gradatim.fitting.nodes.view import NodeView
from gradatim.fitting.planning import affordable_rows
from gradatim.fitting.player import FAILURES
from gradatim.fitting.stored import Facts
from gradatim.fitting.tables import candidates as tables
from gradatim.fitting.tables.predictors import Fitted, predict, rehearse
from gradatim.fitting.tables.scaled_linear import fit_scaled_linear

# In order of complexity, and what each looks at.
SIMPLE = {
    "class frequencies": NOTHING,
    "preferential attachment": ATTACHMENT,
    "common neighbours": COMMON,
    "Adamic-Adar": ADAMIC_ADAR,
    "features": COLUMNS,
}
MOST_CELLS = 24_000_000  # of the columns of pairs, that logistic regression learns from
FREE_PAIRS = 5_000  # so few take no time worth measuring
FIRST = 500  # pairs of the first probe


@dataclass(eq=False)
class PairModel:
    """A model of what is known of a pair.

    Args:
        source: What it looks at.
        fitted: The model.
        is_directed: Whether the order of the two nodes counts.
    """

    kind: ClassVar[str] = "pairs"

    source: str
    fitted: Fitted
    is_directed: bool

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return self.fitted.parameters

    @property
    def settings(self) -> dict[str, Any]:
        """What was chosen."""
        return self.fitted.settings

    def outputs(self, view: NodeView, pairs: np.ndarray) -> np.ndarray:
        """Probabilities to be apart and to be joined, shape ``(P, 2)``."""
        width = 2 * view.x.shape[1] if self.source == COLUMNS else 1
        parts = np.array_split(pairs, -(-pairs.shape[1] * width // ENTRIES) or 1, axis=1)
        return np.concatenate([predict(self.fitted, self._features(view, own)) for own in parts])

    def rehearse(self, view: NodeView, pairs: np.ndarray) -> np.ndarray:
        """Outputs, once the model asks for no features that there are not."""
        return rehearse(self.fitted, self._features(view, pairs))

    def _features(self, view: NodeView, pairs: np.ndarray) -> np.ndarray:
        return extract(self.source, view, pairs, is_directed=self.is_directed)

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and everything learned."""
        facts, tensors = self.fitted.store()
        return {"kind": self.kind, "source": self.source, "is_directed": self.is_directed, "fitted": facts}, tensors  # fmt: skip

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "PairModel":
        """Undo :meth:`store`."""
        source = choose("load_model", "source", facts["source"], SOURCES)
        way = facts["is_directed"]
        require(isinstance(way, bool), "load_model: is_directed must be True or False", repr(way)[:40])  # fmt: skip
        return cls(source, Fitted.restore(facts["fitted"], tensors), way)


def simple_models(*, has_columns: bool) -> tuple[str, ...]:
    """Names of the simple models, the simplest first.

    Args:
        has_columns: Whether nodes have columns.

    Example:
        >>> simple_models(has_columns=False)
        ('class frequencies', 'preferential attachment', 'common neighbours', 'Adamic-Adar')
    """
    return tuple(name for name, source in SIMPLE.items() if has_columns or source != COLUMNS)


def fit_simple(
    name: str, view: NodeView, pairs: np.ndarray, y: np.ndarray, seed: int, *, is_directed: bool, chosen: Mapping[str, Any] | None = None
) -> PairModel:  # fmt: skip
    """Fit a simple model; its penalty is chosen inside the pairs given, unless it is given too.

    Args:
        name: One of :func:`simple_models`.
        view: The graph as it may be seen.
        pairs: Pairs to learn from, shape ``(2, P)``; of very many with very many columns some are drawn.
        y: 1 where they are joined.
        seed: Fixes draws.
        is_directed: Whether the order of the two nodes counts.
        chosen: Settings of the same model on fewer pairs; they stay.
    """
    source = SIMPLE[name]
    most = MOST_CELLS // (2 * view.x.shape[1]) if source == COLUMNS else len(y)
    if most < len(y):
        rows = np.sort(np.random.default_rng([seed, 6]).permutation(len(y))[:most])
        pairs, y = pairs[:, rows], y[rows]
    X = extract(source, view, pairs, is_directed=is_directed)
    if source == NOTHING:
        fitted = tables.fit_simple(name, X, y, 2, seed)
    else:
        fitted = fit_scaled_linear(X, y, 2, seed, chosen, shrink=np.sqrt(X.shape[1]))
    return PairModel(source, fitted, is_directed)


def pairs_in_time(
    name: str, view: NodeView, pairs: np.ndarray, y: np.ndarray, judged: int, seed: int, seconds: float, *, is_directed: bool
) -> int | None:  # fmt: skip
    """From how many pairs a simple model learns within ``seconds``, and judges its share of others.

    Args:
        name: One of :func:`simple_models`.
        view: The graph.
        pairs: Pairs to learn from.
        y: 1 where they are joined.
        judged: Pairs that are judged.
        seed: Fixes which pairs are tried.
        seconds: Time for a training and its judgement.
        is_directed: Whether the order of the two nodes counts.

    Returns:
        ``None`` for all, 0 for too few.
    """
    rows = len(y)
    if rows <= FREE_PAIRS and SIMPLE[name] != COLUMNS:
        return None
    order = np.random.default_rng([seed, 5]).permutation(rows)

    def probe(count: int) -> float:
        few, others = order[:count], order[: max(judged * count // rows, 1)]
        started = time.perf_counter()
        try:
            fitted = fit_simple(name, view, pairs[:, few], y[few], seed, is_directed=is_directed)
            fitted.outputs(view, pairs[:, others])
        except FAILURES:  # the fold will tell
            return 0.0
        return time.perf_counter() - started

    found = affordable_rows(rows, seconds, probe, float, first=FIRST)
    return None if found == rows else found
