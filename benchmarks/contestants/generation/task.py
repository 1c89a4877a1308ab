"""The task that the contestants of this folder do: greedy text from a small GPT with random weights."""

from dataclasses import dataclass

import torch
from torch import Tensor

CONTESTANTS = ("gradatim", "whole_prefix", "hugging_face")


@dataclass(frozen=True)
class Task:
    """A prompt and an architecture.

    Args:
        prompt: Tokens, shape ``(1, P)``.
        num_tokens: Tokens to add.
        vocab_size: Number of tokens.
        context: Most tokens the model can look at.
        dim: Width of a position.
        num_layers: Blocks.
        num_heads: Heads of each attention.
    """

    prompt: Tensor
    num_tokens: int
    vocab_size: int = 65
    context: int = 512
    dim: int = 256
    num_layers: int = 4
    num_heads: int = 8

    @property
    def source(self) -> str:
        """What the data are."""
        return f"a prompt of {self.prompt.shape[1]} random tokens"

    @property
    def flops(self) -> int:
        """Multiplications and additions of the matrix products with a cache, attention left out."""
        per_token = 24 * self.num_layers * self.dim**2 + 2 * self.dim * self.vocab_size
        return per_token * (self.prompt.shape[1] + self.num_tokens)


def make_task(num_tokens: int) -> Task:
    """A prompt of 16 tokens."""
    return Task(torch.arange(16).unsqueeze(0), num_tokens)
