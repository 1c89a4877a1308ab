"""The nearest training series under dynamic time warping."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from gradatim.errors import require
from gradatim.fitting.sequences.steps import Sequences
from gradatim.fitting.stored import Facts, arrays_from, whole
from gradatim.model_folder import tensors_from
from gradatim.timeseries import nearest_by_dtw

BAND = 0.1  # share of a series by which its clock may differ
ASKED = 150  # training series that tell how often the nearest is right
QUERIES = 64  # series that are compared at once


@dataclass(eq=False, repr=False)
class NearestNeighbour:
    r"""The class, or the value, of the training series that is nearest under dynamic time warping.

    Of training series, the nearest other one has the right class with frequency :math:`a`; so has, it is supposed, that of new
    ones: the class of the nearest gets the probability :math:`a`, the others share the rest as they share the training series.

    Args:
        sequences: The training series.
        target: Their classes or values.
        classes: Number of classes; 0 for regression.
        settings: ``band`` and, for classes, ``right`` (:math:`a`).
    """

    kind: ClassVar[str] = "nearest"

    sequences: Sequences
    target: np.ndarray
    classes: int
    settings: dict[str, Any]

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return self.sequences.values.size + self.target.size

    def nearest(self, sequences: Sequences, count: int = 1) -> np.ndarray:
        """The nearest training series of each, nearest first, shape ``(N, count)``."""
        own = self.sequences
        references, lengths = torch.from_numpy(own.padded()), torch.from_numpy(own.lengths)
        found = []
        for start in range(0, len(sequences), QUERIES):
            part = sequences.take(np.arange(start, min(start + QUERIES, len(sequences))))
            found.append(
                nearest_by_dtw(
                    torch.from_numpy(part.padded()), references, num_neighbours=count, band=self.settings["band"],
                    query_lengths=torch.from_numpy(part.lengths), reference_lengths=lengths,
                ).indices.numpy()
            )  # fmt: skip
        return np.concatenate(found)

    def outputs(self, sequences: Sequences) -> np.ndarray:
        """Return probabilities ``(N, classes)``, or values ``(N,)``."""
        said = self.target[self.nearest(sequences)[:, 0]]
        if not self.classes:
            return said.astype(np.float64)
        counts = np.bincount(self.target, minlength=self.classes) + 1.0 / self.classes
        rest = np.broadcast_to(counts, (len(said), self.classes)).copy()
        rows = np.arange(len(said))
        rest[rows, said] = 0.0
        outputs = (1.0 - self.settings["right"]) * rest / rest.sum(1, keepdims=True)
        outputs[rows, said] = self.settings["right"]
        return outputs

    def rehearse(self, sequences: Sequences) -> np.ndarray:
        """Outputs, from few of the training series."""
        width, own = sequences.values.shape[1], self.sequences.values.shape[1]
        require(width == own, f"load_model: stored series must have {width} features", own)
        few = np.arange(min(len(self.target), 3))
        short = NearestNeighbour(self.sequences.take(few), self.target[few], self.classes, self.settings)  # fmt: skip
        return short.outputs(sequences)

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and the series."""
        own = self.sequences
        arrays = {"values": own.values, "lengths": own.lengths, "target": self.target}
        facts = {"kind": self.kind, "classes": self.classes, "settings": self.settings, "num_static": own.num_static}  # fmt: skip
        return facts, tensors_from(arrays)

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "NearestNeighbour":
        """Undo :meth:`store`; series and targets that do not belong together are refused."""
        a = arrays_from(tensors)
        values, lengths, target = a["values"], a["lengths"], a["target"]
        classes, settings = whole(facts, "classes", 10_000), dict(facts["settings"])
        is_whole = (
            values.ndim == 2 and lengths.ndim == target.ndim == 1 and len(lengths) == len(target) > 0
            and values.dtype.kind == "f" and lengths.dtype.kind == "i" and int(lengths.min()) >= 1 and int(lengths.sum()) == len(values)
        )  # fmt: skip
        require(is_whole, "load_model: series must have steps and a target each", "others")
        fits = not classes or (target.dtype.kind == "i" and target.min() >= 0 and target.max() < classes)  # fmt: skip
        require(fits, f"load_model: targets must be classes from 0 to {classes - 1}", "others")
        for name in ("band", "right") if classes else ("band",):
            share = settings[name]
            is_share = isinstance(share, float) and 0.0 <= share <= 1.0
            require(is_share, f"load_model: {name} must be a share from 0 to 1", repr(share))
        num_static = whole(facts, "num_static", values.shape[1])
        return cls(Sequences(values, lengths, num_static), target, classes, settings)


def fit_nearest(
    sequences: Sequences,
    y: np.ndarray,
    classes: int,
    seed: int,
    chosen: Mapping[str, Any] | None = None,
) -> NearestNeighbour:
    """Keep the series; for classes, measure how often the nearest other one is of the same class.

    Args:
        sequences: Training series.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        seed: Fixes which series are asked.
        chosen: Settings, once they were measured.
    """
    model = NearestNeighbour(sequences, y, classes, dict(chosen or {"band": BAND}))
    if not classes or "right" in model.settings:
        return model
    rows = np.sort(np.random.default_rng([seed, 8]).permutation(len(y))[:ASKED])
    near = model.nearest(sequences.take(rows), 2)
    others = np.where(near[:, 0] == rows, near[:, 1], near[:, 0])
    hits = int((y[others] == y[rows]).sum())
    model.settings["right"] = float((hits + 1.0 / classes) / (len(rows) + 1.0))
    return model
