"""The task that the contestants of this folder do: read sequences to their end and classify them.

Everybody trains one recurrent layer and one dense layer on its last output, in float32, by Adam, on the same
sequences, shuffled in every epoch, without clipping, schedule or validation.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

CONTESTANTS = ("gradatim", "fused_modules")


@dataclass(frozen=True)
class Task:
    """Data and architecture.

    Args:
        x: Sequences, shape ``(N, T, width)``.
        y: Classes, shape ``(N,)``.
        cell: What Gradatim runs over time.
        module: What PyTorch runs over time, a class of ``torch.nn``.
        batch_size: Sequences per step.
        classes: Number of classes.
        blocks: Gates and candidates of Gradatim's cell; an LRU's two maps count as one.
        source: What the data are.
        lr: Learning rate of Adam.
    """

    x: Tensor
    y: Tensor
    cell: str
    module: str
    batch_size: int
    classes: int
    blocks: int
    source: str
    lr: float = 1e-3

    @property
    def width(self) -> int:
        """Width of inputs and states."""
        return self.x.shape[-1]

    @property
    def flops(self) -> int:
        """Multiplications and additions of Gradatim's matrix products in an epoch, backward twice forward."""
        return 3 * self.x.shape[0] * self.x.shape[1] * 2 * self.blocks * 2 * self.width**2


def make_task(cell: str, module: str, *, steps: int, batch_size: int, length: int) -> Task:
    """Draw random sequences of width 128: they cost what others cost."""
    generator, classes = torch.Generator().manual_seed(0), 10
    x = torch.randn(steps * batch_size, length, 128, generator=generator)
    y = torch.randint(classes, (len(x),), generator=generator)
    blocks = {"lstm": 4, "gru": 3, "lru": 1}[cell]
    return Task(x, y, cell, module, batch_size, classes, blocks, f"noise, {steps} steps")
