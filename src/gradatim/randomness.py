"""Randomness of one's own: drawn from a seed, and nobody else's is touched."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def seeded(seed: int, device: torch.device | str = "cpu") -> Iterator[None]:
    """Draw from PyTorch's generators as ``seed`` says; the caller's random state comes back at the end.

    Args:
        seed: Any whole number.
        device: Where else than on the CPU numbers are drawn.

    Example:
        >>> with seeded(0):
        ...     first = torch.rand(2)
        >>> with seeded(0):
        ...     torch.equal(torch.rand(2), first)
        True
    """
    devices = [device] if torch.device(device).type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        yield
