"""The training engine: a loop, what it minimizes, its record, its observers."""

from gradatim.training.batches import WeightedBatch
from gradatim.training.callbacks import Callback, EarlyStopping, TensorBoard
from gradatim.training.checkpoint import (
    Checkpoint,
    load_checkpoint,
    merge_checkpoint,
    save_checkpoint,
)
from gradatim.training.ema import EMA
from gradatim.training.health import NonFiniteError, explain_bad_loss
from gradatim.training.history import EngineChoice, History
from gradatim.training.lottery_ticket import Ticket, find_tickets
from gradatim.training.metrics import METRICS, build_metric
from gradatim.training.objectives.augmented import Augmented
from gradatim.training.objectives.ctc import CTCObjective
from gradatim.training.objectives.distillation import Distillation
from gradatim.training.objectives.gradient_penalties import (
    GradientNormPenalty,
    GradientVariancePenalty,
)
from gradatim.training.objectives.masked_language import MaskedLanguage
from gradatim.training.objectives.mix_up import MixUp
from gradatim.training.objectives.multi_task import MultiTaskObjective
from gradatim.training.objectives.objective import Objective
from gradatim.training.objectives.policy_gradient import PolicyGradient, Rollouts
from gradatim.training.objectives.preferences import (
    DPO,
    RewardComparison,
    answer_log_probs,
    policy_divergence,
)
from gradatim.training.objectives.pretext import Denoising, MaskedReconstruction, Rotation
from gradatim.training.objectives.supervised import Supervised
from gradatim.training.objectives.teacher_forcing import TeacherForcing, inverse_sigmoid_decay
from gradatim.training.objectives.truncated_bptt import TruncatedBPTT
from gradatim.training.replicas import Replicas, train_replicas
from gradatim.training.swa import SWA
from gradatim.training.switch_optimizer import SwitchOptimizer
from gradatim.training.trainer import Trainer
from gradatim.training.transfer import freeze, layerwise_groups, replace_head, unfreeze

__all__ = [
    "DPO",
    "EMA",
    "METRICS",
    "SWA",
    "Augmented",
    "CTCObjective",
    "Callback",
    "Checkpoint",
    "Denoising",
    "Distillation",
    "EarlyStopping",
    "EngineChoice",
    "GradientNormPenalty",
    "GradientVariancePenalty",
    "History",
    "MaskedLanguage",
    "MaskedReconstruction",
    "MixUp",
    "MultiTaskObjective",
    "NonFiniteError",
    "Objective",
    "PolicyGradient",
    "Replicas",
    "RewardComparison",
    "Rollouts",
    "Rotation",
    "Supervised",
    "SwitchOptimizer",
    "TeacherForcing",
    "TensorBoard",
    "Ticket",
    "Trainer",
    "TruncatedBPTT",
    "WeightedBatch",
    "answer_log_probs",
    "build_metric",
    "explain_bad_loss",
    "find_tickets",
    "freeze",
    "inverse_sigmoid_decay",
    "layerwise_groups",
    "load_checkpoint",
    "merge_checkpoint",
    "policy_divergence",
    "replace_head",
    "save_checkpoint",
    "train_replicas",
    "unfreeze",
]
