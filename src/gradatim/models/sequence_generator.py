"""One to many: a vector in, a sequence out."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.models.decoder_inputs import shift_right
from gradatim.models.decoder_state import batch_first, numbers_per_part, state_from_numbers
from gradatim.models.recurrent_language_model import RecurrentLanguageModel
from gradatim.nn import initialize
from gradatim.nn.cells.cell import State
from gradatim.nn.cells.named import CellFactory


class SequenceGenerator(nn.Module):
    r"""Spell out a vector, token by token: captions, names, melodies.

    .. math::
        h_0 = \tanh(U x + c), \qquad h_t = R(h_{t-1}, e(y_{t-1})), \qquad
        p(y_t \mid y_{<t}, x) = \operatorname{softmax}(W h_t + b)

    :math:`y_0` is ``<start>``, and a sequence ends with ``<end>``, as a
    :class:`~gradatim.data.Vocabulary` numbers them. Train it on ``(x, y, y)`` with
    :func:`~gradatim.losses.token_cross_entropy`; :func:`~gradatim.decoding.generate` lets it write.

    Args:
        input_dim: Width of :math:`x`.
        vocab_size: Size of the vocabulary.
        dim: Width of the embedding :math:`e`.
        hidden_dim: Width of :math:`h_t`.
        cell: :math:`R`, as in :class:`~gradatim.nn.Recurrent`.
        num_layers: Layers in the stack.
        dropout: Probability to drop an entry of an embedding, and of every layer's output.

    Example:
        >>> model = SequenceGenerator(10, 30)
        >>> model(torch.randn(4, 10), torch.tensor([[7, 8, 2, 0]] * 4)).shape
        torch.Size([4, 4, 30])

    Reference:
        Vinyals et al., Show and Tell: A Neural Image Caption Generator, 2015; there :math:`x` is the
        first input, here the first state.
    """

    def __init__(
        self,
        input_dim: int,
        vocab_size: int,
        *,
        dim: int = 32,
        hidden_dim: int = 64,
        cell: str | CellFactory = "gru",
        num_layers: int = 1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.input_dim, self.vocab_size, self.dim = input_dim, vocab_size, dim
        self.hidden_dim, self.cell, self.num_layers = hidden_dim, cell, num_layers
        self.dropout = dropout
        self.language = RecurrentLanguageModel(
            vocab_size, dim=dim, hidden_dim=hidden_dim, cell=cell, num_layers=num_layers, dropout=dropout
        )  # fmt: skip
        rnn = self.language.rnn
        self.begin = nn.Linear(input_dim, rnn.num_states * num_layers * numbers_per_part(rnn))
        initialize(self.begin, "xavier")

    def initial_state(self, x: Tensor) -> State:
        """Return the decoder's state before its first step, parts ``(layers, B, state_dim)``."""
        if x.ndim != 2 or x.shape[1] != self.input_dim:
            raise InvalidValue(
                f"SequenceGenerator: x must have shape (B, {self.input_dim}), got {tuple(x.shape)}."
            )
        return state_from_numbers(self.language.rnn, torch.tanh(self.begin(x)))

    @takes_arrays
    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Predict each token of ``target`` from those before it, which are given (teacher forcing).

        Args:
            x: Shape ``(B, input_dim)``.
            target: Tokens with ``<end>``, then padding, shape ``(B, L)``.

        Returns:
            Logits, shape ``(B, L, vocab_size)``.
        """
        inputs = shift_right(target)  # (B, L)
        return self.language(inputs, None, self.initial_state(x))[0]

    def start(self, x: Tensor) -> State:
        """Read vectors ``(B, input_dim)`` before writing with :meth:`step`."""
        return batch_first(self.initial_state(x))

    def step(self, state: State, last: Tensor) -> tuple[Tensor, State]:
        """Logits ``(B, num_tokens)`` of the token after ``last``, ``(B,)``, and the state then."""
        return self.language.step(state, last)
