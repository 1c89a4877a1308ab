"""The training engine: a loop, its record, its observers."""

from gradatim.training.callbacks import Callback, EarlyStopping, TensorBoard
from gradatim.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from gradatim.training.health import NonFiniteError
from gradatim.training.history import History
from gradatim.training.lottery_ticket import Ticket, find_tickets
from gradatim.training.metrics import METRICS, build_metric
from gradatim.training.objectives.augmented import augmented_step, mixup_step
from gradatim.training.objectives.ctc import ctc_step
from gradatim.training.objectives.distillation import distillation_step
from gradatim.training.objectives.gradient_penalties import (
    gradient_norm_step,
    gradient_variance_step,
)
from gradatim.training.objectives.masked_language import masked_language_step
from gradatim.training.objectives.multi_task import multi_task_step
from gradatim.training.objectives.policy_gradient import Rollouts, policy_step
from gradatim.training.objectives.preferences import (
    answer_log_probs,
    comparison_step,
    dpo_step,
    policy_divergence,
)
from gradatim.training.objectives.pretext import (
    denoising_step,
    masked_reconstruction_step,
    rotation_step,
)
from gradatim.training.objectives.teacher_forcing import TeacherForcing, inverse_sigmoid_decay
from gradatim.training.replicas import Replicas, train_replicas
from gradatim.training.swa import SWA
from gradatim.training.switch_optimizer import SwitchOptimizer
from gradatim.training.trainer import Trainer
from gradatim.training.transfer import freeze, layerwise_groups, replace_head, unfreeze

__all__ = [
    "METRICS",
    "SWA",
    "Callback",
    "Checkpoint",
    "EarlyStopping",
    "History",
    "NonFiniteError",
    "Replicas",
    "Rollouts",
    "SwitchOptimizer",
    "TeacherForcing",
    "TensorBoard",
    "Ticket",
    "Trainer",
    "answer_log_probs",
    "augmented_step",
    "build_metric",
    "comparison_step",
    "ctc_step",
    "denoising_step",
    "distillation_step",
    "dpo_step",
    "find_tickets",
    "freeze",
    "gradient_norm_step",
    "gradient_variance_step",
    "inverse_sigmoid_decay",
    "layerwise_groups",
    "load_checkpoint",
    "masked_language_step",
    "masked_reconstruction_step",
    "mixup_step",
    "multi_task_step",
    "policy_divergence",
    "policy_step",
    "replace_head",
    "rotation_step",
    "save_checkpoint",
    "train_replicas",
    "unfreeze",
]
