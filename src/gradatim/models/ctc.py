"""Many to many, of different lengths and without alignment: speech and handwriting."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.models.sequence_tagger import SequenceTagger
from gradatim.nn.cells.named import CellFactory


class CTC(nn.Module):
    r"""Label unsegmented sequences: one label or a blank per frame, collapsed.

    .. math:: p(y \mid x) = \sum_{\pi:\,\mathcal B(\pi) = y}\ \prod_t p(\pi_t \mid x)

    The recurrent layers say in every frame :math:`t` how probable each label and the blank are; all
    paths :math:`\pi` that collapse to :math:`y` count. Train it with
    :class:`~gradatim.training.CTCObjective` on inputs and label strings; nobody says where a label lies.
    :func:`~gradatim.decoding.transcribe` finds the labels.

    Args:
        input_dim: Width of a frame.
        num_labels: Number of labels: 1, 2, … beside a blank of 0; always all numbers up to it but the blank.
        hidden_dim: Width of the state, of one layer and direction.
        cell: As in :class:`~gradatim.nn.Recurrent`.
        num_layers: Layers in the stack.
        is_bidirectional: Whether each layer also runs from the end to the start.
        dropout: Probability to drop an entry of every layer's output.
        blank: Number of the blank, from 0 to ``num_labels``.

    Example:
        >>> model = CTC(13, 10, hidden_dim=32)
        >>> model(torch.randn(4, 20, 13)).exp().sum(-1).allclose(torch.ones(4, 20))
        True

    Reference:
        Graves et al., Connectionist Temporal Classification, 2006.
    """

    def __init__(
        self,
        input_dim: int,
        num_labels: int,
        *,
        hidden_dim: int = 64,
        cell: str | CellFactory = "gru",
        num_layers: int = 1,
        is_bidirectional: bool = True,
        dropout: float = 0.0,
        blank: int = 0,
    ) -> None:
        super().__init__()
        require(num_labels >= 1, "CTC: num_labels must be 1 or more", num_labels)
        rule = f"CTC: blank must be from 0 to num_labels={num_labels}"
        require(0 <= blank <= num_labels, rule, blank)
        self.blank = blank
        self.input_dim, self.num_labels, self.hidden_dim = input_dim, num_labels, hidden_dim
        self.cell, self.num_layers = cell, num_layers
        self.is_bidirectional, self.dropout = is_bidirectional, dropout
        self.tagger = SequenceTagger(
            input_dim, num_labels + 1, hidden_dim=hidden_dim, cell=cell, num_layers=num_layers,
            is_bidirectional=is_bidirectional, dropout=dropout,
        )  # fmt: skip

    @takes_arrays
    def forward(self, x: Tensor, lengths: object | None = None) -> Tensor:
        """Log-probabilities of blank and labels in every frame, shape ``(B, T, num_labels + 1)``."""
        return torch.log_softmax(self.tagger(x, lengths), -1)
