"""The simple models that a network must beat, from the simplest to the most complex."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from gradatim.errors import choose, require
from gradatim.fitting.forest import grow_trees
from gradatim.fitting.graphs.counts import (
    MOST_COLOURS,
    ROUNDS,
    Colours,
    bag_of_counts,
    learn_colours,
)
from gradatim.fitting.graphs.encoding import Graphs
from gradatim.fitting.graphs.networks import GraphNetwork
from gradatim.fitting.probing import things_in_time
from gradatim.fitting.sequences.loo_ridge import judge_loo_ridge
from gradatim.fitting.stored import Facts, whole
from gradatim.fitting.tables import candidates as tables
from gradatim.fitting.tables import predictors
from gradatim.fitting.tables.predictors import Fitted
from gradatim.fitting.tables.scaled_linear import fit_scaled_linear

NOTHING, BAG, COLOURS = "nothing", "bag", "colours"
LINEAR_CLASSES, LINEAR_VALUES = "logistic regression on counts", "ridge on counts"
KERNEL, TREES = "Weisfeiler-Lehman kernel ridge", "trees on counts"
FREE_CELLS = 20_000  # nodes and edges; so few take no time worth measuring
KNOWN = "known"


@dataclass(eq=False, repr=False)
class CountModel:
    """A model on counts of a whole graph.

    Args:
        source: What is counted: ``"nothing"``, a ``"bag"`` of degrees and labels, or ``"colours"``.
        fitted: The model on the counts.
        colours: The colours, where they are the source.
    """

    kind: ClassVar[str] = "counts"

    source: str
    fitted: Fitted
    colours: Colours | None = None

    @property
    def classes(self) -> int:
        """Number of classes; 0 for regression."""
        return self.fitted.classes

    @property
    def settings(self) -> dict[str, Any]:
        """What was chosen."""
        rounds = {} if self.colours is None else {"rounds": self.colours.rounds}
        return {**self.fitted.settings, **rounds}

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return self.fitted.parameters + (0 if self.colours is None else len(self.colours.known))

    def outputs(self, graphs: Graphs) -> np.ndarray:
        """Return probabilities ``(N, classes)``, or values ``(N,)``."""
        return predictors.predict(self.fitted, extract(self.source, graphs, self.colours))

    def rehearse(self, graphs: Graphs) -> np.ndarray:
        """Outputs, once the model asks for no counts that there are not."""
        return predictors.rehearse(self.fitted, extract(self.source, graphs, self.colours))

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and everything learned."""
        facts, tensors = self.fitted.store()
        own: Facts = {"kind": self.kind, "source": self.source, "fitted": facts}
        if self.colours is not None:
            own["rounds"] = self.colours.rounds
            tensors[KNOWN] = torch.from_numpy(self.colours.known.view(np.int64).copy())
        return own, tensors

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "CountModel":
        """Undo :meth:`store`; colours that are not in order are refused."""
        source = choose("load_model", "source", facts["source"], (NOTHING, BAG, COLOURS))
        rest = {name: t for name, t in tensors.items() if name != KNOWN}
        colours = None
        if source == COLOURS:
            known = tensors[KNOWN]
            is_sound = known.dtype == torch.int64 and known.ndim == 1 and len(known) <= MOST_COLOURS
            require(is_sound, f"load_model: colours must be at most {MOST_COLOURS:,} whole numbers", "others")  # fmt: skip
            hashes = known.numpy().view(np.uint64)
            require(bool((hashes[1:] > hashes[:-1]).all()), "load_model: colours must be in order", "others")  # fmt: skip
            colours = Colours(hashes, whole(facts, "rounds", ROUNDS))
        return cls(source, Fitted.restore(facts["fitted"], rest), colours)


FittedGraphs = CountModel | GraphNetwork
MEMBERS = (CountModel, GraphNetwork)


def extract(source: str, graphs: Graphs, colours: Colours | None = None) -> np.ndarray:
    """Counts of graphs, shape ``(N, features)``.

    Args:
        source: What is counted.
        graphs: Any.
        colours: The colours, where they are counted.
    """
    if source == COLOURS:
        assert colours is not None
        return colours.tally(graphs)
    return bag_of_counts(graphs) if source == BAG else np.zeros((len(graphs), 1))


def simple_models(classes: int) -> tuple[str, ...]:
    """Names of the simple models for a task, the simplest first.

    Example:
        >>> simple_models(0)
        ('mean', 'ridge on counts', 'Weisfeiler-Lehman kernel ridge', 'trees on counts')
    """
    first = ("class frequencies", LINEAR_CLASSES) if classes else ("mean", LINEAR_VALUES)
    return (*first, KERNEL, TREES)


def fit_simple(
    name: str,
    graphs: Graphs,
    y: np.ndarray,
    classes: int,
    seed: int,
    chosen: Mapping[str, Any] | None = None,
) -> CountModel:
    """Fit a simple model; its own settings are chosen inside the graphs given, unless they are given too.

    Args:
        name: One of :func:`simple_models`.
        graphs: The graphs.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        seed: Fixes trees and draws.
        chosen: Settings of the same model on fewer graphs; they stay.
    """
    if name == KERNEL:
        return _fit_kernel(graphs, y, classes, chosen or {})
    if name == TREES:
        return CountModel(BAG, grow_trees(bag_of_counts(graphs), y, classes, seed, chosen))
    if name in (LINEAR_CLASSES, LINEAR_VALUES):
        return CountModel(BAG, fit_scaled_linear(bag_of_counts(graphs), y, classes, seed, chosen))
    return CountModel(NOTHING, tables.fit_simple(name, extract(NOTHING, graphs), y, classes, seed))


def _fit_kernel(graphs: Graphs, y: np.ndarray, classes: int, chosen: Mapping[str, Any]) -> CountModel:  # fmt: skip
    """Ridge regression with the kernel of colours; rounds and penalty are those best for graphs left out."""
    asked = [chosen["rounds"]] if "rounds" in chosen else range(1, ROUNDS + 1)
    best: tuple[float, CountModel] | None = None
    for rounds in asked:
        colours = learn_colours(graphs, rounds)
        fitted, error = judge_loo_ridge(colours.tally(graphs), y, classes, chosen.get("penalty"), is_scaled=False)  # fmt: skip
        if best is None or error < best[0]:
            best = error, CountModel(COLOURS, fitted, colours)
    assert best is not None
    return best[1]


def rows_in_time(
    name: str,
    train: Graphs,
    y: np.ndarray,
    judge: Graphs,
    classes: int,
    seed: int,
    seconds: float,
) -> int | None:
    """From how many graphs of a fold a simple model learns within ``seconds``.

    Args:
        name: One of :func:`simple_models`.
        train: Graphs to learn from.
        y: Their classes or values.
        judge: Graphs to judge by.
        classes: Number of classes; 0 for regression.
        seed: Fixes which graphs are tried.
        seconds: Time for a training and its judgement.

    Returns:
        ``None`` for all, 0 for too few.
    """
    if len(train.x) + train.edges.shape[1] <= FREE_CELLS:
        return None
    return things_in_time(
        lambda few, own: fit_simple(name, few, own, classes, seed),
        train, y, judge, lambda count: effort(name, count), seed, seconds,
    )  # fmt: skip


def effort(name: str, rows: int) -> float:
    """How the work of a fit grows with the graphs, in units of one model's own.

    Args:
        name: One of :func:`simple_models`.
        rows: Graphs to learn from.

    Example:
        >>> effort("trees on counts", 200) / effort("trees on counts", 100)
        2.0
    """
    return rows + rows**3 / 1e6 if name == KERNEL else rows
