"""The network candidates: layers that pass messages along edges, then one answer for the whole graph."""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.data import GraphBatch, GraphSet, GraphStream
from gradatim.errors import require
from gradatim.evaluation.splits import make_strata, split_test
from gradatim.fitting.graphs.encoding import Graphs
from gradatim.fitting.learning import Target, read_target, train_network
from gradatim.fitting.network import FittedNetwork
from gradatim.fitting.tables.predictors import softmax
from gradatim.losses import build_loss
from gradatim.models import GCN, GIN, GraphClassifier
from gradatim.nn.training_modes import evaluation_mode
from gradatim.training import EarlyStopping, History

ENCODERS = {"gin": GIN, "gcn": GCN}
EPOCHS = (4, 300)
UNTIMED_EPOCHS = 100
BATCH = 32
WATCHED = 0.2  # of the graphs, held out inside the fold to stop in time
FEWEST_WATCHED = 8  # graphs; fewer cannot tell when to stop
PATIENCE = 0.25  # of the epochs
PROBE = 96  # graphs on which speed is measured
NODES, GRAPHS = 2048, 64  # of a pass that predicts, always filled


@dataclass(frozen=True)
class GraphSettings:
    """What tuning chooses.

    Args:
        architecture: ``"gin"`` or ``"gcn"``.
        pooling: How nodes become one vector: ``"sum"``, ``"mean"`` or ``"max"``.
        hidden_dim: Width of a layer.
        num_layers: Layers: how many steps away a node hears of another.
        jumping: ``"concatenate"`` to read all layers, ``"last"`` for the last.
        dropout: Probability to drop an entry.
        weight_decay: Decoupled penalty on weights.
        lr: Largest learning rate; it falls to zero along a cosine.
    """

    architecture: str = "gin"
    pooling: str = "sum"
    hidden_dim: int = 32
    num_layers: int = 3
    jumping: str = "concatenate"
    dropout: float = 0.0
    weight_decay: float = 0.01
    lr: float = 5e-3


def draw_settings(trial: int, seed: int) -> GraphSettings:
    """Settings of trial number ``trial``: both architectures once, then random ones.

    Args:
        trial: Number of the trial.
        seed: Fixes the draws.

    Example:
        >>> [draw_settings(k, 0).architecture for k in range(2)]
        ['gin', 'gcn']
    """
    if trial < 2:
        return (GraphSettings(), GraphSettings("gcn", pooling="mean", lr=1e-2))[trial]
    rng = np.random.default_rng([seed, trial])
    return GraphSettings(
        architecture=str(rng.choice(["gin", "gin", "gcn"])),
        pooling=str(rng.choice(["sum", "mean", "max"])),
        hidden_dim=int(rng.choice([16, 32, 64])),
        num_layers=int(rng.choice([2, 3, 4])),
        jumping=str(rng.choice(["concatenate", "last"])),
        dropout=float(rng.choice([0.0, 0.1, 0.3])),
        weight_decay=float(np.round(10 ** rng.uniform(-3.0, -1.0), 4)),
        lr=float(np.round(10 ** rng.uniform(-3.0, -2.0), 5)),
    )


def relative_cost(settings: GraphSettings) -> float:
    """Time of a step of training in units of that of the default settings, about.

    Args:
        settings: The settings.

    Example:
        >>> relative_cost(GraphSettings()), relative_cost(GraphSettings(num_layers=6))
        (1.0, 2.0)
    """
    width = (settings.hidden_dim / GraphSettings.hidden_dim) ** 0.7
    return width * settings.num_layers / GraphSettings.num_layers


def build_network(settings: GraphSettings, input_dim: int, output_dim: int) -> GraphClassifier:
    """Build the module: nodes, edges and the graph of every node to logits or a value.

    Args:
        settings: What was chosen.
        input_dim: Numbers of a node.
        output_dim: Classes, or 1 for a value.
    """
    s = settings
    encoder = ENCODERS[s.architecture](
        input_dim, s.hidden_dim, s.hidden_dim, num_layers=s.num_layers, dropout=s.dropout, jumping=s.jumping
    )  # fmt: skip
    return GraphClassifier(encoder, s.hidden_dim, output_dim, pooling=s.pooling, dropout=s.dropout)


@dataclass(eq=False, repr=False)
class GraphNetwork(FittedNetwork):
    """A trained network.

    Args:
        module: Nodes, edges and the graph of every node to logits or a value.
        classes: Number of classes; 0 for regression.
        settings: What was chosen, and for regression ``center`` and ``scale`` of the target.
    """

    classes: int
    settings: dict[str, Any]

    def compute(self, *rows: Tensor) -> Tensor:
        """Logits or values of nodes, edges and the graph of every node."""
        return self.module(*rows)

    def outputs(self, graphs: Graphs) -> np.ndarray:
        """Return probabilities ``(N, classes)``, or values ``(N,)``; bits do not depend on mates."""
        z = np.zeros((len(graphs), self.classes or 1))
        with evaluation_mode(self.module), torch.inference_mode():
            for rows, nodes in cut_passes(graphs.sizes):
                z[rows] = self._pass(graphs.take(rows), nodes)
        return softmax(z) if self.classes else z[:, 0] * self.settings["scale"] + self.settings["center"]  # fmt: skip

    def _pass(self, part: Graphs, nodes: int) -> np.ndarray:
        """Outputs of a pass; it is filled with nodes of a graph of their own."""
        x = np.zeros((nodes, part.x.shape[1]), np.float32)
        x[: len(part.x)] = part.x
        batch = np.full(nodes, GRAPHS)
        batch[: len(part.x)] = part.owner
        said = self.module(torch.from_numpy(x), torch.from_numpy(part.edges), torch.from_numpy(batch), GRAPHS + 1)  # fmt: skip
        return said[: len(part)].double().numpy()

    def rehearse(self, graphs: Graphs) -> np.ndarray:
        """Outputs, once the scale of values is there."""
        if not self.classes:
            scale = [float(self.settings[name]) for name in ("center", "scale")]
            require(bool(np.isfinite(scale).all()), "load_model: center and scale must be finite", scale)  # fmt: skip
        return self.outputs(graphs)


