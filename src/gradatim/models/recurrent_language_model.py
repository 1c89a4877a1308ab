"""A recurrent language model: which token comes next."""

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.models.decoder_state import batch_first
from gradatim.models.stack_step import step_stack
from gradatim.nn import Recurrent, initialize
from gradatim.nn.cells.cell import State
from gradatim.nn.cells.named import CellFactory


class RecurrentLanguageModel(nn.Module):
    r"""Predict each token of a text from those before it.

    .. math:: h_t = R(h_{t-1}, e(y_{t-1})), \qquad p(y_t \mid y_{<t}) = \operatorname{softmax}(W h_t + b)

    The state carries everything, so a text of any length costs the same memory; pass it on to continue
    where the last piece ended. :func:`~gradatim.decoding.generate` lets it write.

    Args:
        vocab_size: Size of the vocabulary: words, or characters.
        dim: Width of the embedding :math:`e`.
        hidden_dim: Width of :math:`h_t`.
        cell: :math:`R`, as in :class:`~gradatim.nn.Recurrent`.
        num_layers: Layers in the stack.
        dropout: Probability to drop an entry of an embedding, and of every layer's output.

    Example:
        >>> import torch
        >>> model = RecurrentLanguageModel(65, dim=16, hidden_dim=32)
        >>> logits, state = model(torch.zeros(4, 10, dtype=torch.long))
        >>> logits.shape
        torch.Size([4, 10, 65])
        >>> model.step(state=None, last=torch.zeros(2, dtype=torch.long))[0].shape
        torch.Size([2, 65])

    Reference:
        Mikolov et al., Recurrent Neural Network Based Language Model, 2010; Graves, Generating
        Sequences With Recurrent Neural Networks, 2013.
    """

    def __init__(
        self,
        vocab_size: int,
        *,
        dim: int = 64,
        hidden_dim: int = 128,
        cell: str | CellFactory = "lstm",
        num_layers: int = 1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.vocab_size, self.dim, self.hidden_dim = vocab_size, dim, hidden_dim
        self.cell, self.num_layers, self.dropout = cell, num_layers, dropout
        self.embedding = nn.Embedding(vocab_size, dim)
        between = dropout if num_layers > 1 else 0.0
        self.rnn = Recurrent(cell, dim, hidden_dim, num_layers, dropout=between)
        self.drop = nn.Dropout(dropout)
        self.readout = nn.Linear(hidden_dim, vocab_size)
        initialize(self.readout, "xavier")

    @takes_arrays
    def forward(
        self, tokens: Tensor, lengths: object | None = None, state: State | None = None
    ) -> tuple[Tensor, State]:
        """Predict the token after each.

        Args:
            tokens: Shape ``(B, T)``.
            lengths: Real tokens of each row; all by default.
            state: State before the first token, as returned; none by default.

        Returns:
            Logits of the next token, shape ``(B, T, vocab_size)``, and the state after the last.
        """
        outputs, state = self.rnn(self.drop(self.embedding(tokens)), lengths, state)
        return self.readout(self.drop(outputs)), state

    def start(self, tokens: Tensor) -> State | None:
        """Read tokens ``(B, T)``, none or more, before writing with :meth:`step`."""
        return batch_first(self(tokens)[1]) if tokens.shape[1] else None

    def step(self, state: State | None, last: Tensor) -> tuple[Tensor, State]:
        """Move one token, as :func:`~gradatim.decoding.generate` and its siblings ask.

        Args:
            state: Parts with the batch first, shape ``(B, layers, hidden_dim)``; ``None`` at the beginning.
            last: Tokens, shape ``(B,)``.

        Returns:
            Logits of the next token, shape ``(B, vocab_size)``, and the state.
        """
        inside = self.rnn.initial_state(len(last)) if state is None else batch_first(state)
        output, moved = step_stack(self.rnn, self.drop(self.embedding(last)), inside)
        return self.readout(self.drop(output)), batch_first(moved)
