"""Checked inputs of the linear models: design matrices, targets and labels, in double precision."""

import numpy as np
import torch
from torch import Tensor

from gradatim.errors import InvalidType, require

Array = Tensor | np.ndarray
_BAD = "NaN or infinity"


def as_design(owner: str, X: Array) -> Tensor:
    """Return ``X`` as a finite float64 matrix of shape ``(N, d)``; a vector becomes one column."""
    design = torch.as_tensor(X).detach().double()
    if design.ndim == 1:
        design = design[:, None]  # (N, 1)
    is_matrix, shape = design.ndim == 2 and design.numel(), f"shape {tuple(design.shape)}"
    require(is_matrix, f"{owner}: X must be a matrix of samples by features", shape)
    require(design.isfinite().all(), f"{owner}: X must be finite", _BAD, "Impute missing values.")
    return design


def as_target(owner: str, y: Array, num_samples: int) -> Tensor:
    """Return ``y`` as finite float64 of shape ``(N,)`` or ``(N, K)``."""
    target = torch.as_tensor(y).detach().double()
    fits, shape = target.ndim in (1, 2) and len(target) == num_samples, tuple(target.shape)
    require(fits, f"{owner}: y must have one row per row of X, {num_samples}", f"shape {shape}")
    require(target.isfinite().all(), f"{owner}: y must be finite", _BAD, "Drop those rows.")
    return target


def as_labels(owner: str, y: Array, num_samples: int) -> tuple[Tensor, Tensor]:
    """Return the sorted classes and each sample's index into them, both int64."""
    if isinstance(y, np.ndarray) and y.dtype.kind not in "biu":
        raise InvalidType(
            f"{owner}: y must hold integer labels, got {y.dtype}. "
            "Try sklearn.preprocessing.LabelEncoder."
        )
    labels = torch.as_tensor(y).detach()
    if labels.is_floating_point():
        raise InvalidType(f"{owner}: y must hold integer labels, got {labels.dtype}. Try y.long().")
    fits, shape = labels.shape == (num_samples,), f"shape {tuple(labels.shape)}"
    require(fits, f"{owner}: y must have one label per row of X, {num_samples}", shape)
    classes, indices = torch.unique(labels.long(), return_inverse=True)
    only = f"only {classes.tolist()}"
    require(len(classes) >= 2, f"{owner}: y must hold two or more classes", only)
    return classes, indices
