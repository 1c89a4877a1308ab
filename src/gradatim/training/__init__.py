"""The training engine: a loop, its record, its observers."""

from gradatim.training.callbacks import Callback, EarlyStopping, TensorBoard
from gradatim.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from gradatim.training.health import NonFiniteError
from gradatim.training.history import History
from gradatim.training.lr_range import LRRange, lr_range_test
from gradatim.training.metrics import METRICS, build_metric
from gradatim.training.replicas import Replicas, train_replicas
from gradatim.training.swa import SWA
from gradatim.training.switch_optimizer import SwitchOptimizer
from gradatim.training.trainer import Trainer

__all__ = [
    "METRICS",
    "SWA",
    "Callback",
    "Checkpoint",
    "EarlyStopping",
    "History",
    "LRRange",
    "NonFiniteError",
    "Replicas",
    "SwitchOptimizer",
    "TensorBoard",
    "Trainer",
    "build_metric",
    "load_checkpoint",
    "lr_range_test",
    "save_checkpoint",
    "train_replicas",
]
