"""The network candidates: recurrent networks, causal convolutions, and recurrent layers behind convolutions."""

import math
import time
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gradatim.errors import require
from gradatim.evaluation.splits import make_strata, split_test
from gradatim.fitting.learning import Target, read_target, train_network
from gradatim.fitting.network import FittedNetwork
from gradatim.fitting.sequences.steps import Sequences
from gradatim.fitting.stored import LONGEST, whole
from gradatim.fitting.tables.predictors import softmax
from gradatim.models import SequenceClassifier
from gradatim.training import EarlyStopping, History

ARCHITECTURES = ("tcn", "gru", "bilstm", "tcn+bilstm")
EPOCHS = (4, 200)
UNTIMED_EPOCHS = 40
BATCH = 32
WATCHED = 0.2  # of the series, held out inside the fold to stop in time
FEWEST_WATCHED = 8  # series; fewer cannot tell when to stop
PATIENCE = 0.2  # of the epochs
PROBE = 64  # series on which speed is measured


@dataclass(frozen=True)
class SequenceSettings:
    """What tuning chooses.

    Args:
        architecture: ``"gru"``, ``"bilstm"`` (an LSTM in both directions), ``"tcn"`` (causal dilated convolutions), or
            ``"tcn+bilstm"``, an LSTM in both directions behind convolutions.
        pooling: How steps become one vector, as in :class:`~gradatim.models.SequenceClassifier`.
        hidden_dim: Width of a layer, of one direction.
        num_layers: Recurrent layers.
        steps: Most steps that it reads of a series; neighbours of longer ones are averaged.
        dropout: Probability to drop an entry of what a layer gives.
        weight_decay: Decoupled penalty on weights.
        lr: Largest learning rate; it falls to zero along a cosine.
    """

    architecture: str = "tcn"
    pooling: str = "attention"
    hidden_dim: int = 48
    num_layers: int = 1
    steps: int = 256
    dropout: float = 0.2
    weight_decay: float = 0.02
    lr: float = 4e-3


def draw_settings(trial: int, seed: int) -> SequenceSettings:
    """Settings of trial number ``trial``: every architecture once, then random ones.

    Args:
        trial: Number of the trial.
        seed: Fixes the draws.

    Example:
        >>> [draw_settings(k, 0).architecture for k in range(4)]
        ['tcn', 'gru', 'bilstm', 'tcn+bilstm']
    """
    if trial < len(ARCHITECTURES):
        name = ARCHITECTURES[trial]
        return SequenceSettings(name, pooling="last" if name == "gru" else "attention")
    rng = np.random.default_rng([seed, trial])
    return SequenceSettings(
        architecture=str(rng.choice(ARCHITECTURES)),
        pooling=str(rng.choice(["attention", "attention", "mean", "max"])),
        hidden_dim=int(rng.choice([24, 32, 48, 64, 96])),
        num_layers=int(rng.choice([1, 1, 2])),
        steps=int(rng.choice([128, 256, 256, 512])),
        dropout=float(rng.choice([0.1, 0.2, 0.3, 0.5])),
        weight_decay=float(np.round(10 ** rng.uniform(-2.5, -0.5), 4)),
        lr=float(np.round(10 ** rng.uniform(-3.0, -2.1), 5)),
    )


def relative_cost(settings: SequenceSettings, longest: int) -> float:
    """Time of a step of training in units of that of the default settings, about.

    Args:
        settings: The settings.
        longest: Steps of the longest series.

    Example:
        >>> relative_cost(SequenceSettings(), 100)
        1.0
    """
    seen, usual = (min(most, longest) for most in (settings.steps, SequenceSettings.steps))
    per_layer = {"tcn": 0.0, "gru": 0.4, "bilstm": 0.8, "tcn+bilstm": 0.8}[settings.architecture]
    convolutions = 1.0 if "tcn" in settings.architecture else 0.0
    width = (settings.hidden_dim / SequenceSettings.hidden_dim) ** 1.5
    return seen / usual * width * (convolutions + per_layer * settings.num_layers)


def build_network(
    settings: SequenceSettings, input_dim: int, output_dim: int, length: int
) -> SequenceClassifier:
    """Build the module: steps and lengths to logits or a value.

    Args:
        settings: What was chosen.
        input_dim: Features of a step.
        output_dim: Classes, or 1 for a value.
        length: Steps of the longest series; the convolutions of the last step reach back to its first.
    """
    recurrent = settings.architecture.removeprefix("tcn+")
    return SequenceClassifier(
        input_dim,
        output_dim,
        hidden_dim=settings.hidden_dim,
        encoder="tcn+recurrent" if "+" in settings.architecture else "tcn" if recurrent == "tcn" else "recurrent",
        cell="gru" if recurrent == "gru" else "lstm",
        num_layers=settings.num_layers,
        num_blocks=int(np.clip(math.ceil(math.log2(length / 4 + 1)), 2, 7)),
        is_bidirectional=recurrent == "bilstm",
        pooling=settings.pooling,
        dropout=settings.dropout,
    )  # fmt: skip


