"""A text as the mean of its words' vectors."""

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.data.vocabulary import PAD
from gradatim.hidden_values import is_transformed
from gradatim.nn import real_steps
from gradatim.nn.plain_path import differentiable_twice


class BagOfEmbeddings(nn.Module):
    r"""Average the embeddings of a text's words, in whatever order they stand, then answer.

    .. math:: \hat y = W\,\Bigl(\tfrac1T\sum_{t=1}^T e_{w_t}\Bigr) + b

    Padding never changes an answer.

    Args:
        vocab_size: Size of the vocabulary.
        dim: Width of an embedding :math:`e`.
        output_dim: Number of classes, or of values.
        dropout: Probability to drop an entry of the mean.

    Example:
        >>> import torch
        >>> model = BagOfEmbeddings(100, 8, 2)
        >>> tokens = torch.tensor([[5, 7, 9], [4, 0, 0]])
        >>> model(tokens, torch.tensor([3, 1])).shape
        torch.Size([2, 2])

    Reference:
        Joulin et al., Bag of Tricks for Efficient Text Classification, 2017.
    """

    def __init__(self, vocab_size: int, dim: int, output_dim: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.vocab_size, self.dim, self.output_dim, self.dropout = (
            vocab_size,
            dim,
            output_dim,
            dropout,
        )
        self.embedding = nn.EmbeddingBag(vocab_size, dim, mode="sum", padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=0.1)
        self.drop = nn.Dropout(dropout)
        self.readout = nn.Linear(dim, output_dim)

    @takes_arrays
    def forward(self, tokens: Tensor, lengths: object | None = None) -> Tensor:
        """Answer for each text.

        Args:
            tokens: Words, shape ``(B, T)``, padded at the end.
            lengths: Words of each text, from 1 to ``T``; all ``T`` by default.

        Returns:
            Shape ``(B, output_dim)``.
        """
        is_real = real_steps("BagOfEmbeddings", tokens, lengths)
        if is_real is None:
            mean = self._sum(tokens) / max(tokens.shape[1], 1)  # (B, dim)
        else:
            words = tokens.masked_fill(~is_real, PAD)
            mean = self._sum(words) / is_real.sum(1, keepdim=True).clamp(min=1)
        return self.readout(self.drop(mean))

    def _sum(self, tokens: Tensor) -> Tensor:
        """Return the sum of each row's embeddings but those of padding, shape ``(B, dim)``."""

        def plain(weight: Tensor) -> Tensor:
            return (weight[tokens] * (tokens != PAD)[..., None]).sum(1)

        weight = self.embedding.weight
        if is_transformed():
            return plain(weight)
        return differentiable_twice(self.embedding(tokens), "EmbeddingBag", plain, (weight,))
