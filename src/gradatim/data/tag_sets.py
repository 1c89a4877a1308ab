"""Sets of tagged sentences: the Brown corpus with its tags made simple, and a small language drawn from a grammar."""

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

_MARK = re.compile(r"(-(tl|hl|nc|t|n))+$")
_VOWELS, _CONSONANTS = "aeiou", "bdfgklmnprstvz"
_ENDINGS = {"noun": ("ness", "er", "ment"), "adjective": ("ous", "ful"), "adverb": ("ly",), "verb": ("ize", "ate")}  # fmt: skip
_BOTH = ("saw", "watch", "fish", "light", "plant", "drink")  # nouns that are verbs too
_WITH = ("light", "plant", "drink")  # verbs that take a particle
_PRONOUNS, _NAMES = ("she", "they", "we"), ("Ada", "Otto", "Ida", "Bela")
PER_DOCUMENT = 20  # sentences of a drawn document


class TagSet(NamedTuple):
    """Tagged sentences.

    Args:
        words: Words of each sentence.
        tags: Their tags.
        documents: Number of the document of each sentence.
    """

    words: list[tuple[str, ...]]
    tags: list[tuple[str, ...]]
    documents: np.ndarray


def simple_tag(tag: str) -> str:
    """A tag of the Brown corpus without the marks of titles, headlines, quotations and foreign words.

    Of words that are written as one (``he'll``, ``pps+md``) the tag of the first is kept, and the mark of a negation
    (``md*``) falls away.

    Args:
        tag: As published.

    Example:
        >>> [simple_tag(tag) for tag in ("nn-tl", "fw-nn$-tl-hl", "pps+md", "md*", "*", "--", "---hl")]
        ['nn', 'nn$', 'pps', 'md', '*', '--', '--']
    """
    plain = _MARK.sub("", tag.removeprefix("fw-")).split("+")[0]
    return plain if plain.strip("*") == "" else plain.rstrip("*")


def read_brown(texts: Iterable[bytes]) -> TagSet:
    """Read texts of the Brown corpus: a sentence a line, ``The/at jury/nn said/vbd``.

    Args:
        texts: Files, a document each.

    Example:
        >>> read_brown([b"\\n\\tThe/at City/nn-tl\\n\\n", b"1/2/cd ./.\\n"]).words
        [('The', 'City'), ('1/2', '.')]
    """
    words, tags, documents = list[tuple[str, ...]](), list[tuple[str, ...]](), list[int]()
    for number, text in enumerate(texts):
        for line in text.decode().splitlines():
            pairs = [item.rpartition("/") for item in line.split()]
            kept = [(word, simple_tag(tag)) for word, _, tag in pairs if word and tag]
            if kept:
                words.append(tuple(word for word, _ in kept))
                tags.append(tuple(tag for _, tag in kept))
                documents.append(number)
    return TagSet(words, tags, np.array(documents))


def grammar(num_sentences: int = 600, seed: int = 0) -> TagSet:
    """Draw sentences of a small language whose grammar is known.

    Half of its words are new in every document of 20 sentences; what they are shows in their endings (``-ness``, ``-ous``,
    ``-ly``, ``-ize``). Six words are nouns after an article or adjective and verbs elsewhere. What ``up`` at the end of a
    sentence is depends on its verb, however far away that stands.

    Args:
        num_sentences: Sentences to draw.
        seed: Fixes the draw.

    Example:
        >>> drawn = grammar(1)
        >>> " ".join(drawn.words[0])
        'a taduous plant lozoates the light up .'
        >>> drawn.tags[0]
        ('article', 'adjective', 'noun', 'verb', 'article', 'noun', 'adverb', 'mark')
    """
    rng = np.random.default_rng(seed)
    words, tags = list[tuple[str, ...]](), list[tuple[str, ...]]()
    for k in range(num_sentences):
        if k % PER_DOCUMENT == 0:
            own = {kind: [_stem(rng) + str(rng.choice(ends)) for _ in range(4)] for kind, ends in _ENDINGS.items()}  # fmt: skip
        pairs = [*_phrase(rng, own), ("", "verb"), *_phrase(rng, own)]
        verb = str(rng.choice(_BOTH if rng.random() < 0.6 else own["verb"]))
        if (draw := rng.random()) < 0.4:
            pairs.append(("up", "particle" if verb in _WITH else "adverb"))
        elif draw < 0.7:
            pairs.append((str(rng.choice(own["adverb"])), "adverb"))
        is_many = pairs[0][0] in ("they", "we")
        ending = "" if is_many else "es" if verb.endswith(("ch", "sh")) else "s"
        pairs = [(word or verb + ending, tag) for word, tag in pairs] + [(".", "mark")]
        words.append(tuple(word for word, _ in pairs))
        tags.append(tuple(tag for _, tag in pairs))
    return TagSet(words, tags, np.arange(num_sentences) // PER_DOCUMENT)


def _stem(rng: np.random.Generator) -> str:
    letters = [rng.choice(list(_CONSONANTS if k % 2 == 0 else _VOWELS)) for k in range(4)]
    return "".join(map(str, letters))


def _phrase(rng: np.random.Generator, own: dict[str, list[str]]) -> list[tuple[str, str]]:
    """A name, a pronoun, or an article with a noun, some of them with an adjective between."""
    draw = rng.random()
    if draw < 0.15:
        return [(str(rng.choice(_NAMES)), "name")]
    if draw < 0.3:
        return [(str(rng.choice(_PRONOUNS)), "pronoun")]
    noun = str(rng.choice(_BOTH if rng.random() < 0.4 else own["noun"]))
    between = [(str(rng.choice(own["adjective"])), "adjective")] if rng.random() < 0.4 else []
    return [(str(rng.choice(["the", "a"])), "article"), *between, (noun, "noun")]
