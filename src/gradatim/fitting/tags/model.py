"""The saved tagger, and what it predicts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from gradatim.data.plain_sentences import count_glued, read_sentences
from gradatim.data.tagged import COLUMNS, SLASHES, Layout, cut_long
from gradatim.errors import InvalidType, InvalidValue, choose, require
from gradatim.fitting.classes import check_outputs, frame_of
from gradatim.fitting.network import Answer
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.programs import Input, Program, refuse_to_export
from gradatim.fitting.stored import StoredModel, whole
from gradatim.fitting.tags.counted import CountedTags
from gradatim.fitting.tags.features import FIRST, NAMES, UNKNOWN, Sentences
from gradatim.fitting.tags.networks import TagNetwork
from gradatim.fitting.tags.pretrained import PretrainedTags
from gradatim.fitting.tags.problem import LONGEST_SENTENCE

FittedTags = CountedTags | TagNetwork | PretrainedTags
CHUNK = 500  # sentences that are tagged at once
MOST_COLUMNS = 10_000
EXPORTED = 50  # words that an exported program reads: each step of time is a part of it
GLUED = 0.5  # of sentences that end in a glued mark, from which on it is said


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TagModel(StoredModel):
    """Models that tag words, with everything that turns a sentence into tags.

    Args:
        models: Fitted models by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
        labels: Tags.
        layout: How the training file was written, as in :class:`~gradatim.data.tagged.Layout`.
    """

    folder_kind = "tag"
    members = (CountedTags, PretrainedTags, TagNetwork)
    own = ("labels", "layout")

    labels: list[str]
    layout: list[Any]

    def outputs(self, sentences: Sentences, model: str = RECOMMENDED) -> np.ndarray:
        """Return probabilities of the tags of all words, one sentence after the other, shape ``(words, tags)``."""
        pieces = [sentences[n][a:b] for n, a, b in cut_long(sentences, LONGEST_SENTENCE) if b > a]
        if not pieces:
            return np.zeros((0, len(self.labels)))
        return self.fitted(model).outputs(pieces)

    def rehearsal(self, model: str) -> np.ndarray:
        """Outputs of two words."""
        layout = Layout(*self.layout)
        choose("load_model", "layout", layout.style, (COLUMNS, SLASHES))
        for name in ("columns", "word", "tag"):
            whole(layout._asdict(), name, MOST_COLUMNS)
        return check_outputs(self.outputs([["a", "Zq"]], model), self.labels)

    def predict(self, sentences: Any, *, model: str = RECOMMENDED) -> list[list[str]]:
        """Return the most probable tag of every word.

        Args:
            sentences: Texts with spaces between words, or lists of words.
            model: ``"recommended"`` or the name of a model in the folder, such as ``"network"``.
        """
        words = as_words(sentences)
        names = np.array(self.labels, dtype=object)[self.outputs(words, model).argmax(1)].tolist()
        ends = np.cumsum([len(own) for own in words]).tolist()
        return [names[end - len(own) : end] for own, end in zip(words, ends, strict=True)]

    def predict_proba(self, sentences: Any, *, model: str = RECOMMENDED) -> list[np.ndarray]:
        """Return the probabilities of the tags of every word, ``(words, tags)`` for each sentence."""
        words = as_words(sentences)
        ends = np.cumsum([len(own) for own in words])[:-1]
        return np.split(self.outputs(words, model), ends)

    def prediction_tables(
        self, data: "str | Path | pd.DataFrame", model: str, notes: list[str]
    ) -> Iterator[pd.DataFrame]:
        """Tag a file or a column of sentences, one table for each chunk; ``notes`` tells what is odd."""
        self.fitted(model)
        if isinstance(data, pd.DataFrame):
            require(data.shape[1], "predict: data must have a column of sentences", "none")
            column = data["text"] if "text" in data else data.iloc[:, 0]
            words = as_words(column.fillna("").astype(str).tolist())
        else:
            words = read_sentences(data, Layout(*self.layout), set(self.labels))
        glued = count_glued(words)
        if glued > GLUED * len(words):
            notes.append(f"{glued:,} of {len(words):,} sentences end in a word with a mark, such as 'end.': words are told apart by spaces alone, as in 'end .'.")  # fmt: skip
        numbers = np.arange(1, len(words) + 1)
        for start in range(0, len(words), CHUNK):
            part = words[start : start + CHUNK]
            yield tag_frame(self.outputs(part, model), self.labels, part, numbers[start : start + CHUNK])  # fmt: skip

    def program(self, which: str = NETWORK) -> Program:
        """The network as a program: features of words, and lengths, to probabilities of tags."""
        fitted = self.fitted(which)
        if not isinstance(fitted, TagNetwork):
            refuse_to_export(self, which)
        words = f"numbers of the features of words, 0 behind the end of a sentence, int64 of shape (N, {EXPORTED}, {len(NAMES)})"
        numbers = Input("features", torch.ones(2, EXPORTED, len(NAMES), dtype=torch.long), words)
        lengths = Input(
            "lengths", torch.full((2,), EXPORTED), "words of each sentence, int64 of shape (N,)"
        )
        known = dict(zip(NAMES, fitted.known, strict=True))
        before = f"A longer sentence is cut after {EXPORTED} words. A value of a feature is its place in the list of 'known', from {FIRST} on, {UNKNOWN} for any other."
        facts = {"labels": self.labels, "known": known, "before": before}
        answer = Answer(fitted, partial(torch.softmax, dim=-1))
        return Program(answer, [numbers, lengths], "probabilities", facts)

    def __repr__(self) -> str:
        return f"TagModel({self.recommended!r} with {len(self.labels)} tags)"


def as_words(sentences: Any) -> list[list[str]]:
    """Sentences as lists of words.

    Args:
        sentences: Texts, or lists of words.

    Example:
        >>> as_words(["The dog barks .", ["New", "York"]])
        [['The', 'dog', 'barks', '.'], ['New', 'York']]
    """
    if isinstance(sentences, pd.DataFrame) and sentences.shape[1]:
        sentences = sentences["text"] if "text" in sentences else sentences.iloc[:, 0]
    if isinstance(sentences, str) or not isinstance(sentences, Sequence | np.ndarray | pd.Series):
        raise InvalidType(f"predict: sentences must be a list of sentences, got a {type(sentences).__name__}.")  # fmt: skip
    words = [own.split() if isinstance(own, str) else own for own in sentences]
    if not all(isinstance(own, Sequence) and all(isinstance(word, str) for word in own) for own in words):  # fmt: skip
        raise InvalidValue("predict: sentences must be texts or lists of words, got other things.")
    return [list(own) for own in words]


def tag_frame(
    output: np.ndarray, labels: Sequence[str], sentences: Sentences, numbers: np.ndarray
) -> pd.DataFrame:
    """Tags as a table: number of the sentence, word, tag and how probable it is.

    Args:
        output: Probabilities ``(words, tags)``.
        labels: Tags.
        sentences: Words.
        numbers: Of the sentences.

    Example:
        >>> tag_frame(np.array([[0.2, 0.8]]), ["nn", "vb"], [["barks"]], np.array([1]))
           sentence   word prediction  probability
        0         1  barks         vb          0.8
    """
    best = output.argmax(1)
    return frame_of(
        {
            "sentence": np.repeat(numbers, [len(words) for words in sentences]),
            "word": [word for words in sentences for word in words],
            "prediction": np.array(labels, dtype=object)[best],
            "probability": output[np.arange(len(best)), best],
        }
    )
