"""Published vectors of words in their sentences, read out by a linear layer."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.data.tokenizers import WordPieceTokenizer
from gradatim.data.tokenizers.word_piece import CLASS, PAD, SEPARATOR
from gradatim.data.tokenizers.word_piece import UNKNOWN as STRANGER
from gradatim.fitting.blocks import by_blocks
from gradatim.fitting.learning import train_network
from gradatim.fitting.stored import Facts, restore_network
from gradatim.fitting.tables.predictors import softmax
from gradatim.fitting.tags.features import Sentences
from gradatim.model_folder import gather_tensors, tensors_from, tensors_of
from gradatim.models import BERT, SentenceEncoder, describe
from gradatim.training import History

WORD_PIECES = 16  # of a word that are read at most
GRID = 16  # windows are filled up to a multiple of so many tokens
TOKENS = 2048  # of one pass
BLOCK = 64  # vectors that are read out at once, always filled


@dataclass(frozen=True)
class HeadSettings:
    """What tuning chooses.

    Args:
        weight_decay: Decoupled penalty on weights.
        lr: Initial learning rate; it falls to zero along a cosine.
        epochs: Passes over the words.
    """

    weight_decay: float = 0.01
    lr: float = 3e-3
    epochs: int = 8


def draw_head(trial: int, seed: int) -> HeadSettings:
    """Settings of trial number ``trial``; trial 0 has the defaults.

    Example:
        >>> draw_head(0, seed=0) == HeadSettings()
        True
    """
    if trial == 0:
        return HeadSettings()
    rng = np.random.default_rng([seed, trial])
    decay, lr = (float(np.round(10 ** rng.uniform(*ends), 5)) for ends in ((-4, -0.5), (-3, -2)))
    return HeadSettings(decay, lr, int(rng.choice([6, 12, 20])))


def cut_windows(
    tokenizer: WordPieceTokenizer, sentences: Sentences, most: int
) -> tuple[list[list[int]], list[np.ndarray]]:
    """Cut sentences into windows of at most ``most`` tokens, words whole.

    Args:
        tokenizer: Cuts words into pieces.
        sentences: Words.
        most: Tokens of a window, ``[CLS]`` and ``[SEP]`` included.

    Returns:
        Tokens of every window, and for each of its words the places of first piece and end.
    """
    begin, end, stranger = (tokenizer.number(name) for name in (CLASS, SEPARATOR, STRANGER))
    pieces: dict[str, list[int]] = {}
    windows, places = list[list[int]](), list[np.ndarray]()
    for words in sentences:
        held, spans = [begin], list[tuple[int, int]]()
        for word in words:
            if word not in pieces:
                pieces[word] = tokenizer.encode(word)[: min(WORD_PIECES, most - 2)] or [stranger]
            own = pieces[word]
            if len(held) + len(own) >= most:
                windows.append([*held, end])
                places.append(np.array(spans))
                held, spans = [begin], []
            spans.append((len(held), len(held) + len(own)))
            held = held + own
        windows.append([*held, end])
        places.append(np.array(spans))
    return windows, places


@torch.inference_mode()
def read_words(encoder: SentenceEncoder, sentences: Sentences) -> np.ndarray:
    """Vectors of all words, shape ``(words, 2 dim)``: what BERT says of a word in its sentence, and its own embedding.

    Args:
        encoder: The published encoder.
        sentences: Words, none without.
    """
    windows, places = cut_windows(encoder.tokenizer, sentences, encoder.max_length)
    model, dim = encoder.model, encoder.model.dim
    counts = np.concatenate([[0], np.cumsum([len(spans) for spans in places])])
    out = np.empty((counts[-1], 2 * dim), dtype=np.float32)
    widths = [min(-(-len(w) // GRID) * GRID, model.context) for w in windows]
    pad = encoder.tokenizer.number(PAD)
    for width in sorted(set(widths)):
        rows = [k for k, own in enumerate(widths) if own == width]
        size = max(TOKENS // width, 1)
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            tokens = torch.full((size, width), pad)
            lengths = torch.ones(size, dtype=torch.long)
            for line, k in enumerate(part):
                lengths[line] = len(windows[k])
                tokens[line, : len(windows[k])] = torch.tensor(windows[k])
            hidden = torch.cat([model(tokens, lengths), model.embedding(tokens)], -1).numpy()
            for line, k in enumerate(part):
                out[counts[k] : counts[k + 1]] = _means(hidden[line], places[k])
    return out


def _means(hidden: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """Mean vectors of the pieces of each word."""
    sums = np.concatenate([np.zeros((1, hidden.shape[1])), np.cumsum(hidden, 0, dtype=np.float64)])
    return (sums[spans[:, 1]] - sums[spans[:, 0]]) / (spans[:, 1] - spans[:, 0])[:, None]


@dataclass(eq=False, repr=False)
class PretrainedTags:
    r"""A published encoder with a linear layer on its vectors :math:`h_t` of words, scaled by those of training.

    .. math:: z_t = W\,(h_t - \mu)\oslash\sigma + b

    Args:
        encoder: Gives :math:`h_t`.
        center: :math:`\mu`.
        scale: :math:`\sigma`.
        weight: :math:`W`, shape ``(tags, 2 dim)``.
        bias: :math:`b`.
        settings: What was chosen.
    """

    kind: ClassVar[str] = "pretrained"

    encoder: SentenceEncoder
    center: np.ndarray
    scale: np.ndarray
    weight: np.ndarray
    bias: np.ndarray
    settings: dict[str, Any]

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return sum(p.numel() for p in self.encoder.model.parameters()) + self.weight.size + self.bias.size  # fmt: skip

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and all weights."""
        tokenizer = self.encoder.tokenizer
        facts = {
            "kind": self.kind, "module": describe(self.encoder.model), "tokens": list(tokenizer.tokens),
            "is_cased": tokenizer.is_cased, "max_length": self.encoder.max_length, "settings": self.settings,
        }  # fmt: skip
        own = {"center": self.center, "scale": self.scale, "weight": self.weight, "bias": self.bias}
        encoder = gather_tensors({"encoder": self.encoder.model.state_dict()})
        return facts, encoder | tensors_from(own)

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "PretrainedTags":
        """Undo :meth:`store`."""
        trunk = restore_network(facts["module"], tensors_of("encoder", tensors))
        assert isinstance(trunk, BERT)
        tokenizer = WordPieceTokenizer(facts["tokens"], is_cased=facts["is_cased"])
        encoder = SentenceEncoder(trunk, tokenizer, max_length=facts["max_length"])
        center, scale, weight, bias = (tensors[name].numpy() for name in ("center", "scale", "weight", "bias"))  # fmt: skip
        return cls(encoder, center, scale, weight, bias, facts["settings"])

    def outputs(self, sentences: Sentences, vectors: np.ndarray | None = None) -> np.ndarray:
        """Return probabilities of the tags of all words, shape ``(words, tags)``.

        Args:
            sentences: Words.
            vectors: Their vectors, where they are known.
        """
        if vectors is None:
            vectors = read_words(self.encoder, sentences)

        def read_out(h: np.ndarray) -> np.ndarray:
            return ((h - self.center) / self.scale) @ self.weight.T + self.bias

        return softmax(by_blocks(read_out, vectors.astype(np.float64), block=BLOCK))


