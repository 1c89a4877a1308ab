"""A text and the other columns of its row, read by one network."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.models.sizes import check_counts


class TextAndColumns(nn.Module):
    r"""Read a text into a vector, set the numbers of its row beside it, and answer from both.

    .. math:: \hat y = W_2\,\phi\bigl(W_1 [r(\text{text}); x] + b_1\bigr) + W_3\,x + b_2

    Args:
        reader: :math:`r`, from tokens and lengths to vectors ``(B, hidden_dim)``.
        input_dim: Width of :math:`x`.
        hidden_dim: Width of the reader's vector and of the hidden layer.
        output_dim: Number of answers.
        dropout: Probability to drop an entry of the hidden layer.

    Example:
        >>> from gradatim.models import BagOfEmbeddings
        >>> model = TextAndColumns(BagOfEmbeddings(10, 4, 8), 3, 8, 2)
        >>> model(torch.tensor([[5, 7]]), torch.tensor([2]), torch.zeros(1, 3)).shape
        torch.Size([1, 2])
    """

    def __init__(
        self,
        reader: nn.Module,
        input_dim: int,
        hidden_dim: int,
        output_dim: int,
        *,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        check_counts("TextAndColumns", input_dim=input_dim, hidden_dim=hidden_dim)
        self.reader, self.input_dim, self.hidden_dim = reader, input_dim, hidden_dim
        self.output_dim, self.dropout = output_dim, dropout
        self.join = nn.Linear(hidden_dim + input_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.readout = nn.Linear(hidden_dim, output_dim)
        self.direct = nn.Linear(input_dim, output_dim, bias=False)

    @takes_arrays
    def forward(self, tokens: Tensor, lengths: Tensor, x: Tensor) -> Tensor:
        """Answer.

        Args:
            tokens: Shape ``(B, T)``, padded at the end.
            lengths: Real tokens of each text.
            x: Numbers of each row, shape ``(B, input_dim)``.
        """
        both = torch.cat([self.reader(tokens, lengths), x], -1)  # (B, hidden_dim + input_dim)
        return self.readout(self.drop(torch.relu(self.join(both)))) + self.direct(x)
