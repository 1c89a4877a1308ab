"""Texts to learn letter by letter, and what tables of letters know about them."""

import math
import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gradatim.data import load
from gradatim.reports import Report

NOUNS = ("king", "queen", "fool", "ghost", "raven", "sword", "crown", "letter")
VERBS = ("finds", "fears", "loves", "hides", "betrays", "forgets", "follows", "praises")
WHERE = ("in the night", "at the gate", "by the sea", "on the hill")


@dataclass(frozen=True)
class TextSettings:
    """``made-up`` needs no download: a small grammar, whose entropy is known."""

    seed: int = 0
    source: Literal["tiny-shakespeare", "made-up"] = "tiny-shakespeare"
    characters: int = 1_115_394


class Text(NamedTuple):
    """A text as numbers: nine tenths to train, the last tenth to test."""

    letters: str
    train: Tensor
    test: Tensor
    known_words: set[str]

    def decode(self, codes: Tensor) -> str:
        return "".join(self.letters[code] for code in codes.tolist())

    def encode(self, text: str) -> Tensor:
        return torch.tensor([self.letters.index(letter) for letter in text])


def read_text(settings: TextSettings) -> Text:
    if settings.source == "made-up":
        text = made_up_text(settings.characters, settings.seed)
    else:
        text = load(settings.source).text[: settings.characters]
    letters = "".join(sorted(set(text)))
    codes = torch.as_tensor(np.searchsorted(list(letters), list(text)))
    cut = len(codes) * 9 // 10
    return Text(letters, codes[:cut], codes[cut:], set(words_of(text)))


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def made_up_text(characters: int, seed: int) -> str:
    """Draw sentences of a small grammar, independent of each other, every choice equally likely."""
    rng = np.random.default_rng(seed)
    sentences, size = [], 0
    while size < characters:
        subject, target = rng.choice(NOUNS, 2)
        sentence = f"the {subject} {rng.choice(VERBS)} the {target} {rng.choice(WHERE)}.\n"
        sentences.append(sentence)
        size += len(sentence)
    return "".join(sentences)[:characters]


def made_up_entropy() -> float:
    """Bits per character of :func:`made_up_text`: bits of a sentence's choices over its mean length."""
    bits = 2 * math.log2(len(NOUNS)) + math.log2(len(VERBS)) + math.log2(len(WHERE))
    fixed = len("the  the  .\n") + 1  # and the blank before the verb
    mean = [sum(map(len, words)) / len(words) for words in (NOUNS, NOUNS, VERBS, WHERE)]
    return bits / (fixed + sum(mean))


def claim_entropy(report: Report, who: str, bits: float) -> None:
    """A model of :func:`made_up_text` cannot need fewer bits than the source has, but for chance."""
    entropy = made_up_entropy()
    report.claim(
        f"{who} comes near the entropy of the source, and not below",
        bits,
        f"{{}} bits; entropy {entropy:.3f}",
        at_least=0.97 * entropy,
        at_most=1.25 * entropy,
    )


def table_bits(train: np.ndarray, test: np.ndarray, order: int, size: int) -> float:
    """Bits per character of ``test`` under a table of what follows ``order`` characters in ``train``.

    Counts of each context are mixed with the next shorter one's prediction (Witten-Bell), so that
    contexts which never occurred do no harm.
    """
    chance = np.full((len(test) - order,), 1 / size)
    for context in range(order + 1):
        codes, test_codes = (_codes(text, context + 1, size) for text in (train, test))
        counts = np.bincount(codes, minlength=size ** (context + 1)).reshape(-1, size)
        total, kinds = counts.sum(1), (counts > 0).sum(1)
        rows = test_codes[order - context :] // size
        seen = counts.ravel()[test_codes[order - context :]]
        weight = total[rows] + kinds[rows]
        mixed = (seen + kinds[rows] * chance) / np.maximum(weight, 1)
        chance = np.where(weight > 0, mixed, chance)
    return float(-np.log2(chance).mean())


def _codes(text: np.ndarray, length: int, size: int) -> np.ndarray:
    """Each stretch of ``length`` characters as one number."""
    stretches = np.lib.stride_tricks.sliding_window_view(text, length)
    return stretches @ size ** np.arange(length)[::-1]
