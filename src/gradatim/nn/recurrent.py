"""Recurrent layers over padded batches of sequences."""

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, require, require_whole
from gradatim.nn.cells.cell import Cell, State
from gradatim.nn.cells.named import CellFactory, build_cell
from gradatim.nn.padding import real_steps, reverse_steps
from gradatim.nn.plain_path import at_least_single


class Recurrent(nn.Module):
    r"""A stack of recurrent layers, in one direction or both, of any cell.

    .. math::
        h^{(\ell)}_t &= R^{(\ell)}(h^{(\ell)}_{t-1}, y^{(\ell-1)}_t), \qquad y^{(0)}_t = x_t, \\
        y^{(\ell)}_t &= \mathrm{dropout}\bigl(\mathrm{LN}(h^{(\ell)}_t) + y^{(\ell-1)}_t\bigr)

    In both directions :math:`h^{(\ell)}_t` is the forward and the backward layer's output side by
    side. Padding never changes a result: a sequence gives the same outputs, the same state and the
    same gradient alone and in a padded batch, and outputs at padding are zero. The state of a
    sequence of length 0 is the initial one.

    Args:
        cell: Name in :data:`CELLS`, a class of cells, or a function ``(input_dim, hidden_dim) -> Cell``.
        input_dim: Width of the input.
        hidden_dim: Width of the state of one layer and direction.
        num_layers: Layers in the stack.
        is_bidirectional: Whether a second cell per layer runs from the end of every sequence to its start.
        dropout: Probability of zeroing an output between two layers; refused with one.
        layer_norm: Whether to normalize the outputs of every layer (LN above).
        residual: Whether to add a layer's input to its output, wherever the widths agree.
        learn_initial_state: Whether the state before the first step is learned; it starts at zero.

    Example:
        >>> rnn = Recurrent("lstm", 3, 8, num_layers=2, is_bidirectional=True)
        >>> outputs, (h, c) = rnn(torch.randn(5, 7, 3), lengths=torch.tensor([7, 1, 3, 0, 7]))
        >>> outputs.shape, h.shape
        (torch.Size([5, 7, 16]), torch.Size([4, 5, 8]))

    Reference:
        Schuster and Paliwal, Bidirectional Recurrent Neural Networks, 1997. Graves, Generating
        Sequences With Recurrent Neural Networks, 2013 (stacks).
    """

    def __init__(
        self,
        cell: str | CellFactory,
        input_dim: int,
        hidden_dim: int,
        num_layers: int = 1,
        *,
        is_bidirectional: bool = False,
        dropout: float = 0.0,
        layer_norm: bool = False,
        residual: bool = False,
        learn_initial_state: bool = False,
    ) -> None:
        super().__init__()
        require_whole(
            "Recurrent", input_dim=input_dim, hidden_dim=hidden_dim, num_layers=num_layers
        )
        _check_dropout(dropout, num_layers)
        self.cell, self.input_dim, self.hidden_dim = cell, input_dim, hidden_dim
        self.num_layers, self.is_bidirectional, self.dropout = num_layers, is_bidirectional, dropout
        self.layer_norm, self.residual = layer_norm, residual
        self.learn_initial_state = learn_initial_state
        self.num_directions = 2 if is_bidirectional else 1
        self.output_dim = self.num_directions * hidden_dim
        widths = [input_dim] + [self.output_dim] * (num_layers - 1)
        if residual and self.output_dim not in widths:
            raise InvalidValue(
                f"Recurrent: residual must have a layer with equal widths, got {input_dim} in and "
                f"{self.output_dim} out. Try num_layers=2."
            )
        cells = [build_cell(cell, width, hidden_dim) for width in widths for _ in range(self.num_directions)]  # fmt: skip
        self.num_states, self.state_dim = cells[0].num_states, cells[0].state_dim
        self.is_complex = cells[0].is_complex
        self.cells = nn.ModuleList(cells)
        self.norms = nn.ModuleList(nn.LayerNorm(self.output_dim) for _ in widths if layer_norm)
        self.initial = nn.ParameterList(
            torch.zeros(len(cells), self.state_dim, *([2] if self.is_complex else []))
            for _ in range(self.num_states if learn_initial_state else 0)
        )

    def initial_state(self, batch: int) -> State:
        """Return the state before the first step, parts of shape ``(layers * directions, batch, H)``."""
        return self._initial_state(batch, next(self.parameters()))

    def _initial_state(self, batch: int, like: Tensor) -> State:
        shape = (self.num_layers * self.num_directions, batch, self.state_dim)
        if self.learn_initial_state:
            learned = (
                torch.view_as_complex(at_least_single(p)) if self.is_complex else p
                for p in self.initial
            )
            return tuple(part[:, None].expand(shape) for part in learned)
        zeros = torch.zeros(shape, dtype=self._state_dtype(like), device=like.device)
        return (zeros,) * self.num_states

    def _state_dtype(self, like: Tensor) -> torch.dtype:
        """Return the dtype of a state beside ``like``; complex numbers have at least single precision."""
        if not self.is_complex:
            return like.dtype
        return torch.promote_types(like.dtype, torch.float32).to_complex()

    @takes_arrays
    def forward(
        self, x: Tensor, lengths: object | None = None, state: State | Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Run over a padded batch.

        Args:
            x: Inputs, shape ``(B, T, input_dim)``.
            lengths: Real steps of each sequence, from 0 to ``T``; all ``T`` by default. PyTorch's layers take the
                state in this place: name it, ``state=``.
            state: State before the first step, as returned; the initial state by default. The tensor of a state of
                one part may stand alone, as in PyTorch.

        Returns:
            The last layer's outputs ``(B, T, output_dim)``, zero at padding, and the state after each
            sequence's last real step, a tuple of parts ``(num_layers * num_directions, B, state_dim)``:
            ``(h, c)`` for an LSTM, ``(h,)`` for others; layer by layer, forward before backward.
        """
        state = (state,) if isinstance(state, Tensor) else state
        self._check(x, state)
        is_real = real_steps("Recurrent", x, lengths)
        if is_real is not None:
            x = x.masked_fill(~is_real[..., None], 0.0)
        if state is None:
            state = self._initial_state(x.shape[0], x)
        else:
            state = tuple(part.to(self._state_dtype(x)) for part in state)
        if x.shape[1] == 0:
            return x.new_zeros(x.shape[0], 0, self.output_dim), state
        finals: list[State] = []
        for layer in range(self.num_layers):
            x = self._run_layer(layer, x, state, is_real, finals)
        if is_real is not None:
            x = x.masked_fill(~is_real[..., None], 0.0)
        if len(finals) == 1:
            return x, tuple(part[None] for part in finals[0])
        return x, tuple(torch.stack(parts) for parts in zip(*finals, strict=True))

    def _run_layer(
        self, layer: int, x: Tensor, state: State, is_real: Tensor | None, finals: list[State]
    ) -> Tensor:
        """Return one layer's outputs ``(B, T, output_dim)`` and append its last states to ``finals``."""
        sides = []
        for direction in range(self.num_directions):
            k = layer * self.num_directions + direction
            cell = cast(Cell, self.cells[k])
            inputs = reverse_steps(x, is_real) if direction else x
            outputs, final = cell.unroll(inputs, tuple(part[k] for part in state), is_real)
            sides.append(reverse_steps(outputs, is_real) if direction else outputs)
            finals.append(final)
        y = torch.cat(sides, -1) if self.is_bidirectional else sides[0]
        return self.pass_on(layer, y, x)

    def pass_on(self, layer: int, y: Tensor, x: Tensor) -> Tensor:
        """Return what a layer with outputs ``y`` and inputs ``x`` hands to the next."""
        y = self.norms[layer](y) if self.layer_norm else y
        y = y + x if self.residual and y.shape == x.shape else y
        is_last = layer == self.num_layers - 1
        return y if is_last else functional.dropout(y, self.dropout, self.training)

    def _check(self, x: Tensor, state: State | None) -> None:
        if x.ndim != 3 or x.shape[-1] != self.input_dim or not x.is_floating_point():
            raise InvalidValue(
                f"Recurrent: x must be real numbers of shape (batch, time, {self.input_dim}), got "
                f"{x.dtype} of shape {tuple(x.shape)}."
            )
        if state is None:
            return
        shape = (len(self.cells), len(x), self.state_dim)
        if [tuple(part.shape) for part in state] != [shape] * self.num_states:
            raise InvalidValue(
                f"Recurrent: state must be {self.num_states} tensor(s) of shape {shape}, got "
                f"{[tuple(part.shape) for part in state]}."
            )


def _check_dropout(dropout: float, num_layers: int) -> None:
    require(0.0 <= dropout < 1.0, "Recurrent: dropout must be from 0 to below 1", dropout)
    if dropout and num_layers == 1:
        raise InvalidValue(
            f"Recurrent: dropout must be 0 with one layer, since it acts between two, got {dropout}. "
            "Put nn.Dropout after it, or try num_layers=2."
        )
