"""Read a sequence, keep a few numbers of it, and say it again."""

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require_whole
from gradatim.models.sequence_encoder import SequenceEncoder
from gradatim.nn import Recurrent, initialize
from gradatim.nn.cells.named import CellFactory


class SequenceAutoencoder(nn.Module):
    r"""Reconstruct a sequence from a code that is too short to hold any other.

    .. math::
        h_t = R(h_{t-1}, x_t), \qquad z = \tanh(C h_T + c), \qquad g_t = R'(g_{t-1}, z), \qquad \hat x_t = W g_t + b

    It learns sequences of one kind: one of another kind comes back changed, and
    :math:`\lVert x - \hat x\rVert^2` tells. Train it on ``(x, x)`` with ``loss="mse"``, standardized.

    Args:
        input_dim: Width of a step :math:`x_t`.
        code_dim: Numbers of the code :math:`z`.
        hidden_dim: Width of :math:`h_t` and :math:`g_t`.
        cell: :math:`R` and :math:`R'`, as in :class:`~gradatim.nn.Recurrent`.
        num_layers: Layers in each of the two stacks.
        dropout: Probability to drop an entry of the summary and of every layer's output.

    Example:
        >>> import torch
        >>> SequenceAutoencoder(3, 4)(torch.randn(2, 16, 3)).shape
        torch.Size([2, 16, 3])

    Reference:
        Malhotra et al., LSTM-based Encoder-Decoder for Multi-sensor Anomaly Detection, 2016; there the decoder reads its own
        last step and writes backwards, here it reads the code at every step.
    """

    def __init__(
        self,
        input_dim: int,
        code_dim: int,
        *,
        hidden_dim: int = 32,
        cell: str | CellFactory = "gru",
        num_layers: int = 1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        require_whole("SequenceAutoencoder", code_dim=code_dim)
        self.input_dim, self.code_dim, self.hidden_dim = input_dim, code_dim, hidden_dim
        self.cell, self.num_layers, self.dropout = cell, num_layers, dropout
        self.encoder = SequenceEncoder(input_dim, hidden_dim, cell=cell, num_layers=num_layers, dropout=dropout)  # fmt: skip
        self.compress = nn.Linear(self.encoder.output_dim, code_dim)
        between = dropout if num_layers > 1 else 0.0
        self.decoder = Recurrent(cell, code_dim, hidden_dim, num_layers, dropout=between)
        self.readout = nn.Linear(self.decoder.output_dim, input_dim)
        for part in (self.compress, self.readout):
            initialize(part, "xavier")

    @takes_arrays
    def encode(self, x: Tensor) -> Tensor:
        """Codes ``(B, code_dim)`` of sequences ``(B, T, input_dim)``."""
        return self.compress(self.encoder(x).summary).tanh()

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        """Say sequences ``(B, T, input_dim)`` again, each from its code alone."""
        code = self.encode(x)[:, None].expand(-1, x.shape[1], -1)  # (B, T, code_dim)
        return self.readout(self.decoder(code)[0])  # (B, T, input_dim)
