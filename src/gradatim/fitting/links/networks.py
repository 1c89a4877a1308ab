"""The network candidates: encoders of nodes as those of :mod:`gradatim.fitting.nodes`, and a decoder of pairs.

A network that sees the edge it is asked for learns to look it up, and finds none where it is judged. While it learns, the edges
of the pairs of a batch therefore pass no messages, in neither direction: it learns from pairs as it will meet them.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.errors import require
from gradatim.fitting.learning import Target, train_network
from gradatim.fitting.links.non_edges import pair_keys
from gradatim.fitting.network import FittedNetwork
from gradatim.fitting.nodes import networks as nodes
from gradatim.fitting.nodes.networks import PATIENCE, NodeSettings, hold_out, inputs_of
from gradatim.fitting.nodes.view import NodeView
from gradatim.fitting.stored import Facts
from gradatim.models import LinkPredictor
from gradatim.models.link_predictor import DECODERS
from gradatim.nn.training_modes import evaluation_mode
from gradatim.training import EarlyStopping, History

EPOCHS = (2, 80)
UNTIMED_EPOCHS = 30
PARTS = 8  # batches of an epoch; the edges of one pass no messages
TOGETHER = 200_000  # pairs that are asked for at a time
SLOW = 2.0  # seconds of an epoch that is measured once
TARGET = Target(2)


@dataclass(frozen=True)
class LinkSettings(NodeSettings):
    """What tuning chooses.

    Args:
        architecture: ``"gcn"``, ``"sage"``, ``"gat"`` or ``"appnp"``, the encoder.
        hidden_dim: Width of hidden layers, and of what is said of a node.
        num_layers: Layers of the encoder.
        dropout: Probability to drop a feature before each layer.
        weight_decay: Decoupled penalty on weights.
        lr: Largest learning rate; it falls to zero along a cosine.
        decoder: ``"product"`` or ``"mlp"``, of the two nodes of a pair.
    """

    dropout: float = 0.5
    decoder: str = "mlp"


def draw_settings(trial: int, seed: int) -> LinkSettings:
    """Settings of trial number ``trial``: every encoder once, then random ones.

    Args:
        trial: Number of the trial.
        seed: Fixes the draws.

    Example:
        >>> draw_settings(1, 0).architecture, draw_settings(1, 0).decoder
        ('sage', 'mlp')
    """
    own = nodes.draw_settings(trial, seed)
    if trial < len(nodes.ARCHITECTURES):
        return LinkSettings(own.architecture)
    rng = np.random.default_rng([seed, trial, 1])
    return LinkSettings(**asdict(own), decoder=str(rng.choice(DECODERS)))


def build_network(
    settings: LinkSettings, input_dim: int, edge_dim: int | None, *, is_directed: bool
) -> LinkPredictor:
    """Build the module: features, edges and pairs to log-odds.

    Args:
        settings: What was chosen.
        input_dim: Features of a node.
        edge_dim: Features of an edge, if there are any; attention reads them.
        is_directed: Whether the order of the two nodes counts.
    """
    encoder = nodes.build_network(settings, input_dim, settings.hidden_dim, edge_dim)
    return LinkPredictor(encoder, settings.hidden_dim, decoder=settings.decoder, is_directed=is_directed)  # fmt: skip


def two_logits(score: Tensor) -> Tensor:
    """Log-odds as logits of two classes, shape ``(P, 2)``."""
    return torch.stack([-score / 2, score / 2], 1)


def hide_edges(view: NodeView, pairs: np.ndarray) -> NodeView:
    """A graph without the edges between the two nodes of some pairs, in either direction.

    Args:
        view: The graph.
        pairs: The pairs, shape ``(2, P)``.

    Example:
        >>> path = NodeView(np.zeros((3, 1)), np.array([[0, 1, 1, 2], [1, 0, 2, 1]]))
        >>> hide_edges(path, np.array([[1], [0]])).edge_index.tolist()
        [[1, 2], [2, 1]]
    """
    hidden = pair_keys(pairs, len(view))
    return view.kept(~np.isin(pair_keys(view.edge_index, len(view)), hidden))


class OnPairs(nn.Module):
    """A network on a fixed graph, as a function of the pairs that are asked for: what a trainer takes for rows.

    Edges between the two nodes of a pair that is asked for pass no messages.

    Args:
        network: Features, edges and pairs to log-odds.
        view: The graph.
        pairs: Both nodes of every row, shape ``(2, R)``.
    """

    def __init__(self, network: LinkPredictor, view: NodeView, pairs: np.ndarray) -> None:
        super().__init__()
        self.network, self.pairs = network, torch.from_numpy(pairs)
        self.x, self.edge_index, *self.extra = inputs_of(network.encoder, view)
        self.keys, self.edge_keys = (
            torch.from_numpy(pair_keys(own, len(view))) for own in (pairs, view.edge_index)
        )

    def forward(self, rows: Tensor) -> Tensor:
        """Logits of some pairs.

        Args:
            rows: Their places, shape ``(B,)``.
        """
        passes = ~torch.isin(self.edge_keys, self.keys[rows])
        edges = [own[passes] for own in self.extra]
        return two_logits(self.network(self.x, self.edge_index[:, passes], self.pairs[:, rows], *edges))  # fmt: skip


@dataclass(eq=False, repr=False)
class LinkNetwork(FittedNetwork):
    """A trained network.

    Args:
        module: Features, edges and pairs to log-odds.
        settings: What was chosen.
    """

    module: LinkPredictor
    settings: dict[str, Any]

    def compute(self, *rows: Tensor) -> Tensor:
        """Logits of pairs: features and edges of a graph, the pairs, and what the encoder reads of edges."""
        return two_logits(self.module(*rows))

    def outputs(self, view: NodeView, pairs: np.ndarray) -> np.ndarray:
        """Probabilities to be apart and to be joined, shape ``(P, 2)``."""
        x, edge_index, *extra = inputs_of(self.module.encoder, view)
        parts = torch.from_numpy(pairs).split(TOGETHER, 1)
        with evaluation_mode(self.module), torch.inference_mode():
            said = torch.cat([self.compute(x, edge_index, own, *extra) for own in parts])
        return TARGET.decode(said.double().numpy())

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> Self:
        """Undo :meth:`store`; another kind of module, or more steps over the graph than we ever take, is refused."""
        is_ours = facts["module"]["name"] == "link_predictor"
        require(is_ours, "load_model: the network must be a link_predictor", repr(facts["module"]["name"])[:40])  # fmt: skip
        nodes.check_steps(facts["module"]["arguments"]["encoder"])
        return super().restore(facts, tensors)


def fit_network(
    view: NodeView,
    pairs: np.ndarray,
    y: np.ndarray,
    settings: LinkSettings,
    epochs: int,
    seed: int,
    *,
    is_directed: bool,
    twins: np.ndarray | None = None,
    watched: tuple[np.ndarray, np.ndarray] | None = None,
    stops: bool = True,
) -> tuple[LinkNetwork, History]:
    """Train the network on pairs of nodes of a graph.

    Args:
        view: The graph as it may be seen.
        pairs: Pairs to learn from, shape ``(2, P)``.
        y: 1 where they are joined.
        settings: What was chosen.
        epochs: Passes over the pairs, at the most.
        seed: Fixes weights, order, dropout and what is held out.
        is_directed: Whether the order of the two nodes counts.
        twins: A number for each pair, the same for those that stay together.
        watched: Pairs and whether they are joined, to watch and not to stop by.
        stops: Whether the training ends where pairs held out stop gaining, if there are enough of them.

    Raises:
        NonFiniteError: Training diverged.
    """
    own, held = np.arange(len(y)), np.arange(0)
    if watched is None and stops:
        own, held = hold_out(y, 2, seed, twins)
    others = (pairs[:, held], y[held]) if watched is None else watched
    seen = hide_edges(view, others[0])
    everything = np.concatenate([pairs[:, own], others[0]], axis=1)
    train = torch.arange(len(own)), torch.from_numpy(y[own])
    validation = torch.arange(len(own), everything.shape[1]), torch.from_numpy(others[1])
    edge_dim = None if view.edge_attr is None else view.edge_attr.shape[1]

    def build() -> OnPairs:
        network = build_network(settings, view.x.shape[1], edge_dim, is_directed=is_directed)
        return OnPairs(network, seen, everything)

    stopping = EarlyStopping(patience=max(int(PATIENCE * epochs), 4))
    trained, history = train_network(
        build, train, validation if len(others[1]) else None, loss=TARGET.loss, lr=settings.lr,
        weight_decay=settings.weight_decay, epochs=epochs, batch_size=max(-(-len(own) // PARTS), 1), clip_norm=1.0,
        callbacks=[stopping] if len(held) else [], seed=seed,
    )  # fmt: skip
    done = stopping.best_epoch if len(held) else epochs
    return LinkNetwork(trained.network, {**asdict(settings), "epochs": done}), history


def training_speed(
    view: NodeView, pairs: np.ndarray, y: np.ndarray, settings: LinkSettings, *, is_directed: bool
) -> float:
    """Epochs per second of the network.

    Args:
        view: The graph.
        pairs: Pairs to learn from.
        y: 1 where they are joined.
        settings: Of the network.
        is_directed: Whether the order of the two nodes counts.
    """

    def fit(epochs: int) -> None:
        fit_network(view, pairs, y, settings, epochs, 0, is_directed=is_directed)

    return nodes.epochs_per_second(fit, SLOW)
