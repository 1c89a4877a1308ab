"""Models on numbers that are made of a whole series: its statistics and spectrum, or the answers of random kernels."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from gradatim.errors import choose, require
from gradatim.fitting.sequences.problem import MOST_STEPS
from gradatim.fitting.sequences.steps import Sequences
from gradatim.fitting.stored import Facts, whole
from gradatim.fitting.tables import predictors
from gradatim.fitting.tables.predictors import Fitted
from gradatim.timeseries import RandomKernels, describe_series

NOTHING, STATISTICS, KERNELS = "nothing", "statistics", "kernels"
PART = 256  # series that are read at once
PREFIX = "kernels."


@dataclass(eq=False, repr=False)
class FeatureModel:
    """A model on features of a whole series.

    Args:
        source: What the features are: ``"nothing"``, ``"statistics"`` or ``"kernels"``.
        fitted: The model on them.
        kernels: The kernels, where they are the source.
    """

    kind: ClassVar[str] = "features"

    source: str
    fitted: Fitted
    kernels: RandomKernels | None = field(default=None)

    @property
    def classes(self) -> int:
        """Number of classes; 0 for regression."""
        return self.fitted.classes

    @property
    def settings(self) -> dict[str, Any]:
        """What was chosen."""
        return self.fitted.settings

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return self.fitted.parameters + (0 if self.kernels is None else self.kernels.num_features)

    def outputs(self, sequences: Sequences) -> np.ndarray:
        """Return probabilities ``(N, classes)``, or values ``(N,)``."""
        return predictors.predict(self.fitted, extract(self.source, sequences, self.kernels))

    def rehearse(self, sequences: Sequences) -> np.ndarray:
        """Outputs, once the model asks for no features that there are not."""
        if self.kernels is not None:
            width, own = max(sequences.num_moving, 1), self.kernels.num_channels
            require(width == own, f"load_model: kernels must be for {width} channels", own)
        return predictors.rehearse(self.fitted, extract(self.source, sequences, self.kernels))

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and everything learned."""
        facts, tensors = self.fitted.store()
        own: Facts = {"kind": self.kind, "source": self.source, "fitted": facts}
        if self.kernels is not None:
            k = self.kernels
            own["num_channels"] = k.num_channels
            tensors |= {PREFIX + n: getattr(k, n) for n in ("dilations", "counts", "channels", "thresholds")}  # fmt: skip
        return own, tensors

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "FeatureModel":
        """Undo :meth:`store`; kernels that do not belong together are refused."""
        source = choose("load_model", "source", facts["source"], (NOTHING, STATISTICS, KERNELS))
        own = {n.removeprefix(PREFIX): t for n, t in tensors.items() if n.startswith(PREFIX)}
        rest = {n: t for n, t in tensors.items() if not n.startswith(PREFIX)}
        kernels = _restore_kernels(facts, own) if source == KERNELS else None
        return cls(source, Fitted.restore(facts["fitted"], rest), kernels)


def _restore_kernels(facts: Facts, own: Mapping[str, Tensor]) -> RandomKernels:
    dilations, counts, channels = own["dilations"], own["counts"], own["channels"]
    num_channels = whole(facts, "num_channels", 1_000_000)
    is_whole = (
        dilations.ndim == counts.ndim == 1 and len(dilations) == len(counts) == len(channels) > 0
        and channels.ndim == 3 and own["thresholds"].ndim == 1 and own["thresholds"].is_floating_point()
        and not any(t.is_floating_point() for t in (dilations, counts, channels))
        and int(dilations.min()) >= 1 and int(dilations.max()) <= MOST_STEPS and int(counts.min()) >= 1
        and int(counts.sum()) * channels.shape[1] == len(own["thresholds"])
        and int(channels.min()) >= 0 and int(channels.max()) <= num_channels
    )  # fmt: skip
    require(is_whole, "load_model: kernels must have dilations, channels and thresholds that fit each other", "others")  # fmt: skip
    return RandomKernels(dilations, counts, channels, own["thresholds"], num_channels)


def extract(source: str, sequences: Sequences, kernels: RandomKernels | None = None) -> np.ndarray:
    """Features of series, shape ``(N, features)``; what never changes within a series is among them.

    Args:
        source: ``"nothing"``, ``"statistics"`` or ``"kernels"``.
        sequences: The series.
        kernels: The kernels, for ``"kernels"``.
    """
    if source == NOTHING:
        return np.zeros((len(sequences), 0))
    parts = []
    for start in range(0, len(sequences), PART):
        own = sequences.take(np.arange(start, min(start + PART, len(sequences))))
        steps = torch.from_numpy(own.padded()[..., : own.num_moving])
        lengths = torch.from_numpy(own.lengths)
        if own.num_moving == 0:
            made = torch.zeros(len(own), 0)
        elif source == STATISTICS:
            made = describe_series(steps, lengths).values
        else:
            assert kernels is not None
            made = kernels.features(steps, lengths)
        parts.append(np.concatenate([made.double().numpy(), own.static], axis=1))
    return np.concatenate(parts)
