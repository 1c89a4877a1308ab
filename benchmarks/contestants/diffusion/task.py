"""The task that the contestants of this folder do: noise prediction by class, or samples of it.

Everybody has the same U-Net, learns in float32 by Adam with shuffling in every epoch, a tenth of the classes hidden and no
average of weights, and samples by the second-order solver.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from gradatim.models import TimeUNet

CONTESTANTS = ("gradatim", "hand_written")
CLASSES = 10


@dataclass(frozen=True)
class Task:
    """Images, and whether to learn them or to draw new ones.

    Args:
        X: Images from -1 to 1, float32, shape ``(N, 1, 28, 28)``.
        y: Labels, int64, shape ``(N,)``.
        is_training: Whether an epoch is one pass over the images, or so many samples.
        source: What the data are.
        batch_size: Images per step.
        steps: Looks at the network for a sample.
        num_steps: Levels of noise.
        lr: Learning rate of Adam.
    """

    X: np.ndarray
    y: np.ndarray
    is_training: bool
    source: str
    batch_size: int = 128
    steps: int = 10
    num_steps: int = 1000
    lr: float = 1e-3

    def network(self) -> TimeUNet:
        """Build the network with its first weights."""
        torch.manual_seed(0)
        return TimeUNet(1, 28, CLASSES, widths=(32, 64), num_blocks=1)

    @cached_property
    def flops(self) -> int:
        """Multiplications and additions of the convolutions and matrix products of an epoch."""
        network, x = self.network(), torch.from_numpy(self.X[: self.batch_size])
        time = torch.rand(len(x))
        with FlopCounterMode(display=False) as counter:
            answer = network(x, time, torch.zeros(len(x), dtype=torch.long))
            if self.is_training:
                answer.sum().backward()
        looks = 1 if self.is_training else self.steps
        return counter.get_total_flops() * looks * len(self.X) // self.batch_size

    def figure(self, network: TimeUNet, drawn: Tensor | None) -> float:
        """The error about the noise at the middle level, or the deviation of the pixels that were drawn."""
        if drawn is not None:
            return float(drawn.std())
        x = torch.from_numpy(self.X[: self.batch_size])
        noise = torch.randn(x.shape, generator=torch.Generator().manual_seed(0))
        label = torch.from_numpy(self.y[: self.batch_size])
        with torch.inference_mode():
            answer = network.eval()((x + noise) / 2**0.5, torch.full((len(x),), 0.25), label)
        network.train()
        return float((answer - noise).square().mean())
