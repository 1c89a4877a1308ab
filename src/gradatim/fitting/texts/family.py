"""Families of networks for texts: those that learn their words from scratch, and those with a published encoder."""

import time
from dataclasses import replace

import numpy as np

from gradatim.data.tokenizers.word_piece import CLASS
from gradatim.data.word_counts import Corpus, TermCounts
from gradatim.events import Stage, Tell
from gradatim.fitting.family import recall_vectors
from gradatim.fitting.texts import sections
from gradatim.fitting.texts.model import FittedText
from gradatim.fitting.texts.networks import TextSettings, draw_settings, fit_network
from gradatim.fitting.texts.pretrained import (
    TUNED,
    PretrainedNetwork,
    PretrainedSettings,
    draw_pretrained,
    fine_tune,
    fit_head,
    read_vectors,
)
from gradatim.fitting.texts.problem import TextProblem
from gradatim.fitting.work import Work
from gradatim.models import SentenceEncoder
from gradatim.models.sentence_encoder import GRID, TOKENS
from gradatim.training import History

PART = 2_000  # texts that a published encoder reads at a time
PROBE = 512  # texts on which the recurrent network's time is measured
SHARE = 0.55  # of the budget, for reading all texts once with a published encoder
FEWEST, MOST = 32, 256  # tokens of a text that such an encoder reads
PIECES = 1.3  # tokens of a word, about
TRAINING = 5.0  # time of a training step on a token, in units of reading it


