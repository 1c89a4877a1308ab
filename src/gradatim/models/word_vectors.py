"""Vectors of words: who is near whom, and who is to whom as one is to another."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from gradatim.data import load
from gradatim.errors import InvalidValue, choose, require, require_whole

GLOVE = "glove-50d"


class Neighbour(NamedTuple):
    """A word and the cosine of its vector with the one asked for."""

    word: str
    cosine: float


class WordVectors:
    r"""Words with vectors, compared by cosines.

    .. math:: \cos(a, b) = \frac{a \cdot b}{\lVert a\rVert\,\lVert b\rVert}

    Args:
        words: Different words.
        vectors: Their vectors, shape ``(N, dim)``.

    Example:
        >>> vectors = WordVectors(["man", "woman", "king", "queen"], [[1, 0], [0, 1], [3, 1], [2, 2]])
        >>> vectors.analogy("man", "woman", "king")[0].word
        'queen'
    """

    def __init__(self, words: Sequence[str], vectors: object) -> None:
        table = torch.as_tensor(vectors, dtype=torch.float32)
        fits = table.ndim == 2 and len(table) == len(words) > 0
        require(fits, "WordVectors: vectors must have a row for each of the words", tuple(table.shape))  # fmt: skip
        require(bool(table.isfinite().all()), "WordVectors: vectors must be finite", "others")
        self.words, self.vectors = list(words), table
        self._places = {word: k for k, word in enumerate(self.words)}
        if len(self._places) < len(self.words):
            raise InvalidValue("WordVectors: words must be different, got one twice.")
        self._directions = F.normalize(table)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._places

    def __getitem__(self, word: str) -> Tensor:
        """The vector of a word; of an unknown one the nearest known are named."""
        if word not in self._places:
            near = [other for other in self.words[:20_000] if other[:2] == word[:2]]
            choose("WordVectors", "word", word, near or self.words[:6])
        return self.vectors[self._places[word]]

    def cosine(self, first: str, second: str) -> float:
        """The cosine of the vectors of two words."""
        return float(F.cosine_similarity(self[first], self[second], dim=0))

    def nearest(self, vector: object, count: int, without: Sequence[str] = ()) -> list[Neighbour]:
        """The words whose vectors point most in the direction of ``vector``.

        Args:
            vector: Shape ``(dim,)``.
            count: How many words.
            without: Words that are left out.
        """
        require_whole("WordVectors", count=count)
        cosines = self._directions @ F.normalize(
            torch.as_tensor(vector, dtype=torch.float32), dim=0
        )
        cosines[[self._places[word] for word in without]] = -2.0
        best = cosines.topk(min(count, len(self.words) - len(set(without))))
        return [Neighbour(self.words[k], v) for v, k in zip(best.values.tolist(), best.indices.tolist(), strict=True)]  # fmt: skip

    def neighbours(self, word: str, count: int = 10) -> list[Neighbour]:
        """The words nearest to a word, itself left out.

        Args:
            word: A known word.
            count: How many.
        """
        return self.nearest(self[word], count, [word])

    def analogy(
        self, first: str, second: str, third: str, count: int = 1, *, leave_out: bool = True
    ) -> list[Neighbour]:
        r"""The words that are to ``third`` as ``second`` is to ``first``: those nearest to :math:`b - a + c`.

        .. math:: \arg\max_w \cos(w,\; \hat b - \hat a + \hat c), \qquad \hat x = x / \lVert x\rVert

        Args:
            first: :math:`a`, such as ``"man"``.
            second: :math:`b`, such as ``"king"``.
            third: :math:`c`, such as ``"woman"``.
            count: How many.
            leave_out: Leave the three words themselves out, as is usual: one of them is often the nearest.
        """
        a, b, c = (F.normalize(self[word], dim=0) for word in (first, second, third))
        return self.nearest(b - a + c, count, [first, second, third] if leave_out else [])

    def __repr__(self) -> str:
        return f"WordVectors({len(self):,} words, {self.vectors.shape[1]} numbers each)"


def published_glove(most: int = 100_000) -> WordVectors:
    """Load GloVe vectors of the most frequent English words, 50 numbers each.

    The file comes into the cache by ``gradatim data get glove-50d``.

    Args:
        most: Words to keep, the most frequent ones, of 400,000.

    Example:
        >>> glove = published_glove()  # doctest: +SKIP
        >>> glove.analogy("man", "king", "woman")[0].word  # doctest: +SKIP
        'queen'

    Reference:
        Pennington et al., GloVe: Global Vectors for Word Representation, 2014.
    """
    require_whole("published_glove", most=most)
    record = load(GLOVE)
    assert record.y is not None
    return WordVectors(record.y[:most].tolist(), record.X[:most])
