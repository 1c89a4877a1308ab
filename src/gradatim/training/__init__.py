"""The training engine: a loop, its record, its observers."""

from gradatim.training.callbacks import Callback, EarlyStopping, TensorBoard
from gradatim.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from gradatim.training.health import NonFiniteError
from gradatim.training.history import History
from gradatim.training.metrics import METRICS, build_metric
from gradatim.training.trainer import Trainer

__all__ = [
    "METRICS",
    "Callback",
    "Checkpoint",
    "EarlyStopping",
    "History",
    "NonFiniteError",
    "TensorBoard",
    "Trainer",
    "build_metric",
    "load_checkpoint",
    "save_checkpoint",
]
