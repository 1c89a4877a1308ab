"""The network with published weights: what a BERT says of a text beside its words, or a BERT that goes on learning."""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn

from gradatim.data import pad_sequences
from gradatim.data.tokenizers import WordPieceTokenizer
from gradatim.data.tokenizers.word_piece import CLASS, SEPARATOR
from gradatim.data.word_counts import TermCounts
from gradatim.fitting.blocks import by_blocks
from gradatim.fitting.learning import Target, read_target, train_network
from gradatim.fitting.network import SIZES
from gradatim.fitting.stored import LONGEST, Facts, restore_network, whole
from gradatim.fitting.texts.columns import ColumnPart, Table, TableColumns
from gradatim.fitting.texts.linear import (
    WordModel,
    add_columns,
    choose_penalty,
    choose_terms,
    fit_trivial,
    weigh,
)
from gradatim.model_folder import gather_tensors, tensors_from, tensors_of
from gradatim.models import BERT, SentenceEncoder, describe, mean_vector
from gradatim.optim.schedules import linear, warm_up
from gradatim.training import History, WeightedBatch

HEAD, TUNED = "head", "fine-tuned"
FRONT = 0.25  # of the tokens that are read of a long text come from its beginning
BATCH = 16
BLOCK = 64  # vectors that are read out at once, always filled


@dataclass(frozen=True)
class PretrainedSettings:
    """What tuning chooses.

    Args:
        method: ``"head"``: a linear model of the encoder's vector and the words; ``"fine-tuned"``: all weights learn.
        tokens: Most tokens of a text that are read.
        lr: Largest learning rate of fine-tuning; it rises for a tenth of the time, then falls to zero.
        epochs: Passes of fine-tuning over the texts.
    """

    method: str = HEAD
    tokens: int = 256
    lr: float = 5e-5
    epochs: int = 3


def draw_pretrained(trial: int, seed: int, tokens: int) -> PretrainedSettings:
    """Settings of trial number ``trial``: a head, fine-tuning, then fine-tuning with random settings.

    Example:
        >>> [draw_pretrained(trial, 0, 64).method for trial in range(3)]
        ['head', 'fine-tuned', 'fine-tuned']
    """
    if trial < 2:
        return PretrainedSettings(method=(HEAD, TUNED)[trial], tokens=tokens)
    rng = np.random.default_rng([seed, trial])
    lr = float(np.round(10 ** rng.uniform(-4.7, -4.0), 7))
    return PretrainedSettings(TUNED, tokens, lr, int(rng.choice([2, 3, 4])))


def cut_tokens(tokenizer: WordPieceTokenizer, texts: Sequence[str], tokens: int) -> list[list[int]]:
    """Token numbers of texts; of a long one a quarter from its beginning, the rest from its end.

    Args:
        tokenizer: Cuts texts into word pieces.
        texts: Any texts.
        tokens: Most tokens of a text, ``[CLS]`` and ``[SEP]`` included.

    Reference:
        Sun et al., How to Fine-Tune BERT for Text Classification, 2019, section 5.3.1.
    """
    begin, end, room = tokenizer.number(CLASS), tokenizer.number(SEPARATOR), tokens - 2
    front = int(FRONT * room)
    rows = []
    for text in texts:
        ids = tokenizer.encode(text)
        ids = ids if len(ids) <= room else ids[:front] + ids[front - room :]
        rows.append([begin, *ids, end])
    return rows


def read_vectors(encoder: SentenceEncoder, texts: Sequence[str], tokens: int) -> np.ndarray:
    """The encoder's mean vectors of texts, shape ``(N, dim)``."""
    rows = cut_tokens(encoder.tokenizer, texts, tokens)
    return encoder.encode_tokens(rows).double().numpy()