@dataclass(eq=False, repr=False)
class SequenceNetwork(FittedNetwork):
    """A trained network.

    Args:
        module: Steps and lengths to logits or a value.
        classes: Number of classes; 0 for regression.
        settings: What was chosen, ``length`` of the longest series it saw, ``size`` of the blocks that are averaged before,
            and for regression ``center`` and ``scale`` of the target.
    """

    classes: int
    settings: dict[str, Any]

    def compute(self, *rows: Tensor) -> Tensor:
        """Logits or values of padded steps and lengths."""
        return self.module(*rows)

    def finish(self, said: Tensor) -> Tensor:
        """Probabilities, or values, of what the module says."""
        if self.classes:
            return said.softmax(-1)
        return said * self.settings["scale"] + self.settings["center"]

    def inputs(self, sequences: Sequences) -> Sequences:
        """Series as the module reads them."""
        return sequences.averaged(self.settings["size"])

    def outputs(self, sequences: Sequences) -> np.ndarray:
        """Return probabilities ``(N, classes)``, or values ``(N,)``."""
        own = self.inputs(sequences)
        length = self.settings["length"]
        z = np.zeros((len(own), self.classes or 1))
        rank = -(-own.lengths // length)  # a series longer than all in training goes with its like
        for times in np.unique(rank).tolist():
            rows = np.flatnonzero(rank == times)
            part = own.take(rows)
            z[rows] = self.run(part.padded(times * length), part.lengths, filler=(0, times * length))  # fmt: skip
        if self.classes:
            return softmax(z)
        return z[:, 0] * self.settings["scale"] + self.settings["center"]

    def rehearse(self, sequences: Sequences) -> np.ndarray:
        """Outputs of short series, once sizes are what they can be."""
        for name in ("size", "length"):
            is_size = whole(self.settings, name, LONGEST) >= 1
            require(is_size, f"load_model: {name} must be at least 1", self.settings[name])
        return self.outputs(sequences)


def fit_network(
    sequences: Sequences,
    y: np.ndarray,
    classes: int,
    settings: SequenceSettings,
    epochs: int,
    seed: int,
    *,
    groups: np.ndarray | None = None,
    watched: tuple[Sequences, np.ndarray] | None = None,
    stops: bool = True,
) -> tuple[SequenceNetwork, History]:
    """Train the network on series.

    Args:
        sequences: The series.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        settings: What was chosen.
        epochs: Passes over the series, at the most.
        seed: Fixes weights, order and what is held out.
        groups: Group of every series, whose series stay together.
        watched: Series and targets to watch and not to stop by.
        stops: Whether the training ends where series held out stop gaining, if there are enough of them.

    Raises:
        NonFiniteError: Training diverged.
    """
    size = -(-sequences.longest // settings.steps)
    own, target = sequences.averaged(size), read_target(y, classes)
    length, rows, held = own.longest, np.arange(len(y)), np.arange(0)
    if watched is None and stops:
        rows, held = hold_out(y, classes, seed, groups)

    batch = partial(_batch, target, length)
    validation = batch(own.take(held), y[held]) if len(held) else None
    if watched is not None:
        validation = batch(watched[0].averaged(size), watched[1])
    stopping = EarlyStopping(patience=max(int(PATIENCE * epochs), 5))
    module, history = train_network(
        lambda: build_network(settings, own.values.shape[1], classes or 1, length),
        batch(own.take(rows), y[rows]),
        validation,
        loss=target.loss,
        lr=settings.lr,
        weight_decay=settings.weight_decay,
        epochs=epochs,
        batch_size=int(np.clip(len(rows) // 6, 8, BATCH)),
        clip_norm=1.0,
        callbacks=[stopping] if len(held) else [],
        seed=seed,
    )
    done = stopping.best_epoch if len(held) else epochs
    chosen = {**asdict(settings), "epochs": done, "size": size, "length": length}
    return SequenceNetwork(module, classes, {**chosen, "center": target.center, "scale": target.scale}), history  # fmt: skip


def _batch(target: Target, length: int, part: Sequences, y: np.ndarray) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Padded steps, lengths and encoded targets."""
    padded = torch.from_numpy(part.padded(max(length, part.longest)))
    return padded, torch.from_numpy(part.lengths), torch.from_numpy(target.encode(y))


def hold_out(
    y: np.ndarray, classes: int, seed: int, groups: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Series to learn from and series that say when to stop; none of the latter where they would be too few.

    Args:
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        seed: Fixes the draw.
        groups: Group of every series, whose series stay together.

    Example:
        >>> [len(part) for part in hold_out(np.arange(200) % 2, 2, 0, None)], len(hold_out(np.arange(30) % 2, 2, 0, None)[1])
        ([160, 40], 0)
    """
    everything = np.arange(len(y)), np.arange(0)
    if WATCHED * len(y) < FEWEST_WATCHED or (groups is not None and len(np.unique(groups)) < 4):
        return everything
    strata = make_strata(y, is_classification=bool(classes))
    rows, held = split_test(strata, WATCHED, np.random.default_rng([seed, 7]), groups=groups, keep=2)  # fmt: skip
    return (rows, held) if len(held) >= FEWEST_WATCHED / 2 and len(np.unique(y[rows])) > 1 else everything  # fmt: skip


def training_speed(
    sequences: Sequences, y: np.ndarray, classes: int, settings: SequenceSettings
) -> float:
    """Series per second that the network trains on.

    Args:
        sequences: Some series.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        settings: Of the network.
    """
    rows = np.arange(min(PROBE, len(y)))
    probe = sequences.take(rows)
    for _ in range(2):  # the first time is slower
        started = time.perf_counter()
        fit_network(probe, y[rows], classes, settings, 1, 0, stops=False)
    return len(rows) / (time.perf_counter() - started)
