"""Which papers cite each other: networks on words and citations, and how judged edges leak into a figure."""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gradatim.data import block_model, random_graph
from gradatim.evaluation import Interval, corrected_interval
from gradatim.evaluation.metrics import measure
from gradatim.experiments.graphs._papers import load_papers, scale_rows
from gradatim.fitting.learning import train_network
from gradatim.fitting.links.candidates import fit_simple
from gradatim.fitting.links.networks import LinkNetwork, OnPairs, two_logits
from gradatim.fitting.links.non_edges import draw_non_edges
from gradatim.fitting.nodes.view import NodeView, both_ways
from gradatim.models import GCN, LinkPredictor
from gradatim.plots import comparison_bars
from gradatim.reports import Report

COVERS = ("H2",)
KEYWORDS = "edge prediction, leakage, encoder-decoder on graphs"
ADAMIC_ADAR, FEATURES = "Adamic-Adar", "features"
CLEAN, REVERSE, SEEN = (
    "network",
    "network, judged edges hidden one way",
    "network, judged edges not hidden",
)
LOOKED_UP, LOOKED_UP_SEEN = "network, own edges not hidden", "network, no edges hidden"
BLOCKS, NODES, WITHIN, ACROSS, NOISE = 6, 50, 0.1, 0.005, 0.7  # of the block model
RANDOM_DIM = 32  # numbers of a node of the graph without structure
MARGIN = 0.01  # of AUC or log loss, that counts


@dataclass(frozen=True)
class Settings:
    """``blocks`` need no download: a block model whose nodes have a noisy mark of their block."""

    seed: int = 0
    source: Literal["cora", "blocks"] = "cora"
    splits: int = 5
    judged: float = 0.2
    hidden_dim: int = 64
    epochs: int = 20
    parts: int = 8
    random_nodes: int = 300
    random_edges: int = 2000
    random_splits: int = 5
    random_epochs: int = 20


QUICK = Settings(
    source="blocks", splits=4, hidden_dim=16, epochs=8, random_nodes=200, random_edges=1500, random_splits=2, random_epochs=14
)  # fmt: skip


class Pairs(NamedTuple):
    """Edges and as many pairs that no edge joins, cut in two.

    Args:
        x: Features of the nodes.
        learned: Edges to learn from.
        judged: Edges that are judged.
        pairs: Pairs to learn from, joined ones first.
        asked: Pairs that are judged, joined ones first.
    """

    x: np.ndarray
    learned: np.ndarray
    judged: np.ndarray
    pairs: np.ndarray
    asked: np.ndarray

    def view(self, *more: np.ndarray) -> NodeView:
        """The graph of the edges to learn from, both ways, and more edges as they are."""
        return NodeView(self.x, np.concatenate([both_ways(self.learned, False), *more], axis=1))


class Unhidden(OnPairs):
    """A network that hears of the edges of the very pairs it is asked for, as usual loops let it."""

    def forward(self, rows: Tensor) -> Tensor:
        return two_logits(self.network(self.x, self.edge_index, self.pairs[:, rows]))


