"""Checked inputs of the linear models: design matrices, targets and labels, in double precision."""

import numpy as np
import torch
from torch import Tensor

from gradatim.errors import InvalidType, InvalidValue

Array = Tensor | np.ndarray


def as_design(owner: str, X: Array) -> Tensor:
    """Return ``X`` as a finite float64 matrix of shape ``(N, d)``; a vector becomes one column."""
    design = torch.as_tensor(X).detach().double()
    if design.ndim == 1:
        design = design[:, None]  # (N, 1)
    if design.ndim != 2 or not design.numel():
        raise InvalidValue(
            f"{owner}: X must be a matrix of samples by features, got shape {tuple(design.shape)}."
        )
    if not torch.isfinite(design).all():
        raise InvalidValue(
            f"{owner}: X must be finite, got NaN or infinity. Impute missing values."
        )
    return design


def as_target(owner: str, y: Array, num_samples: int) -> Tensor:
    """Return ``y`` as finite float64 of shape ``(N,)`` or ``(N, K)``."""
    target = torch.as_tensor(y).detach().double()
    if target.ndim not in (1, 2) or len(target) != num_samples:
        raise InvalidValue(
            f"{owner}: y must have one row per row of X, {num_samples}, got shape {tuple(target.shape)}."
        )
    if not torch.isfinite(target).all():
        raise InvalidValue(f"{owner}: y must be finite, got NaN or infinity. Drop those rows.")
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
    if labels.shape != (num_samples,):
        raise InvalidValue(
            f"{owner}: y must have one label per row of X, {num_samples}, got shape {tuple(labels.shape)}."
        )
    classes, indices = torch.unique(labels.long(), return_inverse=True)
    if len(classes) < 2:
        raise InvalidValue(
            f"{owner}: y must hold two or more classes, got only {classes.tolist()}."
        )
    return classes, indices
