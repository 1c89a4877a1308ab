"""BERT with the two heads it learns language with: hidden tokens, and whether one text follows another."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.models.bert import BERT


class BERTPretraining(nn.Module):
    r"""Guess hidden tokens, and whether the second text is the one that came after the first.

    .. math::
        p(x_t) = \operatorname{softmax}\bigl(E\,\operatorname{LN}(\phi(W h_t + b)) + d\bigr), \qquad
        p(\text{next}) = \operatorname{softmax}(Vc + e)

    :math:`\phi` is GELU, :math:`E` the embedding of ``trunk``: tied weights. Train it with
    :class:`~gradatim.training.MaskedLanguage`.

    Args:
        trunk: The encoder, which gives :math:`h_t` and :math:`c`.

    Example:
        >>> model = BERTPretraining(BERT(100, 32, 16, 2, 2))
        >>> hidden = model.trunk(torch.zeros(3, 5, dtype=torch.long))
        >>> model.token_logits(hidden[:, 2]).shape, model.next_logits(hidden).shape
        (torch.Size([3, 100]), torch.Size([3, 2]))

    Reference:
        Devlin et al., BERT, 2019, section 3.1.
    """

    def __init__(self, trunk: BERT) -> None:
        super().__init__()
        self.trunk = trunk
        self.transform = nn.Linear(trunk.dim, trunk.dim)
        self.norm = nn.LayerNorm(trunk.dim, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(trunk.vocab_size))
        self.next = nn.Linear(trunk.dim, 2)
        for layer in (self.transform, self.next):
            nn.init.trunc_normal_(layer.weight, std=0.02, a=-0.04, b=0.04)
            nn.init.zeros_(layer.bias)

    @takes_arrays
    def forward(
        self, tokens: Tensor, lengths: object | None = None, segments: Tensor | None = None
    ) -> Tensor:
        """Logits ``(B, T, vocab_size)`` of what stands at every place; arguments as in :class:`BERT`."""
        return self.token_logits(self.trunk(tokens, lengths, segments))

    def token_logits(self, hidden: Tensor) -> Tensor:
        """Logits ``(..., vocab_size)`` of the tokens behind hidden vectors ``(..., dim)``."""
        guess = self.norm(nn.functional.gelu(self.transform(hidden)))
        return nn.functional.linear(guess, self.trunk.embedding.weight, self.bias)

    def next_logits(self, hidden: Tensor) -> Tensor:
        """Logits ``(B, 2)``: 1 says that the second text follows the first."""
        return self.next(self.trunk.pool(hidden))
