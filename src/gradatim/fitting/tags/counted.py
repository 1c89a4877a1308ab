"""Models that count: all tags, the tags of each word, and the hidden Markov model whose states are the tags."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from torch import Tensor

from gradatim.errors import require
from gradatim.fitting.stored import Facts
from gradatim.fitting.tags.lexicon import Lexicon, WordTags, count_words
from gradatim.fitting.tags.passes import by_sentences
from gradatim.model_folder import tensors_from
from gradatim.timeseries import HMM

FREQUENCIES, PER_WORD, CHAIN = "tag frequencies", "tag per word", "hidden Markov model"
SMOOTHING = 1.0  # pairs of neighbours that every tag has seen beforehand, shared out by frequency
Sentences = Sequence[Sequence[str]]


@dataclass(eq=False, repr=False)
class CountedTags:
    r"""Tags by counting.

    ``"tag frequencies"`` answers with the shares of all tags, ``"tag per word"`` with those of the word (of a word that was
    never seen: with those of rare words), ``"hidden Markov model"`` with :math:`P(s_t \mid w_1,\dots,w_T)` of

    .. math:: P(s, w) = \pi_{s_1} b_{s_1}(w_1) \prod_{t>1} a_{s_{t-1}s_t} b_{s_t}(w_t)

    with counted tables; a word that was never seen is emitted as its ending.

    Args:
        method: Which of the three.
        lexicon: Words and how often each had which tag.
        start: How often each tag began a sentence, shape ``(tags,)``.
        moves: How often each tag followed each, shape ``(tags, tags)``.
    """

    kind: ClassVar[str] = "counts"

    method: str
    lexicon: Lexicon
    start: np.ndarray
    moves: np.ndarray

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        sizes = {FREQUENCIES: self.start.size, PER_WORD: len(self.lexicon.pairs)}
        return sizes.get(self.method, len(self.lexicon.pairs) + self.start.size + self.moves.size)

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and the counts."""
        facts = {"kind": self.kind, "method": self.method, "words": self.lexicon.words, "classes": self.lexicon.classes}  # fmt: skip
        arrays = {"pairs": self.lexicon.pairs, "start": self.start, "moves": self.moves}
        return facts, tensors_from(arrays)

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "CountedTags":
        """Undo :meth:`store`; counts of words or tags that are not there are refused."""
        words, K = facts["words"], facts["classes"]
        pairs, start, moves = (tensors[name].numpy() for name in ("pairs", "start", "moves"))
        sound = start.shape == (K,) and moves.shape == (K, K) and pairs.ndim == 2 and pairs.shape[1] == 3  # fmt: skip
        sound = sound and all(own.dtype == np.int64 and (own >= 0).all() for own in (pairs, start, moves))  # fmt: skip
        sound = sound and (not len(pairs) or bool((pairs.max(0)[:2] < [len(words), K]).all()))
        sound = sound and all(isinstance(word, str) for word in words) and facts["method"] in (FREQUENCIES, PER_WORD, CHAIN)  # fmt: skip
        require(sound, "load_model: counts must be of the words and tags that are there", "others")
        return cls(facts["method"], Lexicon(words, pairs, K), start, moves)

    @cached_property
    def word_tags(self) -> WordTags:
        """What is known of words."""
        return WordTags(self.lexicon, by_ending=self.method == CHAIN)

    @cached_property
    def chain(self) -> HMM:
        """The hidden Markov model."""
        K = self.lexicon.classes
        table = (
            self.word_tags.table * self.word_tags.weight[:, None]
        )  # (symbols, tags), P(t | w) P(w)
        shares = table.sum(0) / table.sum()
        rows = self.moves + SMOOTHING * shares + 1e-3 / K
        first = self.start + SMOOTHING * shares + 1e-3 / K
        transition = rows / rows.sum(1, keepdims=True)
        return HMM.categorical(first / first.sum(), transition, (table / table.sum(0)).T)

    def outputs(self, sentences: Sentences) -> np.ndarray:
        """Return probabilities of the tags of all words, shape ``(words, tags)``."""
        if self.method == FREQUENCIES:
            counts = self.lexicon.counts().sum(0) + 1.0 / self.lexicon.classes
            return np.tile(counts / counts.sum(), (sum(map(len, sentences)), 1))
        if self.method == PER_WORD:
            words = [word for own in sentences for word in own]
            return self.word_tags.table[self.word_tags.rows(words)]

        def apply(symbols: np.ndarray, lengths: np.ndarray) -> np.ndarray:
            return self.chain.posterior(symbols, lengths).numpy()

        return by_sentences(apply, [self.word_tags.rows(words) for words in sentences])

    def paths(self, sentences: Sentences) -> np.ndarray:
        """Return the tags of the most probable path through each sentence, of all words, by Viterbi's algorithm."""

        def apply(symbols: np.ndarray, lengths: np.ndarray) -> np.ndarray:
            return self.chain.viterbi(symbols, lengths).path.numpy()

        return by_sentences(apply, [self.word_tags.rows(words) for words in sentences])


def fit_counts(method: str, sentences: Sentences, y: np.ndarray, classes: int) -> CountedTags:
    """Count.

    Args:
        method: A name of :class:`CountedTags`.
        sentences: Words.
        y: Tag codes of all words.
        classes: Number of tags.
    """
    lengths = np.array([len(words) for words in sentences])
    firsts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    is_first = np.zeros(len(y), dtype=bool)
    is_first[firsts] = True
    start = np.bincount(y[is_first], minlength=classes)
    follows = np.flatnonzero(~is_first)
    moves = np.bincount(y[follows - 1] * classes + y[follows], minlength=classes**2)
    return CountedTags(method, count_words(sentences, y, classes), start, moves.reshape(classes, classes))  # fmt: skip
