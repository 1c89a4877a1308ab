"""What a network sees of a word: the word in small letters, its beginning and endings, how it is written."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from gradatim.data.vocabulary import PAD
from gradatim.fitting.tags.lexicon import written

UNKNOWN = PAD + 1
FIRST = UNKNOWN + 1  # number of the first known value
NAMES = ("word", "last three letters", "last two letters", "first three letters", "how it is written")  # fmt: skip
FEWEST = 2  # times that a value must stand; what stands once trains what is done with strangers

Sentences = Sequence[Sequence[str]]
Vocabularies = list[list[str]]


def values_of(word: str) -> tuple[str, ...]:
    """Features of a word, in the order of ``NAMES``.

    Example:
        >>> values_of("Walked")
        ('walked', 'ked', 'ed', 'wal', 'c')
    """
    small = word.lower()
    return small, small[-3:], small[-2:], small[:3], written(word)


def choose_values(sentences: Sentences, most: int) -> Vocabularies:
    """Values of each feature that stand most often in sentences.

    Args:
        sentences: Words.
        most: Values of a feature at most.

    Example:
        >>> choose_values([["ab", "ab", "Cd"]], 10)
        [['ab'], ['ab'], ['ab'], ['ab'], ['s']]
    """
    times = Counter(word for words in sentences for word in words)
    counts = [Counter[str]() for _ in NAMES]
    for word, count in times.items():
        for own, value in zip(counts, values_of(word), strict=True):
            own[value] += count
    return [[v for v, n in own.most_common(most) if n >= FEWEST] for own in counts]


def number_words(sentences: Sentences, known: Vocabularies) -> list[np.ndarray]:
    """Numbers of the features of the words of each sentence, shape ``(T_n, F)``.

    Args:
        sentences: Words.
        known: Values of each feature.

    Example:
        >>> number_words([["ab", "Xb"]], [["ab"], ["ab"], ["ab"], ["ab"], ["s"]])[0].tolist()
        [[2, 2, 2, 2, 2], [1, 1, 1, 1, 1]]
    """
    places = [{value: k for k, value in enumerate(own, FIRST)} for own in known]
    seen: dict[str, list[int]] = {}
    for words in sentences:
        for word in words:
            if word not in seen:
                pairs = zip(places, values_of(word), strict=True)
                seen[word] = [own.get(value, UNKNOWN) for own, value in pairs]
    return [np.array([seen[word] for word in words], dtype=np.int64) for words in sentences]
