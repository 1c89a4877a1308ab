"""The task that the contestants of this folder do: a convolutional classifier, trained by Adam.

Everybody builds the same network and trains it in float32, with shuffling in every epoch, without weight
decay, without augmentation and without validation.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from gradatim.models import build

IMAGE_CONTESTANTS = ("gradatim", "channels_first", "channels_last", "compiled")


@dataclass(frozen=True)
class Task:
    """Images and architecture.

    Args:
        X: Images, float32, shape ``(N, C, H, W)``.
        y: Labels, int64, shape ``(N,)``.
        network: Name of the architecture.
        batch_size: Images per step.
        source: What the data are.
        lr: Learning rate of Adam.
    """

    X: np.ndarray
    y: np.ndarray
    network: str
    batch_size: int
    source: str
    lr: float = 1e-3

    def model(self) -> nn.Module:
        """Build the network with its first weights."""
        torch.manual_seed(0)
        return build(self.network, num_classes=10)

    @cached_property
    def flops(self) -> int:
        """Multiplications and additions of the convolutions and matrix products of an epoch."""
        x, y = (torch.from_numpy(a[: self.batch_size]) for a in (self.X, self.y))
        with FlopCounterMode(display=False) as counter:
            F.cross_entropy(self.model()(x), y).backward()
        return counter.get_total_flops() * len(self.X) // self.batch_size

    @torch.inference_mode()
    def accuracy(self, network: nn.Module) -> float:
        """Return the share of images whose largest score is that of their label."""
        scores = network.eval()(torch.from_numpy(self.X))
        return float((scores.argmax(1).numpy() == self.y).mean())