class LearnedFamily:
    """A bag of embeddings and a recurrent network, all of whose weights are learned from the texts.

    Args:
        problem: Texts, target and split.
        corpus: The texts as word numbers.
        seed: Fixes the draws.
    """

    def __init__(self, problem: TextProblem, corpus: Corpus, seed: int) -> None:
        self.problem, self.corpus, self.seed = problem, corpus, seed
        self._ratio = 1.0

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Measure how much longer the recurrent network takes than the bag."""

        def ratio() -> float:
            rows = self.problem.train[:PROBE]
            seconds = []
            for trial in (0, 1):
                started = time.perf_counter()
                self.fit(replace(self.draw(trial), epochs=1), rows, self.seed)
                seconds.append(time.perf_counter() - started)
            return max(seconds[1] / seconds[0], 1.0)

        tell(Stage("measuring how fast the networks train"))
        self._ratio = work.recall("ratio", ratio)

    def draw(self, trial: int) -> TextSettings:
        """Settings of trial number ``trial``."""
        return draw_settings(trial, self.seed)

    def cost(self, settings: TextSettings) -> float:
        """Training time in units of that of the default settings, about."""
        epochs = settings.epochs / TextSettings.epochs
        if settings.reader == "bag":
            return epochs
        return self._ratio * epochs * settings.length / self.draw(1).length

    def fit(
        self, settings: TextSettings, rows: np.ndarray, seed: int, judge: np.ndarray | None = None
    ) -> tuple[FittedText, History]:
        """Train the network."""
        p = self.problem
        watched = None if judge is None else (judge, p.y[judge])
        return fit_network(
            self.corpus, rows, p.y[rows], p.classes, settings, seed, watched, p.table, p.weight_of(rows)
        )  # fmt: skip

    def outputs(self, model: FittedText, rows: np.ndarray) -> np.ndarray:
        """What a model says of texts."""
        return model.outputs([self.problem.texts[k] for k in rows.tolist()], self.problem.cells(rows))  # fmt: skip

    def describe(self, settings: TextSettings) -> list[tuple[str, object]]:
        """The settings, for people."""
        return sections.describe_network(settings)


class PretrainedFamily:
    """A published encoder: a head on its vectors and the words, or fine-tuning, as time allows.

    Args:
        problem: Texts, target and split.
        words: Words of each text.
        terms: Counts of all terms in all texts.
        encoder: The published encoder.
        seed: Fixes the draws.
    """

    def __init__(
        self,
        problem: TextProblem,
        words: np.ndarray,
        terms: TermCounts,
        encoder: SentenceEncoder,
        seed: int,
    ) -> None:
        self.problem, self.words, self.terms = problem, words, terms
        self.encoder, self.seed = encoder, seed
        self.tokens = min(MOST, encoder.max_length)
        self.vectors = np.zeros((0, encoder.model.dim))
        self._ratio = 1.0

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Read every text once, as much of it as the budget allows, and measure what fine-tuning would cost."""
        if budget is not None:
            speed = work.recall("speed", self._speed)
            self.tokens = self._affordable(SHARE * budget * speed)
        self.vectors = self._read(work, tell)
        if budget is not None:
            rows = self.problem.train[: int(0.8 * len(self.problem.train))]
            seconds = work.recall("head", lambda: self._head_seconds(rows))
            tokens = self._lengths(rows, self.tokens).sum() * PretrainedSettings.epochs
            self._ratio = max(TRAINING * tokens / speed / seconds, 1.0)

    def _read(self, work: Work, tell: Tell) -> np.ndarray:
        """Vectors of all texts."""
        texts = self.problem.texts

        def read(part: slice) -> np.ndarray:
            return read_vectors(self.encoder, texts[part], self.tokens)

        return recall_vectors(work, read, len(texts), part=PART, things="texts", tell=tell)

    def _speed(self) -> float:
        """Tokens that the encoder reads per second."""
        begin = self.encoder.tokenizer.number(CLASS)
        rows = [[begin] * self.tokens] * (2 * TOKENS // self.tokens)
        seconds = []
        for _ in range(2):  # the first time is slower
            started = time.perf_counter()
            self.encoder.encode_tokens(rows)
            seconds.append(time.perf_counter() - started)
        return len(rows) * self.tokens / min(seconds)

    def _lengths(self, rows: np.ndarray, tokens: int) -> np.ndarray:
        return np.minimum(PIECES * self.words[rows] + 2, tokens)

    def _affordable(self, total: float) -> int:
        """Most tokens of a text such that all texts together have at most ``total``."""
        everyone = np.arange(len(self.words))
        for tokens in range(self.tokens, FEWEST, -GRID):
            if self._lengths(everyone, tokens).sum() <= total:
                return tokens
        return min(FEWEST, self.tokens)

    def _head_seconds(self, rows: np.ndarray) -> float:
        started = time.perf_counter()
        self.fit(self.draw(0), rows, self.seed)
        return time.perf_counter() - started

    def draw(self, trial: int) -> PretrainedSettings:
        """Settings of trial number ``trial``."""
        return draw_pretrained(trial, self.seed, self.tokens)

    def cost(self, settings: PretrainedSettings) -> float:
        """Training time in units of that of a head, about."""
        is_tuned = settings.method == TUNED
        return self._ratio * settings.epochs / PretrainedSettings.epochs if is_tuned else 1.0

    def fit(
        self,
        settings: PretrainedSettings,
        rows: np.ndarray,
        seed: int,
        judge: np.ndarray | None = None,
    ) -> tuple[FittedText, History | None]:
        """Fit the head, which has no course to show, or fine-tune."""
        p = self.problem
        if settings.method != TUNED:
            head = fit_head(
                self.encoder, self.vectors, self.terms, rows, p.y[rows], p.classes, settings, seed, p.table, p.weight_of(rows)
            )  # fmt: skip
            return head, None
        watched = None if judge is None else (self._texts(judge), p.y[judge])
        return fine_tune(
            self.encoder, self._texts(rows), p.y[rows], p.classes, settings, seed, watched, p.weight_of(rows)
        )  # fmt: skip

    def _texts(self, rows: np.ndarray) -> list[str]:
        return [self.problem.texts[k] for k in rows.tolist()]

    def outputs(self, model: FittedText, rows: np.ndarray) -> np.ndarray:
        """What a model says of texts; those that the encoder has read are not read again."""
        if isinstance(model, PretrainedNetwork) and model.encoder is self.encoder:
            return model.outputs(self._texts(rows), self.problem.cells(rows), self.vectors[rows])
        return model.outputs(self._texts(rows), self.problem.cells(rows))

    def describe(self, settings: PretrainedSettings) -> list[tuple[str, object]]:
        """The settings, for people."""
        return sections.describe_pretrained(settings)
