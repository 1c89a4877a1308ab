r"""What counting says of a word: its tags, and for a word that was never seen those of words with its ending.

A word :math:`w` that stood :math:`n_w` times, :math:`n_{wt}` of them with tag :math:`t`, has

.. math:: P(t \mid w) = \frac{n_{wt} + \theta\,P(t \mid e_w)}{n_w + \theta}

where :math:`e_w` is its ending. Endings are learned in the same way from rare words, each of up to four letters from the
one that is a letter shorter, down to how a word is written: small, with a capital, a number, a mark.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

ENDING = 4  # letters of the longest ending
RARE = 10  # times that a word stands at most, from which endings are learned
THETA = 0.3  # weight of what is known beside a word
LEVEL = 10.0  # weight of a shorter ending


def written(word: str) -> str:
    """How a word is written, in a letter.

    Example:
        >>> [written(word) for word in ("dog", "Dog", "DOG", "1961", "well-known", ",", "3rd")]
        ['s', 'c', 'u', 'n', 'h', 'm', 'n']
    """
    if any(letter.isdigit() for letter in word):
        return "n"
    if not any(letter.isalpha() for letter in word):
        return "m"
    if "-" in word:
        return "h"
    if word.isupper() and len(word) > 1:
        return "u"
    return "c" if word[:1].isupper() else "s"


def endings(word: str) -> list[str]:
    """Classes of a word, from the widest to the narrowest: how it is written, then ever longer endings.

    Example:
        >>> endings("Walked")
        ['c', 'c:d', 'c:ed', 'c:ked', 'c:lked']
    """
    form, small = written(word), word.lower()
    return [form] + [f"{form}:{small[-k:]}" for k in range(1, min(ENDING, len(small) - 1) + 1)]


class Lexicon(NamedTuple):
    """Counts of words and their tags.

    Args:
        words: Words that were seen.
        pairs: Word, tag and how often they stood together, shape ``(P, 3)``.
        classes: Number of tags.
    """

    words: list[str]
    pairs: np.ndarray
    classes: int

    def counts(self) -> np.ndarray:
        """How often each word had each tag, shape ``(words, tags)``."""
        table = np.zeros((len(self.words), self.classes))
        np.add.at(table, (self.pairs[:, 0], self.pairs[:, 1]), self.pairs[:, 2])
        return table


def count_words(sentences: Iterable[Sequence[str]], y: np.ndarray, classes: int) -> Lexicon:
    """Count words and their tags.

    Args:
        sentences: Words.
        y: Tag codes of all words.
        classes: Number of tags.

    Example:
        >>> count_words([["a", "b"], ["a"]], np.array([0, 1, 0]), 2).pairs.tolist()
        [[0, 0, 2], [1, 1, 1]]
    """
    places: dict[str, int] = {}
    ids = [places.setdefault(word, len(places)) for words in sentences for word in words]
    codes, counts = np.unique(np.array(ids, dtype=np.int64) * classes + y, return_counts=True)
    return Lexicon(list(places), np.stack([codes // classes, codes % classes, counts], 1), classes)


class Endings:
    """Tags of words by their endings, learned from rare words.

    Args:
        lexicon: Words and their tags.

    Attributes:
        names: Endings that are known.
        tags: Tags of each, and last those of all rare words, rows of probabilities ``(E + 1, tags)``.
        weight: How many rare words each ending stands for, and last all of them.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        table = lexicon.counts()
        totals = table.sum(1)
        rare = np.flatnonzero(totals <= RARE)
        rare = rare if len(rare) else np.arange(len(totals))
        places: dict[str, int] = {}
        parents: list[int] = []
        owners, members = list[int](), list[int]()
        for k in rare.tolist():
            before = -1
            for name in endings(lexicon.words[k]):
                if name not in places:
                    places[name] = len(places)
                    parents.append(before)
                before = places[name]
                owners.append(before)
                members.append(k)
        counts = np.zeros((len(places), lexicon.classes))
        np.add.at(counts, owners, table[members])
        prior = table[rare].sum(0) + 0.1 + table.sum(0) / max(table.sum(), 1.0)
        root = prior / prior.sum()
        self.names, self._places = list(places), places
        self.weight = np.append(counts.sum(1), counts.sum() or 1.0)
        self.tags = np.concatenate([np.empty_like(counts), root[None]])
        for k, parent in enumerate(parents):  # a shorter ending is always met before
            own = counts[k] + LEVEL * self.tags[parent]
            self.tags[k] = own / own.sum()

    def find(self, word: str) -> int:
        """The longest known ending of a word; the last row where none is known."""
        return next((self._places[n] for n in reversed(endings(word)) if n in self._places), len(self.names))  # fmt: skip


class WordTags:
    """Tags of words that were seen, and of endings.

    Args:
        lexicon: Words and their tags.
        by_ending: Whether a word without counts is judged by its ending; else by all rare words.
    """

    def __init__(self, lexicon: Lexicon, *, by_ending: bool) -> None:
        self.lexicon, self.by_ending = lexicon, by_ending

    @cached_property
    def endings(self) -> Endings:
        """What endings say."""
        return Endings(self.lexicon)

    @cached_property
    def places(self) -> dict[str, int]:
        """Rows of words."""
        return {word: k for k, word in enumerate(self.lexicon.words)}

    @cached_property
    def table(self) -> np.ndarray:
        """Tags of each word, then of each ending, then of any word, shape ``(W + E + 1, tags)``."""
        counts, ends = self.lexicon.counts(), self.endings
        last = len(ends.names)
        prior = ends.tags[[ends.find(w) if self.by_ending else last for w in self.lexicon.words]]
        words = (counts + THETA * prior) / (counts.sum(1, keepdims=True) + THETA)
        return np.concatenate([words, ends.tags])

    @cached_property
    def weight(self) -> np.ndarray:
        """How often each row of the table is met, about; all endings together as often as words that stood once."""
        counts = self.lexicon.counts().sum(1)
        once = max(float((counts == 1).sum()), 1.0)
        ends = self.endings.weight
        return np.concatenate([counts, once * ends / ends.sum()])

    def rows(self, words: Sequence[str]) -> np.ndarray:
        """Rows of the table for words."""
        first = len(self.lexicon.words)
        any_word = first + len(self.endings.names)
        return np.array([self.places[w] if w in self.places else first + self.endings.find(w) if self.by_ending else any_word for w in words])  # fmt: skip
