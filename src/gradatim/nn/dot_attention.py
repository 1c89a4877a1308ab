"""Luong's attention: the product of a decoder's state with every step of a sequence."""

import math

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.nn.additive_attention import average_steps


class DotAttention(nn.Module):
    r"""Average the steps of a sequence with weights that a query chooses by inner products.

    .. math::
        e_s = \frac{q^\top W k_s}{\sqrt{d}}, \qquad \alpha = \operatorname{softmax}(e), \qquad
        c = \sum_s \alpha_s k_s

    This is Luong's general score, divided by the root of the query's width :math:`d` so that scores
    of wide states start small. One product for all steps: cheaper than :class:`AdditiveAttention`.

    Args:
        query_dim: Width :math:`d` of :math:`q`.
        key_dim: Width of :math:`k_s`.

    Example:
        >>> attention = DotAttention(3, 4)
        >>> context, weights = attention(torch.randn(2, 3), torch.randn(2, 5, 4))
        >>> context.shape, weights.shape
        (torch.Size([2, 4]), torch.Size([2, 5]))

    Reference:
        Luong, Pham and Manning, Effective Approaches to Attention-based Neural Machine Translation,
        2015, section 3.1.
    """

    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__()
        self.query_dim, self.key_dim = query_dim, key_dim
        self.key = nn.Linear(key_dim, query_dim, bias=False)

    def project(self, keys: Tensor) -> Tensor:
        """Return :math:`W k_s` of all steps, which no query changes: once per sequence is enough."""
        return self.key(keys)  # (B, S, query_dim)

    @takes_arrays
    def forward(
        self,
        query: Tensor,
        keys: Tensor,
        is_real: Tensor | None = None,
        projected: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Attend, as :meth:`AdditiveAttention.forward` does."""
        projected = self.project(keys) if projected is None else projected
        scores = torch.bmm(projected, query[..., None]).squeeze(-1)  # (B, S)
        return average_steps(scores / math.sqrt(self.query_dim), keys, is_real)
