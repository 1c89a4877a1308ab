"""Does the graph help? The same network without edges and on rewired ones, on the same folds."""

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradatim.evaluation.intervals import Interval, corrected_interval, held_out_ratio
from gradatim.evaluation.racing import deciding_loss
from gradatim.fitting.findings import Findings
from gradatim.fitting.nodes.networks import NodeSettings
from gradatim.fitting.nodes.view import NodeView, adjusted_homophily, both_ways, rewire
from gradatim.fitting.player import FAILURES, Figures
from gradatim.fitting.work import Work

if TYPE_CHECKING:
    from gradatim.fitting.nodes.player import NodePlayer

WITH, WITHOUT, REWIRED = "the graph", "no edges", "rewired edges"
BY = 1.0  # of the budget, after which no fold is begun any more


class Help(NamedTuple):
    """What edges are worth to the network.

    Args:
        metric: The figure that decides.
        figures: By graph, one figure for each fold.
        differences: How much worse the network is without edges and on rewired ones, positive is worse.
        homophily: Adjusted homophily, or the correlation of values along edges.
        is_value: Whether nodes have values rather than classes.
    """

    metric: str
    figures: dict[str, list[float]]
    differences: dict[str, Interval]
    homophily: float
    is_value: bool

    @property
    def sentence(self) -> str:
        """The answer in a sentence."""
        name = "correlation of values along edges" if self.is_value else "adjusted homophily"
        told = f"the {name} is {self.homophily:.2f}" if np.isfinite(self.homophily) else f"the {name} cannot be told"  # fmt: skip
        if not self.differences:
            return f"Does the graph help? That was not measured, to keep within the budget; {told}."
        sure = [own.low > 0 for own in self.differences.values()]
        harms = self.differences[WITHOUT].high < 0
        verdict = "Yes" if all(sure) else "No, it harms" if harms else "That is not certain"
        parts = [f"with {graph} the {self.metric} of the same network is {_worse(own)}" for graph, own in self.differences.items()]  # fmt: skip
        return f"Does the graph help? {verdict}: {', '.join(parts)}; {told}."


def _worse(own: Interval) -> str:
    how = "worse" if own.mean >= 0 else "better"
    ends = sorted([own.low, own.high] if own.mean >= 0 else [-own.high, -own.low])
    return f"{abs(own.mean):.3g} {how} (95 % interval {ends[0]:.3g} to {ends[1]:.3g})"


def measure_help(player: "NodePlayer", findings: Findings, work: Work) -> Help:
    """Train the chosen network on every fold three times: with the edges, without, and on rewired ones.

    Args:
        player: The graph.
        findings: What the contest found.
        work: Where results are kept, so that a resumed run has the same.
    """
    assert findings.tuning is not None
    p, settings = player.problem, findings.tuning.settings
    metric = findings.verdict.metric
    homophily = adjusted_homophily(p.index, p.y, p.classes)
    figures: dict[str, list[Figures]] = {WITH: [], WITHOUT: [], REWIRED: []}
    for k in range(len(findings.comparison.folds) if p.index.shape[1] else 0):
        if not work.recall(f"control-{k}-begins", lambda: player.clock.has(0.0, by=BY)):
            break
        told = work.recall(f"control-{k}", partial(_judge, player, settings, k))
        if not all(told):
            continue
        for graph, own in zip(figures, told, strict=True):
            figures[graph].append(own)
    shown = {graph: [own[metric] for own in all_own] for graph, all_own in figures.items()}
    folds = len(figures[WITH])
    if folds < 2:
        return Help(metric, shown, {}, homophily, not p.classes)
    ratio = held_out_ratio(findings.comparison.folds)
    losses = {graph: np.array([deciding_loss(own) for own in all_own]) for graph, all_own in figures.items()}  # fmt: skip
    differences = {graph: corrected_interval(losses[graph] - losses[WITH], ratio) for graph in (WITHOUT, REWIRED)}  # fmt: skip
    return Help(metric, shown, differences, homophily, not p.classes)


def _judge(player: "NodePlayer", settings: NodeSettings, k: int) -> list[Figures]:
    """Figures of the network on fold ``k``, with the edges, without, and on rewired ones; none where it failed."""
    found: list[Figures] = []
    for change in (_same, _without, _rewired):
        learned, judged = (change(player, view, k) for view in player.views(k))
        try:
            fitted = player.train(settings, learned, player.split(k)[0], player.seed + k)[0]
            found.append(player.measure(fitted.outputs(judged)[player.split(k)[1]], k))
        except FAILURES:
            found.append({})
    return found


def _same(player: "NodePlayer", view: NodeView, k: int) -> NodeView:
    return view


def _without(player: "NodePlayer", view: NodeView, k: int) -> NodeView:
    attr = None if view.edge_attr is None else view.edge_attr[:0]
    return NodeView(_features(player, view, view.edge_index[:, :0]), view.edge_index[:, :0], None, attr)  # fmt: skip


def _rewired(player: "NodePlayer", view: NodeView, k: int) -> NodeView:
    """Edges between other nodes that are seen; weights and features of edges go with them in their order."""
    p = player.problem
    count = view.edge_index.shape[1] // (1 if p.is_directed else 2)
    once = view.edge_index[:, :count]
    new, kept = rewire(once, np.random.default_rng([player.seed, k, 11]))
    edge_index = both_ways(new, p.is_directed)
    listed = np.concatenate([kept] if p.is_directed else [kept, kept + count])
    weight, attr = (None if own is None else own[listed] for own in (view.edge_weight, view.edge_attr))  # fmt: skip
    return NodeView(_features(player, view, edge_index), edge_index, weight, attr)


def _features(player: "NodePlayer", view: NodeView, edge_index: np.ndarray) -> np.ndarray:
    """Features of nodes; a degree that is one of them is that of the edges at hand."""
    if player.problem.columns:
        return view.x
    degree = np.bincount(edge_index[1], minlength=len(view))
    return np.concatenate([np.log1p(degree)[:, None], view.x[:, 1:]], axis=1).astype(np.float32)
