"""Small sentences of who sees whom, questions about them, and where the answers stand."""

import re
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gradatim.data import Vocabulary, pad_sequences

NAMES = ("anna", "bruno", "clara", "david")
KINDS = ("old", "young", "tall", "tired")
JOBS = ("miller", "captain", "nurse", "baker", "painter")
HELD = (("young", "captain"), ("tired", "miller"), ("old", "painter"))  # never together in training
VERBS = {"sees": "seen", "finds": "found", "helps": "helped"}
SIDES, PLACES = ("under", "behind", "near"), ("bridge", "oak", "barn", "tower", "gate")
TIMES = ("on monday", "on sunday", "at noon", "at night", "last winter")
CLS, SEP = "[CLS]", "[SEP]"
_WORDS = " ".join((*NAMES, *KINDS, *JOBS, *VERBS, *VERBS.values(), *SIDES, *PLACES, *TIMES, "who where when is by the big . ?"))  # fmt: skip
VOCABULARY = Vocabulary([CLS, SEP, *dict.fromkeys(_WORDS.split())])
_SOMEBODY = rf"(?:{'|'.join(NAMES)}|the (?:\w+ )?(?:{'|'.join(JOBS)}))"
_PLACE = rf"(?:{'|'.join(SIDES)}) the (?:big )?(?:{'|'.join(PLACES)})"


class Asked(NamedTuple):
    """Questions, each followed by a sentence.

    Args:
        words: ``[CLS] question [SEP] sentence [SEP]``, a list a row.
        tokens: Their places in the vocabulary, shape ``(rows, T)``.
        lengths: Words of each row.
        segments: 0 up to the first ``[SEP]``, 1 behind it, shape ``(rows, T)``.
        spans: First and last place of the answer, both 0 where the sentence does not tell, shape ``(rows, 2)``.
    """

    words: list[list[str]]
    tokens: Tensor
    lengths: Tensor
    segments: Tensor
    spans: Tensor


def ask(rows: int, rng: np.random.Generator, *, length: int = 24, is_held: bool = False) -> Asked:
    """Draw sentences and questions.

    Args:
        rows: How many.
        rng: Source of randomness.
        length: Words of a row, filled up with padding.
        is_held: Whether every question is about somebody with an adjective that no other sentence gives him.
    """
    drawn = [_draw(rng, is_held) for _ in range(rows)]
    return encode([row for row, _ in drawn], torch.tensor([span for _, span in drawn]), length)


def encode(words: list[list[str]], spans: Tensor, length: int) -> Asked:
    """Rows of words as numbers, filled up to a length."""
    tokens, lengths = pad_sequences([VOCABULARY.encode(row) for row in words])
    tokens = torch.nn.functional.pad(tokens, (0, length - tokens.shape[1]))
    ends = torch.tensor([row.index(SEP) for row in words])
    segments = (torch.arange(length) > ends[:, None]).long()
    return Asked(words, tokens, lengths, segments, spans)


def _somebody(rng: np.random.Generator, is_held: bool) -> str:
    if is_held:
        kind, job = HELD[int(rng.integers(len(HELD)))]
        return f"the {kind} {job}"
    if rng.random() < 0.4:
        return str(rng.choice(NAMES))
    kind, job = str(rng.choice(("", *KINDS))), str(rng.choice(JOBS))
    return f"the {job}" if (kind, job) in HELD or not kind else f"the {kind} {job}"


def _draw(rng: np.random.Generator, is_held: bool) -> tuple[list[str], tuple[int, int]]:
    """The words of a row and the place of its answer."""
    verb, done = list(VERBS.items())[int(rng.integers(len(VERBS)))]
    asked = int(rng.integers(2 if is_held else 4))  # who does it, to whom, where, when
    agent, patient = (_somebody(rng, is_held and asked == k) for k in (0, 1))
    while patient == agent:
        patient = _somebody(rng, is_held and asked == 1)
    core = [(0, agent), (-1, verb), (1, patient)] if rng.random() < 0.5 else [(1, patient), (-1, f"is {done} by"), (0, agent)]  # fmt: skip
    place = " ".join([str(rng.choice(SIDES)), "the", *(["big"] * (rng.random() < 0.5)), str(rng.choice(PLACES))])  # fmt: skip
    extras = [part for part in ((2, place), (3, str(rng.choice(TIMES)))) if rng.random() < 0.7]
    rng.shuffle(extras)
    cut = int(rng.integers(len(extras) + 1))
    question = (f"who {verb} ?", f"who is {done} ?", "where ?", "when ?")[asked]
    row, span = [CLS, *question.split(), SEP], (0, 0)
    for part, text in (*extras[:cut], *core, *extras[cut:]):
        if part == asked:
            span = (len(row), len(row) + len(text.split()) - 1)
        row += text.split()
    return [*row, ".", SEP], span


def look_up(words: list[str]) -> str:
    """The answer by patterns instead of by learning; ``""`` where the sentence does not tell.

    >>> look_up("[CLS] who is seen ? [SEP] at noon the old miller is seen by anna . [SEP]".split())
    'the old miller'
    """
    _, question, sentence = re.split(r" ?\[(?:CLS|SEP)\] ?", " ".join(words))[:3]
    if question.startswith("who"):
        first, second = named(words)
        return first if (" by " in sentence) == (" is " in question) else second
    found = re.search(_PLACE if question.startswith("where") else "|".join(TIMES), sentence)
    return found[0] if found else ""


def named(words: list[str]) -> list[str]:
    """Who is in the sentence, in the order of the words."""
    return re.findall(_SOMEBODY, " ".join(words[words.index(SEP) + 1 :]))


def answers(asked: Asked, spans: Tensor) -> list[str]:
    """The words between first and last places, ``""`` for ``[CLS]``."""
    return [" ".join(row[i : j + 1]) if i else "" for row, (i, j) in zip(asked.words, spans.tolist(), strict=True)]  # fmt: skip
