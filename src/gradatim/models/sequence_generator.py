"""One to many: a vector in, a sequence out."""

import torch
from torch import Tensor, nn

from gradatim.data.vocabulary import END, START
from gradatim.errors import InvalidValue
from gradatim.models.decoder_inputs import shift_right
from gradatim.models.decoder_state import numbers_per_part, state_from_numbers
from gradatim.models.recurrent_language_model import RecurrentLanguageModel
from gradatim.nn import beam_search, generate, initialize
from gradatim.nn.cells.cell import State
from gradatim.nn.cells.named import CellFactory
from gradatim.nn.training_modes import evaluation_mode


class SequenceGenerator(nn.Module):
    r"""Spell out a vector, token by token: captions, names, melodies.

    .. math::
        h_0 = \tanh(U x + c), \qquad h_t = R(h_{t-1}, e(y_{t-1})), \qquad
        p(y_t \mid y_{<t}, x) = \operatorname{softmax}(W h_t + b)

    :math:`y_0` is ``<start>``, and a sequence ends with ``<end>``, as a
    :class:`~gradatim.data.Vocabulary` numbers them. Train it on ``(x, y, y)`` with
    :func:`~gradatim.losses.token_cross_entropy`.

    Args:
        input_dim: Width of :math:`x`.
        num_tokens: Size of the vocabulary.
        dim: Width of the embedding :math:`e`.
        hidden_dim: Width of :math:`h_t`.
        cell: :math:`R`, as in :class:`~gradatim.nn.Recurrent`.
        num_layers: Layers in the stack.
        dropout: Probability to drop an entry of an embedding, and of every layer's output.

    Example:
        >>> model = SequenceGenerator(10, 30)
        >>> model(torch.randn(4, 10), torch.tensor([[7, 8, 2, 0]] * 4)).shape
        torch.Size([4, 4, 30])
        >>> model.generate(torch.randn(4, 10), length=6).shape[0]
        4

    Reference:
        Vinyals et al., Show and Tell: A Neural Image Caption Generator, 2015; there :math:`x` is the
        first input, here the first state.
    """

    def __init__(
        self,
        input_dim: int,
        num_tokens: int,
        *,
        dim: int = 32,
        hidden_dim: int = 64,
        cell: str | CellFactory = "gru",
        num_layers: int = 1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.input_dim, self.num_tokens, self.dim = input_dim, num_tokens, dim
        self.hidden_dim, self.cell, self.num_layers = hidden_dim, cell, num_layers
        self.dropout = dropout
        self.language = RecurrentLanguageModel(
            num_tokens, dim=dim, hidden_dim=hidden_dim, cell=cell, num_layers=num_layers, dropout=dropout
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

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Predict each token of ``target`` from those before it, which are given (teacher forcing).

        Args:
            x: Shape ``(B, input_dim)``.
            target: Tokens with ``<end>``, then padding, shape ``(B, L)``.

        Returns:
            Logits, shape ``(B, L, num_tokens)``.
        """
        inputs = shift_right(target)  # (B, L)
        return self.language(inputs, None, self.initial_state(x))[0]

    @torch.no_grad()
    def generate(
        self,
        x: Tensor,
        *,
        length: int,
        temperature: float = 0.0,
        beam_width: int | None = None,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Write one sequence for each vector.

        Args:
            x: Shape ``(B, input_dim)``.
            length: Most tokens, ``<end>`` included.
            temperature: 0 takes the most probable token at each step, 1 draws from the model.
            beam_width: Search for the most probable sequence in a beam instead.
            generator: Source of randomness.

        Returns:
            Tokens with ``<end>``, then padding, shape ``(B, L)``.
        """
        state = tuple(part.transpose(0, 1) for part in self.initial_state(x))
        start = torch.full((len(x),), START, device=x.device)
        with evaluation_mode(self):
            if beam_width is not None:
                found = beam_search(
                    self.language.step, state, start, end=END, beam_width=beam_width, max_length=length
                )  # fmt: skip
                return found.tokens[:, 0]
            return generate(
                self.language.step, state, start, length=length, end=END, temperature=temperature,
                generator=generator,
            )  # fmt: skip
