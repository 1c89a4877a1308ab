"""The task that the contestants of this folder do: the whole tangent kernel of LeNet, all pairs of images and of outputs.

What the clock calls an epoch is one kernel, shape ``(N, N, 10, 10)``.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gradatim.models import LeNet
from gradatim.randomness import seeded

CONTESTANTS = ("gradatim", "vmap_jacrev")


@dataclass(frozen=True)
class Task:
    """Images.

    Args:
        x: Shape ``(N, 1, 28, 28)``.
        source: What they are.
    """

    x: Tensor
    source: str

    @property
    def flops(self) -> int:
        """Multiplications and additions of the product of all gradients with all gradients."""
        size = sum(p.numel() for p in self.model().parameters())
        return 2 * size * (10 * len(self.x)) ** 2

    def model(self) -> nn.Module:
        with seeded(0):
            return LeNet().eval()


def build_task(quick: bool) -> Task:
    """Noise costs what digits cost."""
    count = 10 if quick else 200
    x = torch.rand(count, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    return Task(x, f"{count} images of noise, 28×28")
