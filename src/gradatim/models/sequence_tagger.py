"""Many to many, aligned: an answer at every step."""

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.models.sequence_encoder import SequenceEncoder
from gradatim.nn import initialize
from gradatim.nn.cells.named import CellFactory


class SequenceTagger(nn.Module):
    r"""Label every step of a sequence.

    .. math:: h_t = R(h_{t-1}, x_t), \qquad \hat y_t = W h_t + b

    In both directions :math:`\hat y_t` sees the whole sequence; in one direction only what came before,
    so that it can run on a stream. Train it with :func:`~gradatim.losses.token_cross_entropy`.

    Args:
        input_dim: Width of a step's vector; of the embedding, for tokens.
        output_dim: Number of labels.
        hidden_dim: Width of :math:`h_t`, of one layer and direction.
        vocab_size: Size of the vocabulary; ``None`` where steps are vectors.
        cell: :math:`R`, as in :class:`~gradatim.nn.Recurrent`.
        num_layers: Layers in the stack.
        is_bidirectional: Whether each layer also runs from the end to the start.
        dropout: Probability to drop an entry of an embedding, and of every layer's output.

    Example:
        >>> import torch
        >>> SequenceTagger(8, 5, vocab_size=100)(torch.tensor([[5, 7, 9], [4, 0, 0]]), torch.tensor([3, 1])).shape
        torch.Size([2, 3, 5])
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
        is_bidirectional: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.input_dim, self.output_dim, self.hidden_dim = input_dim, output_dim, hidden_dim
        self.vocab_size, self.cell, self.num_layers = vocab_size, cell, num_layers
        self.is_bidirectional, self.dropout = is_bidirectional, dropout
        self.encoder = SequenceEncoder(
            input_dim, hidden_dim, vocab_size=vocab_size, cell=cell, num_layers=num_layers,
            is_bidirectional=is_bidirectional, dropout=dropout,
        )  # fmt: skip
        self.readout = nn.Linear(self.encoder.output_dim, output_dim)
        initialize(self.readout, "xavier")

    @takes_arrays
    def forward(self, x: Tensor, lengths: object | None = None) -> Tensor:
        """Answer at each step.

        Args:
            x: Vectors ``(B, T, input_dim)``, or tokens ``(B, T)``, padded at the end.
            lengths: Real steps of each sequence, from 1 to ``T``; all ``T`` by default.

        Returns:
            Logits, shape ``(B, T, output_dim)``; at padding they mean nothing.
        """
        return self.readout(self.encoder(x, lengths).outputs)