@dataclass(eq=False, repr=False)
class PretrainedNetwork:
    r"""A published encoder with a head: logits are linear in its vector :math:`h` and in the word counts.

    .. math:: z = W\,(h - \mu)\oslash\sigma + V x + b

    Args:
        encoder: Gives :math:`h`.
        center: :math:`\mu`, shape ``(dim,)``.
        scale: :math:`\sigma`, shape ``(dim,)``.
        weight: :math:`W`, shape ``(outputs, dim)``.
        words: :math:`V` and :math:`b`, and the number of classes; it may know no words.
        settings: What was chosen.
    """

    kind: ClassVar[str] = "pretrained"

    encoder: SentenceEncoder
    center: np.ndarray
    scale: np.ndarray
    weight: np.ndarray
    words: WordModel
    settings: dict[str, Any]

    @property
    def classes(self) -> int:
        """Number of classes; 0 for regression."""
        return self.words.classes

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return sum(p.numel() for p in self.encoder.model.parameters()) + self.weight.size + self.words.parameters  # fmt: skip

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Facts and tensors of the words, with those of encoder and head."""
        facts, tensors = self.words.store()
        tokenizer = self.encoder.tokenizer
        facts |= {
            "kind": self.kind,
            "settings": self.settings,
            "module": describe(self.encoder.model),
            "tokens": tokenizer.tokens,
            "is_cased": tokenizer.is_cased,
            "max_length": self.encoder.max_length,
        }
        own = {"center": self.center, "scale": self.scale, "head": self.weight}
        encoder = gather_tensors({"encoder": self.encoder.model.state_dict()})
        return facts, encoder | tensors_from(own) | tensors

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "PretrainedNetwork":
        """Undo :meth:`store`."""
        for name in SIZES & facts["settings"].keys():
            whole(facts["settings"], name, LONGEST)
        trunk = restore_network(facts["module"], tensors_of("encoder", tensors))
        assert isinstance(trunk, BERT)
        tokenizer = WordPieceTokenizer(facts["tokens"], is_cased=facts["is_cased"])
        encoder = SentenceEncoder(trunk, tokenizer, max_length=facts["max_length"])
        center, scale, head = (tensors[key].numpy() for key in ("center", "scale", "head"))
        words = WordModel.restore(facts, tensors)
        return cls(encoder, center, scale, head, words, facts["settings"])

    def outputs(
        self, texts: Sequence[str], table: Table | None = None, vectors: np.ndarray | None = None
    ) -> np.ndarray:
        """Return probabilities ``(N, classes)``, or values ``(N,)``.

        Args:
            texts: What to judge.
            table: The other columns, where they are read.
            vectors: Their vectors, where they are known.
        """
        if vectors is None:
            vectors = read_vectors(self.encoder, texts, self.settings["tokens"])

        def read_out(h: np.ndarray) -> np.ndarray:
            return ((h - self.center) / self.scale) @ self.weight.T

        meaning = by_blocks(read_out, vectors, block=BLOCK)
        return self.words.finish(self.words.score(texts, table) + meaning)


def fit_head(
    encoder: SentenceEncoder,
    vectors: np.ndarray,
    counted: TermCounts,
    rows: np.ndarray,
    y: np.ndarray,
    classes: int,
    settings: PretrainedSettings,
    seed: int,
    table: TableColumns | None = None,
    row_weight: np.ndarray | None = None,
) -> PretrainedNetwork:
    """Fit a linear model of vectors and words to the texts ``rows``; the encoder stays as it is.

    Args:
        encoder: What made the vectors.
        vectors: Of all texts, shape ``(N, dim)``.
        counted: Counts of all terms in all texts.
        rows: Texts to learn from.
        y: Their classes or values.
        classes: Number of classes; 0 for regression.
        settings: What was chosen.
        seed: Fixes the inner split.
        table: The other columns, where they are read.
        row_weight: Of every text to learn from.
    """
    own = vectors[rows]
    center, dim = np.average(own, 0, row_weight), own.shape[1]
    spread = np.sqrt(np.average((own - center) ** 2, 0, row_weight))
    # so that vectors have length 1 on average, as the weighted counts of a text do
    scale = np.maximum(spread, 1e-6) * np.sqrt(dim)
    counts = counted.counts[rows]
    columns, rarity = choose_terms(counts)
    features = sparse.csr_matrix(
        sparse.hstack([(own - center) / scale, weigh(counts[:, columns], rarity)])
    )
    prepared, features = add_columns(features, table, rows)
    weight, bias, penalty = choose_penalty(features, y, classes, seed, row_weight)
    terms = [counted.terms[k] for k in columns.tolist()]
    chosen = {**asdict(settings), "penalty": penalty}
    end = dim + len(terms)
    part = None if prepared is None else ColumnPart(prepared, weight[:, end:])
    words = WordModel(terms, rarity, weight[:, dim:end], bias, classes, chosen, part)
    return PretrainedNetwork(encoder, center, scale, weight[:, :dim], words, chosen)


class _MeanReader(nn.Module):
    """An encoder whose mean vector is read out."""

    def __init__(self, trunk: BERT, out_dim: int) -> None:
        super().__init__()
        self.trunk, self.drop, self.readout = trunk, nn.Dropout(0.1), nn.Linear(trunk.dim, out_dim)
        nn.init.normal_(self.readout.weight, std=0.02)
        nn.init.zeros_(self.readout.bias)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        return self.readout(self.drop(mean_vector(self.trunk(tokens, lengths), lengths)))


class _LikeLengths:
    """Batches of texts of like length, in a new order in every epoch."""

    def __init__(
        self, rows: list[list[int]], y: Tensor, seed: int, weight: np.ndarray | None = None
    ) -> None:
        rng = np.random.default_rng(seed)
        order = sorted(rng.permutation(len(rows)).tolist(), key=lambda k: len(rows[k]))
        parts = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        batches = [(*pad_sequences([rows[k] for k in part]), y[part]) for part in parts]
        self.batches: list[tuple[Tensor, ...]] = [*batches]
        if weight is not None:
            shares = torch.as_tensor(weight / weight.mean())
            own = [shares[part] for part in parts]
            self.batches = [WeightedBatch.of(*pair) for pair in zip(batches, own, strict=True)]

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        for k in torch.randperm(len(self.batches)).tolist():
            yield self.batches[k]


def fine_tune(
    encoder: SentenceEncoder,
    texts: Sequence[str],
    y: np.ndarray,
    classes: int,
    settings: PretrainedSettings,
    seed: int,
    validation: tuple[Sequence[str], np.ndarray] | None = None,
    row_weight: np.ndarray | None = None,
) -> tuple[PretrainedNetwork, History]:
    """Train a copy of the encoder with a linear layer on its mean vector, on texts that may weigh.

    ``validation`` are texts and targets to watch.

    Raises:
        NonFiniteError: Training diverged.
    """
    target = read_target(y, classes)

    def batches(some: Sequence[str], y: np.ndarray, weight: np.ndarray | None = None) -> _LikeLengths:  # fmt: skip
        values = torch.as_tensor(target.encode(y))
        rows = cut_tokens(encoder.tokenizer, some, settings.tokens)
        return _LikeLengths(rows, values, seed, weight)

    module, history = train_network(
        lambda: _MeanReader(deepcopy(encoder.model), classes or 1),
        batches(texts, y, row_weight),
        None if validation is None else batches(*validation),
        loss=target.loss,
        lr=settings.lr,
        weight_decay=0.01,
        schedule=warm_up(epochs=0.1 * settings.epochs, then=linear()),
        epochs=settings.epochs,
        clip_norm=1.0,
        seed=seed,
    )
    tuned = SentenceEncoder(module.trunk, encoder.tokenizer, max_length=encoder.max_length)
    return _as_network(tuned, module.readout, y, target, settings), history


def _as_network(
    encoder: SentenceEncoder,
    readout: nn.Linear,
    y: np.ndarray,
    target: Target,
    settings: PretrainedSettings,
) -> PretrainedNetwork:
    words = fit_trivial(y, target.classes)  # knows no word
    words.bias = readout.bias.detach().double().numpy() * target.scale + target.center
    weight = readout.weight.detach().double().numpy() * target.scale
    dim = encoder.model.dim
    return PretrainedNetwork(encoder, np.zeros(dim), np.ones(dim), weight, words, asdict(settings))
