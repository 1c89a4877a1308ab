"""Links of a graph in the contest."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim.events import Tell
from gradatim.fitting.classes import ANOTHER_SPLIT
from gradatim.fitting.findings import Findings
from gradatim.fitting.links import sections
from gradatim.fitting.links.candidates import PairModel, fit_simple, pairs_in_time, simple_models
from gradatim.fitting.links.kind import LinkOptions
from gradatim.fitting.links.model import LinkModel, pair_frame
from gradatim.fitting.links.networks import (
    EPOCHS,
    UNTIMED_EPOCHS,
    LinkNetwork,
    LinkSettings,
    draw_settings,
    fit_network,
    training_speed,
)
from gradatim.fitting.links.problem import LinkProblem, prepare
from gradatim.fitting.nodes.features import NodeFeatures, learn_node_features
from gradatim.fitting.nodes.known_graph import KnownGraph, KnownNodes
from gradatim.fitting.nodes.networks import relative_cost
from gradatim.fitting.nodes.view import NodeView, drawn_numbers
from gradatim.fitting.pacing import Pace, measure_pace
from gradatim.fitting.player import NETWORK, Candidate, Player
from gradatim.fitting.tables.preprocessing import Preprocessing, take_rows
from gradatim.fitting.work import Work
from gradatim.reports import Concern
from gradatim.training import History

FOLDS = 5
SHARE = 0.04  # of the budget, for one training of the network on a fold
CACHED_CELLS = 50_000_000

FittedLinks = PairModel | LinkNetwork


def read_player(data: "str | Path", job: LinkOptions) -> "LinkPlayer":
    """Read a graph, draw pairs that no edge joins, and set the test pairs aside."""
    return LinkPlayer(prepare(data, job), job.seed)


class LinkPlayer(Player):
    """A graph that was read, typed and split.

    Args:
        problem: Nodes, edges, pairs and split.
        seed: Fixes folds, weights and inner splits.
    """

    sections, stored = sections, LinkModel
    remedy = "Try more edges, or other columns of nodes"
    last = 3.8  # on all training pairs, on all pairs, and once for the learning curve
    problem: LinkProblem

    def __init__(self, problem: LinkProblem, seed: int) -> None:
        super().__init__(problem, seed)
        p = problem
        self.task = "which pairs are joined"
        self.title = f"{p.name}: links"
        self.rows = len(p.train), len(p.test)
        self.headline = (
            f"{p.name}: {self.task} ({self.rows[0]:,} training pairs, {self.rows[1]:,} test pairs, {p.joined:,} of all of them edges, "
            f"{len(p):,} nodes)"
        )
        self.simple = simple_models(has_columns=bool(p.columns))
        self.folds = p.folds(FOLDS, seed, None, p.times)
        self._pace = Pace()
        self._views: dict[int | None, NodeView] = {}
        self._numbers: np.ndarray | None = None

    def view(self, k: int | None) -> NodeView:
        """The graph as fold ``k`` sees it, learning and judging; kept while it fits in memory."""
        if k not in self._views:
            found = self._seen(*self._learn(k))
            if found.x.size * (len(self._views) + 1) > CACHED_CELLS:
                self._views.clear()
            self._views[k] = found
        return self._views[k]

    def everywhere(self) -> NodeView:
        """The whole graph, with features learned from all pairs."""
        return self._seen(*self._learn_all())

    def _learn(self, k: int | None) -> tuple[NodeFeatures, Preprocessing | None, np.ndarray]:
        """Features learned from the nodes that fold ``k`` learns from, and the edges that pass messages there."""
        p, rows = self.problem, self.split(k)[0]
        nodes, edges = np.unique(p.pairs[:, rows]), p.passing(rows)
        return learn_node_features(p.table, p.columns, p.counts, nodes), p.learn_edges(edges), edges

    def _learn_all(self) -> tuple[NodeFeatures, Preprocessing | None, np.ndarray]:
        p = self.problem
        edges = np.arange(p.index.shape[1])
        features = learn_node_features(p.table, p.columns, p.counts, np.arange(len(p)))
        return features, p.learn_edges(edges), edges

    def _seen(self, features: NodeFeatures, attr: Preprocessing | None, edges: np.ndarray) -> NodeView:  # fmt: skip
        """Features of all nodes, and the edges that pass messages."""
        p = self.problem
        if not p.columns and self._numbers is None:
            self._numbers = drawn_numbers(p.ids)
        x = features.transform(p.table, len(p)) if p.columns else self._numbers
        assert x is not None
        edge_index, weight = p.listed(edges)
        return NodeView(x.astype(np.float32), edge_index, weight, p.edge_features(attr, edges))

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Measure how fast the network trains, and plan how long it may."""
        p, rows = self.problem, self.folds[0][0]

        def speed() -> float:
            return training_speed(self.view(0), p.pairs[:, rows], p.y[rows], self.draw(0), is_directed=p.is_directed)  # fmt: skip

        self._pace = measure_pace(work, budget, tell, speed, share=SHARE)

    def epochs(self, settings: LinkSettings) -> int:
        """Passes over the pairs, at the most."""
        return self._pace.epochs(relative_cost(settings), EPOCHS, UNTIMED_EPOCHS)

    def affordable_rows(self, candidate: Candidate, seconds: float) -> int | None:
        """Pairs of the first fold from which a candidate learns within ``seconds``; ``None`` for all, 0 for too few."""
        if candidate.name == NETWORK:
            return None if seconds * self._pace.speed >= EPOCHS[0] else 0
        p, (rows, judged) = self.problem, self.folds[0]
        return pairs_in_time(
            candidate.name, self.view(0), p.pairs[:, rows], p.y[rows], len(judged), self.seed, seconds,
            is_directed=p.is_directed,
        )  # fmt: skip

    def draw(self, trial: int) -> LinkSettings:
        """Settings of trial number ``trial``."""
        return draw_settings(trial, self.seed)

    def cost(self, settings: LinkSettings) -> float:
        """Training time in units of that of the default settings, about."""
        return self.epochs(settings) / self.epochs(self.draw(0)) * relative_cost(settings)

    def _train(self, settings: LinkSettings, view: NodeView, rows: np.ndarray, seed: int, **how: Any) -> tuple[LinkNetwork, History]:  # fmt: skip
        p = self.problem
        twins = None if p.twins is None else p.twins[rows]
        epochs = how.pop("epochs", self.epochs(settings))
        return fit_network(view, p.pairs[:, rows], p.y[rows], settings, epochs, seed, is_directed=p.is_directed, twins=twins, **how)  # fmt: skip

    def fit(self, candidate: Candidate, k: int | None) -> FittedLinks:
        """The candidate on the training pairs of fold ``k``, or on all."""
        p, view = self.problem, self.view(k)
        rows = self.taken(candidate.name, self.split(k)[0])
        if candidate.name == NETWORK:
            return self._train(candidate.settings, view, rows, self.seed + (k or 0))[0]
        return fit_simple(candidate.name, view, p.pairs[:, rows], p.y[rows], self.seed, is_directed=p.is_directed)  # fmt: skip

    def complete(self, candidate: Candidate, elder: FittedLinks) -> FittedLinks:
        """The candidate on all pairs; the network for as many epochs as were best."""
        p, view = self.problem, self.everywhere()
        rows = self.taken(candidate.name, self.everything)
        if candidate.name == NETWORK:
            done = max(int(elder.settings["epochs"]), 1)
            return self._train(candidate.settings, view, rows, self.seed, epochs=done, stops=False)[0]  # fmt: skip
        return fit_simple(candidate.name, view, p.pairs[:, rows], p.y[rows], self.seed, is_directed=p.is_directed, chosen=elder.settings)  # fmt: skip

    def outputs(self, model: FittedLinks, k: int | None) -> np.ndarray:
        """Probabilities of the judging pairs of fold ``k``, or of the test pairs."""
        return model.outputs(self.view(k), self.problem.pairs[:, self.split(k)[1]])

    def watch(self, settings: LinkSettings) -> History:
        """The chosen network on the first fold once more, watched epoch by epoch."""
        (train, judge), p = self.folds[0], self.problem
        return self._train(settings, self.view(0), train, self.seed, watched=(p.pairs[:, judge], p.y[judge]))[1]  # fmt: skip

    def concerns(self) -> list[Concern]:
        """Rare classes and little data."""
        found, edges = self.problem.doubts(), int(self.problem.y[self.problem.train].sum())
        if edges < 100:
            found.append(Concern("Little data", f"{edges:,} training edges", ANOTHER_SPLIT))
        return found

    def describe_network(self, settings: LinkSettings) -> list[tuple[str, object]]:
        """The settings and how long it is trained, for people."""
        return [*super().describe_network(settings), ("epochs at most", self.epochs(settings))]

    def command(self, folder: Path) -> str:
        """Predict pairs of a table."""
        return f"gradatim predict {folder} pairs.csv -o predictions.csv"

    def predictions(self, output: np.ndarray, decision: np.ndarray | None = None) -> pd.DataFrame:
        """What is said of the test pairs."""
        p = self.problem
        ids = np.array(p.ids, dtype=object)
        return pair_frame(ids[p.pairs[:, p.test]], output, p.labels, decision)

    def kept(self, findings: Findings) -> dict[str, Any]:
        """Labels, preprocessing and the graph; edges of the test are known where the models have learned them."""
        p = self.problem
        is_done = findings.completion.is_done
        features, attr, edges = self._learn_all() if is_done else self._learn(None)
        listed = None if attr is None else attr.transform(take_rows(p.edge_table, edges))
        weight = None if p.edge_weight is None else p.edge_weight[edges]
        graph = KnownGraph(p.ids, features.transform(p.table, len(p)), p.index[:, edges], weight, listed, p.is_directed)  # fmt: skip
        return {"labels": p.labels, "known": KnownNodes(features, attr, graph)}
