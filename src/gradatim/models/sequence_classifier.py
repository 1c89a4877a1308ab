"""Many to one: a sequence in, one answer out."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose
from gradatim.models.sequence_encoder import Encoded, SequenceEncoder
from gradatim.nn import initialize
from gradatim.nn.cells.named import CellFactory


def _mean(encoded: Encoded) -> Tensor:
    if encoded.is_real is None:
        return encoded.outputs.mean(1)
    return encoded.outputs.sum(1) / encoded.is_real.sum(1, keepdim=True)  # zero at padding


def _largest(encoded: Encoded) -> Tensor:
    if encoded.is_real is None:
        return encoded.outputs.amax(1)
    return encoded.outputs.masked_fill(~encoded.is_real[..., None], -torch.inf).amax(1)


POOLINGS: dict[str, Callable[[Encoded], Tensor]] = {
    "last": lambda encoded: encoded.summary,
    "mean": _mean,
    "max": _largest,
}


class SequenceClassifier(nn.Module):
    r"""Read a sequence to its end, then answer once: class logits, or numbers for regression.

    .. math:: h_t = R(h_{t-1}, x_t), \qquad \hat y = W\,\operatorname{pool}(h_1,\dots,h_T) + b

    Padding never changes an answer.

    Args:
        input_dim: Width of a step's vector; of the embedding, for tokens.
        output_dim: Number of classes, or of values.
        hidden_dim: Width of :math:`h_t`, of one layer and direction.
        vocab_size: Size of the vocabulary; ``None`` where steps are vectors.
        cell: :math:`R`, as in :class:`~gradatim.nn.Recurrent`.
        num_layers: Layers in the stack.
        is_bidirectional: Whether each layer also runs from the end to the start.
        pooling: ``"last"`` answers from the state after the last step, ``"mean"`` and ``"max"`` from
            the mean and the largest value of all steps.
        dropout: Probability to drop an entry of an embedding, and of every layer's output.

    Example:
        >>> model = SequenceClassifier(13, 10, hidden_dim=32)
        >>> model(torch.randn(5, 20, 13), torch.tensor([20, 3, 7, 1, 12])).shape
        torch.Size([5, 10])
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        *,
        hidden_dim: int = 64,
        vocab_size: int | None = None,
        cell: str | CellFactory = "gru",
        num_layers: int = 1,
        is_bidirectional: bool = False,
        pooling: str = "last",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.input_dim, self.output_dim, self.hidden_dim = input_dim, output_dim, hidden_dim
        self.vocab_size, self.cell, self.num_layers = vocab_size, cell, num_layers
        self.is_bidirectional, self.dropout = is_bidirectional, dropout
        self.pooling = choose("SequenceClassifier", "pooling", pooling, POOLINGS)
        self.encoder = SequenceEncoder(
            input_dim, hidden_dim, vocab_size=vocab_size, cell=cell, num_layers=num_layers,
            is_bidirectional=is_bidirectional, dropout=dropout,
        )  # fmt: skip
        self.readout = nn.Linear(self.encoder.output_dim, output_dim)
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
        return self.readout(POOLINGS[self.pooling](self.encoder(x, lengths)))
