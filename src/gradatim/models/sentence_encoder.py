"""A text as one vector: the mean of what a BERT says of its tokens."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.array_arguments import takes_arrays
from gradatim.data.tokenizers import WordPieceTokenizer
from gradatim.data.tokenizers.word_piece import PAD
from gradatim.errors import InvalidType, InvalidValue
from gradatim.models.bert import BERT

GRID = 16  # texts are filled up to a multiple of so many tokens
TOKENS = 2048  # of one pass


@takes_arrays
def mean_vector(hidden: Tensor, lengths: Tensor) -> Tensor:
    r"""Average the vectors of the real tokens, :math:`\frac1T\sum_{t\le T} h_t`.

    Args:
        hidden: Shape ``(B, S, dim)``.
        lengths: :math:`T` of each text, shape ``(B,)``.

    Example:
        >>> mean_vector(torch.tensor([[[1.0], [3.0], [99.0]]]), torch.tensor([2]))
        tensor([[2.]])
    """
    is_real = torch.arange(hidden.shape[1], device=hidden.device) < lengths[:, None]  # (B, S)
    return (hidden * is_real[..., None]).sum(1) / lengths[:, None]


class SentenceEncoder(nn.Module):
    r"""Turn texts into vectors of length 1, so that their products are cosines.

    .. math:: v = \frac{\bar h}{\lVert\bar h\rVert}, \qquad \bar h = \frac1T\sum_{t\le T} h_t

    Args:
        model: Gives :math:`h_t`; it is set to evaluation mode.
        tokenizer: The one that the model was trained with.
        max_length: Most tokens of a text, special ones included; what follows is left out.

    Example:
        >>> tokenizer = WordPieceTokenizer.train("one two three", vocab_size=40)
        >>> encoder = SentenceEncoder(BERT(tokenizer.vocab_size, 32, 8, 1, 2), tokenizer, max_length=32)
        >>> encoder.encode(["one", "two three"]).norm(dim=1).allclose(torch.ones(2))
        True

    Reference:
        Reimers and Gurevych, Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks, 2019.
    """

    def __init__(
        self, model: BERT, tokenizer: WordPieceTokenizer, *, max_length: int = 256
    ) -> None:
        if not 2 <= max_length <= model.context:
            raise InvalidValue(
                f"SentenceEncoder: max_length must be from 2 to the model's context, {model.context}, got {max_length}."
            )
        super().__init__()
        self.model, self.tokenizer, self.max_length = model, tokenizer, max_length
        self.eval()

    @takes_arrays
    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Vectors ``(B, dim)`` of length 1 of texts ``(B, T)``, padded behind ``lengths``."""
        return functional.normalize(mean_vector(self.model(tokens, lengths), lengths))

    def encode(self, texts: Sequence[str]) -> Tensor:
        """Vectors ``(N, dim)`` of texts."""
        if isinstance(texts, str):
            raise InvalidType("SentenceEncoder: texts must be a list of texts, got one text.")
        length = self.max_length
        pairs = (self.tokenizer.encode_pair(text, max_length=length) for text in texts)
        return functional.normalize(self.encode_tokens([pair.ids for pair in pairs]))

    @torch.inference_mode()
    def encode_tokens(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """Mean vectors ``(N, dim)`` of token numbers, special ones included, not scaled to length 1.

        Texts of like length go together; every pass of a length has the same shape, so that the bits of a
        vector do not depend on which texts came with it.
        """
        vectors = torch.zeros(len(rows), self.model.dim)
        by_width: dict[int, list[int]] = {}
        for place, row in enumerate(rows):
            by_width.setdefault(min(-(-len(row) // GRID) * GRID, self.model.context), []).append(
                place
            )
        for width, places in by_width.items():
            count = max(TOKENS // width, 1)
            for start in range(0, len(places), count):
                part = places[start : start + count]
                tokens = torch.full((count, width), self.tokenizer.number(PAD))
                lengths = torch.ones(count, dtype=torch.long)
                for line, place in enumerate(part):
                    lengths[line] = len(rows[place])
                    tokens[line, : len(rows[place])] = torch.tensor(rows[place])
                vectors[part] = mean_vector(self.model(tokens, lengths), lengths)[: len(part)]
        return vectors
