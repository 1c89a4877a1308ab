"""What a trained BERT is fine-tuned for: a class per text, a label per token, an answer as a stretch of the text."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.models.bert import BERT
from gradatim.nn import real_steps


def _readout(trunk: BERT, output_dim: int) -> nn.Linear:
    layer = nn.Linear(trunk.dim, output_dim)
    nn.init.trunc_normal_(layer.weight, std=0.02, a=-0.04, b=0.04)
    nn.init.zeros_(layer.bias)
    return layer


class _Head(nn.Module):
    """A linear map, with dropout, on what a BERT returns."""

    def __init__(self, trunk: BERT, output_dim: int, *, dropout: float = 0.1) -> None:
        super().__init__()
        self.trunk, self.output_dim, self.dropout = trunk, output_dim, dropout
        self.drop = nn.Dropout(dropout)
        self.readout = _readout(trunk, output_dim)


class BERTClassifier(_Head):
    r"""Answer for a text, or a pair of texts, as a whole, :math:`\hat y = Wc + b`.

    Args:
        trunk: The encoder, which goes on learning.
        output_dim: Number of classes, or of values.
        dropout: Probability to drop an entry of :math:`c`.

    Example:
        >>> BERTClassifier(BERT(100, 32, 16, 2, 2), 3)(torch.zeros(4, 5, dtype=torch.long)).shape
        torch.Size([4, 3])

    Reference:
        Devlin et al., BERT, 2019, figure 4 (a) and (b).
    """

    @takes_arrays
    def forward(
        self, tokens: Tensor, lengths: object | None = None, segments: Tensor | None = None
    ) -> Tensor:
        """Logits ``(B, output_dim)``; arguments as in :class:`BERT`."""
        return self.readout(self.drop(self.trunk.pool(self.trunk(tokens, lengths, segments))))


class BERTTagger(_Head):
    r"""Label every token, :math:`\hat y_t = Wh_t + b`; train it with :func:`~gradatim.losses.token_cross_entropy`.

    Args:
        trunk: The encoder, which goes on learning.
        output_dim: Number of labels.
        dropout: Probability to drop an entry of :math:`h_t`.

    Example:
        >>> BERTTagger(BERT(100, 32, 16, 2, 2), 7)(torch.zeros(4, 5, dtype=torch.long)).shape
        torch.Size([4, 5, 7])

    Reference:
        Devlin et al., BERT, 2019, figure 4 (d).
    """

    @takes_arrays
    def forward(
        self, tokens: Tensor, lengths: object | None = None, segments: Tensor | None = None
    ) -> Tensor:
        """Logits ``(B, T, output_dim)``; arguments as in :class:`BERT`."""
        return self.readout(self.drop(self.trunk(tokens, lengths, segments)))


class BERTSpanReader(nn.Module):
    r"""Find the stretch of a text that answers a question: where it starts and where it ends.

    .. math:: p(\text{start}=t) = \operatorname{softmax}_t(u^\top h_t), \qquad
        p(\text{end}=t) = \operatorname{softmax}_t(v^\top h_t)

    The logits ``(B, T, 2)`` are of starts and ends. Train it with :func:`~gradatim.losses.span_cross_entropy`, read
    answers with :func:`best_spans`.

    Args:
        trunk: The encoder, which goes on learning.

    Example:
        >>> BERTSpanReader(BERT(100, 32, 16, 2, 2))(torch.zeros(4, 5, dtype=torch.long)).shape
        torch.Size([4, 5, 2])

    Reference:
        Devlin et al., BERT, 2019, section 4.2.
    """

    def __init__(self, trunk: BERT) -> None:
        super().__init__()
        self.trunk = trunk
        self.readout = _readout(trunk, 2)

    @takes_arrays
    def forward(
        self, tokens: Tensor, lengths: object | None = None, segments: Tensor | None = None
    ) -> Tensor:
        """Logits ``(B, T, 2)``, minus infinity at padding; arguments as in :class:`BERT`."""
        logits = self.readout(self.trunk(tokens, lengths, segments))
        is_real = real_steps("BERTSpanReader", tokens, lengths)
        return logits if is_real is None else logits.masked_fill(~is_real[..., None], -torch.inf)


class Spans(NamedTuple):
    """Stretches of texts.

    Args:
        starts: Place of the first token of each, shape ``(B,)``.
        ends: Place of the last one, shape ``(B,)``.
        scores: Sum of both logits, shape ``(B,)``.
    """

    starts: Tensor
    ends: Tensor
    scores: Tensor


@takes_arrays
def best_spans(logits: Tensor, *, max_length: int = 30) -> Spans:
    r"""The most likely answers, :math:`\arg\max_{i\le j<i+n}\; u^\top h_i + v^\top h_j`.

    Args:
        logits: Of starts and ends, shape ``(B, T, 2)``.
        max_length: Most tokens of an answer, :math:`n`.

    Example:
        >>> best_spans(torch.tensor([[[0.0, 4.0], [1.0, 1.0], [5.0, 0.0]]]))  # an end before its start is none
        Spans(starts=tensor([2]), ends=tensor([2]), scores=tensor([5.]))
    """
    if max_length < 1:
        raise InvalidValue(f"best_spans: max_length must be at least 1, got {max_length}. Try 30.")
    T = logits.shape[1]
    total = logits[:, :, None, 0] + logits[:, None, :, 1]  # (B, start, end)
    allowed = torch.ones(T, T, dtype=torch.bool, device=logits.device).triu().tril(max_length - 1)
    scores, places = total.masked_fill(~allowed, -torch.inf).flatten(1).max(1)
    return Spans(places // T, places % T, scores)
