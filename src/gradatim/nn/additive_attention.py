"""Bahdanau's attention: a small network compares a decoder's state with every step of a sequence."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.nn.stable import softmax


class AdditiveAttention(nn.Module):
    r"""Average the steps of a sequence with weights that a query chooses.

    .. math::
        e_s = v^\top \tanh(W q + U k_s), \qquad \alpha = \operatorname{softmax}(e), \qquad
        c = \sum_s \alpha_s k_s

    Args:
        query_dim: Width of :math:`q`.
        key_dim: Width of :math:`k_s`.
        hidden_dim: Length of :math:`v`.

    Example:
        >>> attention = AdditiveAttention(3, 4, 8)
        >>> context, weights = attention(torch.randn(2, 3), torch.randn(2, 5, 4))
        >>> context.shape, weights.shape
        (torch.Size([2, 4]), torch.Size([2, 5]))

    Reference:
        Bahdanau, Cho and Bengio, Neural Machine Translation by Jointly Learning to Align and
        Translate, 2015, section 3.1.
    """

    def __init__(self, query_dim: int, key_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.query_dim, self.key_dim, self.hidden_dim = query_dim, key_dim, hidden_dim
        self.query = nn.Linear(query_dim, hidden_dim)
        self.key = nn.Linear(key_dim, hidden_dim, bias=False)
        self.score = nn.Linear(hidden_dim, 1, bias=False)

    def project(self, keys: Tensor) -> Tensor:
        """Return :math:`U k_s` of all steps, which no query changes: once per sequence is enough."""
        return self.key(keys)  # (B, S, hidden_dim)

    @takes_arrays
    def forward(
        self,
        query: Tensor,
        keys: Tensor,
        is_real: Tensor | None = None,
        projected: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Attend.

        Args:
            query: :math:`q`, shape ``(B, query_dim)``.
            keys: :math:`k_s`, shape ``(B, S, key_dim)``.
            is_real: False at padding, shape ``(B, S)``.
            projected: What :meth:`project` gave for ``keys``.

        Returns:
            The context :math:`c`, shape ``(B, key_dim)``, and the weights :math:`\\alpha`, shape
            ``(B, S)``, zero at padding.
        """
        projected = self.project(keys) if projected is None else projected
        hidden = torch.tanh(self.query(query)[:, None] + projected)  # (B, S, hidden_dim)
        return average_steps(self.score(hidden).squeeze(-1), keys, is_real)


def average_steps(
    scores: Tensor, keys: Tensor, is_real: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    r"""Return :math:`\sum_s \alpha_s k_s` with :math:`\alpha` the softmax of scores ``(B, S)``, and :math:`\alpha`."""
    weights = softmax(scores, mask=is_real)  # (B, S)
    return torch.bmm(weights[:, None], keys).squeeze(1), weights
