"""The network: recurrent in both directions over embeddings of words, endings and the way they are written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from gradatim.errors import require
from gradatim.fitting.learning import train_network
from gradatim.fitting.network import FittedNetwork
from gradatim.fitting.stored import Facts
from gradatim.fitting.tables.predictors import softmax
from gradatim.fitting.tags.features import (
    FIRST,
    Sentences,
    Vocabularies,
    choose_values,
    number_words,
)
from gradatim.fitting.tags.passes import BLOCK, by_sentences
from gradatim.losses import token_cross_entropy
from gradatim.models import FeatureTagger
from gradatim.training import History

PADDING = -100  # target where there is no word
BATCH = 16  # sentences of a step
STEPS = 300  # of a training at least, as far as passes over the sentences allow
MOST_PASSES = 10  # that a small set is read more often than a large one


@dataclass(frozen=True)
class TagSettings:
    """What tuning chooses.

    Args:
        dim: Width of a word's embedding; each of its other features has a quarter of it.
        hidden_dim: Width of the recurrent state of one direction.
        num_layers: Recurrent layers.
        words: Largest vocabulary.
        dropout: Probability to drop an entry.
        weight_decay: Decoupled penalty on weights.
        lr: Initial learning rate; it falls to zero along a cosine.
        epochs: Passes over the sentences, more where they are few.
    """

    dim: int = 64
    hidden_dim: int = 96
    num_layers: int = 1
    words: int = 20_000
    dropout: float = 0.3
    weight_decay: float = 0.01
    lr: float = 1e-2
    epochs: int = 6


def draw_settings(trial: int, seed: int) -> TagSettings:
    """Settings of trial number ``trial``; trial 0 has the defaults.

    Example:
        >>> draw_settings(0, seed=0) == TagSettings()
        True
    """
    if trial == 0:
        return TagSettings()
    rng = np.random.default_rng([seed, trial])
    return TagSettings(
        dim=int(rng.choice([32, 64, 128])),
        hidden_dim=int(rng.choice([64, 96, 128, 192])),
        num_layers=int(rng.choice([1, 1, 2])),
        dropout=float(rng.choice([0.2, 0.3, 0.5])),
        weight_decay=float(np.round(10 ** rng.uniform(-3, -1), 4)),
        lr=float(np.round(10 ** rng.uniform(-2.4, -1.7), 5)),
        epochs=int(rng.choice([5, 8, 12])),
    )


def relative_cost(s: TagSettings) -> float:
    """Training time in units of that of the defaults, about."""
    d = TagSettings()
    layers = 1 + 1.4 * (s.num_layers - 1)
    width = 0.5 + 0.5 * (s.hidden_dim / d.hidden_dim) ** 1.5
    return s.epochs / d.epochs * layers * width


def passes(sentences: int, epochs: int, steps: int = STEPS) -> int:
    """How often so many sentences are read, for at least so many steps.

    Example:
        >>> passes(100_000, 6), passes(320, 6)
        (6, 15)
    """
    few = steps / (max(sentences, 1) / BATCH)
    return max(epochs, min(round(few), epochs * MOST_PASSES))


@dataclass(eq=False, repr=False)
class TagNetwork(FittedNetwork):
    """A trained tagger with the values of the features that it knows.

    Args:
        module: Numbers of features and lengths to logits.
        known: Values of each feature.
        classes: Number of tags.
        settings: What was chosen.
    """

    known: Vocabularies
    classes: int
    settings: dict[str, Any]
    block = BLOCK

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> Self:
        """Undo :meth:`store`; features of another network are refused."""
        fitted = super().restore(facts, tensors)
        sizes = tuple(len(own) + FIRST for own in fitted.known)
        fits = isinstance(fitted.module, FeatureTagger) and fitted.module.vocab_sizes == sizes
        require(fits, "load_model: values of features must be those of the network", f"{sizes} of them")  # fmt: skip
        return fitted

    def compute(self, *rows: Tensor) -> Tensor:
        """Logits of sentences as numbers, and lengths."""
        return self.module(*rows)

    def outputs(self, sentences: Sentences) -> np.ndarray:
        """Return probabilities of the tags of all words, shape ``(words, tags)``."""

        def apply(x: np.ndarray, lengths: np.ndarray) -> np.ndarray:
            return self.run(x, lengths)

        logits = by_sentences(apply, number_words(sentences, self.known))
        return softmax(logits)


class SentenceBatches:
    """Batches of sentences of like length, in a new order in every epoch.

    Args:
        sentences: Numbers of the words of each.
        tags: Codes of their tags.
        seed: Fixes which sentences of a length come together.
    """

    def __init__(self, sentences: Sequence[np.ndarray], tags: Sequence[np.ndarray], seed: int) -> None:  # fmt: skip
        mixed = np.random.default_rng(seed).permutation(len(sentences)).tolist()
        order = sorted(mixed, key=lambda k: len(sentences[k]))
        self.batches = [self._batch(sentences, tags, order[a : a + BATCH]) for a in range(0, len(order), BATCH)]  # fmt: skip

    @staticmethod
    def _batch(
        sentences: Sequence[np.ndarray], tags: Sequence[np.ndarray], rows: list[int]
    ) -> tuple[Tensor, Tensor, Tensor]:
        lengths = [len(sentences[k]) for k in rows]
        x = np.zeros((len(rows), max(lengths), sentences[rows[0]].shape[1]), dtype=np.int64)
        y = np.full((len(rows), max(lengths)), PADDING)
        for line, (k, length) in enumerate(zip(rows, lengths, strict=True)):
            x[line, :length], y[line, :length] = sentences[k], tags[k]
        return torch.from_numpy(x), torch.tensor(lengths), torch.from_numpy(y)

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        for k in torch.randperm(len(self.batches)).tolist():
            yield self.batches[k]


def fit_network(
    sentences: Sentences,
    tags: Sequence[np.ndarray],
    classes: int,
    settings: TagSettings,
    seed: int,
    validation: tuple[Sentences, Sequence[np.ndarray]] | None = None,
    steps: int = STEPS,
    epochs: int | None = None,
) -> tuple[TagNetwork, History]:
    """Train the network; ``validation`` are sentences and tags to watch.

    Args:
        sentences: Words to learn from.
        tags: Codes of their tags.
        classes: Number of tags.
        settings: What was chosen.
        seed: Fixes weights and order.
        validation: What to watch.
        steps: Steps at least, as far as passes over the sentences allow.
        epochs: Passes, where not the settings say how many.

    Raises:
        NonFiniteError: Training diverged.
    """
    known = choose_values(sentences, settings.words)

    def batches(words: Sentences, codes: Sequence[np.ndarray]) -> SentenceBatches:
        return SentenceBatches(number_words(words, known), codes, seed)

    module, history = train_network(
        lambda: _build(known, classes, settings),
        batches(sentences, tags),
        None if validation is None else batches(*validation),
        loss=token_cross_entropy,
        lr=settings.lr,
        weight_decay=settings.weight_decay,
        epochs=epochs or passes(len(sentences), settings.epochs, steps),
        clip_norm=1.0,
        seed=seed,
    )
    return TagNetwork(module, known, classes, asdict(settings)), history


def _build(known: Vocabularies, classes: int, s: TagSettings) -> FeatureTagger:
    dims = [s.dim] + [max(s.dim // 4, 4)] * (len(known) - 1)
    sizes = [len(own) + FIRST for own in known]
    return FeatureTagger(
        sizes, dims, classes, hidden_dim=s.hidden_dim, num_layers=s.num_layers, dropout=s.dropout
    )
