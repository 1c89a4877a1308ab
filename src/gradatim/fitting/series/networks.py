"""The network candidates: one network for all series, that reads a window of the past."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.fitting.learning import train_network
from gradatim.fitting.network import FittedNetwork
from gradatim.losses import gaussian_likelihood
from gradatim.models import MLP, Forecaster
from gradatim.training import History

MOST_WINDOWS = 20_000
STEPS = 1500  # gradient steps of a training, about


@dataclass(frozen=True)
class SeriesSettings:
    """What tuning chooses.

    Args:
        reader: ``"mlp"`` sees the whole window at once, ``"gru"`` reads it step by step.
        reach: Length of the window, in units of the season or the horizon, whichever is longer.
        hidden_dim: Width of the hidden layer or of the recurrent state.
        dropout: Probability to drop a hidden unit.
        weight_decay: Decoupled penalty on weights.
        lr: Initial learning rate; it falls to zero along a cosine.
    """

    reader: str = "mlp"
    reach: float = 2.0
    hidden_dim: int = 64
    dropout: float = 0.1
    weight_decay: float = 0.01
    lr: float = 3e-3


def draw_settings(trial: int, seed: int) -> SeriesSettings:
    """Settings of trial number ``trial``: both readers, then random ones.

    Example:
        >>> draw_settings(0, 0).reader, draw_settings(1, 0).reader
        ('mlp', 'gru')
    """
    if trial == 0:
        return SeriesSettings()
    if trial == 1:
        return SeriesSettings(reader="gru", hidden_dim=32)
    rng = np.random.default_rng([seed, trial])
    return SeriesSettings(
        reader=str(rng.choice(["mlp", "mlp", "gru"])),
        reach=float(rng.choice([1.0, 1.5, 2.0, 3.0])),
        hidden_dim=int(rng.choice([16, 32, 64, 128])),
        dropout=float(rng.choice([0.0, 0.1, 0.3])),
        weight_decay=float(np.round(10 ** rng.uniform(-3, 0), 4)),
        lr=float(np.round(10 ** rng.uniform(-3.3, -2), 5)),
    )


@dataclass(eq=False, repr=False)
class NetworkForecasts(FittedNetwork):
    """A trained network. It sees changes from the last value of its window, in units of the series' own.

    Args:
        module: From windows to the next steps.
        settings: What was chosen; ``length`` of the window and ``scales`` of the series among it.
        horizon: Steps ahead.
    """

    block: ClassVar[int] = 1  # a pass costs little, and most tables hold one series

    settings: dict[str, Any]
    horizon: int

    def compute(self, *rows: Tensor) -> Tensor:
        """The next changes after windows of changes."""
        return _mean(self.module, self.module(_shape(self.module, rows[0].float())))

    def serves(self, series: int) -> bool:
        """Whether it learned from so many series."""
        return len(self.settings["scales"]) == series

    def forecast(self, pasts: Sequence[np.ndarray]) -> np.ndarray:
        """Return the next steps after each past, shape ``(S, horizon)``."""
        length, scales = self.settings["length"], np.array(self.settings["scales"])
        rows = [np.pad(x, (max(length - len(x), 0), 0), mode="edge")[-length:] for x in pasts]
        x = np.stack(rows)
        changes = self.run((x - x[:, -1:]) / scales[:, None])
        return x[:, -1:] + changes * scales[:, None]


class NextSteps(nn.Module):
    """What a trained network forecasts from windows of values, one row for each series."""

    def __init__(self, fitted: NetworkForecasts) -> None:
        super().__init__()
        self.module, self.fitted = fitted.module, fitted
        self.register_buffer("scales", torch.tensor(fitted.settings["scales"])[:, None])
        self.scales: Tensor

    def forward(self, windows: Tensor) -> Tensor:
        last = windows[:, -1:]
        return last + self.fitted.compute((windows - last) / self.scales) * self.scales


def _shape(module: nn.Module, windows: Tensor) -> Tensor:
    return windows[..., None] if isinstance(module, Forecaster) else windows


def _mean(module: nn.Module, out: Tensor) -> Tensor:
    return out[:, :, 0, 0] if isinstance(module, Forecaster) else out


def fit_network(
    series: Sequence[np.ndarray], horizon: int, period: int, settings: SeriesSettings, seed: int
) -> tuple[NetworkForecasts, History]:
    """Train one network on the windows of all series.

    Raises:
        NonFiniteError: Training diverged.
    """
    shortest = min(map(len, series))
    length = int(np.clip(settings.reach * max(period, horizon, 4), 2, max(shortest - horizon - 4, 2)))  # fmt: skip
    scales = np.array([float(np.std(x)) or 1.0 for x in series])
    X, Y = _windows(series, scales, length, horizon, seed)
    rows, is_recurrent = min(64, len(X)), settings.reader == "gru"
    module, history = train_network(
        lambda: _build(length, horizon, settings),
        (X[..., None], Y[..., None]) if is_recurrent else (X, Y),
        loss=gaussian_likelihood if is_recurrent else "mse",
        lr=settings.lr,
        weight_decay=settings.weight_decay,
        epochs=int(np.clip(STEPS * rows // len(X), 3, 300)),
        batch_size=rows,
        clip_norm=1.0,
        seed=seed,
    )
    chosen = {**asdict(settings), "length": length, "scales": scales.tolist()}
    return NetworkForecasts(module, chosen, horizon), history


def _windows(series: Sequence[np.ndarray], scales: np.ndarray, length: int, horizon: int, seed: int) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Windows and what followed, as changes from the last value of the window."""
    parts = []
    for x, scale in zip(series, scales, strict=True):
        pieces = np.lib.stride_tricks.sliding_window_view(x / scale, length + horizon)
        parts.append(pieces - pieces[:, length - 1 : length])
    whole = np.concatenate(parts).astype(np.float32)
    if len(whole) > MOST_WINDOWS:
        whole = whole[np.random.default_rng(seed).permutation(len(whole))[:MOST_WINDOWS]]
    return torch.from_numpy(whole[:, :length].copy()), torch.from_numpy(whole[:, length:].copy())


def _build(length: int, horizon: int, s: SeriesSettings) -> nn.Module:
    if s.reader == "mlp":
        return MLP((length, s.hidden_dim, horizon), dropout=s.dropout)
    return Forecaster(1, horizon, hidden_dim=s.hidden_dim, dropout=s.dropout)
