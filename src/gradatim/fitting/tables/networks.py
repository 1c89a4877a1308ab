"""The network candidate: its settings, and its training by the Trainer."""

from dataclasses import asdict, dataclass

import numpy as np
import torch

from gradatim.fitting.tables.predictors import Fitted
from gradatim.models import MLP
from gradatim.training import History, Trainer

MIN_EPOCHS = 20


@dataclass(frozen=True)
class NetworkSettings:
    """What tuning chooses.

    Args:
        hidden: Widths of the hidden layers.
        activation: ``"relu"`` or ``"tanh"``.
        dropout: Probability to drop a hidden unit.
        weight_decay: Decoupled penalty on weights.
        lr: Initial learning rate; it falls to zero along a cosine.
        steps: Gradient steps of a training, at least 20 passes over the rows.
        members: Networks from different starts whose predictions are averaged.
    """

    hidden: tuple[int, ...] = (64,)
    activation: str = "relu"
    dropout: float = 0.1
    weight_decay: float = 0.1
    lr: float = 3e-3
    steps: int = 600
    members: int = 1


def draw_settings(trial: int, seed: int) -> NetworkSettings:
    """Settings of trial number ``trial``; the first are the defaults, the others random.

    Example:
        >>> draw_settings(0, seed=0) == NetworkSettings(), draw_settings(3, 0) == draw_settings(3, 0)
        (True, True)
    """
    if trial == 0:
        return NetworkSettings()
    rng = np.random.default_rng([seed, trial])
    width = int(rng.choice([16, 32, 64, 128, 256]))
    return NetworkSettings(
        hidden=(width,) * int(rng.choice([1, 1, 2, 3])),
        activation=str(rng.choice(["relu", "relu", "tanh"])),
        dropout=float(rng.choice([0.0, 0.1, 0.3])),
        weight_decay=float(np.round(10 ** rng.uniform(-3, 0.3), 5)),
        lr=float(np.round(10 ** rng.uniform(-3.2, -1.8), 6)),
        steps=int(rng.choice([300, 1000, 3000])),
        members=int(rng.choice([1, 1, 4])),
    )


def cost(settings: NetworkSettings) -> float:
    """Training time in units of that of the default settings, about.

    Example:
        >>> cost(NetworkSettings(steps=1200, members=4))
        8.0
    """
    return settings.steps / NetworkSettings.steps * settings.members


def batch_size(rows: int) -> int:
    """Rows per step: small tables need many small steps, large ones few large steps.

    Example:
        >>> [batch_size(n) for n in (100, 3000, 10**5)]
        [32, 64, 512]
    """
    limits = ((1000, 32), (4000, 64), (20_000, 128), (60_000, 256))
    return next((size for limit, size in limits if rows < limit), 512)


def fit_network(
    X: np.ndarray,
    y: np.ndarray,
    classes: int,
    settings: NetworkSettings,
    seed: int,
    validation: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[Fitted, History]:
    """Train the network; with ``validation`` the history shows how it did there after every epoch.

    Args:
        X: Features, shape ``(N, D)``.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        settings: What to build and how to train it.
        seed: Fixes weights, order and dropout.
        validation: Rows to watch; they change nothing.

    Raises:
        NonFiniteError: Training diverged.
    """
    center, scale = (0.0, 1.0) if classes else (float(y.mean()), float(y.std()) or 1.0)

    def target(values: np.ndarray) -> np.ndarray:
        return values if classes else ((values - center) / scale).astype(np.float32)[:, None]

    watched = (
        None if validation is None else (validation[0].astype(np.float32), target(validation[1]))
    )
    arrays, histories = {}, []
    for member in range(settings.members):
        first = int(np.random.default_rng([seed, member]).integers(2**31))
        sizes = (X.shape[1], *settings.hidden, classes or 1)
        network, history = _train(X.astype(np.float32), target(y), sizes, settings, first, watched)
        histories.append(history)
        linear = [layer for layer in network if isinstance(layer, torch.nn.Linear)]
        for k, layer in enumerate(linear):
            arrays[f"{member}.{k}.weight"] = layer.weight.detach().numpy().copy()
            arrays[f"{member}.{k}.bias"] = layer.bias.detach().numpy().copy()
    described = {
        **asdict(settings),
        "hidden": list(settings.hidden),
        "center": center,
        "scale": scale,
    }
    return Fitted("chain", classes, arrays, described), histories[0]


def _train(
    X: np.ndarray,
    y: np.ndarray,
    sizes: tuple[int, ...],
    settings: NetworkSettings,
    seed: int,
    validation: tuple[np.ndarray, np.ndarray] | None,
) -> tuple[MLP, History]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = MLP(sizes, activation=settings.activation, dropout=settings.dropout)
    rows = min(batch_size(len(X)), len(X))
    per_epoch = -(-len(X) // rows)
    trainer = Trainer(
        network,
        "cross_entropy" if sizes[-1] > 1 else "mse",
        "adamw",
        lr=settings.lr,
        weight_decay=settings.weight_decay,
        schedule="cosine",
        epochs=max(round(settings.steps / per_epoch), MIN_EPOCHS),
        batch_size=rows,
        device="cpu",
        seed=seed,
        progress=False,
    )
    history = trainer.fit((X, y), validation)
    if history.stopped == "interrupted":  # half a training must not pass for a result
        raise KeyboardInterrupt
    return network, history