def fit_head(
    encoder: SentenceEncoder,
    vectors: np.ndarray,
    y: np.ndarray,
    classes: int,
    settings: HeadSettings,
    seed: int,
    validation: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[PretrainedTags, History]:
    """Train the linear layer; the encoder stays as it is.

    Args:
        encoder: What made the vectors.
        vectors: Of the words to learn from, shape ``(words, 2 dim)``.
        y: Codes of their tags.
        classes: Number of tags.
        settings: What was chosen.
        seed: Fixes weights and order.
        validation: Vectors and tags to watch.
    """
    center, scale = vectors.mean(0), np.maximum(vectors.std(0), 1e-6)

    def rows(h: np.ndarray, tags: np.ndarray) -> tuple[Tensor, Tensor]:
        return torch.from_numpy((h - center) / scale), torch.from_numpy(tags)

    module, history = train_network(
        lambda: nn.Linear(vectors.shape[1], classes),
        rows(vectors, y),
        None if validation is None else rows(*validation),
        loss="cross_entropy",
        lr=settings.lr,
        weight_decay=settings.weight_decay,
        epochs=settings.epochs,
        batch_size=256,
        seed=seed,
    )
    weight, bias = (p.detach().double().numpy() for p in (module.weight, module.bias))
    own = (center.astype(np.float64), scale.astype(np.float64), weight, bias)
    return PretrainedTags(encoder, *own, asdict(settings)), history
