"""What an engine is, and what it gets of a run."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from gradatim.training.batches import Batch
from gradatim.training.distributed.batch_norm import Rows
from gradatim.training.distributed.exchange import Exchange
from gradatim.training.distributed.group import ALONE
from gradatim.training.distributed.shares import Sharing
from gradatim.training.objectives.objective import Figures, Objective
from gradatim.training.precision import Precision

_CPU = torch.device("cpu")


class Engine(ABC):
    """Moves the model by one batch and returns its loss, detached; ``None`` where an objective reports none."""

    threads: int

    def mode(self) -> AbstractContextManager[object]:
        """Entered once per epoch: entering it in every step would cost as much as three layers."""
        return nullcontext()

    @abstractmethod
    def __call__(self, batch: Batch) -> Tensor | None: ...

    def sync(self) -> None:  # noqa: B027
        """Make the optimizer's ``state_dict`` complete."""

    def close(self) -> None:  # noqa: B027
        """Leave model and optimizer as PyTorch expects them."""


@dataclass(frozen=True)
class Run:
    """What an engine gets of a run.

    Args:
        model: The model to move.
        objective: What to minimize.
        optimizer: The rule.
        batch_size: Most rows of a batch cut from memory.
        clip_norm: Largest norm of the gradient.
        clip_value: Largest absolute value of an entry of the gradient.
        count: Counts the rows of a batch.
        observe: Told the loss of a batch, the batch, the other figures and the rows, before the backward pass.
        on_gradients: Told the loss when gradients are there, before the update.
        has_scheduler: Whether a scheduler counts the optimizer's steps.
        needs_autograd: Whether somebody asks for module hooks and an autograd graph.
        sharing: How batches are shared between processes and cut into parts.
        exchange: What processes tell each other in every step.
        rows: Whose rows batch normalization sees.
        precision: How the model computes.
        needs_forward: Whether the forward pass of the model itself must run, which is compiled or made again.
        explain: Told a part of a batch and which figure of it is not finite, before the backward pass.
    """

    model: nn.Module
    objective: Objective
    optimizer: Optimizer
    batch_size: int
    clip_norm: float | None
    clip_value: float | None
    count: Callable[[Batch], int]
    observe: Callable[[Tensor | None, Batch, Figures, int], None]
    on_gradients: Callable[[Tensor], None] | None
    has_scheduler: bool = False
    needs_autograd: bool = False
    sharing: Sharing = field(default_factory=Sharing)
    exchange: Exchange = field(default_factory=Exchange)
    rows: Rows = field(default_factory=lambda: Rows(ALONE))
    precision: Precision = field(default_factory=lambda: Precision("float32", _CPU, torch.float32))
    needs_forward: bool = False
    explain: Callable[[Batch, str], object] = lambda batch, figure: None
