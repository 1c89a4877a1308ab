"""BLEU of translators, and two that need no network: copying, and looking up the nearest sentence."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from gradatim.data.pairs import Pair, Question
from gradatim.errors import Unavailable

BLOCKS = 20  # groups of test sentences whose differences decide


def load_scorer() -> Any:
    """Import ``sacrebleu``, or say how to get it."""
    try:
        return import_module("sacrebleu")
    except ImportError:
        raise Unavailable(
            "fit: BLEU needs the package sacrebleu. Try: pip install 'gradatim[text]'."
        ) from None


def bleu(translations: Sequence[str], questions: Sequence[Question]) -> float:
    """BLEU of translations, from 0 to 100, against all references of each question.

    Example:
        >>> asked = [Question("uno dos", ["one two three four"])]
        >>> round(bleu(["one two three four"], asked)), round(bleu(["five"], asked))
        (100, 0)
    """
    return float(load_scorer().corpus_bleu(list(translations), _streams(questions)).score)


def chrf(translations: Sequence[str], questions: Sequence[Question]) -> float:
    """F-score of the letter sequences of translations, from 0 to 100; kinder to endings than BLEU."""
    return float(load_scorer().corpus_chrf(list(translations), _streams(questions)).score)


def _streams(questions: Sequence[Question]) -> list[list[str | None]]:
    """References as the scorer wants them: the first of every question, the second of every question, …"""
    most = max(len(q.references) for q in questions)
    return [
        [q.references[k] if k < len(q.references) else None for q in questions] for k in range(most)
    ]


def block_distances(translations: Sequence[str], questions: Sequence[Question]) -> np.ndarray:
    """100 − BLEU of every group of test sentences: smaller is better."""
    groups = np.array_split(np.arange(len(questions)), min(BLOCKS, len(questions) // 2))
    return np.array(
        [100.0 - bleu([translations[k] for k in g], [questions[k] for k in g]) for g in groups]
    )


def look_up(train: Sequence[Pair], questions: Sequence[Question]) -> list[str]:
    """Translate by a translation memory: take the translation of the most similar sentence.

    Similar is a large cosine between words and pairs of words, rare ones weighing more.
    """
    vectors = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\w+|[^\w\s]", sublinear_tf=True)
    known = vectors.fit_transform([pair.source for pair in train])
    asked = vectors.transform([question.source for question in questions])
    found = []
    for start in range(0, len(questions), 64):  # a block of similarities at a time
        nearest = (asked[start : start + 64] @ known.T).toarray().argmax(1)
        found += [train[k].target for k in nearest]
    return found
