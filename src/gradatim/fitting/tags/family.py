"""Families of networks for tags: one that learns its words from scratch, and a published encoder with a linear layer."""

import time
from typing import Any, Protocol

import numpy as np
import torch

from gradatim.events import Stage, Tell
from gradatim.files import load_tree, save_tree
from gradatim.fitting.planning import affordable_rows
from gradatim.fitting.tags import sections
from gradatim.fitting.tags.model import FittedTags
from gradatim.fitting.tags.networks import (
    BATCH,
    STEPS,
    TagSettings,
    draw_settings,
    fit_network,
    passes,
    relative_cost,
)
from gradatim.fitting.tags.pretrained import (
    HeadSettings,
    PretrainedTags,
    draw_head,
    fit_head,
    read_words,
)
from gradatim.fitting.tags.problem import TagProblem
from gradatim.fitting.work import Work
from gradatim.models import SentenceEncoder
from gradatim.training import History

FIRST = 100  # sentences of the first probe
STEP_SHARE, FEWEST_STEPS = (
    0.1,
    60,
)  # of the budget, for the steps of a training on few sentences; steps in any case
PART = 1_000  # sentences that a published encoder reads at a time


class Family(Protocol):
    """What the contest asks of the network; settings are a data class of the family's own."""

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Read what can be read before the first fold."""

    def draw(self, trial: int) -> Any:
        """Return the settings of a trial."""

    def cost(self, settings: Any) -> float:
        """Return the training time in units of that of trial 0, about."""

    def affordable(self, settings: Any, rows: np.ndarray, seconds: float) -> int | None:
        """Return from how many of the sentences ``rows`` it learns in time."""

    def fit(self, settings: Any, rows: np.ndarray, seed: int, judge: np.ndarray | None = None) -> tuple[FittedTags, History]:  # fmt: skip
        """Learn from the sentences ``rows``, watched on the sentences ``judge``."""

    def outputs(self, model: FittedTags, rows: np.ndarray) -> np.ndarray:
        """Return what a model says of the words of sentences."""

    def describe(self, settings: Any) -> list[tuple[str, object]]:
        """Return the settings, for people."""


class LearnedFamily:
    """A recurrent network in both directions, all of whose weights are learned from the sentences.

    Args:
        problem: Sentences, tags and split.
        seed: Fixes the draws.
    """

    def __init__(self, problem: TagProblem, seed: int) -> None:
        self.problem, self.seed, self.steps = problem, seed, STEPS

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Measure the time of a step, and let few sentences be read as often as the budget allows."""
        if budget is not None:
            pace = work.recall("pace", self._pace)
            self.steps = int(np.clip(STEP_SHARE * budget / pace, FEWEST_STEPS, STEPS))

    def _pace(self) -> float:
        """Seconds of a step."""
        rows, seconds = self.problem.train[: 4 * BATCH], []
        for _ in range(2):  # the first time is slower
            started = time.perf_counter()
            self.fit(self.draw(0), rows, self.seed, epochs=1)
            seconds.append(time.perf_counter() - started)
        return min(seconds) / -(-len(rows) // BATCH)

    def draw(self, trial: int) -> TagSettings:
        """Settings of trial number ``trial``."""
        return draw_settings(trial, self.seed)

    def cost(self, settings: TagSettings) -> float:
        """Training time in units of that of the default settings, about."""
        return relative_cost(settings)

    def affordable(self, settings: TagSettings, rows: np.ndarray, seconds: float) -> int:
        """Measured on an epoch of some sentences."""

        def reads(count: int) -> float:
            return count * passes(count, settings.epochs, self.steps)

        def probe(count: int) -> float:
            started = time.perf_counter()
            self.fit(settings, rows[:count], self.seed, epochs=1)
            return (time.perf_counter() - started) * passes(count, settings.epochs, self.steps)

        share = 1.0 / settings.epochs
        return affordable_rows(len(rows), seconds, probe, reads, first=FIRST, share=share)

    def fit(
        self,
        settings: TagSettings,
        rows: np.ndarray,
        seed: int,
        judge: np.ndarray | None = None,
        epochs: int | None = None,
    ) -> tuple[FittedTags, History]:
        """Train the network."""
        p = self.problem
        watched = None if judge is None else (p.words_of(judge), self._tags(judge))
        return fit_network(p.words_of(rows), self._tags(rows), p.classes, settings, seed, watched, self.steps, epochs)  # fmt: skip

    def _tags(self, rows: np.ndarray) -> list[np.ndarray]:
        p = self.problem
        return [p.y[p.starts[k] : p.starts[k + 1]] for k in rows.tolist()]

    def outputs(self, model: FittedTags, rows: np.ndarray) -> np.ndarray:
        """What a model says of sentences."""
        return model.outputs(self.problem.words_of(rows))

    def describe(self, settings: TagSettings) -> list[tuple[str, object]]:
        """The settings, for people."""
        return sections.describe_network(settings)


class PretrainedFamily:
    """A published encoder, which reads every sentence once, with a linear layer.

    Args:
        problem: Sentences, tags and split.
        encoder: The published encoder.
        seed: Fixes the draws.
    """

    def __init__(self, problem: TagProblem, encoder: SentenceEncoder, seed: int) -> None:
        self.problem, self.encoder, self.seed = problem, encoder, seed
        self.vectors = np.zeros((0, 2 * encoder.model.dim), dtype=np.float32)

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Vectors of all words; a run that was killed goes on with the first part it has not read."""
        sentences, parts = self.problem.sentences, []
        for start in range(0, len(sentences), PART):
            tell(Stage(f"the encoder has read {start:,} of {len(sentences):,} sentences", start / len(sentences)))  # fmt: skip
            path = work.folder / f"vectors-{start}.safetensors"
            if not path.is_file():
                work.cancel.check()
                part = read_words(self.encoder, sentences[start : start + PART])
                save_tree(path, {"vectors": torch.from_numpy(part)}, kind="vectors")
            parts.append(load_tree(path, kind="vectors")["vectors"].numpy())
        self.vectors = np.concatenate(parts)

    def draw(self, trial: int) -> HeadSettings:
        """Settings of trial number ``trial``."""
        return draw_head(trial, self.seed)

    def cost(self, settings: HeadSettings) -> float:
        """Training time in units of that of the default settings."""
        return settings.epochs / HeadSettings.epochs

    def affordable(self, settings: HeadSettings, rows: np.ndarray, seconds: float) -> int | None:
        """All: a linear layer is quick beside reading."""
        return None

    def fit(
        self, settings: HeadSettings, rows: np.ndarray, seed: int, judge: np.ndarray | None = None
    ) -> tuple[FittedTags, History]:
        """Train the linear layer."""
        p = self.problem
        tokens = p.tokens(rows)
        watched = None if judge is None else (self.vectors[p.tokens(judge)], p.y[p.tokens(judge)])
        return fit_head(self.encoder, self.vectors[tokens], p.y[tokens], p.classes, settings, seed, watched)  # fmt: skip

    def outputs(self, model: FittedTags, rows: np.ndarray) -> np.ndarray:
        """What a model says of sentences; those that the encoder has read are not read again."""
        words = self.problem.words_of(rows)
        if isinstance(model, PretrainedTags):
            return model.outputs(words, self.vectors[self.problem.tokens(rows)])
        return model.outputs(words)

    def describe(self, settings: HeadSettings) -> list[tuple[str, object]]:
        """The settings, for people."""
        return sections.describe_pretrained(settings)
