"""The network candidates: GCN, GraphSAGE, GAT and APPNP, trained on all labelled nodes at once."""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.errors import require
from gradatim.evaluation.splits import make_strata, split_test
from gradatim.fitting.learning import Target, read_target, train_network
from gradatim.fitting.network import FittedNetwork
from gradatim.fitting.nodes.view import NodeView
from gradatim.fitting.stored import Facts
from gradatim.models import APPNP, GAT, GCN, GraphSAGE
from gradatim.nn.training_modes import evaluation_mode
from gradatim.training import EarlyStopping, History

ARCHITECTURES = ("gcn", "sage", "gat", "appnp")
EPOCHS = (10, 400)
UNTIMED_EPOCHS = 200
WATCHED = 0.2  # of the labelled nodes, held out inside the fold to stop in time
FEWEST_WATCHED = 8  # nodes; fewer cannot tell when to stop
PATIENCE = 0.15  # of the epochs
HEADS = 4
MOST_STEPS = 100  # of APPNP, that a folder may ask for
PROBES = 3  # epochs by which speed is measured
SLOW = 0.5  # seconds of an epoch that is measured once


@dataclass(frozen=True)
class NodeSettings:
    """What tuning chooses.

    Args:
        architecture: ``"gcn"``, ``"sage"``, ``"gat"`` or ``"appnp"``.
        hidden_dim: Width of hidden layers.
        num_layers: Layers; of APPNP those before its steps over the graph.
        dropout: Probability to drop a feature before each layer.
        weight_decay: Decoupled penalty on weights.
        lr: Largest learning rate; it falls to zero along a cosine.
    """

    architecture: str = "gcn"
    hidden_dim: int = 64
    num_layers: int = 2
    dropout: float = 0.6
    weight_decay: float = 0.1
    lr: float = 0.01


def draw_settings(trial: int, seed: int) -> NodeSettings:
    """Settings of trial number ``trial``: every architecture once, then random ones.

    Args:
        trial: Number of the trial.
        seed: Fixes the draws.

    Example:
        >>> [draw_settings(k, 0).architecture for k in range(4)]
        ['gcn', 'sage', 'gat', 'appnp']
    """
    if trial < len(ARCHITECTURES):
        return NodeSettings(ARCHITECTURES[trial])
    rng = np.random.default_rng([seed, trial])
    return NodeSettings(
        architecture=str(rng.choice(ARCHITECTURES)),
        hidden_dim=int(rng.choice([32, 64, 64, 128])),
        num_layers=int(rng.choice([1, 2, 2, 3])),
        dropout=float(rng.choice([0.0, 0.2, 0.4, 0.6, 0.8])),
        weight_decay=float(np.round(10 ** rng.uniform(-3.0, 0.0), 4)),
        lr=float(np.round(10 ** rng.uniform(-2.5, -1.5), 5)),
    )


def relative_cost(settings: NodeSettings) -> float:
    """Time of an epoch in units of that of the default settings, about.

    Example:
        >>> relative_cost(NodeSettings())
        1.0
    """
    own = {"gcn": 1.0, "sage": 1.3, "gat": 3.0, "appnp": 1.5}[settings.architecture]
    return own * (0.5 + 0.5 * settings.hidden_dim / 64) * (0.4 + 0.3 * settings.num_layers)


def build_network(
    settings: NodeSettings, input_dim: int, output_dim: int, edge_dim: int | None
) -> nn.Module:
    """Build the module: features and edges to logits or a value of every node.

    Args:
        settings: What was chosen.
        input_dim: Features of a node.
        output_dim: Classes, or 1 for a value.
        edge_dim: Features of an edge, if there are any; attention reads them.
    """
    sizes = (input_dim, settings.hidden_dim, output_dim)
    how: dict[str, Any] = {"num_layers": settings.num_layers, "dropout": settings.dropout}
    if settings.architecture == "gat":
        return GAT(*sizes, num_heads=HEADS, edge_dim=edge_dim, **how)
    return {"gcn": GCN, "sage": GraphSAGE, "appnp": APPNP}[settings.architecture](*sizes, **how)


