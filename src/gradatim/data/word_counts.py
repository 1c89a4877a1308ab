"""Texts as word numbers, and how often every word and pair of words stands in each."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from gradatim.data.vocabulary import split_words

STRANGER = -1


class Corpus(NamedTuple):
    """Texts as numbers of words.

    Args:
        words: Distinct words; a word's number is its place.
        ids: The words of all texts, one text after the other; ``STRANGER`` where a word is not in ``words``.
        starts: Where each text begins in ``ids``, and the end of the last, shape ``(N + 1,)``.
    """

    words: list[str]
    ids: np.ndarray
    starts: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """Words of each text."""
        return np.diff(self.starts)


class TermCounts(NamedTuple):
    """How often terms stand in texts.

    Args:
        terms: Words, and pairs of neighbouring words joined by a space.
        counts: Shape ``(texts, terms)``, sparse.
    """

    terms: list[str]
    counts: sparse.csr_matrix


def read_corpus(texts: Sequence[str], words: Sequence[str] | None = None) -> Corpus:
    """Cut texts into words and number them.

    Args:
        texts: Any texts.
        words: The words to know; all that occur by default.

    Example:
        >>> corpus = read_corpus(["Good, good film", "bad"])
        >>> corpus.words, corpus.ids.tolist(), corpus.starts.tolist()
        (['good', 'film', 'bad'], [0, 0, 1, 2], [0, 3, 4])
    """
    places = {word: place for place, word in enumerate(words or ())}
    ids: list[int] = []
    starts = [0]
    for text in texts:
        found = split_words(text)
        if words is None:
            ids += [places.setdefault(word, len(places)) for word in found]
        else:
            ids += [places.get(word, STRANGER) for word in found]
        starts.append(len(ids))
    return Corpus(list(places), np.array(ids, dtype=np.int64), np.array(starts))


def count_terms(corpus: Corpus, terms: Sequence[str] | None = None) -> TermCounts:
    """Count words and pairs of neighbours in every text.

    Args:
        corpus: The texts.
        terms: What to count; every word and pair that occurs by default.

    Example:
        >>> terms, counts = count_terms(read_corpus(["not good not good"]))
        >>> dict(zip(terms, counts.toarray()[0].tolist(), strict=True))
        {'not': 2, 'not good': 2, 'good': 2, 'good not': 1}
    """
    texts, codes = _occurrences(corpus)
    if terms is None:
        wanted, columns = np.unique(codes, return_inverse=True)
        terms = _names(corpus, wanted)
    else:
        own = _codes(corpus, terms)
        order = np.argsort(own)
        places = np.minimum(np.searchsorted(own, codes, sorter=order), len(own) - 1)
        columns = order[places]
        is_wanted = own[columns] == codes
        texts, columns = texts[is_wanted], columns[is_wanted]
    shape = (len(corpus.starts) - 1, len(terms))
    counts = sparse.coo_matrix((np.ones(len(texts), dtype=np.int64), (texts, columns)), shape)
    return TermCounts(list(terms), counts.tocsr())


def weigh(counts: sparse.csr_matrix, rarity: np.ndarray) -> sparse.csr_matrix:
    """Turn counts into features, each text scaled to length 1.

    Example:
        >>> weigh(sparse.csr_matrix([[1, 1], [0, 0]]), np.array([3.0, 4.0])).toarray().round(6).tolist()
        [[0.6, 0.8], [0.0, 0.0]]
    """
    features = counts.astype(np.float64)
    features.sort_indices()  # so that a text's sum does not depend on how its terms were found
    features.data = (1.0 + np.log(features.data)) * rarity[features.indices]
    squares = features.multiply(features).sum(1)
    length = np.sqrt(np.asarray(squares).ravel())
    return sparse.csr_matrix(sparse.diags_array(1.0 / np.where(length > 0, length, 1.0)) @ features)


def _occurrences(corpus: Corpus) -> tuple[np.ndarray, np.ndarray]:
    """Text and code of every known word and pair of neighbours."""
    base = len(corpus.words) + 1
    texts = np.repeat(np.arange(len(corpus.starts) - 1), corpus.lengths)
    first, second = corpus.ids[:-1], corpus.ids[1:]
    is_pair = (texts[:-1] == texts[1:]) & (first != STRANGER) & (second != STRANGER)
    pairs = (first[is_pair] + 1) * base + second[is_pair] + 1
    is_known = corpus.ids != STRANGER
    single = (corpus.ids[is_known] + 1) * base
    return (
        np.concatenate([texts[is_known], texts[:-1][is_pair]]),
        np.concatenate([single, pairs]),
    )


def _names(corpus: Corpus, codes: np.ndarray) -> list[str]:
    first, second = np.divmod(codes, len(corpus.words) + 1)
    words = ["", *corpus.words]
    return [
        f"{words[a]} {words[b]}" if b else words[a]
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
    ]


def _codes(corpus: Corpus, terms: Sequence[str]) -> np.ndarray:
    places = {word: place + 1 for place, word in enumerate(corpus.words)}
    base = len(corpus.words) + 1
    pairs = (term.partition(" ") for term in terms)
    return np.array([places[a] * base + (places[b] if b else 0) for a, _, b in pairs])
