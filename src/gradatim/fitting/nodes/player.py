"""Nodes of a graph in the contest."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gradatim.events import Tell
from gradatim.fitting.classes import ANOTHER_SPLIT, prediction_frame
from gradatim.fitting.findings import Findings
from gradatim.fitting.nodes import sections
from gradatim.fitting.nodes.candidates import (  # fmt: skip
    BELOW,
    HOPS,
    PROPAGATION,
    FeatureModel,
    fit_simple,
    simple_models,
)
from gradatim.fitting.nodes.controls import Help, measure_help
from gradatim.fitting.nodes.features import NodeFeatures, learn_node_features
from gradatim.fitting.nodes.kind import NodeOptions
from gradatim.fitting.nodes.known_graph import KnownGraph, KnownNodes
from gradatim.fitting.nodes.model import NodeModel
from gradatim.fitting.nodes.networks import (
    EPOCHS,
    UNTIMED_EPOCHS,
    NodeNetwork,
    NodeSettings,
    draw_settings,
    fit_network,
    relative_cost,
    training_speed,
)
from gradatim.fitting.nodes.problem import NodeProblem, prepare
from gradatim.fitting.nodes.propagation import Propagation
from gradatim.fitting.nodes.view import NodeView, drawn_features
from gradatim.fitting.pacing import Pace, measure_pace
from gradatim.fitting.player import NETWORK, Candidate, Player
from gradatim.fitting.tables.costs import FoldData, rows_in_time
from gradatim.fitting.work import Work
from gradatim.reports import Concern, Report
from gradatim.training import History
from gradatim.wording import numbered

FOLDS = 5
SHARE = 0.015  # of the budget, for one training of the network on a fold
CACHED_CELLS = 50_000_000

FittedNodes = FeatureModel | Propagation | NodeNetwork


def read_player(data: "str | Path", job: NodeOptions) -> "NodePlayer":
    """Read a graph, find columns and targets, and set the test nodes aside."""
    return NodePlayer(prepare(data, job), job.seed)


class NodePlayer(Player):
    """A graph that was read, typed and split.

    Folds hide labels: all nodes and edges are seen, as they will be when the other nodes are asked about. With times or groups
    they hide judged nodes with their edges too, as new nodes are not there yet when a model learns.

    Args:
        problem: Nodes, edges, target and split.
        seed: Fixes folds, weights and inner splits.
    """

    sections, stored = sections, NodeModel
    remedy = "Try more nodes with a target, other columns, or other edges"
    last = 18.6  # on all training nodes, on all nodes, once for the learning curve, and on each fold with three graphs
    problem: NodeProblem

    def __init__(self, problem: NodeProblem, seed: int) -> None:
        super().__init__(problem, seed)
        p, self.task = problem, problem.task
        self.title = f"{p.name}: {p.target} of nodes"
        self.rows = len(p.train), len(p.test)
        self.headline = (
            f"{p.name}: {p.task} of {p.target!r} ({self.rows[0]:,} training nodes, {self.rows[1]:,} test nodes of {len(p):,}, "
            f"{numbered(p.index.shape[1], 'edges')})"
        )
        self.simple = simple_models(p.classes)
        if not p.index.shape[1]:
            self.simple = tuple(name for name in self.simple if name != PROPAGATION and name not in BELOW)  # fmt: skip
        parts = [None if own is None else own[: len(p.y)] for own in (p.groups, p.times)]
        self.folds = p.folds(FOLDS, seed, *parts)
        self.help: Help | None = None
        self._pace = Pace()
        self._views: dict[int | None, tuple[NodeView, NodeView]] = {}
        self._features: NodeFeatures | None = None
        self._whole: tuple[NodeFeatures, NodeView] | None = None
        self._work: Work | None = None

    def views(self, k: int | None) -> tuple[NodeView, NodeView]:
        """The graph as fold ``k`` sees it while learning and while judging; kept while it fits in memory."""
        if k not in self._views:
            p, split = self.problem, self.split(k)
            features = learn_node_features(p.table, p.columns, p.counts, split[0])
            if k is None:
                self._features = features
            before, until = p.visible(split)
            learned = self._view(features, before, before)
            judged = learned if (before == until).all() else self._view(features, until, before)
            size = learned.x.size * (1 if judged is learned else 2)
            if size * (len(self._views) + 1) > CACHED_CELLS:
                self._views.clear()
            self._views[k] = learned, judged
        return self._views[k]

    def _view(self, features: NodeFeatures, is_seen: np.ndarray, was_seen: np.ndarray) -> NodeView:
        """Features of all nodes and the edges between those seen; columns of edges are learned where they were seen before."""
        p = self.problem
        rows = np.flatnonzero(p.seen_edges(is_seen))
        edge_index, weight = p.listed(rows)
        x = features.transform(p.table, len(p)) if p.columns else drawn_features(p.ids, edge_index)
        attr = p.edge_features(p.learn_edges(np.flatnonzero(p.seen_edges(was_seen))), rows)
        return NodeView(x.astype(np.float32), edge_index, weight, attr)

    @property
    def everywhere(self) -> tuple[NodeFeatures, NodeView]:
        """Features learned from all nodes with a target, and the whole graph."""
        if self._whole is None:
            p, everything = self.problem, np.ones(len(self.problem), dtype=bool)
            features = learn_node_features(p.table, p.columns, p.counts, self.everything)
            self._whole = features, self._view(features, everything, everything)
        return self._whole

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Keep in mind where results are kept."""
        self._work = work

    def plan_network(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Measure how fast the network trains, and plan how long it may."""
        p, rows = self.problem, self.folds[0][0]

        def speed() -> float:
            return training_speed(self.views(0)[0], rows, p.y[rows], p.classes, self.draw(0))

        self._pace = measure_pace(work, budget, tell, speed, share=SHARE)

    def epochs(self, settings: NodeSettings) -> int:
        """Steps of descent, at the most."""
        return self._pace.epochs(relative_cost(settings), EPOCHS, UNTIMED_EPOCHS)

    def affordable_rows(self, candidate: Candidate, seconds: float) -> int | None:
        """Nodes of the first fold from which a candidate learns within ``seconds``; ``None`` for all, 0 for too few."""
        if candidate.name == NETWORK:
            return None if seconds * self._pace.speed >= EPOCHS[0] else 0
        if candidate.name == PROPAGATION:
            return None
        p, (rows, judged) = self.problem, self.folds[0]
        x = self.views(0)[0].smoothed(HOPS if candidate.name in BELOW else 0)
        data = FoldData(x[rows], p.y[rows], x[judged], p.classes)
        below = candidate._replace(name=BELOW.get(candidate.name, candidate.name))
        return rows_in_time(below, data, self.seed, seconds)

    def draw(self, trial: int) -> NodeSettings:
        """Settings of trial number ``trial``."""
        return draw_settings(trial, self.seed)

    def cost(self, settings: NodeSettings) -> float:
        """Training time in units of that of the default settings, about."""
        return self.epochs(settings) / self.epochs(self.draw(0)) * relative_cost(settings)

    def train(self, settings: NodeSettings, view: NodeView, rows: np.ndarray, seed: int, **how: Any) -> tuple[NodeNetwork, History]:  # fmt: skip
        """Train the network on nodes of a graph, as it may be seen.

        Args:
            settings: Of the network.
            view: The graph.
            rows: Nodes to learn from.
            seed: Fixes weights and dropout.
            how: As in :func:`~gradatim.fitting.nodes.networks.fit_network`.
        """
        p = self.problem
        groups = None if p.groups is None else p.groups[rows]
        epochs = how.pop("epochs", self.epochs(settings))
        return fit_network(view, rows, p.y[rows], p.classes, settings, epochs, seed, groups=groups, **how)  # fmt: skip

    def fit(self, candidate: Candidate, k: int | None) -> FittedNodes:
        """The candidate on the training nodes of fold ``k``, or on all."""
        p, view = self.problem, self.views(k)[0]
        rows = self.taken(candidate.name, self.split(k)[0])
        if candidate.name == NETWORK:
            return self.train(candidate.settings, view, rows, self.seed + (k or 0))[0]
        return fit_simple(candidate.name, view, rows, p.y[rows], p.classes, self.seed)

    def complete(self, candidate: Candidate, elder: FittedNodes) -> FittedNodes:
        """The candidate on all nodes with a target; the network for as many epochs as were best."""
        p, view = self.problem, self.everywhere[1]
        rows = self.taken(candidate.name, self.everything)
        if candidate.name == NETWORK:
            done = max(int(elder.settings["epochs"]), 1)
            return self.train(candidate.settings, view, rows, self.seed, epochs=done, stops=False)[0]  # fmt: skip
        return fit_simple(candidate.name, view, rows, p.y[rows], p.classes, self.seed, elder.settings)  # fmt: skip

    def outputs(self, model: FittedNodes, k: int | None) -> np.ndarray:
        """Probabilities or values of the judging nodes of fold ``k``, or of the test nodes."""
        return model.outputs(self.views(k)[1])[self.split(k)[1]]

    def watch(self, settings: NodeSettings) -> History:
        """The chosen network on the first fold once more, watched epoch by epoch."""
        (train, judge), y = self.folds[0], self.problem.y
        view = self.views(0)[1] if not self.problem.is_inductive else self.views(0)[0]
        return self.train(settings, view, train, self.seed, watched=(judge, y[judge]))[1]

    def concerns(self) -> list[Concern]:
        """Rare classes, little data, edges that join other classes."""
        p = self.problem
        found = p.doubts()
        if len(p.train) < 100:
            found.append(Concern("Little data", f"{len(p.train):,} training nodes", ANOTHER_SPLIT))
        return found

    def describe_network(self, settings: NodeSettings) -> list[tuple[str, object]]:
        """The settings and how long it is trained, for people."""
        return [*super().describe_network(settings), ("epochs at most", self.epochs(settings))]

    def explain(self, report: Report, findings: Findings) -> None:
        """Add whether the graph helps, and figures of what the recommended model does on the test nodes."""
        with report.attempt("whether the graph helps"):
            if findings.tuning is not None:
                assert self._work is not None
                self.help = measure_help(self, findings, self._work)
                sections.help_section(report, self.help)
                self.notes.append(self.help.sentence)
        sections.judge_figures(report, self.problem, findings)

    def command(self, folder: Path) -> str:
        """Predict new nodes from a folder."""
        return f"gradatim predict {folder} NEW_FOLDER -o predictions.csv"

    def kept(self, findings: Findings) -> dict[str, Any]:
        """Names, preprocessing and the graph."""
        p = self.problem
        if self._features is None:
            self.views(None)
        is_done = findings.completion.is_done
        features = self.everywhere[0] if is_done else self._features
        assert features is not None
        was_seen = np.ones(len(p), dtype=bool) if is_done else p.visible(self.split(None))[0]
        edges = p.learn_edges(np.flatnonzero(p.seen_edges(was_seen)))
        attr = None if edges is None else edges.transform(p.edge_table)
        graph = KnownGraph(p.ids, features.transform(p.table, len(p)), p.index, p.edge_weight, attr, p.is_directed)  # fmt: skip
        return {"target": p.target, "labels": p.labels, "known": KnownNodes(features, edges, graph)}

    def save(self, folder: Path, findings: Findings, about: Mapping[str, Any], extra: Mapping[str, bytes]) -> Any:  # fmt: skip
        """Write the model folder, with predictions of the nodes without a target."""
        p = self.problem
        own = dict(extra)
        if len(p.unlabelled):
            model = findings.shipped[findings.verdict.recommended]
            said = model.outputs(self.everywhere[1] if findings.completion.is_done else self.views(None)[1])  # fmt: skip
            ids = [p.ids[k] for k in p.unlabelled.tolist()]
            table = prediction_frame(said[p.unlabelled], p.labels, ("id", ids), findings.decision)
            own["unlabelled.csv"] = table.to_csv(index=False).encode(errors="surrogateescape")
        return super().save(folder, findings, about, own)