class OnGraph(nn.Module):
    """A network on a fixed graph, as a function of the nodes that are asked for: what a trainer takes for rows.

    Args:
        network: Features and edges to outputs of all nodes.
        inputs: What it reads.
    """

    def __init__(self, network: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        super().__init__()
        self.network, self.inputs = network, inputs

    def forward(self, rows: Tensor) -> Tensor:
        """Outputs of some nodes.

        Args:
            rows: Their places, shape ``(B,)``.
        """
        return self.network(*self.inputs)[rows]


def inputs_of(module: nn.Module, view: NodeView) -> tuple[Tensor, ...]:
    """What a module reads of a graph: attention features of edges, where it has been built for them, others their weights."""
    x, edge_index, weight, attr = view.tensors
    extra = weight
    if isinstance(module, GAT):
        extra = None if module.edge_dim is None else attr
        if module.edge_dim is not None and attr is None:
            extra = torch.zeros(edge_index.shape[1], module.edge_dim)
    return (x, edge_index) if extra is None else (x, edge_index, extra)


@dataclass(eq=False, repr=False)
class NodeNetwork(FittedNetwork):
    """A trained network.

    Args:
        module: Features and edges to logits or a value of every node.
        classes: Number of classes; 0 for regression.
        settings: What was chosen, and for regression ``center`` and ``scale`` of the target.
    """

    classes: int
    settings: dict[str, Any]

    def compute(self, *rows: Tensor) -> Tensor:
        """Logits or values of all nodes of a graph."""
        return self.module(*rows)

    def outputs(self, view: NodeView) -> np.ndarray:
        """Probabilities ``(N, classes)`` or values ``(N,)`` of all nodes."""
        with evaluation_mode(self.module), torch.inference_mode():
            said = self.compute(*inputs_of(self.module, view)).double().numpy()
        target = Target(self.classes, float(self.settings["center"]), float(self.settings["scale"]))
        return target.decode(said)

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> Self:
        """Undo :meth:`store`; more steps over the graph than we ever take are refused."""
        check_steps(facts["module"])
        return super().restore(facts, tensors)


def check_steps(module: Mapping[str, Any]) -> None:
    """Refuse a described module that takes more steps over a graph than we ever take.

    Args:
        module: What :func:`gradatim.models.describe` said of it.
    """
    steps = module["arguments"].get("steps", 0)
    is_count = isinstance(steps, int) and steps <= MOST_STEPS
    require(is_count, f"load_model: steps must be a whole number from 1 to {MOST_STEPS}", repr(steps)[:40])  # fmt: skip


def fit_network(
    view: NodeView,
    rows: np.ndarray,
    y: np.ndarray,
    classes: int,
    settings: NodeSettings,
    epochs: int,
    seed: int,
    *,
    groups: np.ndarray | None = None,
    watched: tuple[np.ndarray, np.ndarray] | None = None,
    stops: bool = True,
) -> tuple[NodeNetwork, History]:
    """Train the network on the labelled nodes of a graph.

    Args:
        view: The graph as it may be seen.
        rows: Nodes to learn from.
        y: Their class codes, or values.
        classes: Number of classes; 0 for regression.
        settings: What was chosen.
        epochs: Steps of descent, at the most.
        seed: Fixes weights, dropout and what is held out.
        groups: Group of each of the nodes, which stay together.
        watched: Nodes and targets to watch and not to stop by.
        stops: Whether the training ends where nodes held out stop gaining, if there are enough of them.

    Raises:
        NonFiniteError: Training diverged.
    """
    target = read_target(y, classes)
    own, held = np.arange(len(y)), np.arange(0)
    if watched is None and stops:
        own, held = hold_out(y, classes, seed, groups)
    validation = _pair(rows[held], y[held], target) if len(held) else None
    if watched is not None:
        validation = _pair(*watched, target)
    attr = view.edge_attr
    edge_dim = None if attr is None else attr.shape[1]

    def build() -> OnGraph:
        network = build_network(settings, view.x.shape[1], target.outputs, edge_dim)
        return OnGraph(network, inputs_of(network, view))

    stopping = EarlyStopping(patience=max(int(PATIENCE * epochs), 10))
    trained, history = train_network(
        build, _pair(rows[own], y[own], target), validation, loss=target.loss, lr=settings.lr,
        weight_decay=settings.weight_decay, epochs=epochs, batch_size=len(rows), clip_norm=1.0,
        callbacks=[stopping] if len(held) else [], seed=seed,
    )  # fmt: skip
    done = stopping.best_epoch if len(held) else epochs
    chosen = {**asdict(settings), "epochs": done, "center": target.center, "scale": target.scale}
    return NodeNetwork(trained.network, classes, chosen), history


def _pair(rows: np.ndarray, y: np.ndarray, target: Target) -> tuple[Tensor, Tensor]:
    return torch.from_numpy(rows), torch.from_numpy(target.encode(y))


def hold_out(
    y: np.ndarray, classes: int, seed: int, groups: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes to learn from and nodes that say when to stop; none of the latter where they would be too few.

    Args:
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        seed: Fixes the draw.
        groups: Group of each, whose nodes stay together.

    Example:
        >>> [len(part) for part in hold_out(np.arange(200) % 2, 2, 0)], len(hold_out(np.arange(30) % 2, 2, 0)[1])
        ([160, 40], 0)
    """
    everything = np.arange(len(y)), np.arange(0)
    if WATCHED * len(y) < FEWEST_WATCHED or (groups is not None and len(np.unique(groups)) < 4):
        return everything
    strata = make_strata(y, is_classification=bool(classes))
    rows, held = split_test(strata, WATCHED, np.random.default_rng([seed, 7]), groups=groups, keep=2)  # fmt: skip
    return (rows, held) if len(held) >= FEWEST_WATCHED / 2 and len(np.unique(y[rows])) > 1 else everything  # fmt: skip


def training_speed(
    view: NodeView, rows: np.ndarray, y: np.ndarray, classes: int, settings: NodeSettings
) -> float:
    """Epochs per second of the network.

    Args:
        view: The graph.
        rows: Nodes to learn from.
        y: Their targets.
        classes: Number of classes; 0 for regression.
        settings: Of the network.
    """
    return epochs_per_second(
        lambda epochs: fit_network(view, rows, y, classes, settings, epochs, 0)
    )


def epochs_per_second(fit: Callable[[int], object], slow: float = SLOW) -> float:
    """How fast a network trains.

    Args:
        fit: Trains it for so many epochs.
        slow: Seconds of an epoch that is measured once.
    """
    spent = 0.0
    for epochs in (1, PROBES):  # the first time is slower
        started = time.perf_counter()
        fit(epochs)
        spent = (time.perf_counter() - started) / epochs
        if spent > slow:
            break
    return 1 / spent
