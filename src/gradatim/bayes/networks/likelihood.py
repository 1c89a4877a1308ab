"""What a network's outputs say of the targets: Gaussian numbers, or classes."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidType, InvalidValue, choose, require

LIKELIHOODS = ("gaussian", "categorical")


class Likelihood(NamedTuple):
    r"""The density of targets given outputs.

    .. math::
        \log p(y\mid f) = -\sum_{n,k}\Bigl(\frac{(y_{nk}-f_{nk})^2}{2\sigma^2}+\tfrac12\log2\pi\sigma^2\Bigr)
        \qquad\text{or}\qquad \sum_n\log\mathrm{softmax}(f_n)_{y_n}

    Args:
        kind: ``"gaussian"`` or ``"categorical"``.
        noise: :math:`\sigma^2`, which only numbers have.
    """

    kind: str
    noise: float

    @property
    def is_gaussian(self) -> bool:
        """Whether targets are numbers."""
        return self.kind == "gaussian"

    def log_density(self, outputs: Tensor, y: Tensor) -> Tensor:
        """The log-density of all rows together, ``(C, N, K)`` and ``y`` as :func:`read_targets` gives it, to ``(C,)``."""
        if self.is_gaussian:
            squares = (outputs - y).square().flatten(1).sum(1)
            constant = y.numel() / 2 * math.log(2 * math.pi * self.noise)
            return -squares / (2 * self.noise) - constant
        index = y.expand(len(outputs), -1).unsqueeze(-1)  # (C, N, 1)
        return outputs.log_softmax(-1).gather(-1, index).sum((1, 2))

    def answers(self, outputs: Tensor) -> Tensor:
        """What is averaged over networks: numbers as they are, probabilities of classes."""
        return outputs if self.is_gaussian else outputs.softmax(-1)


def find_likelihood(owner: str, likelihood: str, noise: float, y: Tensor) -> Likelihood:
    """The likelihood of a name; ``"auto"`` reads whole numbers as classes."""
    kind = choose(owner, "likelihood", likelihood, ("auto", *LIKELIHOODS))
    if kind == "auto":
        kind = "gaussian" if y.is_floating_point() else "categorical"
    rule = f"{owner}: noise must be a variance, positive and finite"
    require(0 < noise < math.inf, rule, noise, "Try noise=0.1.")
    return Likelihood(kind, float(noise))


def read_data(owner: str, model: nn.Module, data: object) -> tuple[Tensor, Tensor]:
    """Rows and targets as tensors, real numbers in the precision of the model."""
    if not isinstance(data, tuple | list) or len(data) != 2:
        raise InvalidType(f"{owner}: data must be a pair (X, y), got a {type(data).__name__}.")
    dtype = next((p.dtype for p in model.parameters() if p.is_floating_point()), torch.get_default_dtype())  # fmt: skip
    try:
        X, y = (torch.as_tensor(part) for part in data)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InvalidType(f"{owner}: data must hold numbers. {str(error).splitlines()[0]}") from error  # fmt: skip
    X, y = (part.to(dtype) if part.is_floating_point() else part for part in (X, y))
    rule = f"{owner}: X and y must have equally many rows, from 1"
    require(X.ndim and y.ndim and len(X) == len(y) > 0, rule, f"shapes {tuple(X.shape)} and {tuple(y.shape)}")  # fmt: skip
    for name, part in (("X", X), ("y", y)):
        require(bool(torch.isfinite(part).all()), f"{owner}: {name} must be finite", "others")
    return X, y


def read_targets(owner: str, likelihood: Likelihood, y: Tensor, outputs: Tensor) -> Tensor:
    """Targets in the shape of the outputs of one network, or class numbers that it knows."""
    shapes = f"y of shape {tuple(y.shape)} for outputs of shape {tuple(outputs.shape)}"
    if likelihood.is_gaussian:
        fits = y.numel() == outputs.numel() and len(y) == len(outputs)
        require(fits, f"{owner}: y must have a number per output", shapes)
        return y.to(outputs.dtype).reshape(outputs.shape)
    fits = outputs.ndim == 2 and outputs.shape[1] > 1 and y.ndim == 1
    remedy = "Say likelihood='gaussian' for numbers."
    require(fits, f"{owner}: y must have a class per row, and the model an output per class, from 2", shapes, remedy)  # fmt: skip
    if y.is_floating_point() and not torch.equal(y.round(), y):
        raise InvalidValue(f"{owner}: y must hold whole numbers for likelihood='categorical', got fractions. {remedy}")  # fmt: skip
    most = outputs.shape[1] - 1
    low, high = int(y.min()), int(y.max())
    require(0 <= low <= high <= most, f"{owner}: y must hold classes from 0 to {most}", f"{low} to {high}")  # fmt: skip
    return y.long()
