"""Encoder-decoder: a sequence in, a sequence of another length out."""

from dataclasses import dataclass
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.data.vocabulary import END, PAD, START
from gradatim.errors import InvalidValue, choose
from gradatim.models.decoder_inputs import shift_right
from gradatim.models.decoder_state import (
    batch_first,
    last_layer_numbers,
    numbers_per_part,
    state_from_numbers,
)
from gradatim.models.sequence_encoder import SequenceEncoder
from gradatim.models.stack_step import step_stack
from gradatim.nn import AdditiveAttention, DotAttention, Recurrent, initialize
from gradatim.nn.cells.cell import State
from gradatim.nn.cells.named import CellFactory
from gradatim.nn.training_modes import evaluation_mode

ATTENTIONS = ("additive", "dot", "none")


@dataclass
class _Memory:
    """What the decoder reads from: the encoder's outputs, the same at every step."""

    keys: Tensor
    projected: Tensor | None
    summary: Tensor
    is_real: Tensor | None

    def select(self, rows: Tensor) -> "_Memory":
        if len(rows) == len(self.keys):
            return self  # a beam's rows change places only among those that read the same source
        projected = None if self.projected is None else self.projected[rows]
        is_real = None if self.is_real is None else self.is_real[rows]
        return _Memory(self.keys[rows], projected, self.summary[rows], is_real)


class _Step(NamedTuple):
    features: Tensor
    state: State
    weights: Tensor | None


