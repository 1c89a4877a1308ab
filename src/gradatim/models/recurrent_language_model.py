"""A recurrent language model: which token comes next."""

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue
from gradatim.models.stack_step import step_stack
from gradatim.nn import Recurrent, generate, initialize
from gradatim.nn.cells.cell import State
from gradatim.nn.cells.named import CellFactory
from gradatim.nn.training_modes import evaluation_mode


class RecurrentLanguageModel(nn.Module):
    r"""Predict each token of a text from those before it.

    .. math:: h_t = R(h_{t-1}, e(y_{t-1})), \qquad p(y_t \mid y_{<t}) = \operatorname{softmax}(W h_t + b)

    The state carries everything, so a text of any length costs the same memory; pass it on to continue
    where the last piece ended.

    Args:
        num_tokens: Size of the vocabulary: words, or characters.
        dim: Width of the embedding :math:`e`.
        hidden_dim: Width of :math:`h_t`.
        cell: :math:`R`, as in :class:`~gradatim.nn.Recurrent`.
        num_layers: Layers in the stack.
        dropout: Probability to drop an entry of an embedding, and of every layer's output.

    Example:
        >>> model = RecurrentLanguageModel(65, dim=16, hidden_dim=32)
        >>> logits, state = model(torch.zeros(4, 10, dtype=torch.long))
        >>> logits.shape
        torch.Size([4, 10, 65])
        >>> model.generate(torch.zeros(2, 3, dtype=torch.long), length=5).shape
        torch.Size([2, 5])

    Reference:
        Mikolov et al., Recurrent Neural Network Based Language Model, 2010; Graves, Generating
        Sequences With Recurrent Neural Networks, 2013.
    """

    def __init__(
        self,
        num_tokens: int,
        *,
        dim: int = 64,
        hidden_dim: int = 128,
        cell: str | CellFactory = "lstm",
        num_layers: int = 1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.num_tokens, self.dim, self.hidden_dim = num_tokens, dim, hidden_dim
        self.cell, self.num_layers, self.dropout = cell, num_layers, dropout
        self.embedding = nn.Embedding(num_tokens, dim)
        self.rnn = Recurrent(cell, dim, hidden_dim, num_layers, dropout=dropout)
        self.drop = nn.Dropout(dropout)
        self.readout = nn.Linear(hidden_dim, num_tokens)
        initialize(self.readout, "xavier")

    def forward(
        self, tokens: Tensor, lengths: Tensor | None = None, state: State | None = None
    ) -> tuple[Tensor, State]:
        """Predict the token after each.

        Args:
            tokens: Shape ``(B, T)``.
            lengths: Real tokens of each row; all by default.
            state: State before the first token, as returned; none by default.

        Returns:
            Logits of the next token, shape ``(B, T, num_tokens)``, and the state after the last.
        """
        outputs, state = self.rnn(self.drop(self.embedding(tokens)), lengths, state)
        return self.readout(self.drop(outputs)), state

    def step(self, state: tuple[Tensor, ...] | None, last: Tensor) -> tuple[Tensor, State]:
        """Move one token, as :func:`~gradatim.nn.generate` and :func:`~gradatim.nn.beam_search` ask.

        Args:
            state: Parts with the batch first, shape ``(B, layers, hidden_dim)``.
            last: Tokens, shape ``(B,)``.

        Returns:
            Log-probabilities of the next token, shape ``(B, num_tokens)``, and the state.
        """
        if state is None:
            inside = self.rnn.initial_state(len(last))
        else:
            inside = tuple(part.transpose(0, 1) for part in state)
        output, moved = step_stack(self.rnn, self.drop(self.embedding(last)), inside)
        log_probs = torch.log_softmax(self.readout(self.drop(output)), -1)
        return log_probs, tuple(part.transpose(0, 1) for part in moved)

    @torch.no_grad()
    def generate(
        self,
        prompt: Tensor,
        *,
        length: int,
        temperature: float = 1.0,
        top_k: int | None = None,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Continue a text.

        Args:
            prompt: Tokens to begin with, one or more, shape ``(B, T)``.
            length: Tokens to add.
            temperature: 1 draws from the model, less is more cautious, 0 takes the most probable.
            top_k: Draw from this many most probable tokens only.
            generator: Source of randomness.

        Returns:
            The new tokens, shape ``(B, length)``.
        """
        if prompt.ndim != 2 or not prompt.shape[1]:
            raise InvalidValue(
                "RecurrentLanguageModel: prompt must hold one token or more per row, "
                f"got shape {tuple(prompt.shape)}."
            )
        state = None
        with evaluation_mode(self):
            if prompt.shape[1] > 1:
                _, inside = self(prompt[:, :-1])
                state = tuple(part.transpose(0, 1) for part in inside)
            return generate(
                self.step, state, prompt[:, -1], length=length, temperature=temperature, top_k=top_k,
                generator=generator,
            )  # fmt: skip
