"""Markov chains: rows of probabilities, and where a chain ends."""

import torch
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.timeseries.inputs import Array


def as_probabilities(
    owner: str, argument: str, rows: Array, shape: tuple[int | None, ...]
) -> Tensor:
    """Return ``rows`` as float64 of the given shape (``None`` is any size), each row summing to one."""
    values = torch.as_tensor(rows, dtype=torch.float64)
    fits = values.ndim == len(shape) and all(
        want in (None, size) for want, size in zip(shape, values.shape, strict=True)
    )
    if not fits or not values.numel():
        wanted = " × ".join("any" if want is None else str(want) for want in shape)
        raise InvalidValue(
            f"{owner}: {argument} must have size {wanted}, got shape {tuple(values.shape)}."
        )
    if not (values.detach() >= 0).all():  # NaN is not either
        raise InvalidValue(
            f"{owner}: {argument} must hold probabilities, got negative ones or NaN."
        )
    totals = values.detach().sum(-1).reshape(-1)
    worst = int((totals - 1).abs().argmax())
    if (totals[worst] - 1).abs() > 1e-5:
        row = f" in row {worst}" if values.ndim > 1 else ""
        raise InvalidValue(
            f"{owner}: {argument} must sum to one{' in every row' * (values.ndim > 1)}, "
            f"got {totals[worst]:.6g}{row}. Try p / p.sum(-1, keepdims=True)."
        )
    return values / values.sum(-1, keepdim=True)


def stationary_distribution(transition: Array) -> Tensor:
    r"""The distribution that a Markov chain keeps: :math:`\pi A=\pi`, :math:`\sum_i\pi_i=1`.

    Args:
        transition: :math:`a_{ij}=P(s_t=j\mid s_{t-1}=i)`, shape ``(K, K)``.

    Returns:
        :math:`\pi`, shape ``(K,)``.

    Example:
        >>> stationary_distribution(torch.tensor([[0.9, 0.1], [0.3, 0.7]]).double())
        tensor([0.7500, 0.2500], dtype=torch.float64)
    """
    size = len(transition)
    A = as_probabilities("stationary_distribution", "transition", transition, (size, size))
    eye = torch.eye(size, dtype=A.dtype)
    values, vectors = torch.linalg.eigh((A - eye) @ (A - eye).T)
    if size > 1 and values[1] < 1e-12:
        raise InvalidValue(
            "stationary_distribution: transition must connect all recurrent states, got a chain that falls "
            "apart, so that more than one distribution is kept. Take one part of it."
        )
    return vectors[:, 0] / vectors[:, 0].sum()
