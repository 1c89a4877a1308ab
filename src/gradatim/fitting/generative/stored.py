"""What a stored generator is asked for, and what every one of them can do."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gradatim.errors import InvalidValue, require, require_seed
from gradatim.fitting.options import MOST
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to draw.

    Args:
        num_samples: How many.
        which: ``"recommended"``, or a generator of the folder such as ``"network"``.
        label: Class of every sample.
        where: Values that columns must have.
        guidance: How far to go beyond what the class asks for.
        steps: Evaluations of a diffusion model.
        seed: Fixes all draws.
    """

    num_samples: int
    which: str = RECOMMENDED
    label: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    guidance: float = 0.0
    steps: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        count, rule = self.num_samples, f"sample: num_samples must be a whole number from 1 to {MOST:,}"  # fmt: skip
        is_whole = isinstance(count, int) and not isinstance(count, bool) and 1 <= count <= MOST
        require(is_whole, rule, repr(count), "Try 1000.")
        require(0 <= self.guidance <= 100, "sample: guidance must be from 0 to 100", self.guidance, "Try 2.")  # fmt: skip
        if self.steps is not None:
            is_whole = isinstance(self.steps, int) and 1 <= self.steps <= 1000
            require(is_whole, "sample: steps must be a whole number from 1 to 1,000", repr(self.steps), "Try 20.")  # fmt: skip
        require_seed("sample", self.seed)


def check_diffusion(request: Request, name: str, *, has_diffusion: bool, has_classes: bool) -> None:
    """Refuse what only a diffusion model can be asked for, and name it where the folder has one.

    Args:
        request: What to draw.
        name: The generator that is to draw.
        has_diffusion: Whether the network of the folder is a diffusion model.
        has_classes: Whether it learned classes.
    """
    is_diffusion = name == NETWORK and has_diffusion
    remedy = " Try --model network." if has_diffusion else ""
    if request.guidance and not (is_diffusion and has_classes):
        raise InvalidValue(f"sample: guidance must be 0 for a generator that learned no classes by diffusion, got {request.guidance:g}.{remedy if has_classes else ''}")  # fmt: skip
    if request.steps is not None and not is_diffusion:
        raise InvalidValue(f"sample: steps must be left out for a generator that is no diffusion model, got {request.steps}.{remedy}")  # fmt: skip


class StoredGenerator(ABC):
    """Generators that ``fit --generative`` wrote, with everything that turns what they make into data.

    Attributes:
        about: Plain facts: figures, verdict, data.
        things: What is made: ``"rows"`` or ``"images"``.
    """

    things: str
    about: dict[str, Any]

    @abstractmethod
    def draw(self, request: Request, notes: list[str]) -> Any:
        """Return samples, as Python users want them; ``notes`` collects what drawing cost."""

    @abstractmethod
    def write(self, samples: Any, output: Path, inputs: Sequence[Path], notes: list[str]) -> None:
        """Write samples, whole or not at all; nothing of the user's is replaced."""

    @abstractmethod
    def check(self, output: Path, num_samples: int, inputs: Sequence[Path]) -> None:
        """Refuse an output before anything is drawn."""

    @abstractmethod
    def save(self, folder: str | Path, extra: Mapping[str, bytes] | None = None) -> Path:
        """Write a model folder that :func:`gradatim.load_model` reads."""
