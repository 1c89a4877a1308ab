"""What every sequence model begins with: embed tokens, run recurrent layers or convolutions over them."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.data.vocabulary import PAD
from gradatim.errors import InvalidType, InvalidValue, choose
from gradatim.hidden_values import are_values_hidden
from gradatim.models.tcn import TCN
from gradatim.nn import Recurrent, real_steps
from gradatim.nn.cells.cell import State
from gradatim.nn.cells.named import CellFactory
from gradatim.nn.padding import as_count

ENCODERS = ("recurrent", "tcn", "tcn+recurrent")


class Encoded(NamedTuple):
    """A batch of sequences after the layers that read them.

    Args:
        outputs: Outputs of the last layer, zero at padding, shape ``(B, T, output_dim)``.
        summary: The last layer's output after the last real step, beside it that of the other direction
            after the first, shape ``(B, output_dim)``.
        state: State of all layers after the last real step, as :class:`~gradatim.nn.Recurrent` returns it; empty
            where there are none.
        is_real: False at padding, shape ``(B, T)``; ``None`` where there is none.
    """

    outputs: Tensor
    summary: Tensor
    state: State
    is_real: Tensor | None


class SequenceEncoder(nn.Module):
    """Recurrent layers, causal convolutions or both over vectors, or over tokens that are embedded first.

    Args:
        input_dim: Width of a step's vector; of the embedding, for tokens.
        hidden_dim: Width of the state of one layer and direction, and of a convolution.
        encoder: ``"recurrent"``, ``"tcn"`` (see :class:`TCN`), or ``"tcn+recurrent"``: recurrent layers that read
            what the convolutions give.
        vocab_size: Size of the vocabulary; ``None`` where steps are vectors.
        cell: As in :class:`~gradatim.nn.Recurrent`.
        num_layers: Recurrent layers in the stack.
        num_blocks: Blocks of the convolutions.
        is_bidirectional: Whether each recurrent layer also runs from the end to the start.
        dropout: Probability to drop an entry of an embedding, and of every layer's output.
        pad: Token that fills short sequences, whose embedding stays zero.

    Example:
        >>> encoder = SequenceEncoder(8, 16, vocab_size=100)
        >>> encoded = encoder(torch.tensor([[5, 7, 9], [4, 0, 0]]), torch.tensor([3, 1]))
        >>> encoded.outputs.shape, encoded.summary.shape
        (torch.Size([2, 3, 16]), torch.Size([2, 16]))
    """

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        encoder: str = "recurrent",
        vocab_size: int | None = None,
        cell: str | CellFactory = "gru",
        num_layers: int = 1,
        num_blocks: int = 5,
        is_bidirectional: bool = False,
        dropout: float = 0.0,
        pad: int = PAD,
    ) -> None:
        super().__init__()
        self.vocab_size, self.pad = vocab_size, pad
        self.embedding = (
            None if vocab_size is None else nn.Embedding(vocab_size, input_dim, padding_idx=pad)
        )
        self.encoder = choose("SequenceEncoder", "encoder", encoder, ENCODERS)
        self.tcn: TCN | None = None
        self.rnn: Recurrent | None = None
        if "tcn" in encoder:
            self.tcn = TCN(input_dim, hidden_dim, num_layers=num_blocks, dropout=dropout)
            input_dim = hidden_dim
        if "recurrent" in encoder:
            between = dropout if num_layers > 1 else 0.0
            self.rnn = Recurrent(
                cell, input_dim, hidden_dim, num_layers, is_bidirectional=is_bidirectional,
                dropout=between,
            )  # fmt: skip
        self.output_dim = hidden_dim if self.rnn is None else self.rnn.output_dim
        self.drop = nn.Dropout(dropout)

    @takes_arrays
    def forward(self, x: Tensor, lengths: object | None = None) -> Encoded:
        """Encode a padded batch.

        Args:
            x: Vectors ``(B, T, input_dim)``, or tokens ``(B, T)``.
            lengths: Real steps of each sequence, from 1 to ``T``; all ``T`` by default.
        """
        count = None if lengths is None else as_count("SequenceEncoder", lengths).to(x.device)
        self._check(x, count)
        is_real, T = real_steps("SequenceEncoder", x, count), x.shape[1]
        if count is not None and not are_values_hidden():
            x = x[:, : int(count.max())]  # what is padding in every row costs nothing
        if self.embedding is not None:
            x = self.drop(self.embedding(x))  # (B, T, input_dim)
        outputs, state = self._read(x, count)
        summary = self.drop(self._summarize(outputs, count))
        missing = T - x.shape[1]
        if missing:
            outputs = nn.functional.pad(outputs, (0, 0, 0, missing))
        return Encoded(self.drop(outputs), summary, state, is_real)

    def _read(self, x: Tensor, lengths: Tensor | None) -> tuple[Tensor, State]:
        """Return what the layers make of vectors ``(B, T, input_dim)``, and their state."""
        if self.tcn is not None:
            x = self.tcn(x, lengths)
        return (x, ()) if self.rnn is None else self.rnn(x, lengths)

    def _summarize(self, outputs: Tensor, lengths: Tensor | None) -> Tensor:
        """Return the outputs ``(B, output_dim)`` of both directions where they have read everything."""
        if lengths is None:
            last = outputs[:, -1]
        else:
            last = outputs[torch.arange(outputs.shape[0], device=outputs.device), lengths - 1]
        if self.rnn is None or not self.rnn.is_bidirectional:
            return last
        H = self.rnn.hidden_dim
        return torch.cat([last[:, :H], outputs[:, 0, H:]], -1)

    def _check(self, x: Tensor, lengths: Tensor | None) -> None:
        if x.ndim < 2 or 0 in x.shape[:2]:
            raise InvalidValue(
                "SequenceEncoder: x must hold at least one sequence of one step or more, "
                f"got shape {tuple(x.shape)}."
            )
        if are_values_hidden():
            return
        if lengths is not None and len(lengths) == len(x) and int(lengths.min()) < 1:
            raise InvalidValue(
                "SequenceEncoder: lengths must be 1 or more, "
                f"got {int(lengths.min())} in row {int(lengths.argmin())}. Leave empty sequences out."
            )
        if self.vocab_size is None:
            return
        if x.is_floating_point() or x.ndim != 2:
            raise InvalidType(
                f"SequenceEncoder: x must be tokens of shape (B, T), got {x.dtype} of shape "
                f"{tuple(x.shape)}. Leave vocab_size out where steps are vectors."
            )
        low, high = torch.aminmax(x)
        if int(low) < 0 or int(high) >= self.vocab_size:
            raise InvalidValue(
                f"SequenceEncoder: x must be tokens from 0 to {self.vocab_size - 1}, "
                f"got {int(low)} to {int(high)}. Try vocab_size={int(high) + 1}."
            )