def read_graph(settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """Features of nodes, such as words of papers scaled to length 1, and edges, each once."""
    if settings.source == "cora":
        graph = load_papers("cora", settings.seed)
        x, edges = scale_rows(graph.x, 2).to_dense().numpy(), graph.edge_index.numpy()
    else:
        chances = np.where(np.eye(BLOCKS, dtype=bool), WITHIN, ACROSS)
        index, blocks = block_model([NODES] * BLOCKS, chances.tolist(), seed=settings.seed)
        noise = np.random.default_rng(settings.seed).normal(size=(len(blocks), BLOCKS))
        x, edges = np.eye(BLOCKS)[blocks.numpy()] + NOISE * noise, index.numpy()
    return x.astype(np.float32), edges[:, edges[0] < edges[1]]


def cut(x: np.ndarray, edges: np.ndarray, share: float, rng: np.random.Generator) -> Pairs:
    """Draw edges to judge, and pairs that no edge joins for both parts."""
    edges = edges[:, rng.permutation(edges.shape[1])]
    apart = draw_non_edges(edges, len(x), edges.shape[1], rng)
    (judged, learned), (asked, others) = (np.split(own, [int(share * edges.shape[1])], axis=1) for own in (edges, apart))  # fmt: skip
    return Pairs(x, learned, judged, np.concatenate([learned, others], 1), np.concatenate([judged, asked], 1))  # fmt: skip


def labels(pairs: np.ndarray) -> np.ndarray:
    """1 for the joined half, which comes first."""
    return np.repeat([1, 0], pairs.shape[1] // 2)


def train(settings: Settings, view: NodeView, pairs: np.ndarray, seed: int, kind: type[OnPairs] = OnPairs) -> LinkNetwork:  # fmt: skip
    """A GCN and a small decoder of pairs, trained on some graph."""
    dim, y = settings.hidden_dim, labels(pairs)

    def build() -> OnPairs:
        return kind(LinkPredictor(GCN(view.x.shape[1], dim, dim), dim, decoder="mlp"), view, pairs)

    trained, _ = train_network(
        build, (torch.arange(len(y)), torch.from_numpy(y)), seed=seed, loss="cross_entropy", lr=0.01, weight_decay=0.1,
        epochs=settings.epochs, batch_size=-(-len(y) // settings.parts), clip_norm=1.0,
    )  # fmt: skip
    return LinkNetwork(trained.network, {})


def judge(settings: Settings, own: Pairs, seed: int) -> dict[str, dict[str, float]]:
    """Figures of all models on one split; networks differ in the edges that pass messages alone."""
    figures = {}
    clean = own.view()
    for name in (ADAMIC_ADAR, FEATURES):
        fitted = fit_simple(name, clean, own.pairs, labels(own.pairs), seed, is_directed=False)
        figures[name] = measure(labels(own.asked), fitted.outputs(clean, own.asked), 2)
    backwards = own.judged[::-1]
    graphs = {CLEAN: clean, REVERSE: own.view(backwards), SEEN: own.view(own.judged, backwards), LOOKED_UP: clean}  # fmt: skip
    for name, view in graphs.items():
        network = train(settings, view, own.pairs, seed, Unhidden if name == LOOKED_UP else OnPairs)
        figures[name] = measure(labels(own.asked), network.outputs(view, own.asked), 2)
    return figures


def claim_differences(report: Report, settings: Settings, found: dict[str, dict[str, np.ndarray]]) -> None:  # fmt: skip
    """Who is better than whom, on the same splits."""
    ratio = settings.judged / (1 - settings.judged)

    def gain(better: str, worse: str, figure: str = "AUC") -> Interval:
        return corrected_interval(found[better][figure] - found[worse][figure], ratio)

    def claim(words: str, figure: Interval, what: str) -> None:
        report.claim(words, figure.mean, f"{what}, 95 % interval {figure.low:.3f} to {figure.high:.3f},", above=MARGIN)  # fmt: skip

    claim("a network on features and edges beats Adamic-Adar", gain(CLEAN, ADAMIC_ADAR), "AUC gained")  # fmt: skip
    claim("it beats features alone", gain(CLEAN, FEATURES), "AUC gained")
    claim("judged edges left in messages inflate the figure", gain(SEEN, CLEAN), "AUC feigned")
    claim("their reverse alone inflates it too", gain(REVERSE, CLEAN), "AUC feigned")
    if settings.source == "cora":
        claim("a network that hears of its own edges while it learns is too sure", gain(LOOKED_UP, CLEAN, "log loss"), "log loss lost")  # fmt: skip
    rows = [[name, CLEAN, *(f"{d.mean:+.3f} ({d.low:+.3f} to {d.high:+.3f})" for d in (gain(name, CLEAN), gain(name, CLEAN, "log loss")))] for name in found if name != CLEAN]  # fmt: skip
    report.table("Paired differences over the splits, with 95 % intervals", columns=["model", "against", "AUC", "log loss"], rows=rows)  # fmt: skip


def claim_no_structure(report: Report, settings: Settings) -> list[list[object]]:
    """A graph in which nothing can be known: the honest figure is 1/2, and a leak makes up another."""
    edges = random_graph(settings.random_nodes, settings.random_edges, seed=settings.seed).numpy()
    edges = edges[:, edges[0] < edges[1]]
    rng = np.random.default_rng([settings.seed, 1])
    x = rng.normal(size=(settings.random_nodes, RANDOM_DIM)).astype(np.float32)
    short = replace(settings, epochs=settings.random_epochs, hidden_dim=RANDOM_DIM)
    found: dict[str, list[float]] = {CLEAN: [], LOOKED_UP: [], LOOKED_UP_SEEN: []}
    for k in range(settings.random_splits):
        own = cut(x, edges, settings.judged, rng)
        for name in found:
            view = own.view(own.judged, own.judged[::-1]) if name == LOOKED_UP_SEEN else own.view()
            network = train(short, view, own.pairs, settings.seed + k, OnPairs if name == CLEAN else Unhidden)  # fmt: skip
            found[name].append(measure(labels(own.asked), network.outputs(view, own.asked), 2)["AUC"])  # fmt: skip
    error = 1 / np.sqrt(6 * settings.random_splits * int(settings.judged * settings.random_edges))
    means = {name: float(np.mean(values)) for name, values in found.items()}
    for name in (CLEAN, LOOKED_UP):
        report.claim(f"on a graph without structure, {name}", means[name], "AUC", near=(0.5, 4 * error))  # fmt: skip
    report.claim("judged edges in messages make up structure", means[LOOKED_UP_SEEN], "AUC", above=0.5 + 4 * error)  # fmt: skip
    return [[name, value] for name, value in means.items()]


def run(settings: Settings) -> Report:
    report = Report(
        title="Which pairs are joined",
        summary="A network that reads features and edges tells joined pairs better than features or common neighbours alone. The same "
        "network seems better still where judged edges, or their reverse alone, pass messages: that part of the figure is no knowledge.",
    )  # fmt: skip
    x, edges = read_graph(settings)
    rng = np.random.default_rng([settings.seed, 0])
    splits = [judge(settings, cut(x, edges, settings.judged, rng), settings.seed + k) for k in range(settings.splits)]  # fmt: skip
    found = {name: {figure: np.array([own[name][figure] for own in splits]) for figure in ("AUC", "average precision", "log loss")} for name in splits[0]}  # fmt: skip
    claim_differences(report, settings, found)
    rows = claim_no_structure(report, settings)
    report.table(
        f"{settings.source}: {len(x):,} nodes, {edges.shape[1]:,} edges, means over {settings.splits} splits",
        columns=["model", "AUC", "average precision", "log loss"],
        rows=[[name, *(float(values.mean()) for values in own.values())] for name, own in found.items()],
    )  # fmt: skip
    report.table("A graph without structure", columns=["model", "AUC"], rows=rows)
    ratio = settings.judged / (1 - settings.judged)
    spans = {name: corrected_interval(own["AUC"], ratio) for name, own in found.items()}
    report.figure(
        "auc",
        comparison_bars(
            {name: i.mean for name, i in spans.items()}, label="AUC among as many edges as other pairs",
            intervals={name: (i.low, i.high) for name, i in spans.items()}, highlight=CLEAN,
        ),
        caption="Means over the splits with 95 % intervals. Hidden edges pass no messages. Where judged ones are not, what is gained over the "
        "network is feigned; own edges are those of the pairs that it is just learning from.",
    )  # fmt: skip
    return report
