"""Random numbers of a run: those for its batches are the same in all processes, those of models are their own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from gradatim.training.distributed.group import ALONE, Group

_STRIDE = 0x9E3779B9  # between the seeds of two processes


class Draws:
    """PyTorch's generator, and in a group of several a second state of it that all processes share.

    Args:
        seed: Of the run.
        group: The processes.

    Example:
        >>> Draws(0, ALONE).common is None
        True
    """

    def __init__(self, seed: int = 0, group: Group = ALONE) -> None:
        self.seed, self.group = seed, group
        self.common: Tensor | None = None

    def start(self, step: int = 0) -> None:
        """Begin both, once the generator was seeded.

        Args:
            step: Where a run begins again whose own numbers are not known.
        """
        if self.group.is_alone:
            return
        self.common = torch.get_rng_state()
        torch.manual_seed(self.seed + _STRIDE * (self.group.rank + 1) + step)

    def state_dict(self) -> dict[str, Any]:
        """The generator, and of several processes all of them and what they share."""
        if self.group.is_alone:
            return {"rng": torch.get_rng_state()}
        assert self.common is not None
        return {"rng": self.common, "rngs": self.group.gather_trees(torch.get_rng_state())}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on with what was drawn; as many processes as before each with its own numbers."""
        own = state.get("rngs")
        if self.group.is_alone:
            torch.set_rng_state(state["rng"])
            return
        self.common = state["rng"]
        if own is not None and len(own) == self.group.world_size:
            torch.set_rng_state(own[self.group.rank])

    @contextmanager
    def together(self) -> Iterator[None]:
        """While inside, draw what all processes draw."""
        if self.common is None:
            yield
            return
        own = torch.get_rng_state()
        torch.set_rng_state(self.common)
        try:
            yield
        finally:
            self.common = torch.get_rng_state()
            torch.set_rng_state(own)
