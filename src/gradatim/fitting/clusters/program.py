"""Clusters as a module of tensors, from cells to distances."""

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.fitting.anomalies.readers import TableReader
from gradatim.fitting.clusters.centers import Centers
from gradatim.fitting.programs import Program
from gradatim.fitting.tables.program import TableFeatures, table_inputs


def cluster_program(fitted: Centers, reader: TableReader, weights: np.ndarray) -> Program:
    """The program of clusters.

    Args:
        fitted: The clusters.
        reader: From cells to features.
        weights: Factors of the features.
    """
    inputs, facts = table_inputs(reader.preprocessing)
    facts["reach"] = fitted.reach.tolist()
    facts["before"] = "The least of a row's distances names its cluster; beyond the 'reach' of that cluster the row is far."  # fmt: skip
    return Program(Distances(TableFeatures(reader.preprocessing), weights, fitted.centers), inputs, "distances", facts)  # fmt: skip


class Distances(nn.Module):
    """Distances of rows from all centers, in double precision.

    Args:
        features: From cells to features.
        weights: Factors of the features, shape ``(F,)``.
        centers: Shape ``(K, F)``.
    """

    def __init__(self, features: nn.Module, weights: np.ndarray, centers: np.ndarray) -> None:
        super().__init__()
        self.features = features
        self.register_buffer("weights", torch.from_numpy(weights.copy()))
        self.register_buffer("centers", torch.from_numpy(centers.copy()))
        self.weights: Tensor
        self.centers: Tensor

    def forward(self, *inputs: Tensor) -> Tensor:
        x = self.features(*inputs) * self.weights  # (N, F)
        return (x[:, None] - self.centers).square().sum(2).sqrt()  # (N, K)
