"""Many to one: a sequence in, one answer out."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, choose
from gradatim.models.sequence_encoder import ENCODERS, Encoded, SequenceEncoder
from gradatim.nn import AttentionPooling, initialize
from gradatim.nn.cells.named import CellFactory


def _mean(encoded: Encoded) -> Tensor:
    if encoded.is_real is None:
        return encoded.outputs.mean(1)
    return encoded.outputs.sum(1) / encoded.is_real.sum(1, keepdim=True)  # zero at padding


def _largest(encoded: Encoded) -> Tensor:
    if encoded.is_real is None:
        return encoded.outputs.amax(1)
    return encoded.outputs.masked_fill(~encoded.is_real[..., None], -torch.inf).amax(1)


# Poolings without weights of their own; "attention" learns some.
POOLINGS: dict[str, Callable[[Encoded], Tensor]] = {
    "last": lambda encoded: encoded.summary,
    "mean": _mean,
    "max": _largest,
}


class SequenceClassifier(nn.Module):
    r"""Read a sequence to its end, then answer once: class logits, or numbers for regression.

    .. math:: h_{1:T} = R(x_{1:T}), \qquad \hat y = W\,\operatorname{pool}(h_1,\dots,h_T) + b

    Padding never changes an answer.

    Args:
        input_dim: Width of a step's vector; of the embedding, for tokens.
        output_dim: Number of classes, or of values.
        hidden_dim: Width of :math:`h_t`, of one layer and direction.
        encoder: :math:`R`: ``"recurrent"`` layers, the causal convolutions of a ``"tcn"`` (see :class:`TCN`), or
            ``"tcn+recurrent"``, recurrent layers behind convolutions.
        vocab_size: Size of the vocabulary; ``None`` where steps are vectors.
        cell: Cell of the recurrent layers, as in :class:`~gradatim.nn.Recurrent`.
        num_layers: Recurrent layers in the stack.
        num_blocks: Blocks of the convolutions; five see 125 steps.
        is_bidirectional: Whether each recurrent layer also runs from the end to the start.
        pooling: ``"last"`` answers from the state after the last step, ``"mean"`` and ``"max"`` from
            the mean and the largest value of all steps, ``"attention"`` from a mean whose weights are learned
            (see :class:`~gradatim.nn.AttentionPooling`).
        dropout: Probability to drop an entry of an embedding, and of every layer's output.

    Example:
        >>> model = SequenceClassifier(13, 10, hidden_dim=32)
        >>> model(torch.randn(5, 20, 13), torch.tensor([20, 3, 7, 1, 12])).shape
        torch.Size([5, 10])
        >>> model = SequenceClassifier(13, 1, encoder="tcn+recurrent", cell="lstm", is_bidirectional=True, pooling="attention")
        >>> model.attention(torch.randn(5, 20, 13)).shape
        torch.Size([5, 20])
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        *,
        hidden_dim: int = 64,
        encoder: str = "recurrent",
        vocab_size: int | None = None,
        cell: str | CellFactory = "gru",
        num_layers: int = 1,
        num_blocks: int = 5,
        is_bidirectional: bool = False,
        pooling: str = "last",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.input_dim, self.output_dim, self.hidden_dim = input_dim, output_dim, hidden_dim
        self.vocab_size, self.cell, self.num_layers = vocab_size, cell, num_layers
        self.num_blocks, self.is_bidirectional, self.dropout = num_blocks, is_bidirectional, dropout
        self.encoder_name = choose("SequenceClassifier", "encoder", encoder, ENCODERS)
        self.pooling = choose("SequenceClassifier", "pooling", pooling, [*POOLINGS, "attention"])
        self.encoder = SequenceEncoder(
            input_dim, hidden_dim, encoder=encoder, vocab_size=vocab_size, cell=cell,
            num_layers=num_layers, num_blocks=num_blocks, is_bidirectional=is_bidirectional,
            dropout=dropout,
        )  # fmt: skip
        width = self.encoder.output_dim
        self.pool = AttentionPooling(width) if pooling == "attention" else None
        self.readout = nn.Linear(width, output_dim)
        initialize(self.readout, "xavier")

    @takes_arrays
    def forward(self, x: Tensor, lengths: object | None = None) -> Tensor:
        """Answer for each sequence.

        Args:
            x: Vectors ``(B, T, input_dim)``, or tokens ``(B, T)``, padded at the end.
            lengths: Real steps of each sequence, from 1 to ``T``; all ``T`` by default.

        Returns:
            Shape ``(B, output_dim)``.
        """
        encoded = self.encoder(x, lengths)
        if self.pool is None:
            return self.readout(POOLINGS[self.pooling](encoded))
        return self.readout(self.pool(encoded.outputs, encoded.is_real)[0])

    @takes_arrays
    def attention(self, x: Tensor, lengths: object | None = None) -> Tensor:
        """Return how much every step counted, the weights of ``pooling="attention"``.

        Args:
            x: As for an answer.
            lengths: As for an answer.

        Returns:
            Shape ``(B, T)``, zero at padding; every row sums to 1.
        """
        if self.pool is None:
            raise InvalidValue(
                f"SequenceClassifier: pooling must be 'attention' to have weights, got {self.pooling!r}."
            )
        encoded = self.encoder(x, lengths)
        return self.pool(encoded.outputs, encoded.is_real)[1]
