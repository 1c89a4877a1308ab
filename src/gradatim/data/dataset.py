"""The record that every loader returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidValue

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from gradatim.data.graph import Graph
    from gradatim.data.graph_batches import GraphSet


@dataclass(frozen=True, eq=False, repr=False)
class DataSet:
    """A data set: arrays, names, and where it comes from.

    Args:
        name: Its name in the catalogue.
        X: Inputs, one per row: numbers ``(N, D)``, images ``(N, C, H, W)``, texts ``(N,)`` of ``str``,
            sequences ``(N,)`` of arrays ``(T_n, D)``, or a data frame where a column is not numeric; features of the nodes
            of ``graph``, or the number of nodes of each of ``graphs``, shape ``(N, 1)``.
        y: Targets ``(N,)``: ``int64`` labels, ``float64`` values or texts; labels of pixels ``(N, H, W)`` for masks; ``None``
            where there is none.
        feature_names: One per column of ``X``; empty for images and texts.
        target_names: Class names, in the order of the labels; ``None`` where ``y`` has no classes.
        task: What the set is for: ``"classification"``, ``"regression"``, ``"text"``, ``"language"``, …
        split: Rows of the published training and test parts; ``None`` where nobody published one.
        groups: Number of each row's group, such as the document of a sentence; ``None`` where there are none.
        origin: Who made the data, and when.
        licence: Licence of the data.
        description: What a sample is, and what to know before fitting.
        graph: The one graph whose nodes are the samples; ``None`` elsewhere.
        graphs: The graphs that are the samples; ``None`` elsewhere.

    Example:
        >>> import numpy as np
        >>> data = DataSet("toy", np.eye(3), np.array([0, 1, 1]), split=(slice(0, 2), slice(2, 3)))
        >>> data
        DataSet('toy', X (3, 3) float64, y (3,) int64, split 2/1)
        >>> data.test[1]
        array([1])
    """

    name: str
    X: np.ndarray | pd.DataFrame
    y: np.ndarray | None
    feature_names: tuple[str, ...] = ()
    target_names: tuple[str, ...] | None = None
    task: str = "classification"
    split: tuple[slice, slice] | None = None
    groups: np.ndarray | None = None
    origin: str = ""
    licence: str = ""
    description: str = ""
    graph: Graph | None = None
    graphs: GraphSet | None = None

    @property
    def train(self) -> tuple[Any, Any]:
        """The published training part, ``(X, y)``."""
        return self._part(0)

    @property
    def test(self) -> tuple[Any, Any]:
        """The published test part, ``(X, y)``."""
        return self._part(1)

    @property
    def text(self) -> str:
        """The whole text of a language set."""
        if self.task != "language":
            raise InvalidValue(
                f"DataSet: text must be asked of a language set, got {self.name!r} for {self.task}. "
                "Its samples are in X."
            )
        return str(self.X[0])

    def _part(self, index: int) -> tuple[Any, Any]:
        if self.split is None:
            raise InvalidValue(
                f"DataSet: split must exist for .train and .test, got {self.name!r}, which was published whole. "
                "Split X and y yourself, for example with sklearn.model_selection.train_test_split."
            )
        rows = self.split[index]
        X = self.X[rows] if not hasattr(self.X, "iloc") else self.X.iloc[rows]
        return X, None if self.y is None else self.y[rows]

    def __repr__(self) -> str:
        kind = str(self.X.dtype) if not hasattr(self.X, "iloc") else "table"
        parts = [repr(self.name), f"X {self.X.shape} {kind}"]
        if self.y is not None:
            parts.append(f"y {self.y.shape} {self.y.dtype}")
        if self.split is not None:
            parts.append("split " + "/".join(str(len(self.X[rows])) for rows in self.split))
        return f"DataSet({', '.join(parts)})"
