"""What the output of a decoder says about data: log-likelihood, draws and mean, one class for each kind of data."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, choose, require


class Likelihood(nn.Module, ABC):
    r"""How data are drawn, given what a decoder says: :math:`p(x \mid z) = p(x \mid \text{decoded})`.

    Write one for other data by its three methods; a :class:`VAE` takes it as ``likelihood=``. What it learns itself, as a
    variance, it holds as parameters. A decoded batch may have dimensions more in front, of several draws of
    :math:`z` for each row; results then have them too. Called, it is its log-probability.

    Example:
        >>> class Poisson(Likelihood):
        ...     def log_prob(self, decoded, x):
        ...         return (x * decoded - decoded.exp() - (x + 1).lgamma()).sum(-1)
        ...     def mean(self, decoded):
        ...         return decoded.exp()
        ...     def sample(self, decoded, *, generator=None):
        ...         return torch.poisson(decoded.exp(), generator)
        >>> Poisson()(torch.zeros(5, 3, 2), torch.zeros(3, 2)).shape
        torch.Size([5, 3])
    """

    @abstractmethod
    def log_prob(self, decoded: Tensor, x: Tensor) -> Tensor:
        """Log-probability of rows ``x`` of shape ``(B, ...)`` under ``decoded`` ``(..., B, ...)``; shape ``(..., B)``."""

    @abstractmethod
    def mean(self, decoded: Tensor) -> Tensor:
        """The mean of x under ``decoded``, as one looks at it."""

    @abstractmethod
    def sample(self, decoded: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        """Draw x under ``decoded``."""

    def forward(self, decoded: Tensor, x: Tensor) -> Tensor:
        return self.log_prob(decoded, x)


class Bernoulli(Likelihood):
    r"""Data of zeros and ones, or probabilities of ones; the decoder gives logits :math:`l`.

    .. math:: \log p(x \mid l) = \sum_j x_j \log\sigma(l_j) + (1 - x_j)\log(1 - \sigma(l_j))

    With grey values in [0, 1] in the place of zeros and ones this is no log-probability: it does not integrate to 1.
    Draw zeros and ones from them, anew for every batch, as ``BoundObjective(augment=torch.bernoulli)`` does.

    Example:
        >>> Bernoulli()(torch.zeros(1, 3), torch.tensor([[0.0, 1.0, 1.0]])) / math.log(2)
        tensor([-3.])
    """

    @takes_arrays
    def log_prob(self, decoded: Tensor, x: Tensor) -> Tensor:
        target = x.to(decoded.dtype).expand_as(decoded)
        return -_sum_rows(F.binary_cross_entropy_with_logits(decoded, target, reduction="none"), x)

    @takes_arrays
    def mean(self, decoded: Tensor) -> Tensor:
        return decoded.sigmoid()

    @takes_arrays
    def sample(self, decoded: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        return torch.bernoulli(decoded.sigmoid(), generator=generator)


class Gaussian(Likelihood):
    r"""Real numbers; the decoder gives the mean :math:`\mu`, and the variance is learned.

    .. math:: \log p(x \mid \mu) = -\frac12\sum_j\Big(\frac{(x_j-\mu_j)^2}{\sigma_j^2} + \log 2\pi\sigma_j^2\Big)

    A variance fixed at 1 is an arbitrary weight of the squared error against the KL term: :math:`\beta` in disguise.

    Args:
        dim: Columns of a table, each with a variance of its own; ``None`` has one for all entries.
        variance: The variance at the start.
        is_learned: Whether it is learned.

    Example:
        >>> Gaussian()(torch.zeros(1, 2), torch.zeros(1, 2)) / math.log(2 * math.pi)
        tensor([-1.], grad_fn=<DivBackward0>)

    Reference:
        Rybkin, Daniilidis, Levine, Simple and Effective VAE Training with Calibrated Decoders, 2021.
    """

    def __init__(
        self, dim: int | None = None, *, variance: float = 1.0, is_learned: bool = True
    ) -> None:
        super().__init__()
        require(dim is None or dim >= 1, "Gaussian: dim must be at least 1 or None", dim)
        require(variance > 0, "Gaussian: variance must be more than 0", variance, "Try 1.0.")
        self.dim, self.variance, self.is_learned = dim, variance, is_learned
        start = torch.full(() if dim is None else (dim,), math.log(variance))
        self.log_variance = nn.Parameter(start, requires_grad=is_learned)

    @takes_arrays
    def log_prob(self, decoded: Tensor, x: Tensor) -> Tensor:
        squared = (x - decoded).square() * (-self.log_variance).exp()
        return -0.5 * _sum_rows(squared + (self.log_variance + math.log(2 * math.pi)), x)

    @takes_arrays
    def mean(self, decoded: Tensor) -> Tensor:
        return decoded

    @takes_arrays
    def sample(self, decoded: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        noise = torch.randn(decoded.shape, generator=generator, dtype=decoded.dtype, device=decoded.device)  # fmt: skip
        return decoded + (0.5 * self.log_variance).exp() * noise


LIKELIHOODS: dict[str, Callable[[], Likelihood]] = {"bernoulli": Bernoulli, "gaussian": Gaussian}


def build_likelihood(owner: str, likelihood: str | Likelihood) -> Likelihood:
    """Return the likelihood of that name, or the one given.

    >>> build_likelihood("VAE", "gaussian")
    Gaussian()
    """
    if isinstance(likelihood, Likelihood):
        return likelihood
    if not isinstance(likelihood, str):
        raise InvalidType(f"{owner}: likelihood must be a name or a Likelihood, got {type(likelihood).__name__}. Try 'bernoulli'.")  # fmt: skip
    return LIKELIHOODS[choose(owner, "likelihood", likelihood, LIKELIHOODS)]()


def _sum_rows(values: Tensor, x: Tensor) -> Tensor:
    """Sum over the entries of a row, and over nothing before them."""
    return values.flatten(values.ndim - x.ndim + 1).sum(-1) if x.ndim > 1 else values
