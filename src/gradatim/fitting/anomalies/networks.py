"""The network candidates: autoencoders, dense ones for rows and windows, recurrent ones for windows."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.errors import require
from gradatim.fitting.anomalies.detectors import FLOOR, check_threshold
from gradatim.fitting.learning import train_network
from gradatim.fitting.network import FittedNetwork
from gradatim.fitting.stored import LONGEST, Facts, whole
from gradatim.models import MLP, SequenceAutoencoder
from gradatim.training import History

STEPS = 1000  # gradient steps of a training, about
EPOCHS = (3, 400)
BATCH = 64
LARGEST_CODE = 32
DENSE, RECURRENT = "dense", "recurrent"
LEARNED = 20_000  # rows that a network learns from, at most


@dataclass(frozen=True)
class AutoencoderSettings:
    """What tuning chooses.

    Args:
        form: ``"dense"`` sees a row or window at once, ``"recurrent"`` reads a window step by step.
        hidden_dim: Width of the layers around the code, or of the recurrent state.
        code: Numbers of the code, as a share of the features.
        dropout: Probability to drop a hidden unit, of a dense form.
        weight_decay: Decoupled penalty on weights.
        lr: Initial learning rate; it falls to zero along a cosine.
    """

    form: str = DENSE
    hidden_dim: int = 64
    code: float = 0.3
    dropout: float = 0.0
    weight_decay: float = 1e-3
    lr: float = 3e-3


def draw_settings(trial: int, seed: int, *, has_steps: bool) -> AutoencoderSettings:
    """Settings of trial number ``trial``: the defaults, both forms for series, then random ones.

    Args:
        trial: Its number.
        seed: Fixes the draw.
        has_steps: Whether rows are windows of a series.

    Example:
        >>> draw_settings(1, 0, has_steps=True).form, draw_settings(1, 0, has_steps=False).form
        ('recurrent', 'dense')
    """
    if trial == 0:
        return AutoencoderSettings()
    if trial == 1 and has_steps:
        return AutoencoderSettings(form=RECURRENT, hidden_dim=32)
    rng = np.random.default_rng([seed, trial])
    return AutoencoderSettings(
        form=str(rng.choice([DENSE, DENSE, RECURRENT])) if has_steps else DENSE,
        hidden_dim=int(rng.choice([16, 32, 64, 128])),
        code=float(rng.choice([0.1, 0.2, 0.3, 0.5, 0.7])),
        dropout=float(rng.choice([0.0, 0.0, 0.1])),
        weight_decay=float(np.round(10 ** rng.uniform(-4, -0.5), 5)),
        lr=float(np.round(10 ** rng.uniform(-3.2, -2), 5)),
    )


@dataclass(eq=False, repr=False)
class Autoencoder(FittedNetwork):
    """A trained autoencoder.

    Args:
        module: From rows to rows, or from windows to windows.
        settings: What was chosen; the size of every residual and the threshold among it.
        channels: Numbers of a step where rows are windows; 0 for rows.
    """

    settings: dict[str, Any]
    channels: int

    def compute(self, *rows: Tensor) -> Tensor:
        """Rows as they come back."""
        X = rows[0].float()
        if self.settings["form"] == DENSE:
            return self.module(X)
        return self.module(X.unflatten(1, (-1, self.channels))).flatten(1)

    def blame(self, X: np.ndarray) -> np.ndarray:
        """Squared residuals in units of their usual size, shape ``(N, F)``."""
        return ((X - self.run(X)) / np.array(self.settings["scale"])) ** 2

    def raw(self, X: np.ndarray) -> np.ndarray:
        """Their mean, shape ``(N,)``."""
        return self.blame(X).mean(1)

    def rehearse(self, X: np.ndarray) -> np.ndarray:
        """Scores of made-up rows, once every part has their width."""
        check_threshold(self.settings)
        scale = np.array(self.settings["scale"], dtype=float)
        is_whole = scale.shape == X.shape[1:] and bool((scale > 0).all())
        require(is_whole, f"load_model: scale must be a positive number for each of {X.shape[1]} features", "others")  # fmt: skip
        if self.settings["form"] == RECURRENT:
            whole({"channels": self.channels}, "channels", min(X.shape[1], LONGEST))
        blame = self.blame(X)
        require(blame.shape == X.shape, f"load_model: detectors must look at {X.shape[1]} features", blame.shape[1])  # fmt: skip
        return np.append(self.raw(X), blame.ravel())

    @classmethod
    def restore(cls, facts: Facts, tensors: Any) -> "Autoencoder":
        """Undo :meth:`store`; a form that there is not is refused."""
        require(facts["settings"]["form"] in (DENSE, RECURRENT), "load_model: form must be dense or recurrent", "another")  # fmt: skip
        return super().restore(facts, tensors)


def fit_network(
    X: np.ndarray,
    settings: AutoencoderSettings,
    channels: int,
    seed: int,
    watched: np.ndarray | None = None,
    steps: int | None = None,
) -> tuple[Autoencoder, History]:
    """Train an autoencoder on normal rows; its threshold is still to be found.

    Args:
        X: Features, shape ``(N, F)``.
        settings: What to build and how to train it.
        channels: Numbers of a step where rows are windows; 0 for rows.
        seed: Fixes weights, order and dropout.
        watched: Rows on which the loss is told after every epoch; they change nothing.
        steps: Gradient steps, about; the usual number by default.

    Raises:
        NonFiniteError: Training diverged.
    """
    rows = X
    if len(X) > LEARNED:
        rows = X[np.sort(np.random.default_rng([seed, 9]).permutation(len(X))[:LEARNED])]
    size, epochs = course(len(rows), steps)
    module, history = train_network(
        lambda: _build(X.shape[1], settings, channels),
        _pair(rows, settings, channels),
        None if watched is None else _pair(watched, settings, channels),
        loss="mse",
        lr=settings.lr,
        weight_decay=settings.weight_decay,
        epochs=epochs,
        batch_size=size,
        clip_norm=1.0,
        seed=seed,
    )
    fitted = Autoencoder(module, asdict(settings), channels)
    residuals = rows - fitted.run(rows)
    fitted.settings["scale"] = np.sqrt((residuals**2).mean(0) + FLOOR).tolist()
    return fitted, history


def course(rows: int, steps: int | None = None) -> tuple[int, int]:
    """Rows of a batch, and epochs.

    Example:
        >>> course(640), course(100_000)
        ((64, 100), (64, 3))
    """
    size = min(BATCH, rows)
    return size, int(np.clip((steps or STEPS) * size // rows, *EPOCHS))


def _pair(X: np.ndarray, settings: AutoencoderSettings, channels: int) -> tuple[Tensor, Tensor]:
    rows = torch.from_numpy(X.astype(np.float32))
    rows = rows if settings.form == DENSE else rows.unflatten(1, (-1, channels))
    return rows, rows


def _build(features: int, s: AutoencoderSettings, channels: int) -> nn.Module:
    code = int(np.clip(round(s.code * features), 1, LARGEST_CODE))
    if s.form == RECURRENT:
        return SequenceAutoencoder(channels, code, hidden_dim=s.hidden_dim)
    return MLP((features, s.hidden_dim, code, s.hidden_dim, features), dropout=s.dropout)