class Seq2Seq(nn.Module):
    r"""Translate token sequences, with attention over the source.

    .. math::
        k_1,\dots,k_S &= \operatorname{BiRNN}(x), \qquad s_0 = \tanh(U [\overrightarrow{k}_S; \overleftarrow{k}_1]), \\
        c_t &= \textstyle\sum_s \alpha_{ts} k_s, \qquad \alpha_t = \operatorname{softmax}_s(e(s_{t-1}, k_s)), \\
        s_t &= R(s_{t-1}, [e(y_{t-1}); c_t]), \qquad p(y_t \mid y_{<t}, x) = \operatorname{softmax}(W [s_t; c_t] + b)

    Without attention :math:`c_t` is the encoder's last state, at every step the same: the whole source
    must pass through it. :math:`y_0` is ``<start>``, sequences end with ``<end>``, padding is 0, as a
    :class:`~gradatim.data.Vocabulary` numbers them, unless other tokens are named. Train it on ``(source, lengths, target, target)``
    with :func:`~gradatim.losses.token_cross_entropy`, or on ``(source, lengths, target)`` with
    :class:`~gradatim.training.TeacherForcing`; :func:`~gradatim.decoding.translate` lets it write.

    Args:
        source_vocab_size: Size of the source's vocabulary.
        target_vocab_size: Size of the target's vocabulary.
        dim: Width of both embeddings.
        hidden_dim: Width of :math:`s_t`, and of each direction of the encoder.
        attention: ``"additive"`` (Bahdanau), ``"dot"`` (Luong) or ``"none"``.
        cell: :math:`R`, as in :class:`~gradatim.nn.Recurrent`, for encoder and decoder.
        num_layers: Layers of encoder and decoder.
        dropout: Probability to drop an entry of an embedding, and of every layer's output.
        pad: Token that fills short sources and targets.
        start_token: :math:`y_0`.
        end_token: Token that ends a target.

    Example:
        >>> model = Seq2Seq(30, 20, hidden_dim=16)
        >>> source, lengths = torch.tensor([[5, 6, 7], [8, 9, 0]]), torch.tensor([3, 2])
        >>> target = torch.tensor([[4, 5, 2, 0], [6, 7, 8, 2]])
        >>> model(source, lengths, target).shape, model.align(source, lengths, target).shape
        (torch.Size([2, 4, 20]), torch.Size([2, 4, 3]))

    Reference:
        Bahdanau, Cho and Bengio, Neural Machine Translation by Jointly Learning to Align and
        Translate, 2015; without its maxout layer.
    """

    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        *,
        dim: int = 32,
        hidden_dim: int = 64,
        attention: str = "additive",
        cell: str | CellFactory = "gru",
        num_layers: int = 1,
        dropout: float = 0.0,
        pad: int = PAD,
        start_token: int = START,
        end_token: int = END,
    ) -> None:
        super().__init__()
        self.pad, self.start_token, self.end_token = pad, start_token, end_token
        self.source_vocab_size, self.target_vocab_size = source_vocab_size, target_vocab_size
        self.dim, self.hidden_dim, self.cell = dim, hidden_dim, cell
        self.num_layers, self.dropout = num_layers, dropout
        self.attention = choose("Seq2Seq", "attention", attention, ATTENTIONS)
        self.encoder = SequenceEncoder(
            dim, hidden_dim, vocab_size=source_vocab_size, cell=cell, num_layers=num_layers,
            is_bidirectional=True, dropout=dropout, pad=pad,
        )  # fmt: skip
        key_dim = self.encoder.output_dim
        query_dim = numbers_per_part(cast(Recurrent, self.encoder.rnn))
        self.attend: AdditiveAttention | DotAttention | None = None
        if attention == "additive":
            self.attend = AdditiveAttention(query_dim, key_dim, hidden_dim)
        elif attention == "dot":
            self.attend = DotAttention(query_dim, key_dim)
        self.embedding = nn.Embedding(target_vocab_size, dim, padding_idx=pad)
        between = dropout if num_layers > 1 else 0.0
        self.rnn = Recurrent(cell, dim + key_dim, hidden_dim, num_layers, dropout=between)
        self.drop = nn.Dropout(dropout)
        self.begin = nn.Linear(key_dim, self.rnn.num_states * num_layers * query_dim)
        self.readout = nn.Linear(hidden_dim + key_dim, target_vocab_size)
        initialize(self.begin, "xavier")
        initialize(self.readout, "xavier")

    @takes_arrays
    def forward(
        self,
        source: Tensor,
        lengths: object | None,
        target: Tensor,
        teacher_forcing: float = 1.0,
    ) -> Tensor:
        """Predict each token of ``target``.

        Args:
            source: Tokens, padded at the end, shape ``(B, S)``.
            lengths: Real tokens of each source, from 1 to ``S``; ``None`` for all.
            target: Tokens with ``<end>``, then padding, shape ``(B, L)``.
            teacher_forcing: Probability that a step is given the true token before it; otherwise it is
                given the model's own, as when translating.

        Returns:
            Logits, shape ``(B, L, target_vocab_size)``.
        """
        return self.readout(self._unroll(source, lengths, target, teacher_forcing)[0])

    @takes_arrays
    @torch.no_grad()
    def align(self, source: Tensor, lengths: object | None, target: Tensor) -> Tensor:
        """Return the attention map: weights of the source at each step, shape ``(B, L, S)``."""
        if self.attend is None:
            raise InvalidValue(
                "Seq2Seq: attention must be additive or dot for an attention map, got 'none'."
            )
        with evaluation_mode(self):
            return torch.stack(self._unroll(source, lengths, target, 1.0)[1], 1)  # type: ignore[arg-type]

    def start(self, source: Tensor, lengths: object | None = None) -> tuple[_Memory, State]:
        """Read sources ``(B, S)``, of ``lengths`` real tokens each, before writing with :meth:`step`."""
        memory, state = self._encode(source, lengths)
        return memory, batch_first(state)

    def step(
        self, state: tuple[_Memory, State], last: Tensor
    ) -> tuple[Tensor, tuple[_Memory, State]]:
        """Logits ``(B, target_vocab_size)`` of the token after ``last``, ``(B,)``, and the state then."""
        memory, inside = state
        moved = self._step(memory, batch_first(inside), self._embed(last))
        return self.readout(moved.features), (memory, batch_first(moved.state))

    def _encode(self, source: Tensor, lengths: object | None) -> tuple[_Memory, State]:
        keys, summary, _, is_real = self.encoder(source, lengths)
        projected = None if self.attend is None else self.attend.project(keys)
        state = state_from_numbers(self.rnn, torch.tanh(self.begin(summary)))
        return _Memory(keys, projected, summary, is_real), state

    def _embed(self, tokens: Tensor) -> Tensor:
        return self.drop(self.embedding(tokens))

    def _step(self, memory: _Memory, state: State, embedded: Tensor) -> _Step:
        """Move the decoder by one token, embedded ``(B, dim)``; features are what the read-out sees."""
        context, weights = memory.summary, None
        if self.attend is not None:
            context, weights = self.attend(
                last_layer_numbers(state), memory.keys, memory.is_real, memory.projected
            )
        x = torch.cat([embedded, context], -1)  # (B, dim + key_dim)
        output, state = step_stack(self.rnn, x, state)
        return _Step(torch.cat([self.drop(output), context], -1), state, weights)

    def _unroll(
        self, source: Tensor, lengths: object | None, target: Tensor, teacher_forcing: float
    ) -> tuple[Tensor, list[Tensor | None]]:
        """Features ``(B, L, ·)`` along a target, and the weights ``(B, S)`` of each step."""
        _check_target(target, teacher_forcing)
        memory, state = self._encode(source, lengths)
        inputs = shift_right(target, self.start_token)  # (B, L)
        embedded = self._embed(inputs)  # (B, L, dim)
        if self.attend is None and teacher_forcing == 1.0:
            return self._unroll_at_once(memory, state, embedded), []
        features: list[Tensor] = []
        weights = []
        for t in range(target.shape[1]):
            x = embedded[:, t]
            if t and teacher_forcing < 1.0:
                with torch.no_grad():
                    own = self.readout(features[-1]).argmax(-1)
                is_forced = torch.rand(len(own), 1, device=own.device) < teacher_forcing
                x = torch.where(is_forced, x, self._embed(own))
            moved = self._step(memory, state, x)
            state = moved.state
            features.append(moved.features)
            weights.append(moved.weights)
        return torch.stack(features, 1), weights

    def _unroll_at_once(self, memory: _Memory, state: State, embedded: Tensor) -> Tensor:
        """The same where no step waits for the one before it: all inputs known, one context."""
        context = memory.summary[:, None].expand(-1, embedded.shape[1], -1)
        outputs, _ = self.rnn(torch.cat([embedded, context], -1), None, state)
        return torch.cat([self.drop(outputs), context], -1)


def _check_target(target: Tensor, teacher_forcing: float) -> None:
    if target.ndim != 2 or not target.shape[1]:
        raise InvalidValue(
            f"Seq2Seq: target must have shape (B, L) with L from 1, got {tuple(target.shape)}."
        )
    if not 0.0 <= teacher_forcing <= 1.0:
        raise InvalidValue(f"Seq2Seq: teacher_forcing must be from 0 to 1, got {teacher_forcing}.")
