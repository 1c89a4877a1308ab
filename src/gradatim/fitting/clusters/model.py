"""The saved clusters: what turns rows into features, the centers, and what they say."""

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from torch import Tensor

from gradatim.data.tables.reading import iterate
from gradatim.errors import require
from gradatim.fitting.anomalies.readers import TableReader, reader_from
from gradatim.fitting.clusters.centers import Centers
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.programs import Program
from gradatim.fitting.stored import Facts, StoredModel

CLUSTER, DISTANCE, FAR = "cluster", "distance", "far"
NETWORK = "network"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClusterModel(StoredModel):
    """Clusters, with everything that turns rows into features.

    Args:
        models: The clusters, under the name ``"k-means"``.
        recommended: That name.
        about: Plain facts: how many, silhouette, verdict, data.
        reader: From cells to features.
        weights: Factors of the features.
    """

    folder_kind = "cluster"
    members = (Centers,)
    own = ()

    reader: TableReader
    weights: np.ndarray

    @property
    def columns(self) -> list[str]:
        """Names of the columns that a table must have."""
        return self.reader.columns

    @property
    def centers(self) -> Centers:
        """The clusters."""
        found = self.fitted()
        assert isinstance(found, Centers)
        return found

    def predict(self, frame: pd.DataFrame, *, model: str = RECOMMENDED) -> pd.DataFrame:
        """Say to which cluster every row belongs.

        Args:
            frame: A table with at least the columns in :attr:`columns`.
            model: ``"recommended"``, or ``"k-means"``, which is the same.

        Returns:
            For every row ``cluster`` (from 1, the largest first), ``distance`` from its center, where 1 is a standard deviation of
            a column, and ``far``: whether the row is far from all clusters, as 1 % of the rows learned from are.
        """
        notes: list[str] = []
        table = pd.concat(self.prediction_tables(frame, model, notes), ignore_index=True)
        for sentence in notes:
            warnings.warn(sentence, stacklevel=2)
        return table

    def prediction_tables(self, data: "str | Path | pd.DataFrame", model: str, notes: list[str]) -> Iterator[pd.DataFrame]:  # fmt: skip
        """Assign rows, one table for each chunk."""
        fitted, unread, far, rows = self.fitted(model), Counter[str](), 0, 0
        for chunk in iterate(data, notes):
            labels, distances, is_far = fitted.assign(
                self.reader.read(chunk, unread) * self.weights
            )
            far, rows = far + int(is_far.sum()), rows + len(labels)
            yield pd.DataFrame({CLUSTER: labels + 1, DISTANCE: distances, FAR: is_far})
        notes += self.reader.describe(unread)
        if far:
            notes.append(f"{far:,} of {rows:,} rows {'is' if far == 1 else 'are'} far from all clusters, marked in the column {FAR!r}.")  # fmt: skip

    def program(self, which: str = NETWORK) -> Program:
        """The clusters as a program: cells of rows to squared distances from all centers; there is only one model."""
        from gradatim.fitting.clusters.program import cluster_program

        fitted = self.fitted(RECOMMENDED if which == NETWORK else which)
        return cluster_program(fitted, self.reader, self.weights)

    def rehearsal(self, model: str) -> np.ndarray:
        """Distances of rows that hold little."""
        _, distances, _ = self.fitted(model).assign(self.reader.made_up() * self.weights)
        return np.asarray(distances)

    def facts(self) -> Facts:
        """What turns rows into features."""
        return {"reader": self.reader.to_json(), "weights": self.weights.tolist()}

    @classmethod
    def arguments(cls, description: Facts, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Undo :meth:`facts`."""
        reader = reader_from(description["reader"])
        require(isinstance(reader, TableReader), "load_model: form must be table", "another")
        weights = np.array(description["weights"], dtype=np.float64)
        count = len(reader.shape().cells)
        is_sound = weights.shape == (count,) and bool((np.isfinite(weights) & (weights > 0)).all())
        require(is_sound, f"load_model: weights must be {count} positive numbers", "others")
        return {"reader": reader, "weights": weights}

    def __repr__(self) -> str:
        return f"ClusterModel({len(self.centers.centers)} clusters, {len(self.columns)} columns)"
