"""The task that the contestants of this folder do: a network, trained by a pair of processes of one thread each.

Everybody trains in float32 on the same rows, shuffled in every epoch, by fused AdamW; each of a pair takes half of every batch.
"""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.models import GPT, MLP, CifarResNet

CONTESTANTS = ("gradatim", "one_process", "ddp", "lightning", "independent")
BATCH = {"mlp": 256, "resnet20": 64, "gpt": 8}  # of the pair
FLOPS = {"mlp": 6 * 235_146.0, "resnet20": 3 * 8.2e7, "gpt": 256 * 6 * 3_241_728.0}  # of a row


@dataclass(frozen=True)
class Task:
    """Data and network.

    Args:
        network: ``"mlp"``, ``"resnet20"`` or ``"gpt"``.
        X: Inputs.
        y: Targets.
        source: What the data are.
        lr: Learning rate.
    """

    network: str
    X: Tensor
    y: Tensor
    source: str
    lr: float = 1e-3

    @property
    def batch_size(self) -> int:
        """Rows of a step of the pair."""
        return BATCH[self.network]

    @property
    def flops(self) -> float:
        """Multiplications and additions of an epoch, backward twice forward."""
        return len(self.X) * FLOPS[self.network]

    def model(self) -> nn.Module:
        """A fresh network, the same in both processes."""
        torch.manual_seed(0)
        if self.network == "mlp":
            return MLP((784, 256, 128, 10))
        return CifarResNet(20) if self.network == "resnet20" else GPT(65, 256, 256, 4, 8)

    def loss(self, output: Tensor, y: Tensor) -> Tensor:
        """Cross-entropy, of every position where there are several."""
        return F.cross_entropy(output.reshape(-1, output.shape[-1]), y.reshape(-1))


def make_task(network: str, steps: int) -> Task:
    """Noise in the shape of what the network reads, which costs the same."""
    rows, noise = steps * BATCH[network], np.random.default_rng(0)
    if network == "gpt":
        tokens = torch.from_numpy(noise.integers(0, 65, (rows, 257)))
        return Task(
            network, tokens[:, :-1], tokens[:, 1:].contiguous(), f"random tokens, {steps} steps"
        )
    shape = (rows, 784) if network == "mlp" else (rows, 3, 32, 32)
    X = torch.from_numpy(noise.random(shape, dtype=np.float32))
    return Task(network, X, torch.from_numpy(noise.integers(0, 10, rows)), f"noise, {rows:,} rows")
