"""A trained network as a candidate holds it: it predicts row by row, and a model folder can hold it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, Self

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.fitting.blocks import by_blocks
from gradatim.fitting.stored import LONGEST, Facts, restore_network, whole
from gradatim.models import describe
from gradatim.nn.training_modes import evaluation_mode

SIZES = {"length", "tokens"}  # settings by which inputs are filled up


@dataclass(eq=False, repr=False)
class FittedNetwork(ABC):
    """A trained module with what its inputs and outputs need to know: fields that are plain data.

    Args:
        module: The trained network.
    """

    kind: ClassVar[str] = "network"
    block: ClassVar[int] = 64  # rows of one forward pass, always filled

    module: nn.Module

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return sum(p.numel() for p in self.module.parameters())

    @abstractmethod
    def forward(self, *rows: np.ndarray) -> Tensor:
        """Return what the module says of rows as arrays."""

    def run(self, *rows: np.ndarray, filler: Sequence[float] | None = None) -> np.ndarray:
        """Return what the module says of any number of rows, in evaluation mode; bits do not depend on mates.

        Args:
            rows: As :meth:`forward` takes them.
            filler: As in :func:`~gradatim.fitting.blocks.by_blocks`.
        """

        def apply(*part: np.ndarray) -> np.ndarray:
            return self.forward(*part).double().numpy()

        with evaluation_mode(self.module), torch.inference_mode():
            return by_blocks(apply, *rows, block=self.block, filler=filler)

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and the weights."""
        facts = {name: getattr(self, name) for name in _plain(type(self))}
        facts |= {"kind": self.kind, "module": describe(self.module)}
        return facts, self.module.state_dict()

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> Self:
        """Undo :meth:`store`."""
        for name in SIZES & facts.get("settings", {}).keys():
            whole(facts["settings"], name, LONGEST)
        module = restore_network(facts["module"], tensors)
        return cls(module, **{name: facts[name] for name in _plain(cls)})


def _plain(kind: type[FittedNetwork]) -> list[str]:
    return [own.name for own in fields(kind) if own.name != "module"]
