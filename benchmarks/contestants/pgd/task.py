"""The task that the contestants of this folder do: PGD-20 in the maximum norm, all steps for all images.

What the clock calls an epoch is one attack on the whole batch, from the images themselves, pixels within [0, 1].
Nobody stops early: libraries that skip images already fooled are asked not to.
"""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.randomness import seeded

CONTESTANTS = ("gradatim", "hand_written", "torchattacks", "foolbox")


@dataclass(frozen=True)
class Task:
    """Images, and how to attack them.

    Args:
        X: Images in [0, 1], float32, shape ``(N, 1, 28, 28)``.
        source: What they are.
        eps: Largest change of a pixel.
        steps: Gradient steps.
    """

    X: np.ndarray
    source: str
    eps: float = 0.1
    steps: int = 20

    @property
    def flops(self) -> int:
        """Multiplications and additions of the layers, forwards and back to the images, in all steps."""
        layers = (28 * 28 * 16 * 25, 14 * 14 * 32 * 16 * 25, 32 * 7 * 7 * 100, 100 * 10)
        return 2 * 2 * sum(layers) * len(self.X) * self.steps


def build_victim(task: Task) -> tuple[nn.Sequential, Tensor, Tensor]:
    """The network, the images, and the classes that it gives them."""
    with seeded(0):
        network = nn.Sequential(
            nn.Conv2d(1, 16, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(32 * 7 * 7, 100),
            nn.ReLU(),
            nn.Linear(100, 10),
        )
    images = torch.from_numpy(task.X)
    with torch.inference_mode():
        labels = network.eval()(images).argmax(1)
    return network, images, labels.clone()


@torch.inference_mode()
def loss_after(network: nn.Module, images: Tensor, labels: Tensor) -> float:
    """Mean cross-entropy of the attacked images."""
    return F.cross_entropy(network(images), labels).item()
