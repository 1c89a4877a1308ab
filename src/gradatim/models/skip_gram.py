"""Word vectors that tell which words stand near each other."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.models.sizes import check_counts


class SkipGram(nn.Module):
    r"""Score how well words fit into the neighbourhood of a word.

    .. math:: s(w, c) = u_w \cdot v_c

    Train it with :func:`~gradatim.losses.negative_sampling` on :class:`~gradatim.data.SkipGrams`; the rows of
    ``center.weight`` are the word vectors. As in the authors' program, :math:`u` begins small and :math:`v` at zero.

    Args:
        vocab_size: Words.
        dim: Width of a vector.

    Example:
        >>> SkipGram(100, 8)(torch.tensor([3, 4]), torch.tensor([[5, 6, 7], [8, 9, 1]])).shape
        torch.Size([2, 3])

    Reference:
        Mikolov et al., Distributed Representations of Words and Phrases and their Compositionality, 2013.
    """

    def __init__(self, vocab_size: int, dim: int) -> None:
        super().__init__()
        check_counts("SkipGram", vocab_size=vocab_size, dim=dim)
        self.vocab_size, self.dim = vocab_size, dim
        self.center, self.context = nn.Embedding(vocab_size, dim), nn.Embedding(vocab_size, dim)
        nn.init.uniform_(self.center.weight, -0.5 / dim, 0.5 / dim)
        nn.init.zeros_(self.context.weight)

    @takes_arrays
    def forward(self, words: Tensor, others: Tensor) -> Tensor:
        """Scores of words with others.

        Args:
            words: :math:`w`, shape ``(B,)``.
            others: :math:`c`, shape ``(B, K)``.

        Returns:
            Shape ``(B, K)``.
        """
        u, v = self.center(words), self.context(others)  # (B, dim), (B, K, dim)
        return torch.einsum("bd,bkd->bk", u, v)
