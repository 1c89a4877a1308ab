"""What a decoder says of a row of a table: Gaussian numbers, categories by their log-odds."""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.generative.likelihoods import Likelihood


class RowLikelihood(Likelihood):
    r"""Mixed columns, as :class:`~gradatim.generative.RowCodec` writes them as vectors.

    .. math:: \log p(x \mid d) = \sum_{\text{numbers}} \log N(x_j; d_j, \sigma_j^2)
        + \sum_{\text{categories}} \log \operatorname{softmax}(d_c)_{k(x_c)}

    The variance of every number is learned, but stays above a thousandth. A category of one entry is there or not, by
    :math:`\sigma(d_j)`; one of several is the entry that is 1.

    Args:
        widths: Entries of every block in order; a negative width is that of a category, 1 a number.

    Example:
        >>> likelihood = RowLikelihood([1, -3, -1])
        >>> row = torch.tensor([[0.5, -1.0, 1.0, -1.0, 1.0]])
        >>> likelihood.sample(torch.zeros(4, 5), generator=torch.Generator().manual_seed(0)).shape
        torch.Size([4, 5])
        >>> likelihood(100 * row, row).shape
        torch.Size([1])

    Reference:
        Xu et al., Modeling Tabular Data Using Conditional GAN (TVAE), 2019.
    """

    numbers: Tensor
    ones: Tensor

    def __init__(self, widths: Sequence[int]) -> None:
        super().__init__()
        rule = "RowLikelihood: widths must be 1 for a number, or negative for a category"
        require(len(widths) > 0 and all(w == 1 or w < 0 for w in widths), rule, list(widths))
        self.widths = tuple(widths)
        numbers, ones, self.choices, start = [], [], [], 0
        for width in self.widths:
            if width == 1:
                numbers.append(start)
            elif width == -1:
                ones.append(start)
            else:
                self.choices.append(slice(start, start - width))
            start += abs(width)
        self.dim = start
        self.register_buffer("numbers", torch.tensor(numbers, dtype=torch.long), persistent=False)
        self.register_buffer("ones", torch.tensor(ones, dtype=torch.long), persistent=False)
        self.log_variance = nn.Parameter(torch.zeros(len(numbers)))

    @takes_arrays
    def log_prob(self, decoded: Tensor, x: Tensor) -> Tensor:
        error = (x[..., self.numbers] - decoded[..., self.numbers]).square()
        spread = self._log_variance()
        total = -0.5 * (error * (-spread).exp() + spread + math.log(2 * math.pi)).sum(-1)
        sign = x[..., self.ones].sign()
        total = total + F.logsigmoid(sign * decoded[..., self.ones]).sum(-1)
        for entries in self.choices:
            chosen = x[..., entries].argmax(-1, keepdim=True)
            chosen = chosen.expand(*decoded.shape[:-1], 1)
            total = total + decoded[..., entries].log_softmax(-1).gather(-1, chosen)[..., 0]
        return total

    @takes_arrays
    def mean(self, decoded: Tensor) -> Tensor:
        found = decoded.clone()
        found[..., self.ones] = 2 * decoded[..., self.ones].sigmoid() - 1
        for entries in self.choices:
            found[..., entries] = 2 * decoded[..., entries].softmax(-1) - 1
        return found

    @takes_arrays
    def sample(self, decoded: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        found = decoded.clone()
        own = decoded[..., self.numbers]
        noise = torch.randn(own.shape, generator=generator, dtype=own.dtype, device=own.device)
        found[..., self.numbers] = own + (0.5 * self._log_variance()).exp() * noise
        odds = decoded[..., self.ones].sigmoid()
        found[..., self.ones] = 2 * torch.bernoulli(odds, generator=generator) - 1
        for entries in self.choices:
            shares = decoded[..., entries].softmax(-1).flatten(0, -2)
            chosen = torch.multinomial(shares, 1, generator=generator)
            signs = torch.full_like(shares, -1.0).scatter_(1, chosen, 1.0)
            found[..., entries] = signs.unflatten(0, decoded.shape[:-1])
        return found

    def _log_variance(self) -> Tensor:
        return self.log_variance.clamp(min=math.log(1e-3))
