"""The task that the contestants of this folder do: a small GPT, trained by AdamW.

Everybody trains in float32 on the same windows, shuffled in every epoch, without dropout, clipping,
schedule or validation. Weights decay by 0.1, biases and norms do not.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

CONTESTANTS = ("gradatim", "nano_gpt")


@dataclass(frozen=True)
class Task:
    """Data and architecture.

    Args:
        tokens: Windows, shape ``(N, context + 1)``.
        vocab_size: Number of tokens.
        dim: Width of a position.
        num_layers: Blocks.
        num_heads: Heads of each attention.
        batch_size: Windows per step.
        source: What the data are.
        lr: Learning rate of AdamW.
    """

    tokens: Tensor
    vocab_size: int
    dim: int
    num_layers: int
    num_heads: int
    batch_size: int
    source: str
    lr: float = 1e-3

    @property
    def context(self) -> int:
        """Tokens of an input."""
        return self.tokens.shape[1] - 1

    @property
    def flops(self) -> int:
        """Multiplications and additions of the matrix products of an epoch, backward twice forward."""
        per_token = self.num_layers * (24 * self.dim**2 + 4 * self.context * self.dim)
        per_token += 2 * self.dim * self.vocab_size
        return 3 * len(self.tokens) * self.context * per_token


def make_task(steps: int) -> Task:
    """Random windows: they cost what text costs."""
    batch_size, context, vocab_size = 8, 256, 65
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(vocab_size, (steps * batch_size, context + 1), generator=generator)
    return Task(tokens, vocab_size, 256, 4, 8, batch_size, f"random tokens, {steps} steps")
