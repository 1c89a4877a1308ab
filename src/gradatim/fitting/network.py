"""A trained network as a candidate holds it: it predicts row by row, and a model folder can hold it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
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
    def compute(self, *rows: Tensor) -> Tensor:
        """Return what the module says of rows, as :meth:`run` and an exported program take them."""

    def run(
        self, *rows: np.ndarray, filler: Sequence[float] | None = None, block: int | None = None
    ) -> np.ndarray:
        """Return what the module says of any number of rows, in evaluation mode; bits do not depend on mates.

        Args:
            rows: As :meth:`compute` takes them, as arrays.
            filler: As in :func:`~gradatim.fitting.blocks.by_blocks`.
            block: Rows of one pass; that of the class by default.
        """

        def apply(*part: np.ndarray) -> np.ndarray:
            return self.compute(*map(torch.from_numpy, part)).double().numpy()

        with evaluation_mode(self.module), torch.inference_mode():
            return by_blocks(apply, *rows, block=block or self.block, filler=filler)

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


class Answer(nn.Module):
    """What a fitted network answers to tensors, as a module.

    Args:
        fitted: The network.
        finish: From what the module says to the answer, such as a softmax.
    """

    def __init__(self, fitted: FittedNetwork, finish: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.module, self.fitted, self.finish = fitted.module, fitted, finish

    def forward(self, *rows: Tensor) -> Tensor:
        return self.finish(self.fitted.compute(*rows))


def _plain(kind: type[FittedNetwork]) -> list[str]:
    return [own.name for own in fields(kind) if own.name != "module"]
