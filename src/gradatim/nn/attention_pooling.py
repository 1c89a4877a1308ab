"""A sequence as one vector: the mean of its steps, weighted by what the layer has learned to look for."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.nn.additive_attention import average_steps


class AttentionPooling(nn.Module):
    r"""Average the steps of a sequence with weights that the steps themselves choose.

    .. math::
        e_t = v^\top \tanh(W h_t + b), \qquad \alpha = \operatorname{softmax}(e), \qquad c = \sum_t \alpha_t h_t

    It is :class:`AdditiveAttention` with one query, learned as :math:`b`.

    Args:
        dim: Width of :math:`h_t`.
        hidden_dim: Length of :math:`v`, ``dim`` by default.

    Example:
        >>> pooled, weights = AttentionPooling(4)(torch.randn(2, 5, 4))
        >>> pooled.shape, weights.shape, weights.sum(1).round(decimals=4).tolist()
        (torch.Size([2, 4]), torch.Size([2, 5]), [1.0, 1.0])

    Reference:
        Yang et al., Hierarchical Attention Networks for Document Classification, 2016, eq. 5 to 7.
    """

    def __init__(self, dim: int, hidden_dim: int | None = None) -> None:
        super().__init__()
        self.dim, self.hidden_dim = dim, dim if hidden_dim is None else hidden_dim
        self.key = nn.Linear(dim, self.hidden_dim)
        self.score = nn.Linear(self.hidden_dim, 1, bias=False)

    @takes_arrays
    def forward(self, x: Tensor, is_real: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Pool.

        Args:
            x: Steps :math:`h_t`, shape ``(B, T, dim)``.
            is_real: False at padding, shape ``(B, T)``; ``None`` where there is none.

        Returns:
            The mean :math:`c`, shape ``(B, dim)``, and the weights :math:`\\alpha`, shape ``(B, T)``, zero at padding.
        """
        return average_steps(self.score(torch.tanh(self.key(x))).squeeze(-1), x, is_real)