def cut_passes(sizes: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
    """Which graphs are read together, in order, and how many nodes the pass has.

    Args:
        sizes: Nodes of each graph.

    Example:
        >>> [(rows.tolist(), nodes) for rows, nodes in cut_passes(np.array([1000, 1000, 1000, 5000]))]
        [([0, 1], 2048), ([2], 2048), ([3], 6144)]
    """
    ends, start = np.cumsum(sizes), 0
    while start < len(sizes):
        before = int(ends[start - 1]) if start else 0
        stop = int(np.searchsorted(ends, before + NODES, side="right"))
        stop = min(max(stop, start + 1), start + GRAPHS)
        own = int(ends[stop - 1]) - before
        yield np.arange(start, stop), NODES * max(-(-own // NODES), 1)
        start = stop


def to_set(graphs: Graphs, y: np.ndarray | None = None) -> GraphSet:
    """Graphs as tensors of which any batch is cut.

    Args:
        graphs: One at least.
        y: Encoded targets.
    """
    x, edges, owner = (torch.from_numpy(part) for part in (graphs.x, graphs.edges, graphs.owner))
    target = None if y is None else torch.from_numpy(y)
    return GraphSet.from_batch(GraphBatch(x, edges, None, None, target, owner, len(graphs)))


def answer(module: nn.Module, batch: GraphBatch) -> Tensor:
    """What a network says of the graphs of a batch.

    Args:
        module: From :func:`build_network`.
        batch: Graphs.
    """
    return module(batch.x, batch.edge_index, batch.batch, batch.num_graphs)


def fit_network(
    graphs: Graphs,
    y: np.ndarray,
    classes: int,
    settings: GraphSettings,
    epochs: int,
    seed: int,
    *,
    twins: np.ndarray | None = None,
    watched: tuple[Graphs, np.ndarray] | None = None,
    stops: bool = True,
) -> tuple[GraphNetwork, History]:
    """Train the network on graphs.

    Args:
        graphs: The graphs.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        settings: What was chosen.
        epochs: Passes over the graphs, at the most.
        seed: Fixes weights, order and what is held out.
        twins: A number for every graph, the same for those that repeat each other and stay together.
        watched: Graphs and targets to watch and not to stop by.
        stops: Whether the training ends where graphs held out stop gaining, if there are enough of them.

    Raises:
        NonFiniteError: Training diverged.
    """
    target, rows, held = read_target(y, classes), np.arange(len(y)), np.arange(0)
    if watched is None and stops:
        rows, held = hold_out(y, classes, seed, twins)
    size = int(np.clip(len(rows) // 6, 8, BATCH))
    validation = None
    if watched is not None or len(held):
        other, answers = watched if watched is not None else (graphs.take(held), y[held])
        validation = GraphStream(to_set(other, target.encode(answers)), 256)
    stopping = EarlyStopping(patience=max(int(PATIENCE * epochs), 5))
    loss = build_loss(target.loss)
    module, history = train_network(
        lambda: build_network(settings, graphs.x.shape[1], target.outputs),
        GraphStream(to_set(graphs.take(rows), target.encode(y[rows])), size, seed=seed),
        validation,
        objective=lambda model, batch: loss(answer(model, batch), batch.y),
        lr=settings.lr,
        weight_decay=settings.weight_decay,
        epochs=epochs,
        clip_norm=1.0,
        callbacks=[stopping] if len(held) else [],
        seed=seed,
    )
    done = stopping.best_epoch if len(held) else epochs
    return GraphNetwork(module, classes, _chosen(settings, done, target)), history


def _chosen(settings: GraphSettings, epochs: int, target: Target) -> dict[str, Any]:
    return {**asdict(settings), "epochs": epochs, "center": target.center, "scale": target.scale}


def hold_out(y: np.ndarray, classes: int, seed: int, twins: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Graphs to learn from and graphs that say when to stop; none of the latter where they would be too few.

    Args:
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        seed: Fixes the draw.
        twins: As in :func:`fit_network`.

    Example:
        >>> [len(part) for part in hold_out(np.arange(200) % 2, 2, 0, None)], len(hold_out(np.arange(30) % 2, 2, 0, None)[1])
        ([160, 40], 0)
    """
    everything = np.arange(len(y)), np.arange(0)
    if WATCHED * len(y) < FEWEST_WATCHED:
        return everything
    strata = make_strata(y, is_classification=bool(classes))
    rows, held = split_test(strata, WATCHED, np.random.default_rng([seed, 7]), twins=twins, keep=2)
    return (rows, held) if len(held) >= FEWEST_WATCHED / 2 and len(np.unique(y[rows])) > 1 else everything  # fmt: skip


def training_speed(graphs: Graphs, y: np.ndarray, classes: int, settings: GraphSettings) -> float:
    """Graphs per second that the network trains on.

    Args:
        graphs: Some graphs.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        settings: Of the network.
    """
    rows = np.arange(min(PROBE, len(y)))
    probe = graphs.take(rows)
    for _ in range(2):  # the first time is slower
        started = time.perf_counter()
        module: nn.Module = fit_network(probe, y[rows], classes, settings, 1, 0, stops=False)[0].module  # fmt: skip
        del module
    return len(rows) / (time.perf_counter() - started)
