"""The network candidates: a bag of embeddings, and a recurrent network that reads the words in order."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.data.vocabulary import PAD, SPECIALS, UNKNOWN
from gradatim.data.word_counts import STRANGER, Corpus, read_corpus
from gradatim.fitting.learning import read_target, train_network
from gradatim.fitting.network import FittedNetwork
from gradatim.fitting.stored import Facts
from gradatim.fitting.tables.predictors import softmax
from gradatim.fitting.tables.preprocessing import Preprocessing, from_json
from gradatim.fitting.texts.columns import Table, TableColumns, features_of
from gradatim.models import BagOfEmbeddings, SequenceClassifier, TextAndColumns
from gradatim.training import History


@dataclass(frozen=True)
class TextSettings:
    """What tuning chooses.

    Args:
        reader: ``"bag"`` averages embeddings, ``"gru"`` reads the words in order.
        dim: Width of an embedding.
        hidden_dim: Width of the recurrent state of one direction.
        words: Largest vocabulary.
        length: Words of a text that are read.
        dropout: Probability to drop an entry of what the readout sees.
        weight_decay: Decoupled penalty on weights.
        lr: Initial learning rate; it falls to zero along a cosine.
        epochs: Passes over the texts.
    """

    reader: str = "bag"
    dim: int = 64
    hidden_dim: int = 64
    words: int = 20_000
    length: int = 400
    dropout: float = 0.3
    weight_decay: float = 0.05
    lr: float = 5e-3
    epochs: int = 8


def draw_settings(trial: int, seed: int) -> TextSettings:
    """Settings of trial number ``trial``: a bag, a recurrent network, then random ones of both.

    Example:
        >>> draw_settings(0, seed=0).reader, draw_settings(1, seed=0).reader
        ('bag', 'gru')
    """
    if trial == 0:
        return TextSettings()
    if trial == 1:
        return TextSettings(reader="gru", length=200, lr=2e-3, epochs=4)
    rng = np.random.default_rng([seed, trial])
    is_bag = rng.random() < 0.7
    return TextSettings(
        reader="bag" if is_bag else "gru",
        dim=int(rng.choice([16, 32, 64, 128])),
        hidden_dim=int(rng.choice([32, 64, 128])),
        words=int(rng.choice([5_000, 20_000])),
        length=400 if is_bag else int(rng.choice([100, 200])),
        dropout=float(rng.choice([0.1, 0.3, 0.5])),
        weight_decay=float(np.round(10 ** rng.uniform(-2.5, -0.5), 4)),
        lr=float(np.round(10 ** (rng.uniform(-3, -1.8) - 0.4 * (not is_bag)), 5)),
        epochs=int(rng.choice([6, 10, 16] if is_bag else [3, 5])),
    )


def choose_words(corpus: Corpus, rows: np.ndarray, largest: int) -> list[str]:
    """The words that stand most often in the texts ``rows``, twice or more where texts are many."""
    parts = [corpus.ids[corpus.starts[k] : corpus.starts[k + 1]] for k in rows.tolist()]
    counts = np.bincount(np.concatenate(parts), minlength=len(corpus.words))
    order = np.argsort(-counts, kind="stable")[: largest - len(SPECIALS)]
    fewest = 2 if len(rows) >= 200 else 1
    return [corpus.words[k] for k in order.tolist() if counts[k] >= fewest]


def tokens_of(
    corpus: Corpus, rows: np.ndarray, words: Sequence[str], length: int
) -> tuple[Tensor, Tensor]:
    """Return the first ``length`` words of texts as tokens ``(N, length)``, and how many they are, at least 1."""
    places = {word: place + len(SPECIALS) for place, word in enumerate(words)}
    lookup = np.array([places.get(word, UNKNOWN) for word in corpus.words] + [UNKNOWN])
    assert STRANGER == -1  # the last entry of the lookup
    lengths = np.minimum(corpus.lengths[rows], length)
    steps = np.arange(length)
    is_real = steps < lengths[:, None]
    places_in_ids = np.where(is_real, corpus.starts[rows][:, None] + steps, 0)
    tokens = np.full((len(rows), length), PAD)
    if len(corpus.ids):
        tokens[is_real] = lookup[corpus.ids[places_in_ids[is_real]]]
    tokens[lengths == 0, 0] = UNKNOWN  # a text without a word is one that says nothing
    return torch.from_numpy(tokens), torch.from_numpy(np.maximum(lengths, 1))


@dataclass(eq=False, repr=False)
class TextNetwork(FittedNetwork):
    """A trained network with its vocabulary.

    Args:
        module: Tokens and lengths to logits or a value.
        words: The words it knows.
        classes: Number of classes; 0 for regression.
        settings: What was chosen, and for regression ``center`` and ``scale`` of the target.
        preprocessing: How the other columns are prepared, as plain data, where they are read.
    """

    words: list[str]
    classes: int
    settings: dict[str, Any]
    preprocessing: list[dict[str, Any]] | None = None

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> Self:
        """Undo :meth:`store`; a folder of the version before reads no other columns."""
        return super().restore({"preprocessing": None, **facts}, tensors)

    @cached_property
    def prepared(self) -> Preprocessing | None:
        """How the other columns are prepared."""
        return None if self.preprocessing is None else from_json(self.preprocessing)

    def compute(self, *rows: Tensor) -> Tensor:
        """Logits or values of tokens and lengths."""
        return self.module(*rows)

    def outputs(self, texts: Sequence[str], table: Table | None = None) -> np.ndarray:
        """Return probabilities ``(N, classes)``, or values ``(N,)``; ``table`` holds the other columns, where they are read."""
        corpus = read_corpus(texts, self.words)
        return self.from_corpus(corpus, np.arange(len(texts)), table)

    def from_corpus(self, corpus: Corpus, rows: np.ndarray, table: Table | None = None) -> np.ndarray:  # fmt: skip
        """Return outputs of the texts ``rows``."""
        length = self.settings["length"]
        tokens, lengths = tokens_of(corpus, rows, self.words, length)
        own: list[np.ndarray] = []
        if self.prepared is not None and table is not None:
            own = [features_of(self.prepared, table).astype(np.float32)]
        filler = (UNKNOWN, length, *([0.0] if own else []))
        z = self.run(tokens.numpy(), lengths.numpy(), *own, filler=filler)
        if self.classes:
            return softmax(z)
        return z[:, 0] * self.settings["scale"] + self.settings["center"]


def fit_network(
    corpus: Corpus,
    rows: np.ndarray,
    y: np.ndarray,
    classes: int,
    settings: TextSettings,
    seed: int,
    validation: tuple[np.ndarray, np.ndarray] | None = None,
    table: TableColumns | None = None,
    weight: np.ndarray | None = None,
) -> tuple[TextNetwork, History]:
    """Train the network on the texts ``rows``, which may weigh; ``validation`` are texts and targets to watch.

    Raises:
        NonFiniteError: Training diverged.
    """
    target, words = read_target(y, classes), choose_words(corpus, rows, settings.words)

    prepared = None if table is None else table.learn(rows)[0]

    def batch(texts: np.ndarray, y: np.ndarray) -> tuple[Tensor, ...]:
        values = torch.from_numpy(target.encode(y))
        tokens = tokens_of(corpus, texts, words, settings.length)
        if prepared is None or table is None:
            return *tokens, values
        own = features_of(prepared, table.take(texts)).astype(np.float32)
        return *tokens, torch.from_numpy(own), values

    width = 0 if prepared is None else len(prepared.names)
    module, history = train_network(
        lambda: _build(len(words) + len(SPECIALS), classes or 1, width, settings),
        batch(rows, y),
        None if validation is None else batch(*validation),
        loss=target.loss,
        lr=settings.lr,
        weight_decay=settings.weight_decay,
        epochs=settings.epochs * _repeats(len(rows)),
        batch_size=32 if len(rows) < 10_000 else 64,
        clip_norm=1.0,
        seed=seed,
        sample_weight=weight,
    )
    chosen = {**asdict(settings), "center": target.center, "scale": target.scale}
    plain = None if prepared is None else prepared.to_json()
    return TextNetwork(module, words, classes, chosen, plain), history


def _repeats(rows: int) -> int:
    """Few texts are read more often, so that a network sees some hundred batches of them.

    Example:
        >>> [_repeats(n) for n in (100, 1000, 10_000)]
        [20, 2, 1]
    """
    return int(np.clip(2000 // rows, 1, 20))


def _build(num_tokens: int, out_dim: int, width: int, s: TextSettings) -> nn.Module:
    if not width:
        return _reader(num_tokens, out_dim, s)
    reader = _reader(num_tokens, s.hidden_dim, s)
    return TextAndColumns(reader, width, s.hidden_dim, out_dim, dropout=s.dropout)


def _reader(num_tokens: int, out_dim: int, s: TextSettings) -> nn.Module:
    if s.reader == "bag":
        return BagOfEmbeddings(num_tokens, s.dim, out_dim, dropout=s.dropout)
    return SequenceClassifier(
        s.dim, out_dim, hidden_dim=s.hidden_dim, vocab_size=num_tokens, is_bidirectional=True,
        pooling="max", dropout=s.dropout,
    )  # fmt: skip
