"""Checked inputs of the models of this room: series, batches of sequences, lengths, covariances."""

import numpy as np
import torch
from torch import Tensor

from gradatim.errors import InvalidValue

Array = Tensor | np.ndarray


def as_series(owner: str, series: Array) -> Tensor:
    """Return one finite series as float64 of shape ``(T, D)``; a vector becomes one column."""
    values = torch.as_tensor(series).detach().double()
    if values.ndim == 1:
        values = values[:, None]  # (T, 1)
    if values.ndim != 2 or not values.numel():
        raise InvalidValue(
            f"{owner}: series must be (steps,) or (steps, variables) and not empty, "
            f"got shape {tuple(torch.as_tensor(series).shape)}."
        )
    if not torch.isfinite(values).all():
        bad = int((~torch.isfinite(values).all(1)).nonzero()[0])
        raise InvalidValue(
            f"{owner}: series must be finite, got NaN or infinity at step {bad}. "
            "Drop or interpolate missing values."
        )
    return values


def as_lengths(owner: str, lengths: Array | None, num_sequences: int, steps: int) -> Tensor:
    """Return the length of each sequence of a padded batch as int64, all of them ``steps`` by default."""
    if lengths is None:
        return torch.full((num_sequences,), steps)
    values = torch.as_tensor(lengths).detach().cpu()
    if values.shape != (num_sequences,) or values.is_floating_point():
        raise InvalidValue(
            f"{owner}: lengths must be one integer per sequence, {num_sequences}, "
            f"got {values.dtype} of shape {tuple(values.shape)}."
        )
    if values.min() < 1 or values.max() > steps:
        raise InvalidValue(
            f"{owner}: lengths must lie between 1 and the {steps} steps of the batch, "
            f"got {int(values.min())} to {int(values.max())}. Leave empty sequences out."
        )
    return values.long()


def check_covariance(owner: str, argument: str, matrix: Tensor, dim: int) -> None:
    """Refuse what is not a covariance: a symmetric, positive semidefinite ``dim`` × ``dim`` matrix.

    Leading axes are a batch of such matrices.
    """
    values = matrix.detach()
    if values.shape[-2:] != (dim, dim):
        raise InvalidValue(
            f"{owner}: {argument} must be {dim} × {dim}, got shape {tuple(values.shape)}."
        )
    if not torch.isfinite(values).all():
        raise InvalidValue(f"{owner}: {argument} must be finite, got NaN or infinity.")
    size = values.abs().max().item()
    slack = 1e3 * torch.finfo(values.dtype).eps * size
    if (values - values.mT).abs().max() > slack:
        raise InvalidValue(
            f"{owner}: {argument} must be symmetric, got entries that differ by "
            f"{(values - values.mT).abs().max():.3g} across the diagonal. Try (M + M.T) / 2."
        )
    least = torch.linalg.eigvalsh(values).min().item()
    if least < -slack:
        raise InvalidValue(
            f"{owner}: {argument} must be positive semidefinite, got eigenvalue {least:.4g}. "
            "A covariance has no negative variance in any direction."
        )
